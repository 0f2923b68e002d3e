import { describe, expect, test } from "bun:test";
import type { EventFacts } from "../../src/facts/facts.ts";
import { memoryHistories } from "../../src/rules/history/histories.ts";
import { holdsWith } from "../../src/rules/holds-at.ts";
import { CERTAIN, NO, OPAQUE, POSSIBLE } from "../../src/rules/rule.ts";
import { call, event, judge, placedRules, type ShortStep, TESTS } from "../helpers/rule-facts.ts";

const holdsAt = holdsWith(TESTS);
const NO_SETS = { paths: {}, hosts: {} };

function conditionOf(when: object) {
  const on = "text" in when ? "user_prompt_submit" : "pre_tool_use";
  const [rule] = placedRules([{ deny: "no", on, when }]);
  if (!rule?.when) throw new Error("no condition");
  return rule.when;
}

describe("a condition on an event", () => {
  const npm: ShortStep = { program: ["npm"], verb: ["test"] };
  const table: [string, object, EventFacts, number][] = [
    ["holds at one of its steps", { program: "npm" }, event([{ program: ["ls"] }, npm]), CERTAIN],
    ["holds at none", { program: "npm", verb: "ci" }, event([npm, { program: ["x"], verb: ["ci"] }]), NO],
    ["is possible", { program: "npm", verb: "test" }, event([{ program: ["npm"], verb: ["?test"] }]), POSSIBLE],
    ["is opaque", { effect: "sends" }, event([{ program: ["make"], opaque: true }]), OPAQUE],
    ["of a call without steps", { class: "network" }, event(call([], { class: "network" })), CERTAIN],
    ["of a call that cannot be read", { program: "npm" }, event(call([], { readable: false })), POSSIBLE],
    ["of an event without a call", { text: { matches: "not" } }, event(undefined, { text: "do not" }), CERTAIN],
    ["not at a step that only allow looks at", { writes: "/p/x" }, event([{ writes: ["/p/x"], allowOnly: true }]), NO],
    ["beside a step that only allow looks at", { program: "npm" }, event([{ allowOnly: true }, npm]), CERTAIN],
    [
      "of a file without a step of its own",
      { class: "runs-commands" },
      event([{ env: ["X"], allowOnly: true }]),
      CERTAIN,
    ],
    ["with doubt as a rule that restricts", { writes: "project" }, event([{ writes: ["/p/a", "/srv/b"] }]), CERTAIN],
    ["with the tests of the place", { flags: "-f" }, event([{ program: ["git"], flags: ["--force"] }]), CERTAIN],
    [
      "asks the work tree: changed",
      { dirty: true, program: "npm" },
      event([npm], { dirty: async () => true }),
      CERTAIN,
    ],
    ["does not ask it", { program: "npm" }, event([npm], { dirty: () => Promise.reject(new Error("asked")) }), CERTAIN],
    ["asks the work tree", { dirty: true }, event([npm], { dirty: async () => "possible" }), POSSIBLE],
    ["asks the work tree: clean", { dirty: true }, event([npm]), NO],
  ];
  test.each(table)("%s", async (_name, when, facts, expected) => {
    expect(await holdsAt(conditionOf(when), facts, NO_SETS)).toBe(expected as typeof CERTAIN);
  });
});

test("a rule asks the history of its session", async () => {
  const rules = [
    { deny: "untested", when: { program: "git" }, unless_after: { program: "npm", verb: "test", ok: true } },
  ];
  const history = memoryHistories().of({ session: "s" });
  const push = event([{ program: ["git"], verb: ["push"] }]);
  const before = await judge(rules, push, { history });
  expect(before.decision).toBe("deny");
  expect(before.messages[0]).toContain("not after program: npm, verb: test, ok: true");
  const passed = event([{ program: ["npm"], verb: ["test"] }], { event: "post_tool_use", ok: true, now: push.now });
  await history.record(placedRules(rules), passed, holdsAt);
  expect((await judge(rules, push, { history })).decision).toBeUndefined();
});
