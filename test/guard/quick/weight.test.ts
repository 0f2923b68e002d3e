/** What a silent dispatch loads, in counts that do not depend on the load of the machine. They guard what makes it fast. */
import { expect, test } from "bun:test";
import { basename, join } from "node:path";
import { SHARED_OPTIONS } from "../../../scripts/build-flags.ts";
import { binary, cleanEnv } from "../../helpers/binary.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Runs a program, and prints the page faults of it and of what it has waited for: the eleventh field. */
const COUNT = `"$@" > /dev/null < event.json || exit; read -r line < /proc/$$/stat; set -- $line; echo \${11}`;

/** The least of several runs, because the layout of memory changes from one to the next. */
const RUNS = 5;

function faults(dir: string, words: readonly string[]): number {
  const counts = Array.from({ length: RUNS }, () => {
    const run = Bun.spawnSync(["sh", "-c", COUNT, "sh", binary(), ...words], { cwd: dir, env: cleanEnv(dir) });
    return Number(run.stdout.toString() || "NaN");
  });
  return Math.min(...counts);
}

const GUARD = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "exit 0" }] }] };

const OWN = { hook_event_name: "pre_tool_use", session_id: "s", tool_name: "shell", tool_input: { cmd: "ls" } };

const CLAUDE = {
  ...{ hook_event_name: "PreToolUse", session_id: "s", cwd: "/tmp", transcript_path: "/t.jsonl" },
  ...{ tool_name: "Bash", tool_use_id: "t1", tool_input: { command: "ls" } },
};

const REGISTERED = "--dialect claude --event PreToolUse --guards-stay --proof --deadline 54s".split(" ");

// Measured: 0.92 times the version and 0.53 times the engine for an own event, 1.13 and 0.6 for one of Claude Code.
test.skipIf(process.platform !== "linux").each([
  ["an own event", OWN, [], 1.2, 0.68],
  ["an event of Claude Code", CLAUDE, REGISTERED, 1.35, 0.75],
] as const)("page faults of a silent dispatch: %s", (_name, event, flags, ofVersion, ofEngine) => {
  const dir = tempDir({ "hooks.json": JSON.stringify(GUARD), "event.json": JSON.stringify(event) });
  const words = ["dispatch", "--hooks-file", "hooks.json", ...flags];
  const engine = faults(dir, [...words, "--stream"]); // makes the log, too
  const [version, quick] = [faults(dir, ["version"]), faults(dir, words)];
  console.log(`page faults: version ${version}, silent dispatch ${quick}, by the engine ${engine}`);
  expect(quick).toBeGreaterThan(0);
  expect(quick / version).toBeLessThan(ofVersion);
  expect(quick / engine).toBeLessThan(ofEngine);
});

test("bytes of code of the first part of a dispatch", async () => {
  const entry = join(import.meta.dir, "../../../src/guard/quick/quick-dispatch.ts");
  const { outputs } = await Bun.build({ ...SHARED_OPTIONS, entrypoints: [entry] });
  const chunks = new Map(
    await Promise.all(outputs.map(async (one) => [basename(one.path), await one.text()] as const)),
  );
  const loaded = new Set<string>();
  const load = (name: string): void => {
    if (loaded.has(name)) return;
    loaded.add(name);
    for (const [, next = ""] of chunks.get(name)?.matchAll(/(?:from|import)"\.\/(chunk-\w+\.js)"/g) ?? []) load(next);
  };
  load("quick-dispatch.js");
  const bytes = (names: Iterable<string>) =>
    [...names].reduce((sum, name) => sum + (chunks.get(name)?.length ?? NaN), 0);
  console.log(`bytes: ${bytes(loaded)} at once in ${loaded.size} chunks, ${bytes(chunks.keys())} in all`);
  expect(bytes(loaded)).toBeLessThan(52_000);
  expect(bytes(chunks.keys())).toBeLessThan(180_000);
});
