import { describe, expect, test } from "bun:test";
import { addIncludes, includedSets } from "../../../src/hosts/registration/add-includes.ts";

describe("adding sets of rules", () => {
  test.each([
    ["an empty file", "", "rules:\n  - include: builtin:ci\n"],
    ["comments alone", "# mine", "# mine\nrules:\n  - include: builtin:ci\n"],
    [
      "hooks without rules",
      "stop: # a\n  - {type: command, command: x}\n# end\n",
      "stop: # a\n  - {type: command, command: x}\n# end\nrules:\n  - include: builtin:ci\n",
    ],
    [
      "rules that are not indented, between other keys",
      "rules: # r\n- deny: x # c\n  when: {effect: publish} # d\n\n# sets\nsets: {paths: {a: [b]}}\n",
      "rules: # r\n- deny: x # c\n  when: {effect: publish} # d\n- include: builtin:ci\n\n# sets\nsets: {paths: {a: [b]}}\n",
    ],
    [
      "a last rule with a text of several lines",
      "rules:\n    - when: {effect: publish}\n      deny: |\n        a\n        b\n",
      "rules:\n    - when: {effect: publish}\n      deny: |\n        a\n        b\n    - include: builtin:ci\n",
    ],
    [
      "no line feed at the end, and carriage returns",
      "rules:\r\n  - include: builtin:packages",
      "rules:\r\n  - include: builtin:packages\r\n  - include: builtin:ci\r\n",
    ],
    [
      "a flow list",
      "rules: [{include: builtin:packages}] # x\n",
      "rules: [ { include: builtin:packages }, { include: builtin:ci } ] # x\n",
    ],
    ["rules without an entry", "# a\nrules:\nstop: []\n", "# a\nrules:\n  - include: builtin:ci\nstop: []\n"],
    [
      "JSON",
      '{\n  "stop": []\n}\n',
      '{\n  "stop": [],\n  "rules": [\n    {\n      "include": "builtin:ci"\n    }\n  ]\n}\n',
    ],
    [
      "JSON with rules",
      '{"rules":[{"include":"builtin:packages"}]}',
      '{"rules":[{"include":"builtin:packages"},{"include":"builtin:ci"}]}',
    ],
  ])("%s", async (_name, before, after) => {
    expect(await addIncludes(before, "hooks.yaml", ["ci"])).toBe(after);
    expect(await includedSets(after, "hooks.yaml")).toContain("ci");
  });

  test.each([
    ["- a\n", "hooks.yaml: cannot add rules: expected a mapping with a list of rules"],
    ["rules: {a: 1}\n", "hooks.yaml: cannot add rules: expected a mapping with a list of rules"],
    ["rules: [\n", "hooks.yaml:"],
    [
      "a: &r [{include: builtin:packages}]\nrules: *r\n",
      "cannot add rules without changing others; write yourself below rules: - include: builtin:ci",
    ],
  ])("refuses %j", async (text, message) => {
    expect(addIncludes(text, "hooks.yaml", ["ci"])).rejects.toThrow(message);
  });
});
