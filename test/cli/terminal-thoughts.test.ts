import { expect, test } from "bun:test";
import { setUp, start } from "../helpers/terminal-run.ts";

/** A reply that begins with thoughts. */
function thinking(thoughts: readonly string[], answer: string) {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = [
    ...thoughts.map((reasoning_content) => chunk({ reasoning_content })),
    chunk({ content: answer }),
    chunk({}, "stop"),
    "data: [DONE]\n\n",
  ].join("");
  return () => new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const thoughts = ["The user greets.\n", "I greet \x1b[2Jback."];

test("thoughts are folded above the answer, and Ctrl+T opens them", async () => {
  const { cwd } = setUp({}, thinking(thoughts, "hello there"));
  const run = start(cwd);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("✻ thought for 1 s · Ctrl+T");
  await run.sees("hello there");
  expect(run.shown()).not.toContain("│ The user greets.");
  await run.pressesUntil("\x14", "│ The user greets.");
  await run.sees("│ I greet back.");
  run.press("\x04");
  await run.child.exited;
});

test("with --plain, a line says how long the model thought, and not what", async () => {
  const { cwd } = setUp({}, thinking(thoughts, "hello there"));
  const run = start(cwd, ["--plain"]);
  await run.sees("/help shows");
  run.press("go\r");
  await run.sees("(thought for 1 s)");
  await run.sees("hello there");
  run.press("\x04");
  await run.child.exited;
  expect(run.shown()).not.toContain("The user greets");
});
