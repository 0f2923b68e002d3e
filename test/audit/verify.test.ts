import { beforeAll, describe, expect, test } from "bun:test";
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { digestOf, NO_LINE } from "../../src/audit/entry.ts";
import { filesOfLog, fileToVerify, verifyFiles } from "../../src/audit/verify.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MONTHS = ["2026-09", "2026-10", "2026-11"] as const;
type Month = (typeof MONTHS)[number];

/** A log of three months with five lines each. */
function makeLog(): string {
  const folder = tempDir();
  let prev = NO_LINE;
  for (const month of MONTHS) {
    let text = "";
    for (let day = 1; day <= 5; day++) {
      const start = {
        v: 1,
        time: `${month}-0${day}T00:00:00.000Z`,
        prev,
        source: "dispatch",
        session: "s",
        event: "stop",
      };
      const line = JSON.stringify({ ...start, hooks: [], decision: "none", ms: day });
      prev = digestOf(line);
      text += `${line}\n`;
    }
    writeFileSync(join(folder, `${month}.jsonl`), text);
  }
  return folder;
}

let whole = "";
beforeAll(() => {
  whole = makeLog();
});

/** A copy of the log with the lines of a month changed. */
function tamper(month: Month, change: (lines: string[]) => string[]): string {
  const folder = tempDir();
  cpSync(whole, folder, { recursive: true });
  const path = join(folder, `${month}.jsonl`);
  const lines = readFileSync(path, "utf8").split("\n").slice(0, -1);
  writeFileSync(
    path,
    change(lines)
      .map((line) => `${line}\n`)
      .join(""),
  );
  return folder;
}

async function problemsOf(folder: string): Promise<string[]> {
  const { problems } = verifyFiles(await filesOfLog(folder), { isComplete: true });
  return problems.map(({ file, line, message }) => `${file}:${line}: ${message}`.replaceAll(`${folder}/`, ""));
}

const lineOf = (folder: string, month: Month, index: number) =>
  readFileSync(join(folder, `${month}.jsonl`), "utf8").split("\n")[index] ?? "";

