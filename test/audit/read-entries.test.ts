import { describe, expect, test } from "bun:test";
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type AuditEntry, NO_LINE } from "../../src/audit/entry.ts";
import { type AuditProblem, type AuditQuery, auditEntries } from "../../src/audit/read-entries.ts";
import { tempDir } from "../helpers/temp-dir.ts";

function entry(time: string, more: Partial<AuditEntry> = {}): AuditEntry {
  const fixed = { v: 1, time, prev: NO_LINE, source: "dispatch", session: "s1", event: "pre_tool_use" } as const;
  return { ...fixed, hooks: [], decision: "none", ms: 1, ...more };
}

/** A data directory with these files of the log. */
function logOf(files: Record<string, readonly (AuditEntry | string)[]>): string {
  const text = (line: AuditEntry | string) => `${typeof line === "string" ? line : JSON.stringify(line)}\n`;
  const pairs = Object.entries(files).map(([name, lines]) => [`audit/${name}`, lines.map(text).join("")]);
  return tempDir(Object.fromEntries(pairs));
}

function read(dataDir: string, query: AuditQuery = {}) {
  const problems: AuditProblem[] = [];
  const entries = [...auditEntries(dataDir, { onProblem: (problem) => problems.push(problem), ...query })];
  return { times: entries.map(({ time }) => time.slice(5, 16)), problems, entries };
}

const OCTOBER = [entry("2026-10-30T10:00:00.000Z"), entry("2026-10-31T10:00:00.000Z")];
const NOVEMBER = [entry("2026-11-01T10:00:00.000Z"), entry("2026-11-02T10:00:00.000Z", { decision: "deny" })];
const LOG = { "2026-10.jsonl": OCTOBER, "2026-11.jsonl": NOVEMBER };

