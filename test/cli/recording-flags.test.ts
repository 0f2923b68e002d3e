/** `--record [KIND:]FILE` and `--replay FILE`, with the earlier names of both. */
import { expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { parseFlags } from "../../src/cli/flags.ts";
import { DISPATCH_FLAGS } from "../../src/guard/dispatch/dispatch-flags.ts";
import { RUN_FLAGS } from "../../src/run/run-flags.ts";
import { hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { sentByScript } from "../helpers/terminal-run.ts";

const serve = modelServers();

test.each<[words: string[], set: Record<string, string | boolean>, positionals?: string[]]>([
  [["--record"], { record: "" }],
  [["--record", "hi"], { record: "" }, ["hi"]],
  [["--record=tape.yaml"], { record: "tape.yaml" }],
  [["--record=models:tape.yaml"], { record: "tape.yaml" }],
  [["--record", "models:tape.yaml"], { record: "tape.yaml" }],
  [["--record=C:\\tapes\\a.yaml"], { record: "C:\\tapes\\a.yaml" }],
  [["--record=model:a"], { record: "model:a" }],
  [["--record=./events:a"], { record: "./events:a" }],
  [["--record=models:trace:a"], { record: "trace:a" }],
  [["--record=trace:C:\\a.jsonl"], { trace: "C:\\a.jsonl" }],
  [
    ["--record", "events:a:b", "--record=trace:c", "--record=d", "hi"],
    { "record-events": "a:b", trace: "c", record: "d" },
    ["hi"],
  ],
  [
    ["--trace", "a", "--record-events", "b", "--fake", "c", "--fake-loose", "--fake-stream=3"],
    { trace: "a", "record-events": "b", replay: "c", "replay-loose": true, "replay-stream": "3" },
  ],
])("%j", (words, set, positionals = []) => {
  const { flags, positionals: rest } = parseFlags(words, RUN_FLAGS);
  const names = ["record", "trace", "record-events", "replay", "replay-loose", "replay-stream"] as const;
  expect(Object.fromEntries(names.flatMap((name) => (flags[name] === undefined ? [] : [[name, flags[name]]])))).toEqual(
    set,
  );
  expect(rest).toEqual(positionals);
});

test.each([
  [["--record=events:"], RUN_FLAGS, "--record needs a value: --record events:FILE"],
  [["--record=trace:a", "--record=trace:b"], RUN_FLAGS, "what --trace records is given twice"],
  [["--record=a", "--record=models:b"], RUN_FLAGS, "what --record records is given twice"],
  [["--record=a"], DISPATCH_FLAGS, '--record takes KIND:FILE, not "a"'],
  [["--record", "models:a"], DISPATCH_FLAGS, '--record takes KIND:FILE, not "models:a"'],
  [["--record"], DISPATCH_FLAGS, "--record needs a value: --record KIND:FILE"],
])("%j is refused", (words, flags, message) => {
  expect(() => parseFlags(words, flags)).toThrow(message);
});

test("a run records all three kinds at once, and its models are replayed without a server", async () => {
  const server = serve({ text: "recorded answer" });
  const cwd = tempDir({ "agent.yaml": agentFor(server) });
  const kinds = ["--record=tape.yaml", "--record", "events:kept", "--record=trace:spans.jsonl"];
  expect((await hooksh(["run", "agent.yaml", ...kinds, "hi"], { cwd })).code).toBe(0);
  expect([existsSync(join(cwd, "spans.jsonl")), readdirSync(join(cwd, "kept")).length > 0]).toEqual([true, true]);
  server.stop();
  for (const flag of ["--replay", "--fake"]) {
    const again = await hooksh(["run", "agent.yaml", flag, "tape.yaml", "hi"], { cwd });
    expect(again).toMatchObject({ code: 0, stdout: "recorded answer\n", stderr: "" });
  }
});

test("an earlier name says the new one at a terminal, unless --quiet is given", async () => {
  const cwd = tempDir({ "guard.yaml": "pre_tool_use: []\n", "event.json": "[]" });
  const dispatch = '"$0" dispatch --hooks-file guard.yaml --input event.json --trace t.jsonl';
  expect(await sentByScript(cwd, dispatch)).toContain("note: --trace is --record trace:FILE now");
  expect(await sentByScript(cwd, `${dispatch} --quiet`)).not.toContain("note:");
  expect(await sentByScript(cwd, '"$0" capture claude < event.json')).toContain(
    "note: hooksh capture is hooksh dispatch --capture DIR now",
  );
});

test("help and completion list no earlier name and no flag without effect; all are accepted", async () => {
  const cwd = tempDir({ "guard.yaml": "pre_tool_use: []\n" });
  const old = ["--fake", "--fake-loose", "--record-events", "--trace", "--strict-hooks", "--stream"];
  for (const command of ["run", "dispatch"]) {
    const help = await hooksh(["help", command], { cwd });
    const offered = await hooksh(["completion", "words", "--", command, "--"], { cwd });
    const listed = `${help.stdout}\n${offered.stdout}`.split(/[\s,=]+/);
    expect(old.filter((flag) => listed.includes(flag))).toEqual([]);
    expect(listed.filter((word) => word.startsWith("--record")).length).toBeGreaterThan(1);
  }
  expect((await hooksh(["help", "--all"], { cwd })).stdout).not.toContain("  capture ");
  const accepted = ["dispatch", "--hooks-file", "guard.yaml", "--strict-hooks", "--stream"];
  expect(await hooksh(accepted, { cwd, input: "[]" })).toMatchObject({ code: 0 });
});
