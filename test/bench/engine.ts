/**
 * The engine in one warm process: dispatches a second, against a bare loop of spawns; many slow hooks at once, against one;
 * matching among many hooks; how far deadlines overshoot. Run: `bun test/bench/engine.ts`.
 */

import { tmpdir } from "node:os";
import { join } from "node:path";
import { defineHook, type HookEntry } from "../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../src/engine/executor.ts";
import { compileHooks, selectHooks } from "../../src/engine/match.ts";
import type { EventName } from "../../src/protocol/events.ts";
import { figuresOf, printTable, shown } from "./measure.ts";

const binary = join(import.meta.dir, "../../dist/hooksh");
const EVENT = { session_id: "s", tool_name: "shell", tool_input: { cmd: "make test" } };

function entries(event: EventName, hooks: readonly Partial<HookEntry["hook"]>[], matcher = ""): HookEntry[] {
  return hooks.map((hook) => ({
    event,
    matcher,
    lane: "default",
    hook: defineHook({ type: "command", ...hook }),
    path: [],
    source: async () => "bench",
  }));
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const started = Bun.nanoseconds();
  await run();
  return (Bun.nanoseconds() - started) / 1e6;
}

/** Milliseconds a call, over many calls one after the other. */
async function perCall(count: number, call: () => Promise<unknown>): Promise<number> {
  for (let n = 0; n < Math.min(50, count); n++) await call();
  return (
    (await timed(async () => {
      for (let n = 0; n < count; n++) await call();
    })) / count
  );
}

/** The median of each call, in milliseconds; the calls take turns, so that all of them see the same load. */
async function medians(count: number, calls: readonly (() => Promise<unknown>)[]): Promise<number[]> {
  const times = calls.map((): number[] => []);
  for (let n = -20; n < count; n++)
    for (const [at, call] of calls.entries()) {
      const ms = await timed(call);
      if (n >= 0) times[at]?.push(ms);
    }
  return times.map((each) => figuresOf(each).median);
}

async function streamRate(hooks: string, count: number): Promise<number> {
  const file = join(tmpdir(), `hooksh-bench-${process.pid}.yaml`);
  await Bun.write(file, hooks);
  const lines = `${JSON.stringify({ hook_event_name: "turn_start" })}\n`.repeat(count);
  const run = () =>
    Bun.spawn([binary, "dispatch", "--hooks-file", file, "--output", "result"], {
      stdin: Buffer.from(lines),
      stdout: "pipe",
    }).stdout.text();
  const best = Math.min(await timed(run), await timed(run));
  await Bun.file(file).delete();
  return count / (best / 1000);
}

const builtin = new Executor(entries("turn_start", [{ type: "builtin", command: "add_date" }]));
/** Reads its event and says nothing. */
const HOOK = "cat > /dev/null";
const env = { ...process.env, SHELL: "/bin/sh" };
const command = new Executor(entries("turn_start", [{ command: HOOK }]), { env });
const spawned = (detached: boolean) => async () => {
  const child = Bun.spawn(["/bin/sh", "-c", HOOK], {
    stdin: Buffer.from(JSON.stringify(EVENT)),
    stdout: "pipe",
    stderr: "pipe",
    env,
    detached,
  });
  await Promise.all([child.exited, child.stdout.text(), child.stderr.text()]);
};
const builtinMs = await perCall(20_000, () => builtin.dispatch("turn_start", {}));
const [bareMs = 0, ownSessionMs = 0, commandMs = 0] = await medians(300, [
  spawned(false),
  spawned(true),
  () => command.dispatch("turn_start", {}),
]);
const streamBuiltin = await streamRate("turn_start: { type: builtin, command: add_date }\n", 20_000);
const streamCommand = await streamRate(`turn_start: { type: command, command: "${HOOK}" }\n`, 300);
printTable(
  "One dispatch after the other, one process",
  ["what", "ms a dispatch", "a second", "x bare spawn"],
  [
    ["a bare spawn of sh -c of the hook, awaited, output read", shown(bareMs), shown(1000 / bareMs), "1.00"],
    [
      "the same in a session of its own, as hooks are",
      shown(ownSessionMs),
      shown(1000 / ownSessionMs),
      shown(ownSessionMs / bareMs),
    ],
    ["Executor, one command hook", shown(commandMs), shown(1000 / commandMs), shown(commandMs / bareMs)],
    ["Executor, one builtin (add_date)", builtinMs.toFixed(4), shown(1000 / builtinMs), shown(builtinMs / bareMs)],
    [
      "hooksh dispatch, a stream of events, one command hook",
      shown(1000 / streamCommand),
      shown(streamCommand),
      shown(1000 / streamCommand / bareMs),
    ],
    [
      "hooksh dispatch, a stream of events, one builtin",
      (1000 / streamBuiltin).toFixed(4),
      shown(streamBuiltin),
      shown(1000 / streamBuiltin / bareMs),
    ],
  ],
);

const sleepers = new Executor(
  entries(
    "turn_start",
    Array.from({ length: 64 }, (_, n) => ({ command: `sleep 0.1 # ${n}` })),
  ),
  { env },
);
const one = new Executor(entries("turn_start", [{ command: "sleep 0.1" }]), { env });
const many = figuresOf([
  await timed(() => sleepers.dispatch("turn_start", {})),
  await timed(() => sleepers.dispatch("turn_start", {})),
  await timed(() => sleepers.dispatch("turn_start", {})),
]);
const single = await timed(() => one.dispatch("turn_start", {}));
printTable(
  "Hooks that sleep 100 ms, on one event",
  ["what", "ms", "x 100 ms"],
  [
    ["1 hook", shown(single), shown(single / 100)],
    ["64 hooks", shown(many.median), shown(many.median / 100)],
  ],
);

const thousand = compileHooks(
  Array.from({ length: 1000 }, (_, n) =>
    entries("pre_tool_use", [{ command: `true # ${n}` }], n % 2 ? `tool_${n}|other_${n}` : `mcp:server_${n}:.*`),
  ).flat(),
);
const matchMs = await perCall(200, async () => selectHooks(thousand, "pre_tool_use", "default", ["tool_501"]));
const compileMs = await perCall(20, async () => compileHooks(thousand.map(({ entry }) => entry)));
printTable(
  "1000 configured hooks, half of them with patterns",
  ["what", "ms"],
  [
    ["compiling all matchers", shown(compileMs)],
    ["selecting the hooks of one tool call", matchMs.toFixed(3)],
  ],
);

const hanging = new Executor(
  entries(
    "turn_start",
    Array.from({ length: 100 }, (_, n) => ({ command: `exec sleep 30 # ${n}`, timeout: 1 })),
  ),
);
const stubborn = new Executor(
  entries(
    "turn_start",
    Array.from({ length: 100 }, (_, n) => ({ command: `trap '' TERM; sleep 30; sleep 30 # ${n}`, timeout: 1 })),
  ),
);
const hangs = await timed(() => hanging.dispatch("turn_start", {}));
const stubborns = await timed(() => stubborn.dispatch("turn_start", {}));
printTable(
  "100 hooks that hang, with a deadline of 1 s each, at once",
  ["what", "ms", "over the deadline"],
  [
    ["end on SIGTERM", shown(hangs), shown(hangs - 1000)],
    ["ignore SIGTERM: one second of grace, then SIGKILL", shown(stubborns), shown(stubborns - 1000)],
  ],
);
process.exit(0);
