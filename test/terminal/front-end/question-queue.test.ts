import { expect, test } from "bun:test";
import { QuestionQueue, waitingText } from "../../../src/terminal/front-end/question-queue.ts";

const never = () => new AbortController().signal;

test("a question that is withdrawn while it waits no longer counts, and the others keep their places", async () => {
  const counts: number[] = [];
  const asked: string[] = [];
  const queue = new QuestionQueue((waiting) => counts.push(waiting));
  const first = Promise.withResolvers<string>();
  const withdrawn = new AbortController();
  const askFor = (name: string, signal = never()) =>
    queue.ask(signal, async () => {
      asked.push(name);
      return name;
    });
  const answers = [
    queue.ask(never(), () => first.promise),
    askFor("second", withdrawn.signal),
    askFor("third"),
    askFor("fourth"),
  ];
  withdrawn.abort();
  expect(await answers[1]).toBeUndefined();
  expect(counts).toEqual([0, 1, 2, 3, 2]);
  first.resolve("first");
  expect(await Promise.all(answers)).toEqual(["first", undefined, "third", "fourth"]);
  expect(asked).toEqual(["third", "fourth"]);
  expect(counts.at(-1)).toBe(0);
});

test("a question that fails does not hold up the next", async () => {
  const queue = new QuestionQueue(() => {});
  const failing = queue.ask(never(), () => Promise.reject(new Error("no terminal"))).catch(String);
  expect(await queue.ask(never(), async () => "asked")).toBe("asked");
  expect(await failing).toContain("no terminal");
});

test("a question whose signal has aborted is not asked", async () => {
  const queue = new QuestionQueue(() => {});
  expect(await queue.ask(AbortSignal.abort(), async () => "asked")).toBeUndefined();
  expect(await queue.ask(never(), async () => "asked")).toBe("asked");
});

test("the line about waiting questions is in the singular for one", () => {
  expect([1, 2].map(waitingText)).toEqual(["1 more question waits", "2 more questions wait"]);
});
