import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { held, setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

/** The content of the last message of a request. */
const sent = (server: ReturnType<typeof setUp>["server"], request: number) =>
  server.requests[request]?.messages.at(-1)?.content;

/** More than hooksh waits before a key answers a question. */
const QUIET_MS = 500;

async function leave(run: ReturnType<typeof start>): Promise<void> {
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
}

describe("a new line", () => {
  test.each([
    ["Ctrl+J", "\n"],
    ["Alt+Enter", "\x1b\r"],
    ["Shift+Enter, Kitty protocol", "\x1b[13;2u"],
    ["Shift+Enter, modifyOtherKeys", "\x1b[27;2;13~"],
    ["a backslash and Enter", "\\\r"],
  ])("%s", async (_name, keys) => {
    const { server, cwd } = setUp({}, { text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("one");
    run.press(keys);
    run.press("two");
    await run.sees("two");
    expect(server.requests).toEqual([]);
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("one\ntwo");
    await leave(run);
  });
});

describe("the history", () => {
  const entries = ["alpha first", "beta second", "gamma third"];

  function withHistory(...steps: Parameters<typeof setUp>[1][]) {
    const set = setUp({}, ...steps);
    Bun.spawnSync(["mkdir", "-p", join(set.cwd, ".home", ".hooksh")]);
    const lines = entries.map((entry) => `${JSON.stringify(entry)}\n`).join("");
    writeFileSync(join(set.cwd, ".home", ".hooksh", "prompt-history"), lines);
    return set;
  }

  test("Ctrl+R searches as one types; Enter takes the entry over without sending it", async () => {
    const { server, cwd } = withHistory({ text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("\x12");
    await run.sees("Search the history");
    await run.sees("gamma third");
    run.press("bet");
    await run.sees("beta second");
    run.press("\r");
    await run.sees("> beta second");
    expect(server.requests).toEqual([]);
    run.press("!\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("beta second!");
    await leave(run);
  });

  test("Ctrl+R, Escape keeps what was typed", async () => {
    const { server, cwd } = withHistory({ text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("a draft");
    await run.sees("a draft");
    run.press("\x12");
    await run.sees("Search the history");
    run.press("\x1b");
    await run.sees("> a draft");
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("a draft");
    await leave(run);
  });

  test("Up and Down walk through it and come back to the draft", async () => {
    const { server, cwd } = withHistory({ text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("draft");
    await run.sees("draft");
    run.press("\x1b[A");
    await run.sees("gamma third");
    run.press("\x1b[A");
    await run.sees("beta second");
    run.press("\x1b[B\x1b[B");
    run.press("\x1b[B\x1b[B");
    await run.sees("> draft");
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("draft");
    await leave(run);
  });

  test("its lines cannot control the terminal", async () => {
    const { cwd } = setUp({});
    Bun.spawnSync(["mkdir", "-p", join(cwd, ".home", ".hooksh")]);
    const evil = "ab\x1b]0;owned\x07\x9b2J\u202ecd";
    writeFileSync(join(cwd, ".home", ".hooksh", "prompt-history"), `${JSON.stringify(evil)}\n`);
    const run = start(cwd);
    await run.sees("> ");
    run.press("\x1b[A");
    await run.sees("ab\\x1b]0;owned\\x07");
    run.press("\x12");
    await run.sees("Search the history");
    await run.sees("ab\\x1b");
    run.press("\x1b");
    expect(run.sent()).not.toMatch(/\x1b\]0|owned\x07|\x9b|\u202e/);
    await Bun.sleep(100);
    await run.escape();
    await leave(run);
  });
});

describe("completion", () => {
  test("Enter runs the command that the list shows, and a complete name as it is", async () => {
    const { server, cwd } = setUp({ commands: { renew: "say renew" } }, { text: "one" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("first\r");
    await run.sees("one");
    run.press("/perm");
    await run.sees("Show what runs without asking");
    run.press("\r");
    await run.sees("Safety mode:");
    // /new is an alias; the agent's /renew contains its letters
    run.press("/new");
    await run.sees("/renew");
    run.press("\r");
    await run.sees("(new session)");
    expect(server.requests.length).toBe(1);
    await leave(run);
  });

  test("keys that arrive together with Enter are not replaced by a list that lags behind", async () => {
    const { cwd } = setUp({}, { text: "one" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("first\r");
    await run.sees("one");
    run.press("/co");
    await run.sees("Replace the older part");
    run.press("st\r");
    await run.sees("the cost is unknown; the last call read");
    await leave(run);
  });

  test("arguments are listed, Tab completes them, and Enter sends what was typed", async () => {
    const { cwd } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("/theme l");
    await run.sees("light");
    run.press("\t");
    await run.sees("/theme light");
    run.press("\r");
    await run.sees("(theme light;");
    run.press("/theme d");
    await run.sees("dark");
    run.press("\r");
    await run.sees("error");
    await leave(run);
  });

  test("Tab completes @ files; Escape closes the list first, then clears the line", async () => {
    const { server, cwd } = setUp({}, { text: "done" });
    for (const name of ["zebra-notes.txt", "yak-list.txt"]) writeFileSync(join(cwd, name), "x");
    const run = start(cwd);
    await run.sees("> ");
    run.press("read @zeb");
    await run.sees("zebra-notes.txt");
    run.press("\t");
    await run.sees("@zebra-notes.txt");
    run.press("now");
    await run.sees("now");
    run.press(" @yak");
    await run.sees("yak-list.txt");
    await run.escape();
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)?.split("\n")[0]).toBe("read @zebra-notes.txt now @yak");
    run.press("/he");
    await run.sees("Show the commands");
    await run.escape();
    await run.escape();
    expect(server.requests.length).toBe(1);
    await leave(run);
  });
});

describe("Ctrl+C", () => {
  test("after new text clears the line and does not leave", async () => {
    const { cwd } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("\x03");
    await run.sees("Ctrl+C again leaves");
    run.press("text");
    await run.sees("text");
    run.press("\x03");
    await run.sees("Ctrl+C again leaves");
    await Bun.sleep(200);
    expect(run.child.exitCode).toBe(null);
    run.press("\x03");
    expect(await run.child.exited).toBe(0);
  });

  test("in the Kitty protocol, with the release of the key, keeps the hint", async () => {
    const { cwd } = setUp({}, shell("touch started; sleep 304.5"));
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("\x1b[?7u");
    run.press("go\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("\x1b[99;5:1u");
    run.press("\x1b[99;5:3u");
    await run.sees("(canceled)");
    await run.sees("Ctrl+C again leaves");
    run.press("\x1b[99;5:1u");
    expect([0, 130]).toContain(await run.child.exited);
  });

  test("closes a list without leaving", async () => {
    const { cwd } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("/theme\r");
    await run.sees("type to search");
    run.press("\x03");
    await Bun.sleep(200);
    expect(run.child.exitCode).toBe(null);
    await leave(run);
  });

  test("twice at once while the agent works leaves", async () => {
    const { cwd, events } = setUp({}, shell("touch started; sleep 304.6"));
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("go\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("\x03\x03");
    expect([0, 130]).toContain(await run.child.exited);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
    expect(run.sent()).toContain("\x1b[?2004l");
  });
});

describe("a paste of 10,000 lines", () => {
  const pasted = Array.from({ length: 10_000 }, (_, index) => `pasted-${index}`).join("\n");

  test("is one folded block, is sent in full, and stays folded when the session is resumed", async () => {
    const { server, cwd } = setUp({}, { text: "got it" });
    const run = start(cwd);
    await run.sees("> ");
    run.press(`\x1b[200~${pasted}\x1b[201~`);
    await run.sees("[paste #1 +10000 lines]");
    run.press("\r");
    await run.sees("got it");
    expect(sent(server, 0)).toBe(pasted);
    await run.sees("> ");
    run.press("\x04");
    await run.child.exited;
    expect(run.shown()).not.toContain("pasted-50");
    const again = start(cwd, ["--session", "-1"]);
    await again.sees("pasted-0");
    await again.sees("9990 more lines");
    await again.sees("got it");
    expect(again.shown()).not.toContain("pasted-50");
    await leave(again);
  });

  test("is folded while the agent works too", async () => {
    const { step, release } = held("first");
    const { server, cwd } = setUp({}, step, { text: "second" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => server.requests.length === 1);
    run.press(`\x1b[200~${pasted}\x1b[201~`);
    await run.sees("[paste #1 +10000 lines]");
    run.press("\r");
    await run.sees("(queued) pasted-0");
    await run.sees("9990 more lines");
    release();
    await run.sees("second");
    expect(sent(server, 1)).toBe(pasted);
    expect(run.shown()).not.toContain("pasted-50");
    await leave(run);
  });
});

describe("Ctrl+G", () => {
  function editor(cwd: string, script: string): string {
    const file = join(cwd, "editor.sh");
    writeFileSync(file, `#!/bin/sh\n${script}\n`);
    chmodSync(file, 0o755);
    return file;
  }

  test("takes over what the editor writes, also from one that reads the terminal", async () => {
    const { server, cwd } = setUp({}, { text: "done" });
    const run = start(cwd, [], {
      env: { EDITOR: editor(cwd, 'echo EDITING; stty -a > modes; read line < /dev/tty; echo "$line" >> "$1"') },
    });
    await run.sees("> ");
    run.press("before ");
    await run.sees("before");
    run.press("\x07");
    await run.sees("EDITING");
    await until(() => existsSync(join(cwd, "modes")));
    run.press("typed there\r");
    await run.sees("typed there");
    await run.sees("before");
    await run.sees("typed there");
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("before typed there");
    expect(readFileSync(join(cwd, "modes"), "utf8")).toMatch(/[ ;]icanon/);
    await leave(run);
  });

  test.each([
    ["fails", "exit 3", "ended with exit code 3"],
    ["is missing", undefined, "was not found: set EDITOR"],
  ])("keeps the message if the editor %s", async (_name, script, problem) => {
    const { server, cwd } = setUp({}, { text: "done" });
    const run = start(cwd, [], { env: { EDITOR: script ? editor(cwd, script) : join(cwd, "nowhere") } });
    await run.sees("> ");
    run.press("my words");
    await run.sees("my words");
    run.press("\x07");
    await run.sees(problem);
    await run.sees("my words");
    run.press("\r");
    await run.sees("done");
    expect(sent(server, 0)).toBe("my words");
    await leave(run);
  });

  test("a text of 10,000 lines is sent in full and shown folded", async () => {
    const { server, cwd } = setUp({}, { text: "done" });
    const run = start(cwd, [], { env: { EDITOR: editor(cwd, 'seq 1 10000 | sed "s/^/row-/" > "$1"') } });
    await run.sees("> ");
    run.press("\x07");
    await run.sees("row-10000");
    run.press("\r");
    await run.sees("9990 more lines");
    await run.sees("done");
    expect(sent(server, 0)?.split("\n").length).toBe(10_000);
    expect(run.shown()).not.toContain("row-5000");
    await leave(run);
  });
});

describe("an approval", () => {
  test.each([
    ["on a full terminal", []],
    ["with --plain", ["--plain"]],
  ])("is not answered by a held key, nor by text that arrives without brackets, %s", async (_name, flags) => {
    const isAnswered = async () => {
      const { cwd } = setUp({}, shell("touch made"), { text: "finished" });
      const run = start(cwd, [...flags, "go"]);
      let isHeld = true;
      const holding = (async () => {
        for (; isHeld; await Bun.sleep(60)) run.press("y");
      })();
      await run.sees("[n]o:");
      await Bun.sleep(700);
      isHeld = false;
      await holding;
      await Bun.sleep(QUIET_MS);
      run.press("y\ny\n");
      await Bun.sleep(QUIET_MS);
      await run.pressesUntil("n", "finished");
      await run.child.exited;
      return existsSync(join(cwd, "made"));
    };
    // A busy machine may pause between two keys for as long as a user who then answers.
    for (let tries = 0; await isAnswered(); tries++) expect(tries).toBeLessThan(5);
  });

  test("while a list is open is asked on top of it, and the list comes back", async () => {
    const { step, release } = held("unused");
    const calls = [{ name: "shell", arguments: { cmd: "touch made" } }];
    const { server, cwd } = setUp(
      {},
      async () => {
        await (step as () => Promise<Response>)();
        return callResponse(calls[0]?.arguments.cmd ?? "");
      },
      { text: "finished" },
    );
    const run = start(cwd);
    await run.sees("> ");
    run.press("remember this\r");
    await until(() => server.requests.length === 1);
    run.press("\x12");
    await run.sees("Search the history");
    release();
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("Search the history");
    await run.sees("finished");
    run.press("\r");
    await run.sees("remember this");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    await Bun.sleep(100);
    await run.escape();
    await leave(run);
  });
});

/** A response with one call of the shell tool. */
function callResponse(cmd: string): Response {
  const call = {
    index: 0,
    id: "call_1",
    type: "function",
    function: { name: "shell", arguments: JSON.stringify({ cmd }) },
  };
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = `${chunk({ role: "assistant", tool_calls: [call] }, null)}${chunk({}, "tool_calls")}data: [DONE]\n\n`;
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}
