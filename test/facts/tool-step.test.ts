import { expect, test } from "bun:test";
import { placeOf } from "../../src/facts/place.ts";
import { certaintyIn, toolStep } from "../../src/facts/tool-step.ts";
import type { PathTouch } from "../../src/shell/steps/program-facts.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const cwd = tempDir();
const place = placeOf({ cwd, env: { HOME: "/home/u" } });
const touch = (path: string, sure = true): PathTouch => ({ path, glob: /\*/.test(path), sure, extent: "itself" });

test("paths are all that is read, written and listed; hosts keep their ports", () => {
  const hosts = [
    { host: "h.example", port: 81, sure: true },
    { host: "i.example", sure: false },
  ];
  const step = toolStep({ reads: [touch("a")], writes: [touch("b")], lists: [touch("c")], hosts, sends: hosts }, place);
  expect(step.paths.map(({ path, read, elsewhere }) => [path, read, elsewhere])).toEqual([
    [`${cwd}/a`, true, false],
    [`${cwd}/b`, false, false],
    [`${cwd}/c`, true, false],
  ]);
  expect([step.hosts, step.sends]).toStrictEqual([hosts, hosts]);
  expect(toolStep({}, place)).toMatchObject({ paths: [], hosts: [], sends: [], effect: { values: [], open: false } });
});

test.each<[reads: string[], writes: string[], effects: string[]]>([
  [["a", ".env"], [], ["reveals"]],
  [[".env?", "a"], [], ["reveals?"]],
  [["a", ".en*"], [], ["reveals?"]],
  [["a"], ["b"], []],
  [[".env"], ["~/.bashrc", "b"], ["persistence", "reveals"]],
])("the effects of reading %j and writing %j: %j", (reads, writes, effects) => {
  const touches = (words: string[]) => words.map((word) => touch(word.replace("?", ""), !word.endsWith("?")));
  const step = toolStep({ reads: touches(reads), writes: touches(writes) }, place);
  expect(step.effect.values.map(({ text, sure }) => (sure ? text : `${text}?`))).toEqual(effects);
  expect(certaintyIn("credentials", step.reads, place)).toBe(
    effects.includes("reveals") ? "certain" : effects.includes("reveals?") ? "possible" : "no",
  );
});

test("an effect stands once, and is certain if it is certain anywhere", () => {
  const effects = [
    { text: "sends", sure: false },
    { text: "fs-delete", sure: false },
    { text: "sends", sure: true },
  ];
  expect(toolStep({ effects }, place).effect.values).toEqual([
    { text: "fs-delete", sure: false },
    { text: "sends", sure: true },
  ]);
});
