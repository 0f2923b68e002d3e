/**
 * Cold `hooksh dispatch` of one event with one command hook, against the runtime's floor, the bare hook, and the same
 * guard written as scripts. Run: `bun test/bench/dispatch.ts [ROUNDS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 100);
const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));

const GUARD = "cat > /dev/null";
const EVENT = JSON.stringify({
  session_id: "s1",
  cwd: dir,
  hook_event_name: "pre_tool_use",
  tool_name: "shell",
  tool_use_id: "call_1",
  tool_input: { cmd: "make test", cwd: "." },
  tool_category: "shell",
  safety_policy: "balanced",
});
/** Tools that hooksh has, because loading warns about a matcher that names none. */
const OTHERS = ["read_file", "write_file", "edit_file", "fetch", "list_directory", "think"];
const FILLER = Array.from(
  { length: 30 },
  (_, n) => `  - matcher: ${OTHERS[n % OTHERS.length]}\n    hooks: [{ type: command, command: "exit 2" }]`,
).join("\n");
const ONE = `pre_tool_use:\n  - matcher: shell\n    hooks:\n      - { type: command, command: "${GUARD}" }\n`;
const HOOKS = `${ONE}${FILLER}\n`;
const JUDGE = `const input = JSON.parse(require("fs").readFileSync(0, "utf8")); if (/rm -rf/.test(input.tool_input.cmd)) process.exit(2);`;

await Bun.write(join(dir, "floor.ts"), `console.log("ok");`);
await Bun.write(join(dir, "hooks.yaml"), HOOKS);
await Bun.write(join(dir, "one.yaml"), ONE);
await Bun.write(
  join(dir, "guard.sh"),
  `#!/bin/bash\ncmd=$(jq -r .tool_input.cmd)\ncase "$cmd" in *"rm -rf"*) exit 2;; esac\n`,
);
await Bun.write(join(dir, "guard.cjs"), JUDGE);
Bun.spawnSync([
  process.execPath,
  "build",
  "--compile",
  "--bytecode",
  "--minify",
  join(dir, "floor.ts"),
  "--outfile",
  join(dir, "floor"),
]);

const CLAUDE = JSON.stringify({
  session_id: "s1",
  transcript_path: "/home/dev/.claude/projects/shop/s1.jsonl",
  cwd: dir,
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_use_id: "t1",
  tool_input: { command: "ls -la src", description: "List files" },
});

/** The shell of hooks is the same as in the floor; the log and the notes that agents call are the benchmark's own. */
const env = { SHELL: "/bin/sh", HOME: dir };
const dispatch = (name: string, file: string, input: string, ...more: readonly string[]): Program => ({
  name: `hooksh dispatch, ${name}`,
  command: [binary, "dispatch", "--hooks-file", join(dir, file), ...more],
  input,
  env,
});
const NAMED = ["--dialect", "claude", "--event", "PreToolUse"];
const programs: Program[] = [
  { name: "floor: a compiled program that prints a line", command: [join(dir, "floor")] },
  { name: "sh -c of the hook", command: ["/bin/sh", "-c", GUARD], input: EVENT },
  { name: "hooksh version", command: [binary, "version"] },
  dispatch("one command hook", "one.yaml", EVENT),
  dispatch("one of 31 matches", "hooks.yaml", EVENT),
  dispatch("one command hook, Claude Code's event", "one.yaml", CLAUDE, ...NAMED),
  dispatch(
    "the words that install registers",
    "one.yaml",
    CLAUDE,
    ...NAMED,
    "--guards-stay",
    "--proof",
    "--deadline",
    "54s",
  ),
  dispatch("no hook for the event", "one.yaml", `{"session_id":"s1","hook_event_name":"turn_end"}`),
  dispatch("one command hook, the engine alone", "one.yaml", EVENT, "--stream"),
];
const peers: (Program & { needs: readonly string[] })[] = [
  {
    name: "the guard as a bash script with jq",
    needs: ["bash", "jq"],
    command: ["bash", join(dir, "guard.sh")],
    input: EVENT,
  },
  { name: "the guard as a Node script", needs: ["node"], command: ["node", join(dir, "guard.cjs")], input: EVENT },
];
const isInstalled = ({ needs }: { needs: readonly string[] }) => needs.every((program) => Bun.which(program));
programs.push(...peers.filter(isInstalled));

const results = await timePrograms(programs, rounds);
const median = (name: string) => results.get(name)?.median ?? Number.NaN;
const floor = median(programs[0]?.name ?? "") + median(programs[1]?.name ?? "");
printTable(
  `Cold dispatch, ${rounds} rounds, interleaved; ${(Buffer.byteLength(HOOKS) / 1024).toFixed(1)} KB of hooks`,
  ["program", "median ms", "p90 ms", "x (floor + sh)", "max RSS MB"],
  [
    ...[...results].map(([name, { median: middle, p90, megabytes }]) => [
      name,
      shown(middle),
      shown(p90),
      shown(middle / floor),
      shown(megabytes),
    ]),
    ...peers.filter((peer) => !isInstalled(peer)).map(({ name }) => [name, "not installed"]),
  ],
);
console.log(
  `\nbinary: ${(Bun.file(binary).size / 1e6).toFixed(1)} MB; aim: a dispatch below 1.5 x (floor + sh) = ${shown(floor * 1.5)} ms`,
);
await rm(dir, { recursive: true, force: true });
