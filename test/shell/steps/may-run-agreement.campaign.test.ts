import { describe, expect, test } from "bun:test";
import { mayRun } from "../../../src/shell/command-pattern.ts";
import { HOLE } from "../../../src/shell/steps/invocation.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { ALL_LINES } from "./agreement-lines.ts";
import { mayBe, programsOf } from "./shown-programs.ts";

/** Programs that are looked for in every line. `sh` is none: what it runs stands for it. */
const PROGRAMS = ["rm", "git", "sudo", "bad"];
/** Lines that hold commands as texts, which rules of permission take for commands where they cannot tell. */
const TEXTS = /^(?:alias |sed |awk |claude |useradd )|^\w+\(\) \{/;

const patterns = (program: string) => [program, `${program} *`];

describe("rules of permission and the facts of a line", () => {
  test("a rule on a program hits every line of which the facts name it", () => {
    const missed = ALL_LINES.flatMap((line) => {
      const named = readLine(line, { env: {}, posix: true }).invocations.flatMap(
        ({ programs: [name = "", ...others] }) =>
          others.length === 0 && name !== "" && !name.includes(HOLE) ? [name] : [],
      );
      // Windows finds a program without its ending.
      const spelled = (name: string) => (/\.exe\b/.test(line) ? [name, `${name}.exe`] : [name]);
      return [...new Set(named)]
        .filter((name) => !mayRun(line, spelled(name).flatMap(patterns)))
        .map((name) => `${name}: ${line}`);
    });
    expect(missed).toEqual([]);
  }, 120_000);

  test("the facts name a program that a rule on it hits, or do not show what runs", () => {
    const missed = ALL_LINES.flatMap((line) => {
      const shown = programsOf(line);
      // A rule on a program that no line has hits where anything may run.
      if (shown.hides || TEXTS.test(line) || mayRun(line, patterns("zzqq"))) return [];
      return PROGRAMS.filter((name) => !mayBe(name, shown) && mayRun(line, patterns(name))).map(
        (name) => `${name}: ${line}`,
      );
    });
    expect(missed).toEqual([]);
  }, 120_000);
});
