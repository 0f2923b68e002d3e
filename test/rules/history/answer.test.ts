import { describe, expect, test } from "bun:test";
import type { EventFacts } from "../../../src/facts/facts.ts";
import { memoryHistories } from "../../../src/rules/history/histories.ts";
import type { Rule } from "../../../src/rules/rule.ts";
import { before, command, facts, holdsAt, past, result, rule } from "../../helpers/past-events.ts";

const MINUTE = 60_000;
const START = Date.now();

/** Plays events, then answers for a rule at `git push`. */
async function answer(asked: Rule, events: readonly EventFacts[], present = before("git push", "now")) {
  const history = memoryHistories().of({ session: "s" });
  for (const event of events) await history.record([asked], event, holdsAt);
  return history.holds(asked, present);
}

const tests = past(command("npm test"), { ok: true });
const edit = past(command("edit"));

describe("after and unless_after", () => {
  const table: [string, Rule, EventFacts[], boolean][] = [
    ["nothing happened", rule("deny", { after: [edit] }), [], false],
    ["a call that began", rule("deny", { after: [edit] }), [before("edit", "a")], true],
    ["a call of which only the result was seen", rule("deny", { after: [edit] }), [result("edit", "a")], true],
    ["another call", rule("deny", { after: [edit] }), [before("ls", "a")], false],
    ["the second of a list", rule("deny", { after: [past(command("x")), edit] }), [before("edit", "a")], true],
    [
      "the present call itself",
      rule("deny", { after: [past(command("git push"))] }),
      [before("git push", "now")],
      false,
    ],
    ["a possible call, for a denial", rule("deny", { after: [edit] }), [before("$X", "a")], true],
    ["a possible call, for a warning", rule("warn", { after: [edit] }), [before("$X", "a")], true],
    ["a possible call, for an allow", rule("allow", { after: [edit] }), [before("$X", "a")], false],
    ["an opaque call", rule("deny", { after: [edit] }), [before("%", "a")], false],
    ["a call that could not be tested, for a denial", rule("deny", { after: [edit] }), [before("!", "a")], true],
    ["a certain call, for an allow", rule("allow", { after: [edit] }), [before("edit", "a")], true],
    ["ok: the result was not seen", rule("allow", { after: [tests] }), [before("npm test", "a")], false],
    ["ok: seen", rule("allow", { after: [tests] }), [before("npm test", "a"), result("npm test", "a")], true],
    ["ok: it failed", rule("allow", { after: [tests] }), [result("npm test", "a", { ok: false })], false],
    [
      "ok: two reports differ",
      rule("allow", { after: [tests] }),
      [result("npm test", "a", { ok: false }), result("npm test", "a")],
      false,
    ],
    [
      "ok: false",
      rule("deny", { after: [past(command("npm test"), { ok: false })] }),
      [result("npm test", "a", { ok: false })],
      true,
    ],
    ["unless_after: lifted", rule("deny", { unlessAfter: [tests] }), [result("npm test", "a")], false],
    ["unless_after: not lifted", rule("deny", { unlessAfter: [tests] }), [before("npm test", "a")], true],
    ["unless_after: doubt does not lift", rule("deny", { unlessAfter: [tests] }), [result("$X", "a")], true],
    [
      "unless_after: what was possible at one of the two events is in doubt",
      rule("deny", { unlessAfter: [tests] }),
      [before("npm $X", "a"), result("npm test", "a")],
      true,
    ],
    ["unless_after of an allow", rule("allow", { unlessAfter: [edit] }), [before("edit", "a")], false],
    [
      "a condition on the result is not tested before there is one",
      rule("deny", { after: [past({ kind: "fact", fact: "ok", test: { is: false } })] }),
      [before("ls", "a"), result("ls", "a")],
      false,
    ],
    [
      "within: long ago",
      rule("deny", { after: [past(command("edit"), { within: MINUTE })] }),
      [before("edit", "a", { now: START - 2 * MINUTE })],
      false,
    ],
    [
      "within: a long call has happened at its end",
      rule("deny", { unlessAfter: [past(command("npm test"), { ok: true, within: MINUTE })] }),
      [before("npm test", "a", { now: START - 9 * MINUTE }), result("npm test", "a", { now: START })],
      false,
    ],
    [
      "beyond 30 days",
      rule("deny", { after: [edit] }),
      [before("edit", "a", { now: START - 31 * 24 * 60 * MINUTE })],
      false,
    ],
    [
      "another event",
      rule("deny", { after: [past(command("stop"), { event: "user_prompt_submit" })] }),
      [facts("user_prompt_submit", "stop")],
      true,
    ],
    [
      "another event does not count as a call",
      rule("deny", { after: [past(command("stop"))] }),
      [facts("user_prompt_submit", "stop")],
      false,
    ],
    [
      "event: post_tool_use needs a result",
      rule("deny", { after: [past(command("edit"), { event: "post_tool_use" })] }),
      [before("edit", "a")],
      false,
    ],
    [
      "event: pre_tool_use needs a start",
      rule("deny", { after: [past(command("edit"), { event: "pre_tool_use" })] }),
      [result("edit", "a")],
      false,
    ],
    ["both keys must hold", rule("deny", { after: [edit], unlessAfter: [tests] }), [before("edit", "a")], true],
    [
      "both keys must hold: one does not",
      rule("deny", { after: [edit], unlessAfter: [tests] }),
      [before("edit", "a"), result("npm test", "b")],
      false,
    ],
  ];
  test.each(table)("%s", async (_name, asked, events, expected) => {
    expect((await answer(asked, events)).truth).toBe(expected);
  });

  test("the message names the call, or what did not happen", async () => {
    expect((await answer(rule("deny", { after: [edit] }), [before("edit", "a")])).says).toEqual([
      "after shell (command edit)",
    ]);
    expect((await answer(rule("deny", { unlessAfter: [tests, edit] }), [])).says).toEqual([
      "not after command npm test or command edit",
    ]);
  });
});

