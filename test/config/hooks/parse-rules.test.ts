import { expect, test } from "bun:test";
import { parseHooks, parseRules, validateHooks } from "../../../src/config/hooks/parse-hooks.ts";
import { settled } from "../../helpers/settled.ts";

const TEXT = `rules: [{ deny: no, when: { program: rm } }]
stop: [{ type: command, command: "true" }]
`;

test("the rules and the hooks of a text are read apart", async () => {
  const [rule] = await parseRules(TEXT, { file: "hooks.yaml" });
  expect([rule?.message, await rule?.source()]).toEqual(["no", "hooks.yaml:1"]);
  expect(await parseHooks(TEXT, { rules: "apart" })).toHaveLength(1);
});

test("hooks are not read without the rules beside them", async () => {
  expect(await settled(parseHooks(TEXT))).toThrow("read them with parseRules");
});

test("a value has places without lines", async () => {
  const [rule] = await parseRules({ rules: [{ deny: "no", when: { program: "rm" } }] });
  expect(await rule?.source()).toBe("rules[0]");
});

test("problems of rules are among those of the hooks", async () => {
  const problems = await validateHooks("rules: [{ deny: no, when: { efect: x } }]\nstopp: []\n");
  expect(problems.map(({ path }) => path)).toEqual(["hooks.stopp", "rules[0].when"]);
});
