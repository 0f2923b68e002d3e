/**
 * What `--record-events` adds to a cold `hooksh dispatch`, for a small event and for one of 100 KB, in hooksh's own
 * protocol and for another agent. Run: `bun test/bench/record.ts [ROUNDS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 100);
const binary = join(import.meta.dir, "../../dist/hooksh");
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
await Bun.write(
  join(dir, "hooks.yaml"),
  `pre_tool_use:\n  - matcher: shell\n    hooks:\n      - { type: command, command: "cat > /dev/null" }\n`,
);

const own = (cmd: string) =>
  JSON.stringify({
    session_id: "s1",
    cwd: dir,
    hook_event_name: "pre_tool_use",
    tool_name: "shell",
    tool_input: { cmd },
  });
const claude = JSON.stringify({
  session_id: "c1",
  transcript_path: `${dir}/t.jsonl`,
  cwd: dir,
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "make test" },
});
const large = Array.from({ length: 2000 }, (_, n) => `echo line ${n} of a file > ${dir}/out`).join("\n");

/** Many events show what recording costs once its code is loaded. */
const MANY = 300;
const many = Array.from({ length: MANY }, (_, n) =>
  own(`make test-${n}`).replace("pre_tool_use", "post_tool_use"),
).join("\n");

const inputs = {
  "a small event": own("make test"),
  "an event of Claude Code": claude,
  "an event of 100 KB": own(large),
  [`${MANY} events without hooks`]: many,
};
const env = { SHELL: "/bin/sh", HOME: dir };
const base = [binary, "dispatch", "--hooks-file", join(dir, "hooks.yaml")];
const programs = Object.entries(inputs).flatMap(([name, input]): Program[] => [
  { name, command: base, input, env },
  { name: `${name}, recorded`, command: [...base, "--record-events", join(dir, "kept")], input, env },
]);

const results = await timePrograms(programs, rounds);
printTable(
  `Cold dispatch with and without --record-events, ${rounds} rounds, interleaved`,
  ["program", "to the answer, ms", "more", "to the end, ms", "more", "p90 ms"],
  [...results].map(([name, { answered, median, p90 }]) => {
    const bare = results.get(name.replace(", recorded", ""));
    const more = (figure: number) => (name.endsWith(", recorded") ? shown(figure) : "");
    return [
      name,
      shown(answered),
      more(answered - (bare?.answered ?? Number.NaN)),
      shown(median),
      more(median - (bare?.median ?? Number.NaN)),
      shown(p90),
    ];
  }),
);
await rm(dir, { recursive: true });