describe("since", () => {
  const sinceEdit = (more = {}) => past(command("npm test"), { ok: true, since: edit, ...more });
  const denied = rule("deny", { unlessAfter: [sinceEdit()] });
  const table: [string, Rule, EventFacts[], boolean][] = [
    ["without an edit: since the start", denied, [result("npm test", "a")], false],
    ["an edit after the tests", denied, [result("npm test", "a"), before("edit", "b")], true],
    [
      "the tests after the edit",
      denied,
      [result("edit", "b"), before("npm test", "a"), result("npm test", "a")],
      false,
    ],
    ["a possible edit undoes them", denied, [result("npm test", "a"), before("$X", "b")], true],
    [
      "an edit while the tests ran undoes them",
      denied,
      [before("npm test", "a"), before("edit", "b"), result("edit", "b"), result("npm test", "a")],
      true,
    ],
    [
      "under after, a possible end does not count",
      rule("deny", { after: [past(command("edit"), { since: past(command("commit")) })] }),
      [before("edit", "a"), before("$X", "b")],
      true,
    ],
    [
      "under after, a certain end counts",
      rule("deny", { after: [past(command("edit"), { since: past(command("commit")) })] }),
      [before("edit", "a"), before("commit", "b")],
      false,
    ],
    [
      "under after, a call that ran until after the end counts",
      rule("deny", { after: [past(command("edit"), { since: past(command("commit")) })] }),
      [before("edit", "a"), before("commit", "b"), result("edit", "a")],
      true,
    ],
    [
      "the end has an end of its own",
      rule("deny", { unlessAfter: [sinceEdit({ since: { ...edit, since: past(command("reset")) } })] }),
      [
        before("npm test", "a"),
        result("npm test", "a"),
        before("edit", "b"),
        before("reset", "c"),
        result("reset", "c"),
      ],
      false,
    ],
  ];
  test.each(table)("%s", async (_name, asked, events, expected) => {
    expect((await answer(asked, events)).truth).toBe(expected);
  });
});

