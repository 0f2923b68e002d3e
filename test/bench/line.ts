/**
 * A cold guarded call through the command line that `hooksh install` registers, which keeps the time and wants proof,
 * against the line without that, and against one that only refused if hooksh failed. Started with `sh -c`, as hosts do.
 * Run: `bun test/bench/line.ts [ROUNDS]` after `npm run build`.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostFiles } from "../../src/dialects/host-files.ts";
import { dialectOf } from "../../src/hosts/registration/named-host.ts";
import { dispatchCall, registeredLine } from "../../src/hosts/registration/own-command.ts";
import { type Program, printTable, shown, timePrograms } from "./measure.ts";

const rounds = Number(process.argv[2] ?? 30);
const dir = await mkdtemp(join(tmpdir(), "hooksh-bench-"));
const hooksFile = join(dir, "hooks.yaml");
const hook = { type: "command", command: "cat > /dev/null" };
await Bun.write(hooksFile, JSON.stringify({ pre_tool_use: [{ matcher: "shell", hooks: [hook] }] }));
const input = JSON.stringify({
  session_id: "s1",
  cwd: dir,
  transcript_path: join(dir, "t.jsonl"),
  permission_mode: "default",
  hook_event_name: "PreToolUse",
  tool_name: "Bash",
  tool_input: { command: "make test" },
});

const program = [join(import.meta.dir, "../../dist/hooksh")];
const call = dispatchCall(await dialectOf("claude"), hostFiles("claude"), {
  program,
  dialect: "claude",
  event: "PreToolUse",
  hooksFile,
});
const line = registeredLine(call, "linux");
const plain = registeredLine({ ...call, refusal: undefined }, "linux");
const through = (name: string, text: string): Program => ({
  name,
  command: ["/bin/sh", "-c", text],
  input,
  env: { HOME: dir, SHELL: "/bin/sh" },
});
const results = await timePrograms(
  [
    through("hooksh dispatch", plain),
    through("a line that refuses if hooksh fails", `sh -c '"$0" "$@" || exit 2' ${plain}`),
    through("the registered line", line),
  ],
  rounds,
);
const base = results.get("hooksh dispatch")?.least ?? Number.NaN;
printTable(
  `A cold guarded call, ${rounds} rounds, interleaved`,
  ["line", "smallest ms", "more, ms", "median ms", "p90 ms"],
  [...results].map(([name, { least, median, p90 }]) => [
    name,
    shown(least),
    (least - base).toFixed(2),
    shown(median),
    shown(p90),
  ]),
);
await rm(dir, { recursive: true, force: true });
