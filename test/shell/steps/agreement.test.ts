import { describe, expect, test } from "bun:test";
import { classifyCommand } from "../../../src/shell/classify.ts";
import { type Effect, effectOfCategory } from "../../../src/shell/steps/effects/effect.ts";
import { readLine } from "../../../src/shell/steps/read-line.ts";
import { readProgram } from "../../../src/shell/steps/read-program.ts";
import { ALL_LINES } from "./agreement-lines.ts";

/** A kind of line of which the label and the facts say different things, both with reason. */
interface Exception {
  why: string;
  category: string;
  /** What the facts say instead; undefined for nothing. */
  effect: Effect | undefined;
  line: RegExp;
}

const EXCEPTIONS: readonly Exception[] = [
  { why: "copies replace a file's content", category: "fs-modify", effect: "fs-overwrite", line: /^(?:cp|mv|ln) / },
  { why: "what a copy removes is deleted", category: "fs-modify", effect: "fs-delete", line: /^rsync .*--del/ },
  {
    why: "a file that is moved to nowhere is deleted",
    category: "fs-modify",
    effect: "fs-delete",
    line: /\/dev\/null$/,
  },
  {
    why: "what is added to a file replaces nothing",
    category: "fs-overwrite",
    effect: "fs-modify",
    line: />> |tee -a/,
  },
  { why: "git rm deletes files", category: "git-discard", effect: "fs-delete", line: /^git rm / },
  { why: "the command in a container has effects", category: "docker", effect: "fs-delete", line: /^\w+ exec / },
  { why: "a package is taken back for all", category: "package", effect: "publish", line: /^(?:npm|gem|cargo) / },
  { why: "a pattern names any program", category: "system", effect: "fs-delete", line: /^(?:\/bin\/)?r\S+ -rf x$/ },
  { why: "-Verb takes no code", category: "encoded-code", effect: undefined, line: /^Start-Process .* -Verb RunAs$/ },
  { why: "an alias only gives a name to a command", category: "*", effect: undefined, line: /^alias / },
  {
    why: "a function that calls itself signals none",
    category: "process",
    effect: undefined,
    line: /\|\s*(?::|bomb)\s*&/,
  },
];

/** Effects that a line with a label of safety never has for certain. */
const NEVER_SAFE: ReadonlySet<string> = new Set<Effect>([
  "fs-delete",
  "fs-overwrite",
  "fs-modify",
  "fs-permissions",
  "block-device",
  "git-discard",
  "git-history",
  "remote-code",
  "hidden-code",
  "containers",
  "kubernetes",
  "cloud",
  "infrastructure",
  "database",
  "remote-delete",
  "packages",
  "publish",
  "privilege",
  "system",
  "process",
  "persistence",
  "bypass",
  "delegates",
]);

function factsOf(line: string) {
  const { invocations, complete } = readLine(line, { env: {}, posix: true });
  const steps = invocations.map((one) => readProgram(one));
  return {
    hides: !complete || steps.some(({ opaque }) => opaque),
    effects: steps.flatMap(({ effects }) => effects.values),
  };
}

describe("the label and the facts of a line", () => {
  const used = new Set<Exception>();

  test("a line that is called destructive has the effect, or hides what it runs", () => {
    const contradictions = ALL_LINES.filter((line) => {
      const { label, category = "" } = classifyCommand(line);
      const effect = label === "destructive" ? effectOfCategory(category) : undefined;
      if (effect === undefined) return false;
      const { effects, hides } = factsOf(line);
      const has = (wanted: Effect) => effects.some(({ text }) => text === wanted);
      if (has(effect) || hides) return false;
      const exception = EXCEPTIONS.find((one) => {
        if ((one.category !== category && one.category !== "*") || !one.line.test(line)) return false;
        return one.effect === undefined ? effects.length === 0 : has(one.effect);
      });
      if (exception) used.add(exception);
      return exception === undefined;
    });
    expect(contradictions).toEqual([]);
  });

  test("every exception is one of a line", () => {
    expect(EXCEPTIONS.filter((one) => !used.has(one)).map(({ why }) => why)).toEqual([]);
  });

  test("a line with an effect is not called safe", () => {
    const contradictions = ALL_LINES.flatMap((line) => {
      const found = factsOf(line).effects.filter(({ text, sure }) => sure && NEVER_SAFE.has(text));
      return found.length > 0 && classifyCommand(line).label === "safe" ? [`${line}: ${found[0]?.text}`] : [];
    });
    expect(contradictions).toEqual([]);
  });

  test("there are lines to compare", () => {
    expect(ALL_LINES.length).toBeGreaterThan(3000);
  });
});