describe("more_than", () => {
  const pushes = (n: number, more = {}) =>
    rule("deny", { moreThan: { n, sameCall: false, ...more } }, { when: command("git push") });
  const same = rule("stop", { moreThan: { n: 1, sameCall: true, per: 10 * MINUTE, perText: "10m" } });

  const table: [string, Rule, EventFacts[], boolean][] = [
    ["n calls pass", pushes(2), [before("git push", "a")], false],
    ["the next does not", pushes(2), [before("git push", "a"), before("git push", "b")], true],
    ["n 0: none passes", pushes(0), [], true],
    ["a call and its result are one", pushes(2), [before("git push", "a"), result("git push", "a")], false],
    ["one id is one call", pushes(2), [before("git push", "a"), before("git push", "a")], false],
    ["other calls do not count", pushes(1), [before("git status", "a")], false],
    ["possible ones do", pushes(1), [before("git $X", "a")], true],
    ["long ago", pushes(1, { per: MINUTE }), [before("git push", "a", { now: START - 2 * MINUTE })], false],
    ["without an id, a call and its result are one", pushes(2), [before("git push"), result("git push")], false],
    ["without an id, the same within ten minutes is one", pushes(2), [before("git push"), before("git push")], false],
    [
      "without an id, the same eleven minutes later is another",
      pushes(2),
      [before("git push", undefined, { now: START - 11 * MINUTE }), before("git push")],
      true,
    ],
    [
      "without an id, what begins after a result is another call",
      pushes(2),
      [before("git push"), result("git push"), before("git push")],
      true,
    ],
    ["same_call: the same", same, [before("git push", "a")], true],
    ["same_call: another input", same, [before("git push x", "a")], false],
    ["same_call: the present call itself", same, [before("git push", "now")], false],
    ["an allow counts what is certain", { ...pushes(1), verdict: "allow" }, [before("git $X", "a")], false],
  ];
  test.each(table)("%s", async (_name, asked, events, expected) => {
    expect((await answer(asked, events)).truth).toBe(expected);
  });

  test("the order of keys does not count in the same call, a secret is not part of it", async () => {
    const history = memoryHistories().of({ session: "s" });
    const secret = `ghp_${"a1B2c3D4e5".repeat(4).slice(0, 36)}`;
    const withInput = (input: Record<string, unknown>, id: string) => {
      const event = before("", id);
      return { ...event, call: event.call && { ...event.call, input } };
    };
    const ask = (input: Record<string, unknown>) => history.holds(same, withInput(input, "now"));
    await history.record([same], withInput({ x: 1, token: secret }, "a"), holdsAt);
    expect((await ask({ token: secret, x: 1 })).truth).toBe(true);
    expect((await ask({ token: secret, x: 2 })).truth).toBe(false);
    expect((await ask({ token: secret.replace("ghp_a1", "ghp_b2"), x: 1 })).truth).toBe(true);
  });

  test("the result of a call is not counted beside it, also without an id", async () => {
    const onResult = { ...pushes(1), on: ["post_tool_use"] as const };
    expect((await answer(onResult, [before("git push")], result("git push"))).truth).toBe(false);
    expect((await answer(onResult, [before("git push", "a")], result("git push", "a"))).truth).toBe(false);
    expect((await answer(onResult, [before("git push", "a")], result("git push", "b"))).truth).toBe(true);
  });

  test("prompts are counted on their own event", async () => {
    const prompts = rule(
      "warn",
      { moreThan: { n: 1, sameCall: false } },
      { on: ["user_prompt_submit"], when: command("again") },
    );
    const prompt = facts("user_prompt_submit", "again");
    expect((await answer(prompts, [prompt], prompt)).truth).toBe(true);
    expect((await answer(prompts, [before("again", "a")], prompt)).truth).toBe(false);
  });

  test("the message has the number of calls and the time", async () => {
    const once = [before("git push", "a")];
    expect(await answer(pushes(1), once)).toEqual({ truth: true, says: ["2 calls in this session"], count: 2 });
    expect((await answer(pushes(1, { per: 10 * MINUTE, perText: "10m" }), once)).says).toEqual(["2 calls in 10m"]);
  });
});

describe("calls that were made before a rule was loaded", () => {
  const older = rule("deny", { after: [past(command("old"))] });
  const newer = (verdict: Rule["verdict"], key: "after" | "unlessAfter") => rule(verdict, { [key]: [edit] });

  async function ask(asked: Rule) {
    const history = memoryHistories().of({ session: "s" });
    await history.record([older], before("ls", "a"), holdsAt);
    return history.holds(asked, before("git push", "now"));
  }

  test("count for a denial, and do not lift one", async () => {
    expect(await ask(newer("deny", "after"))).toEqual({
      truth: true,
      says: ["after shell (from before this rule was loaded)"],
    });
    expect((await ask(newer("deny", "unlessAfter"))).truth).toBe(true);
    expect((await ask(newer("allow", "after"))).truth).toBe(false);
    expect((await ask(older)).truth).toBe(false);
  });

  test("do not count once another process has tested them", async () => {
    const history = memoryHistories().of({ session: "s" });
    await history.record([older], before("ls", "a"), holdsAt);
    await history.record([newer("deny", "after")], before("ls", "a"), holdsAt);
    expect((await history.holds(newer("deny", "after"), before("git push", "now"))).truth).toBe(false);
  });
});
