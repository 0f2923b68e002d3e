/**
 * The terminal as a user feels it, in a real pseudo-terminal: from the start of `hooksh run` to the prompt, from a key to its echo with a
 * long session above, and resident memory over an hour of streaming (test/bench/terminal-memory.ts). The model is a server on loopback.
 * Run: `bun test/bench/terminal.ts [start] [keys] [memory] [--rounds N] [--keys N] [--minutes N] [--megabytes N] [--only NAME] [--before FILE]` after
 * `npm run build`; without a name, all three. HOOKSH_TEST_BINARY names another executable; `--before` one to compare with.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { BUILD_FLAGS } from "../../scripts/build-flags.ts";
import { agentFor, fakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { printTable, shown } from "./measure.ts";
import { MARKDOWN, measureMemory } from "./terminal-memory.ts";
import { close, open as openIn, PROMPT, type Session } from "./terminal-session.ts";

const binary = process.env["HOOKSH_TEST_BINARY"] ?? join(import.meta.dir, "../../dist/hooksh");
const scratch = mkdtempSync(join(tmpdir(), "hooksh-bench-"));
const PARTS = { start: measureStart, keys: measureKeys, memory: () => measureMemory(binary) } as const;

/** Opens a program in the scratch directory. */
const open = (command: string[], home = scratch) => openIn(command, scratch, home);

/** The number after a flag. */
function count(flag: string, otherwise: number): number {
  const at = process.argv.indexOf(flag);
  return at < 0 ? otherwise : Number(process.argv[at + 1]);
}

/** The middle and the 99th percentile of some figures. */
function spread(values: readonly number[]): { median: number; p99: number; longest: number } {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? 0;
  return { median: at(0.5), p99: at(0.99), longest: at(1) };
}

async function untilExit(command: string[]): Promise<number> {
  const started = performance.now();
  const session = open(command);
  await session.child.exited;
  const took = performance.now() - started;
  session.child.terminal?.close();
  return took;
}

async function untilPrompt(file: string, ...args: string[]): Promise<number> {
  const started = performance.now();
  const session = open([binary, "run", file, ...args]);
  await session.sees(PROMPT);
  const took = performance.now() - started;
  await close(session);
  return took;
}

const LONG = "session-of-500-messages";