describe("reading the audit log", () => {
  test("entries come oldest first, over all months; other files of the folder do not count", () => {
    const data = logOf({ ...LOG, "notes.jsonl": ["x"], "2026-13.jsonl": ["x"] });
    const { times, problems } = read(data);
    expect(times).toEqual(["10-30T10:00", "10-31T10:00", "11-01T10:00", "11-02T10:00"]);
    expect(problems).toEqual([]);
  });

  test("newest first is the reverse", () => {
    const data = logOf(LOG);
    expect(read(data, { order: "newest" }).times).toEqual(read(data).times.reverse());
  });

  test("without a log there are no entries", () => {
    const data = tempDir();
    expect(read(data).entries).toEqual([]);
  });

  test("since is included, until is not", () => {
    const data = logOf(LOG);
    const [since, until] = [Date.parse("2026-10-31T10:00:00.000Z"), Date.parse("2026-11-02T10:00:00.000Z")];
    expect(read(data, { since, until }).times).toEqual(["10-31T10:00", "11-01T10:00"]);
  });

  test("a month outside the range is not even opened", () => {
    const data = logOf(LOG);
    mkdirSync(join(data, "audit", "2026-09.jsonl"));
    expect(read(data, { since: Date.parse("2026-10-01T00:00:00Z") }).times).toHaveLength(4);
    expect(() => read(data)).toThrow("2026-09.jsonl: is not a regular file");
  });

  test("an entry whose keys stand in another order is filtered by its time too", () => {
    const { time, ...rest } = entry("2026-11-02T10:00:00.000Z");
    const data = logOf({ "2026-11.jsonl": [...NOVEMBER, JSON.stringify({ ...rest, time })] });
    expect(read(data, { since: Date.parse("2026-11-02T00:00:00Z") }).times).toHaveLength(2);
    expect(read(data, { since: Date.parse("2026-11-03T00:00:00Z") }).times).toHaveLength(0);
  });

  test("contains and accepts select entries", () => {
    const data = logOf(LOG);
    expect(read(data, { contains: ['"decision":"deny"'] }).times).toEqual(["11-02T10:00"]);
    expect(read(data, { contains: ['"decision":"deny"', "pre_tool_use", "absent"] }).times).toEqual([]);
    expect(read(data, { accepts: ({ decision }) => decision === "none" }).times).toHaveLength(3);
  });

  test("lines that are no entries are reported with their number, and the others are read", () => {
    const lines = [
      NOVEMBER[0] as AuditEntry,
      '{"v":1,"time":"2026-',
      "{broken}",
      "{}",
      JSON.stringify({ ...NOVEMBER[1], hooks: [{ name: "x" }] }),
      JSON.stringify({ ...NOVEMBER[1], v: 2 }),
      JSON.stringify(entry("2026-11-99T10:00:00.000Z")),
      NOVEMBER[1] as AuditEntry,
    ];
    const data = logOf({ "2026-11.jsonl": lines });
    const { times, problems } = read(data);
    expect(times).toEqual(["11-01T10:00", "11-02T10:00"]);
    expect(problems.map(({ line, message }) => `${line}: ${message}`)).toEqual([
      "2: incomplete: its writer was stopped, the disk was full, or it was changed",
      "3: not valid JSON",
      "4: not an audit entry: v is missing or wrong",
      "5: not an audit entry: hooks is missing or wrong",
      "6: format version 2 is newer than this hooksh, which reads version 1",
      "7: not an audit entry: time is missing or wrong",
    ]);
    expect(problems[0]?.file).toBe(join(data, "audit", "2026-11.jsonl"));
  });

  test("half lines are reported, whatever a query selects; without a receiver they are skipped", () => {
    const data = logOf({ "2026-11.jsonl": ['{"v":1,"time":"2026-', '"ms":1}', "{broken}", NOVEMBER[0] as AuditEntry] });
    expect(read(data, { contains: ["absent"] }).problems.map(({ line }) => line)).toEqual([1, 2]);
    expect([...auditEntries(data)]).toHaveLength(1);
  });

  test("half a line at the end does not hide the lines before it", () => {
    const data = logOf({ "2026-11.jsonl": [...NOVEMBER, '{"v":1,"time":"2026-11-0'] });
    expect(read(data, { since: Date.parse("2026-11-02T00:00:00Z") }).times).toEqual(["11-02T10:00"]);
  });

  test("lines on both sides of a block, and lines longer than a block, are read whole in both orders", () => {
    const long = (letter: string, size: number) => entry("2026-11-03T00:00:00.000Z", { reason: letter.repeat(size) });
    const sizes = [10, 700_000, 600_000, 2_500_000, 20, 1_048_576, 5];
    const lines = sizes.map((size, index) => long(String.fromCharCode(97 + index), size));
    const data = logOf({ "2026-11.jsonl": lines });
    const shape = (order: "oldest" | "newest") =>
      read(data, { order }).entries.map(({ reason = "" }) => `${reason[0]}${reason.length}`);
    const expected = sizes.map((size, index) => `${String.fromCharCode(97 + index)}${size}`);
    expect(shape("oldest")).toEqual(expected);
    expect(shape("newest")).toEqual(expected.toReversed());
  });

  test("a file of one endless line is reported, not read into memory", () => {
    const data = logOf({ "2026-11.jsonl": [] });
    writeFileSync(join(data, "audit", "2026-11.jsonl"), Buffer.alloc(40 * 1024 * 1024, "x"));
    for (const order of ["oldest", "newest"] as const) {
      const { problems, entries } = read(data, { order });
      expect(entries).toEqual([]);
      expect(problems.every(({ line }) => line === 1)).toBe(true);
      expect(problems.length).toBeGreaterThan(0);
    }
  });

  test.skipIf(process.getuid?.() === 0)("an unreadable file is an error that names it", () => {
    const data = logOf(LOG);
    chmodSync(join(data, "audit", "2026-11.jsonl"), 0);
    expect(() => read(data)).toThrow("2026-11.jsonl: permission denied");
  });
});