describe("verifying the chain", () => {
  test("a whole log: its lines and its head", async () => {
    const result = verifyFiles(await filesOfLog(whole), { isComplete: true });
    const head = digestOf(lineOf(whole, "2026-11", 4));
    expect(result).toEqual({ files: 3, lines: 15, head, start: NO_LINE, hasExpected: false, problems: [] });
  });

  test("an empty log", () => {
    expect(verifyFiles([], { isComplete: true })).toMatchObject({ lines: 0, head: NO_LINE, problems: [] });
  });

  test("a changed byte is found at its line, with both digests", async () => {
    const folder = tamper("2026-10", (lines) => lines.with(2, (lines[2] ?? "").replace('"none"', '"deny"')));
    const { problems } = verifyFiles(await filesOfLog(folder), { isComplete: true });
    expect(problems).toEqual([
      {
        file: join(folder, "2026-10.jsonl"),
        line: 3,
        message: `the chain breaks: ${join(folder, "2026-10.jsonl")}:4 does not continue this line; it was changed, or lines after it were removed or moved`,
        expected: digestOf(lineOf(folder, "2026-10", 2)),
        found: digestOf(lineOf(whole, "2026-10", 2)),
      },
    ]);
  });

  test.each([
    [
      "a removed line",
      (lines: string[]) => lines.toSpliced(2, 1),
      "2026-10.jsonl:2: the chain breaks: 2026-10.jsonl:3 ",
    ],
    [
      "swapped lines",
      (lines: string[]) => [...lines.slice(0, 1), lines[2] ?? "", lines[1] ?? "", ...lines.slice(3)],
      "2026-10.jsonl:1: the chain breaks: 2026-10.jsonl:2 ",
    ],
    [
      "an inserted line with the right digest",
      (lines: string[]) => lines.toSpliced(2, 0, (lines[2] ?? "").replace('"s"', '"other"')),
      "2026-10.jsonl:3: this line was inserted: 2026-10.jsonl:4 continues the line before it",
    ],
    [
      "a repeated line",
      (lines: string[]) => lines.toSpliced(2, 0, lines[2] ?? ""),
      "2026-10.jsonl:3: this line was inserted",
    ],
    [
      "a month cut off at its end",
      (lines: string[]) => lines.slice(0, 3),
      "2026-10.jsonl:3: the chain breaks: 2026-11.jsonl:1 ",
    ],
    [
      "a month cut off at its beginning",
      (lines: string[]) => lines.slice(1),
      "2026-09.jsonl:5: the chain breaks: 2026-10.jsonl:1 ",
    ],
  ])("%s is found at its place", async (_name, change, place) => {
    const [problem = "", ...others] = await problemsOf(tamper("2026-10", change));
    expect(problem).toStartWith(place);
    expect(others).toEqual([]);
  });

  test("a removed month is found between its neighbours", async () => {
    const folder = tamper("2026-11", (lines) => lines);
    rmSync(join(folder, "2026-10.jsonl"));
    expect(await problemsOf(folder)).toEqual([
      "2026-09.jsonl:5: the chain breaks: 2026-11.jsonl:1 does not continue this line; it was changed, or lines or files after it were removed or moved",
    ]);
  });

  test("a removed beginning is found, unless only the rest is verified", async () => {
    const folder = tamper("2026-11", (lines) => lines);
    rmSync(join(folder, "2026-09.jsonl"));
    expect(await problemsOf(folder)).toEqual([
      "2026-10.jsonl:1: the log does not begin here: lines or files before this line were removed",
    ]);
    const rest = verifyFiles(await filesOfLog(folder), { isComplete: false });
    expect(rest).toMatchObject({ lines: 10, start: digestOf(lineOf(whole, "2026-09", 4)), problems: [] });
  });

  test("the chain cannot show a cut-off end; a digest kept elsewhere can", async () => {
    const kept = digestOf(lineOf(whole, "2026-11", 4));
    const cut = tamper("2026-11", (lines) => lines.slice(0, 4));
    const verify = async (folder: string) => verifyFiles(await filesOfLog(folder), { isComplete: true, expect: kept });
    expect(await verify(cut)).toMatchObject({ problems: [], hasExpected: false });
    expect(await verify(whole)).toMatchObject({ problems: [], hasExpected: true });
  });

  test("a line that a killed writer left incomplete is a problem, and the chain is verified beyond it", async () => {
    const torn = '{"v":1,"time":"2026-11-06';
    const next = (lineOf(whole, "2026-11", 0) || "").replace(/sha256:[0-9a-f]{64}/, digestOf(torn));
    const folder = tamper("2026-11", (lines) => [...lines, torn, next, next]);
    expect(await problemsOf(folder)).toEqual([
      "2026-11.jsonl:6: incomplete: its writer was stopped, the disk was full, or it was changed",
      "2026-11.jsonl:7: this line was inserted: 2026-11.jsonl:8 continues the line before it",
    ]);
  });

  test("a last line that is no entry is a problem, although no line continues it", async () => {
    const folder = tamper("2026-11", (lines) => lines.with(4, (lines[4] ?? "").replace('"ms":5', '"ms":x')));
    expect(await problemsOf(folder)).toEqual(["2026-11.jsonl:5: not valid JSON"]);
  });

  test("a line is reported once, and at most a hundred are", async () => {
    const broken = (count: number) =>
      tamper("2026-11", (lines) => [...lines, ...Array.from({ length: count }, () => "nonsense")]);
    expect(await problemsOf(broken(1))).toHaveLength(1);
    expect(await problemsOf(broken(150))).toHaveLength(100);
  });

  test("named files are verified from what the first one continues", () => {
    const files = (["2026-10", "2026-11"] as const).map((month) => fileToVerify(join(whole, `${month}.jsonl`)));
    expect(verifyFiles(files, { isComplete: false })).toMatchObject({ files: 2, lines: 10, problems: [] });
  });
});
