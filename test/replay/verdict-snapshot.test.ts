import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { VerdictSummary } from "../../src/guard/record/verdict-summary.ts";
import { readRecording } from "../../src/guard/replay/read-recording.ts";
import type { RecordedEvent } from "../../src/guard/replay/recorded-event.ts";
import {
  type JudgedEvent,
  readSnapshot,
  snapshotKeys,
  snapshotText,
  snapshotVerdict,
} from "../../src/guard/replay/verdict-snapshot.ts";
import { settled } from "../helpers/settled.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const shell = (cmd: string, line: number): RecordedEvent => ({
  file: "recordings/s1.jsonl",
  line,
  payload: { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd } },
});

const NONE: VerdictSummary = { decision: "none" };
const DENY: VerdictSummary = { decision: "deny", reason: "push to a branch", by: ["guard.sh"] };

const JUDGED: JudgedEvent[] = [
  { event: shell("ls", 1), verdict: NONE },
  { event: shell("git push --force", 2), verdict: DENY },
  { event: shell("ls", 3), verdict: { ...NONE, input: { cmd: "nice ls" } } },
  {
    event: { file: "c.jsonl", line: 1, dialect: "claude", payload: { hook_event_name: "Stop", session_id: "c" } },
    verdict: NONE,
  },
];

const TEXT = `c.jsonl claude Stop:
  decision: none
"s1.jsonl pre_tool_use shell: git push --force":
  decision: deny
  by:
    - guard.sh
"s1.jsonl pre_tool_use shell: ls":
  decision: none
"s1.jsonl pre_tool_use shell: ls #2":
  decision: none
  input:
    cmd: nice ls
`;

const read = (text: string) => readSnapshot(join(tempDir({ "v.yaml": text }), "v.yaml"), "v.yaml");

describe("a snapshot of verdicts", () => {
  test("is the same text in any order of the files, without lines and reasons", async () => {
    expect(await snapshotText(JUDGED)).toBe(TEXT);
    expect(await snapshotText([...JUDGED.slice(3), ...JUDGED.slice(0, 3)])).toBe(TEXT);
  });

  test("is read back as it was written, and names the place of an entry", async () => {
    const { verdicts, problem } = await read(TEXT);
    expect([...verdicts.keys()].sort()).toEqual((await snapshotKeys(JUDGED.map(({ event }) => event))).sort());
    expect(verdicts.get("s1.jsonl pre_tool_use shell: ls #2")).toEqual({ decision: "none", input: { cmd: "nice ls" } });
    expect(verdicts.get("s1.jsonl pre_tool_use shell: git push --force")).toEqual(snapshotVerdict(DENY));
    expect(await problem("s1.jsonl pre_tool_use shell: ls #2", "no such event")).toBe("v.yaml:9:1: no such event");
  });

  test.each([
    ["a list", "- a\n", "v.yaml:1:1: expected a mapping of events to verdicts"],
    ["a text as verdict", "a: deny\n", "v.yaml:1:4: a: expected a verdict, such as {decision: deny}"],
    [
      "an unknown decision",
      "a:\n  decision: denied\n",
      'v.yaml:2:3: a: verdict.decision must be one of none, allow, ask, deny, block, not "denied"',
    ],
  ])("%s is an error with its place", async (_name, text, message) => {
    expect(await read(text).catch((error: Error) => error.message)).toBe(message);
  });

  test("an empty file is a snapshot without entries", async () => {
    expect((await read("")).verdicts.size).toBe(0);
  });
});

describe("a recording", () => {
  test("holds recorded events, plain payloads and lists of them", async () => {
    const dir = tempDir({
      "a.jsonl":
        '\n{"event":{"hook_event_name":"stop"},"verdict":{"decision":"block","reason":"no"}}\r\n' +
        '{"hook_event_name":"stop"}\n',
      "b.json": '[{"hook_event_name":"stop"},{"hook_event_name":"turn_end"}]',
    });
    const readFrom = (file: string) => readRecording({ path: join(dir, file), file });
    expect(await readFrom("a.jsonl")).toEqual([
      { file: "a.jsonl", line: 2, payload: { hook_event_name: "stop" }, verdict: { decision: "block", reason: "no" } },
      { file: "a.jsonl", line: 3, payload: { hook_event_name: "stop" } },
    ]);
    expect(await readFrom("b.json")).toEqual([
      { file: "b.json", line: 1, payload: { hook_event_name: "stop" } },
      { file: "b.json", line: 1, payload: { hook_event_name: "turn_end" } },
    ]);
    expect(await settled(readFrom("c.jsonl"))).toThrow("c.jsonl: no such file");
  });
});
