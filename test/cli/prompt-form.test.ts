import { describe, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import type { Step } from "../helpers/fake-openai.ts";
import { setUp, start } from "../helpers/terminal-run.ts";

const keys = { toolsets: [{ type: "user_prompt" }] };
const ask = (input: object): Step => ({ calls: [{ name: "user_prompt", arguments: input }] });

const schema = {
  type: "object",
  required: ["name", "size"],
  properties: {
    name: { type: "string", description: "Who is it for?", minLength: 2 },
    size: { enum: ["small", "large"] },
    count: { type: "integer", minimum: 1 },
    gift: { type: "boolean", default: false },
    tags: { type: "array", items: { type: "string" } },
    note: { type: "string" },
  },
};

describe("a question of the agent", () => {
  test("follows its schema, and asks again after an invalid answer", async () => {
    const { server, cwd } = setUp(keys, ask({ title: "Order", message: "Which\u001b[2J one?", schema }), {
      text: "ordered",
    });
    const run = start(cwd, ["go"]);
    await run.sees("root asks: Order");
    await run.sees("| Which\\x1b[2J one?");
    await run.sees("Who is it for?");
    const steps = [
      ["name (at least 2 characters): ", "A"],
      ["Expected: at least 2 characters", "Ann"],
      ["2. large", ""],
      ["An answer is required", "3"],
      ["Choose 1 to 2", "2"],
      ["count (integer, at least 1; optional): ", "0"],
      ["Expected: integer", "2"],
      ["gift (yes or no; default false): ", ""],
      ["tags (a list, separated by commas; optional): ", "red, blue"],
      ["note (optional): ", ""],
    ] as const;
    for (const [text, answer] of steps) {
      await run.sees(text);
      run.press(`${answer}\r`);
    }
    await run.sees("ordered");
    expect(await run.child.exited).toBe(0);
    expect(JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "")).toEqual({
      action: "accept",
      content: { name: "Ann", size: "large", count: 2, gift: false, tags: ["red", "blue"] },
    });
  });

  test("without a schema is a single line, and Ctrl+C declines without ending the run", async () => {
    const { server, cwd } = setUp(keys, ask({ message: "Why?" }), ask({ message: "Why not?" }), { text: "understood" });
    const run = start(cwd, ["go"]);
    await run.sees("Answer: ");
    run.press("because\r");
    await run.sees("Why not?");
    await run.sees("Answer: ");
    run.press("\x03");
    await run.sees("understood");
    expect(await run.child.exited).toBe(0);
    const results = [1, 2].map((request) => JSON.parse(server.requests[request]?.messages.at(-1)?.content ?? ""));
    expect(results).toEqual([{ action: "accept", content: "because" }, { action: "decline" }]);
  });

  test("with --plain at the prompt, Ctrl+C declines it and the answer goes on", async () => {
    const { server, cwd } = setUp(keys, ask({ message: "Why?" }), { text: "understood" });
    const run = start(cwd, ["--plain"]);
    await run.sees("> ");
    run.press("go\n");
    await run.sees("Answer: ");
    run.press("\x03");
    await run.sees("understood");
    run.press("/exit\n");
    expect(await run.child.exited).toBe(0);
    expect(JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "")).toEqual({ action: "decline" });
  });

  test("with --plain, the end of input declines it, and the line that was not sent is not a message", async () => {
    const { server, cwd } = setUp(keys, ask({ message: "Why?" }), { text: "understood" });
    const run = start(cwd, ["--plain"]);
    await run.sees("> ");
    run.press("go\n");
    await run.sees("Answer: ");
    run.press("half\x04"); // gives what was typed; a second Ctrl+D ends the input
    await Bun.sleep(300);
    run.press("\x04");
    await run.sees("understood");
    expect(await run.child.exited).toBe(0);
    expect(JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "")).toEqual({ action: "decline" });
    expect(run.shown()).not.toContain("(queued)");
  });

  test("is declined without a terminal", async () => {
    const { server, cwd } = setUp(keys, ask({ message: "Why?" }), { text: "understood" });
    const { code } = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(code).toBe(0);
    expect(JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "")).toEqual({ action: "decline" });
  });
});