/** Stores a session of 250 answers of 1.6 KB, each with a tool call. */
async function storeLongSession(home: string): Promise<void> {
  const call = (at: number) => ({ name: "shell", arguments: { cmd: `seq ${at} 250` } });
  const answers = Array.from({ length: 249 }, (_, at) => ({ text: MARKDOWN.repeat(3), calls: [call(at)] }));
  const server = fakeOpenAI([...answers, { text: "THEEND" }]);
  writeFileSync(join(scratch, "long.yaml"), agentFor(server));
  const command = [binary, "run", "long.yaml", "--yolo", "--session", LONG, "go"];
  const env = { PATH: process.env["PATH"] ?? "", HOME: home };
  const run = Bun.spawn(command, { cwd: scratch, env, stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  if ((await run.exited) !== 0 || server.left() > 0) throw new Error("the long session was not stored");
  server.stop();
}

async function measureStart(): Promise<void> {
  const rounds = count("--rounds", 30);
  writeFileSync(join(scratch, "floor.ts"), `console.log("ok"); process.exit(0);`);
  const floor = join(scratch, "floor");
  Bun.spawnSync([process.execPath, "build", ...BUILD_FLAGS, `${floor}.ts`, "--outfile", floor]);
  const server = { url: "http://127.0.0.1:9/v1" };
  writeFileSync(join(scratch, "agent.yaml"), agentFor(server, { redact_secrets: true }));
  const hook = { type: "command", command: "cat > /dev/null" };
  const hooks = { pre_tool_use: [{ matcher: "*", hooks: [hook] }], session_start: [hook] };
  const toolsets = [{ type: "shell" }, { type: "filesystem" }, { type: "think" }, { type: "todo" }, { type: "fetch" }];
  writeFileSync(join(scratch, "many.yaml"), agentFor(server, { redact_secrets: true, hooks, toolsets }));
  await storeLongSession(scratch);
  const kinds: [string, () => Promise<number>][] = [
    ["floor: a compiled program that prints a line, to its end", () => untilExit([floor])],
    ["hooksh version, to its end", () => untilExit([binary, "version"])],
    ["hooksh run, one toolset, to the prompt", () => untilPrompt("agent.yaml")],
    ["hooksh run, five toolsets and hooks, to the prompt", () => untilPrompt("many.yaml")],
    ["a session of 500 messages, resumed, to the prompt", () => untilPrompt("agent.yaml", "--session", LONG)],
  ];
  const times = new Map<string, number[]>(kinds.map(([name]) => [name, []]));
  for (let round = -2; round < rounds; round++) {
    for (const [name, measure] of kinds) {
      const took = await measure();
      if (round >= 0) times.get(name)?.push(took);
    }
  }
  printTable(
    `From the start to the prompt, ${rounds} rounds, in turn`,
    ["program", "median ms", "p99 ms"],
    [...times].map(([name, all]) => [name, shown(spread(all).median), shown(spread(all).p99)]),
  );
}

const KEYS = "QWXZVKJYUH";
/** Keys after which the line is cleared, so that it stays on one row. */
const ROW = 50;

/** Until everything is drawn. */
const SETTLE_MS = 1000;

/** Milliseconds from each key to its echo; an echo shows this many of the last keys. */
async function timeKeys({ press, sees }: Session, keys: number, echoed = 8): Promise<number[]> {
  const times: number[] = [];
  let typed = "";
  for (let key = 0; key < keys; key++) {
    if (typed.length === ROW) {
      press("\x15");
      await Bun.sleep(60);
      typed = "";
    }
    typed += KEYS[(key * 7 + Math.floor(key / 10) * 3) % KEYS.length] ?? "";
    const started = performance.now();
    press(typed.slice(-1));
    await sees(typed.slice(-echoed));
    times.push(performance.now() - started);
    await Bun.sleep(2);
  }
  press("\x15");
  await Bun.sleep(60);
  return times;
}

const PER_ANSWER = 30;
const ANSWERS = 20;

/** Twenty answers of 500 rows with a tool call each, then a last one. */
function longConversation(): Step[] {
  const answers: Step[] = Array.from({ length: ANSWERS }, (_, answer) => ({
    text: MARKDOWN.repeat(PER_ANSWER),
    calls: [{ name: "shell", arguments: { cmd: `seq ${answer} 200` } }],
  }));
  return [...answers, { text: "THEEND" }];
}

/** An answer that streams until the client goes away: `perSecond` pieces of a text, or as fast as they are read. */
function endless(piece: () => string, perSecond?: number): () => Response {
  const encoder = new TextEncoder();
  const base = { id: "x", object: "chat.completion.chunk", created: 1, model: "fake" };
  const chunk = (content: string) =>
    encoder.encode(
      `data: ${JSON.stringify({ ...base, choices: [{ index: 0, delta: { content }, finish_reason: null }] })}\n\n`,
    );
  return () =>
    new Response(
      new ReadableStream({
        async pull(controller) {
          if (perSecond !== undefined) await Bun.sleep(1000 / perSecond);
          controller.enqueue(chunk(piece()));
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
}

/** Cuts a text into pieces of a few characters, over and over. */
function pieces(text: string, size: number): () => string {
  let at = 0;
  return () => {
    const piece = text.slice(at, at + size);
    at = at + size >= text.length ? 0 : at + size;
    return piece;
  };
}

async function measureKeys(): Promise<void> {
  const keys = count("--keys", 1000);
  const home = mkdtempSync(join(tmpdir(), "hooksh-bench-home-"));
  const server = fakeOpenAI([...longConversation(), endless(pieces(MARKDOWN, 4), 200)]);
  writeFileSync(join(scratch, "agent.yaml"), agentFor(server));
  const session = open([binary, "run", "agent.yaml", "--yolo"], home);
  const results: [string, number[]][] = [];
  const measure = async (name: string) => void results.push([name, await timeKeys(session, keys)]);
  await session.sees(PROMPT);
  const floor = open(["/bin/sh", "-c", "stty raw -echo; echo ready; cat"]);
  await floor.sees("ready");
  results.push(["floor: cat in the same terminal", await timeKeys(floor, keys, 1)]);
  await close(floor);
  await measure("an empty session");
  session.press("go\r");
  await session.sees("THEEND");
  await Bun.sleep(SETTLE_MS);
  await measure("behind 10,000 lines of Markdown and results");
  session.press(`\x1b[200~${lines("pasted")}\x1b[201~`);
  await session.sees("paste #1");
  await measure("a pasted text of 10,000 lines in the line");
  session.press("\x15\x1b");
  await Bun.sleep(SETTLE_MS);
  session.press("go on\r");
  await Bun.sleep(1000);
  await measure("while an answer streams, 200 pieces a second");
  await close(session);
  server.stop();
  results.push(["an entry of 10,000 lines from the history", await timeKeysInHistory(home, keys)]);
  await storeLongSession(home);
  const resumed = open([binary, "run", "agent.yaml", "--session", LONG], home);
  await resumed.sees(PROMPT);
  results.push(["a session of 500 messages, resumed", await timeKeys(resumed, keys)]);
  await close(resumed);
  rmSync(home, { recursive: true, force: true });
  printTable(
    `From a key to its echo, ${keys} keys`,
    ["what is on the screen", "median ms", "p99 ms", "longest ms"],
    results.map(([name, all]) => {
      const { median, p99, longest } = spread(all);
      return [name, shown(median), shown(p99), shown(longest)];
    }),
  );
}

const lines = (text: string) => Array.from({ length: 10_000 }, (_, line) => `${text} line ${line}`).join("\n");

/** Sends a long text, brings it back with Up, and types behind it. */
async function timeKeysInHistory(home: string, keys: number): Promise<number[]> {
  const server = fakeOpenAI([{ text: "THEEND" }]);
  writeFileSync(join(scratch, "agent.yaml"), agentFor(server));
  const session = open([binary, "run", "agent.yaml", "--yolo"], home);
  await session.sees(PROMPT);
  session.press(`\x1b[200~${lines("sent")}\x1b[201~`);
  await session.sees("paste #1");
  session.press("\r");
  await session.sees("THEEND");
  await Bun.sleep(SETTLE_MS);
  session.press("\x1b[A");
  await session.sees("sent line");
  session.press("\x1b[1;5F\x1b[F");
  await Bun.sleep(500);
  const times = await timeKeys(session, keys);
  await close(session);
  server.stop();
  return times;
}

const isPart = (name: string): name is keyof typeof PARTS => Object.hasOwn(PARTS, name);
const chosen = process.argv.slice(2).filter(isPart);
try {
  for (const part of chosen.length > 0 ? chosen : Object.keys(PARTS).filter(isPart)) await PARTS[part]();
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
