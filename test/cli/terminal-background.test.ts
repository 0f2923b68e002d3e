import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setUp, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const QUERY = "\x1b]11;?\x07";
const WHITE = "\x1b]11;rgb:ffff/ffff/ffff\x07";
const BLACK = "\x1b]11;rgb:0000/0000/0000\x1b\\";

/** Starts a run; its agent answers one message. */
function open(options: { env?: Record<string, string>; args?: string[]; theme?: string } = {}) {
  const { cwd, server } = setUp({}, { text: "finished" });
  if (options.theme !== undefined) writeSettings(cwd, { theme: options.theme });
  const run = start(cwd, options.args ?? [], { env: { ...options.env } });
  return { run, server, asks: () => until(() => run.sent().includes(QUERY)) };
}

function writeSettings(cwd: string, settings: object): void {
  const directory = join(cwd, ".home", ".config", "hooksh");
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "config.yaml"), JSON.stringify({ settings }));
}

/** Asks for the theme in use, sends a message, and expects that the model gets nothing else. Returns the theme. */
async function themeOf({ run, server }: ReturnType<typeof open>): Promise<string | undefined> {
  await run.sees("/help shows");
  run.press("/theme\r");
  await run.sees("type to search");
  const list = run.shown().slice(run.shown().lastIndexOf("> Theme") + 1);
  run.press("\x03");
  run.press("go\r");
  await run.sees("finished");
  expect(server.requests[0]?.messages.filter(({ role }) => role === "user").map(({ content }) => content)).toEqual([
    "go",
  ]);
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
  return list.match(/(\w+)\s+in use/)?.[1];
}

async function expectTheme(terminal: ReturnType<typeof open>, name: string): Promise<void> {
  expect(await themeOf(terminal)).toBe(name);
}

/** Expects that one of several terminals that answer gets a theme: on a busy machine an answer may come too late. */
async function expectAnswered(name: string, answer: (press: (keys: string) => void) => Promise<void>): Promise<void> {
  const themes: (string | undefined)[] = [];
  while (!themes.includes(name) && themes.length < 5) {
    const terminal = open();
    await terminal.asks();
    await answer(terminal.run.press);
    themes.push(await themeOf(terminal));
  }
  expect(themes).toContain(name);
}

describe("the theme follows the terminal's background", () => {
  test.each([
    ["white", WHITE, "light"],
    ["black", BLACK, "dark"],
    ["in hexadecimal notation", "\x1b]11;#fdf6e3\x07", "light"],
    ["garbage", "\x1b]11;garbage\x07", "dark"],
  ])("if the answer is %s", async (_name, answer, theme) => {
    await expectAnswered(theme, async (press) => press(answer));
  });

  test.each([
    ["after each of the first characters", [...WHITE.slice(0, 7), WHITE.slice(7)]],
    ["inside the colour", ["\x1b]11;rgb:ff", "ff/ffff/ffff\x07"]],
    ["before the end of its terminator", [WHITE.slice(0, -1), "\x1b", "\\"]],
    ["behind the escape character", ["\x1b", WHITE.slice(1)]],
  ])("if the answer comes in pieces, split %s", async (_name, pieces) => {
    await expectAnswered("light", async (press) => {
      for (const piece of pieces) {
        press(piece);
        await Bun.sleep(60); // longer than the terminal library waits for the rest of an escape sequence
      }
    });
  });

  test("not if the answer comes late, which still does not reach the input line", async () => {
    const terminal = open();
    await terminal.asks();
    await Bun.sleep(1_300);
    terminal.run.press(WHITE);
    await expectTheme(terminal, "dark");
  });

  test("not if only a part of an answer ever comes; what is typed later counts", async () => {
    const terminal = open();
    await terminal.asks();
    terminal.run.press("\x1b]11;rgb:ffff");
    await Bun.sleep(1_300);
    await expectTheme(terminal, "dark");
  });

  test("not if the terminal never answers: COLORFGBG decides", async () => {
    await expectTheme(open({ env: { COLORFGBG: "0;15" } }), "light");
    await expectTheme(open({ env: { COLORFGBG: "15;0" } }), "dark");
    await expectTheme(open({ env: { COLORFGBG: "0;\x1b[2J" } }), "dark");
  });

  test("keys that look like the start of an answer are keys", async () => {
    const terminal = open();
    await terminal.asks();
    await terminal.run.sees("/help shows");
    terminal.run.press("draft");
    await terminal.run.sees("> draft");
    await terminal.run.escape();
    terminal.run.press("]1]11 x\r");
    await terminal.run.sees("finished");
    const sent = terminal.server.requests[0]?.messages.at(-1)?.content;
    expect(sent).toBe("]1]11 x");
    terminal.run.press("\x04");
    await terminal.run.child.exited;
  });
});

describe("/theme auto", () => {
  const asked = ({ run }: ReturnType<typeof open>) => run.sent().split(QUERY).length - 1;

  test("asks again, and is completed", async () => {
    const terminal = open({ theme: "dark" });
    const { run } = terminal;
    await run.sees("/help shows");
    run.press("/theme au");
    await run.sees("by the background of the terminal");
    run.press("\t\r");
    await until(() => asked(terminal) === 1);
    run.press(WHITE);
    await run.sees("(theme auto: light)");
    run.press("/theme auto\r");
    await until(() => asked(terminal) === 2);
    run.press(BLACK);
    await run.sees("(theme auto: dark)");
    run.press("/theme light\r");
    await run.sees("(theme light; to keep it");
    run.press("/theme auto\r"); // the terminal does not answer this time
    await run.sees("(the terminal does not tell its background; theme light)");
    run.press("/theme aut\r");
    await run.sees('unknown theme "aut"; use dark, light, high-contrast');
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test.each([
    ["where the question would be shown", { env: { TERM: "linux" } }, "does not tell its background; theme dark)"],
    ["without escape sequences", { args: ["--plain"] }, "(no theme: this terminal shows lines without colours)"],
  ])("does not ask %s", async (_name, options, message) => {
    const terminal = open(options);
    await terminal.run.sees("/help shows");
    terminal.run.press("/theme auto\r");
    await terminal.run.sees(message);
    expect(asked(terminal)).toBe(0);
    terminal.run.press("\x04");
    await terminal.run.child.exited;
  });
});

describe("the terminal is not asked", () => {
  test.each([
    ["with --plain", { args: ["--plain"] }],
    ["without colours", { env: { NO_COLOR: "1" } }],
    ["if it is dumb", { env: { TERM: "dumb" } }],
    ["if it may show the question", { env: { TERM: "linux" } }],
  ])("%s", async (_name, options) => {
    const { run } = open(options);
    await run.sees("/help shows");
    run.press("go\r");
    await run.sees("finished");
    run.press("\x04");
    await run.child.exited;
    expect(run.sent()).not.toContain("\x1b]11");
  });

  test.each(["light", "dark", "none"])("if settings.theme is %s", async (theme) => {
    const terminal = open({ theme, env: { COLORFGBG: "15;0" } });
    await expectTheme(terminal, theme);
    expect(terminal.run.sent()).not.toContain("\x1b]11");
  });
});
