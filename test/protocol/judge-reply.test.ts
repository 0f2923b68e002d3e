import { describe, expect, test } from "bun:test";
import { parseVerdict } from "../../src/protocol/judge-reply.ts";
import { DECISIONS } from "../../src/protocol/result.ts";

const deny = '{"decision":"deny","reason":"no"}';
const allow = '{"decision":"allow","reason":"ok"}';

describe("a verdict is found", () => {
  test.each([
    ["bare", deny, "deny", "no"],
    ["in another case, with no reason", '{"decision":" DENY ","reason":"  "}', "deny", "no reason provided"],
    ["without the key reason", '{"decision":"ask"}', "ask", "no reason provided"],
    ["with a null reason and an extra key", '{"decision":"ask","reason":null,"sure":0.4}', "ask", "no reason provided"],
    ["in a fence", `\`\`\`json\n${deny}\n\`\`\``, "deny", "no"],
    ["in a fence without a language", `\`\`\`\n${deny}\n\`\`\`\n`, "deny", "no"],
    ["in prose", `My verdict: ${deny} as asked.`, "deny", "no"],
    ["after braces that are prose", `Of the set {a, b} nothing runs. ${deny}`, "deny", "no"],
    ["after an object without a decision", `{"cmd":"ls"}\n${deny}`, "deny", "no"],
    ["twice the same, and the last one counts", `{"decision":"deny","reason":"first"} ${deny}`, "deny", "no"],
    ["with braces and quotes in its reason", '{"decision":"deny","reason":"a } \\" { b"} {', "deny", 'a } " { b'],
    ["next to an object that contains one", `{"tool_input":${allow}} ${deny}`, "deny", "no"],
  ])("%s", (_name, reply, decision, reason) => {
    expect(parseVerdict(reply, DECISIONS)).toEqual({ decision: decision as "deny", reason });
  });
});

describe("a reply without one clear verdict is an error", () => {
  test.each([
    ["nothing", "", "empty model reply"],
    ["white space", " \n ", "empty model reply"],
    ["an empty fence", "```json\n```", "empty model reply"],
    ["prose", "I would allow this", "no JSON object in reply"],
    ["braces the wrong way round", "} allow {", "no JSON object in reply"],
    ["a list", '["allow"]', "no JSON object in reply"],
    ["broken JSON", '{"decision":allow}', "parse decision json: "],
    ["an object that never ends", '{"decision":"allow"', "no JSON object in reply"],
    ["an object inside broken braces", `{ see ${allow}`, "parse decision json: "],
    ["a broken object next to a valid one", `{"decision":deny} ${allow}`, "parse decision json: "],
    ["two that disagree", `${allow} ${deny}`, "parse decision json: the reply decides both allow and deny"],
    ["two that disagree, the other way round", `${deny} then ${allow}`, "the reply decides both deny and allow"],
    ["one object that says both", '{"decision":"deny","decision":"allow"}', 'repeated key "decision"'],
    ["two objects, one that says both", `{"decision":"deny","decision":"allow"} ${allow}`, "repeated key"],
    ["another decision", '{"decision":"maybe"}', 'invalid decision "maybe" (want allow|ask|deny)'],
    ["another decision next to a known one", `{"decision":"maybe"} ${allow}`, 'invalid decision "maybe"'],
    ["no decision", '{"reason":"x"}', 'invalid decision "" (want allow|ask|deny)'],
    ["a key in another case", '{"Decision":"allow"}', 'invalid decision ""'],
    ["a verdict inside an object", `{"answer":${allow}}`, 'invalid decision ""'],
    ["a decision that is not a text", '{"decision":true}', "parse decision json: decision is not a string"],
    ["a reason that is not a text", '{"decision":"allow","reason":1}', "parse decision json: reason is not a string"],
  ])("%s", (_name, reply, message) => {
    expect(() => parseVerdict(reply, DECISIONS)).toThrow(message);
  });

  test("a hostile reply takes little time", () => {
    for (const reply of ["{".repeat(300_000), '{"'.repeat(150_000), "{}".repeat(150_000), '{"a":'.repeat(100_000)]) {
      expect(() => parseVerdict(`${reply}}`, DECISIONS)).toThrow();
    }
  });
});
