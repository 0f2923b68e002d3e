import { describe, expect, test } from "bun:test";
import { held, setUp, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const failing =
  (status: number, headers: Record<string, string> = {}) =>
  () =>
    Response.json({ error: { message: `status ${status}` } }, { status, headers });

/** How often a text was printed as a row of its own, whatever was drawn again above it. */
const count = (text: string, part: string) => text.split(part).length - 1;

/** An answer that streams faster than it can be read, for as long as the client listens. */
function flood(): Response {
  const choices = [{ index: 0, delta: { content: "- **so** `many` words\\n".repeat(20) }, finish_reason: null }];
  const event = `data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 1, model: "fake", choices })}\n\n`;
  const bytes = new TextEncoder().encode(event);
  const body = new ReadableStream({
    async pull(controller) {
      await new Promise(setImmediate);
      controller.enqueue(bytes);
    },
  });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

test("an answer that streams faster than it can be read is shown, and Escape cancels it", async () => {
  const { cwd } = setUp({}, flood);
  const run = start(cwd);
  await run.sees("> ");
  run.press("go\r");
  await run.sees("so many words");
  await run.sees("Esc cancels");
  run.press("\x1b");
  await run.sees("(canceled)");
  await run.sees("> ");
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
});

describe("a wait is one line that Escape or Ctrl+C cancels", () => {
  test.each([
    ["Escape", "\x1b"],
    ["Ctrl+C", "\x03"],
  ])("for a rate limit, %s", async (_name, key) => {
    const { cwd } = setUp({}, failing(429, { "retry-after": "55" }), { text: "later" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await run.sees("waiting 55 s for fake/model");
    await run.sees("Esc cancels");
    run.press(key);
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(run.shown()).not.toContain("⚠️");
  });

  test.each([
    ["Escape", "\x1b"],
    ["Ctrl+C", "\x03"],
  ])("for a model that hangs, %s", async (_name, key) => {
    const { server, cwd } = setUp({}, held("never").step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => server.requests.length === 1);
    await run.sees("thinking");
    await run.sees("Esc cancels");
    run.press(key);
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("for a fallback: the row while it lasts, one notice afterwards", async () => {
    const { step, release } = held("from the fallback");
    const { server, cwd } = setUp({ fallback: { models: ["fake/second"], retries: -1 } }, failing(500), step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => server.requests.length === 2);
    await run.sees("fake/model failed, trying fake/second");
    await run.sees("Esc cancels");
    expect(count(run.shown(), "⚠️")).toBe(0);
    release();
    await run.sees("⚠️  fake/model failed");
    await run.sees("from the fallback");
    run.press("\x04");
    await run.child.exited;
    expect(count(run.shown(), "⚠️  fake/model failed")).toBe(1);
  });

  test("for a compaction that hangs", async () => {
    const { server, cwd } = setUp({}, { text: "first" }, { text: "second" }, { text: "third" }, held("never").step);
    const run = start(cwd);
    await run.sees("> ");
    for (const answer of ["first", "second", "third"]) {
      run.press(`get ${answer} ${"word ".repeat(30)}\r`);
      await run.sees(`> get ${answer}`);
      await run.sees("> ");
      await until(() => server.requests.length === ["first", "second", "third"].indexOf(answer) + 1);
      await Bun.sleep(300);
    }
    run.press("/compact\r");
    await until(() => server.requests.length === 4);
    await run.sees("compacting the conversation");
    await run.sees("Esc cancels");
    run.press("\x1b");
    await run.sees("not compacted");
    await Bun.sleep(500);
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(count(run.shown().split("not compacted")[1] ?? "", "compacting")).toBe(0);
  });

  test("for a command of the user's", async () => {
    const { cwd } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("!touch started; sleep 304.7\r");
    await until(() => Bun.file(`${cwd}/started`).size === 0 && Bun.spawnSync(["test", "-e", `${cwd}/started`]).success);
    run.press("\x1b");
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });
});
