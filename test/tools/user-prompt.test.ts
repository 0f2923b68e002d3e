import { expect, test } from "bun:test";
import type { UserAnswer, UserQuestion } from "../../src/tools/tool.ts";
import { call, makeToolset, toolContext } from "./fixtures.ts";

const schema = { type: "string", enum: ["red", "blue"] };

async function ask(answer: UserAnswer | undefined) {
  const questions: UserQuestion[] = [];
  const askUser = async (question: UserQuestion) => {
    questions.push(question);
    return answer ?? { action: "cancel" as const };
  };
  const context = toolContext("/", answer ? { askUser } : {});
  const result = await call(
    await makeToolset("user_prompt", "/"),
    "user_prompt",
    { message: "Which?", title: "Colour", schema },
    context,
  );
  return { result, questions };
}

test("the user is asked, and the answer is the result", async () => {
  const { result, questions } = await ask({ action: "accept", content: "red" });
  expect(questions).toEqual([{ message: "Which?", title: "Colour", schema }]);
  expect(result).toEqual({ text: '{"action":"accept","content":"red"}' });
});

test.each(["decline", "cancel"] as const)("%s is an error result", async (action) => {
  expect((await ask({ action })).result).toEqual({ text: `{"action":"${action}"}`, isError: true });
});

test("without a user the question is declined at once", async () => {
  expect((await ask(undefined)).result).toEqual({ text: '{"action":"decline"}', isError: true });
});
