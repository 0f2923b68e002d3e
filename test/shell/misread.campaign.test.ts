import { describe, expect, test } from "bun:test";
import { classifyCommand } from "../../src/shell/classify.ts";
import { mayRun, runsOnly } from "../../src/shell/command-pattern.ts";
import { ALLOWED_LINES, ALLOWED_RUNS_MORE, MENTIONS, PRINTS_SECRET, READS, RUNS_BAD } from "./corpus.ts";
import { SECRET, SECRET_FILES, sandbox } from "./real-shells.ts";

/** Commands that the lines of {@link MENTIONS} mention. */
const MENTIONED = ["git push*", "git -* push*", "rm *", "sudo *", "me", "me *", "push*"];

/** The rules that {@link ALLOWED_RUNS_MORE} and {@link ALLOWED_LINES} are judged by: these programs, with any arguments. */
const ALLOWED = (
  "printf test \\[ read let declare typeset export unset integer float exit shift return break getopts ulimit builtin command echo cat " +
  "git sort split diff3 sdiff rg ag ls grep true cd"
)
  .split(" ")
  .flatMap((name) => [name, `${name} *`]);

const isSafe = (line: string) => classifyCommand(line).label === "safe";
const isInstalled = (program: string) => program === "" || Bun.which(program) !== null;

describe("a deny rule hits a program", () => {
  test("that another one runs, in every line of the corpus", () => {
    const passed = Object.values(RUNS_BAD).flat();
    expect(passed.filter((line) => !mayRun(line, ["bad", "bad *"]))).toEqual([]);
  });

  test.each(Object.entries(RUNS_BAD))("which real shells run: %s", async (program, lines) => {
    if (!isInstalled(program)) return;
    const box = sandbox();
    const idle: string[] = [];
    for (const line of lines) if (!(await box.shellThat(line, program, ({ ranBad }) => ranBad))) idle.push(line);
    expect(idle).toEqual([]);
  });

  test("but not a line that only mentions it", () => {
    expect(MENTIONS.filter((line) => mayRun(line, MENTIONED))).toEqual([]);
  });
});

describe("an allow rule", () => {
  test("does not cover a line that runs or writes more than it names", () => {
    expect(
      Object.values(ALLOWED_RUNS_MORE)
        .flat()
        .filter((line) => runsOnly(line, ALLOWED)),
    ).toEqual([]);
  });

  test.each(Object.entries(ALLOWED_RUNS_MORE))("as real shells do: %s", async (program, lines) => {
    if (!isInstalled(program)) return;
    const box = sandbox();
    const idle: string[] = [];
    for (const line of lines)
      if (!(await box.shellThat(line, program, ({ ranBad, has }) => ranBad || has("out")))) idle.push(line);
    expect(idle).toEqual([]);
  });

  test("covers what it names", () => {
    expect(ALLOWED_LINES.filter((line) => !runsOnly(line, ALLOWED))).toEqual([]);
  });
});

describe("the label safe", () => {
  test("is not given to a line that prints a secret", () => {
    const all = Object.values(PRINTS_SECRET).flat();
    expect(all.filter(isSafe)).toEqual([]);
    expect(all.length).toBeGreaterThan(200);
  });

  test.each(Object.entries(PRINTS_SECRET))("as real shells do: %s", async (program, lines) => {
    if (!isInstalled(program)) return;
    const box = sandbox({ kept: true });
    const silent: string[] = [];
    for (const line of lines)
      if (!(await box.shellThat(line, program, ({ output }) => output.includes(SECRET)))) silent.push(line);
    expect(silent).toEqual([]);
  });

  test("is not given to reading a well-known file with secrets, by any program", () => {
    const readers = ["cat $", "head $", "tail -n 1 $", "grep T $", "rg T $", "sort $", "uniq $", "git blame $"];
    const read = SECRET_FILES.flatMap((name) => readers.map((reader) => reader.replace("$", name)));
    expect(read.filter(isSafe)).toEqual([]);
    const elsewhere = SECRET_FILES.map((name) => `cat ${name.replace(/^~/, "/home/you").toUpperCase()}`);
    expect(elsewhere.filter(isSafe)).toEqual([]);
  });

  test("is given to lines that read what they may", () => {
    expect(READS.filter((line) => !isSafe(line))).toEqual([]);
  });
});
