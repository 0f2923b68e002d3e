import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Step } from "../helpers/fake-openai.ts";
import { setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const SERVER = join(import.meta.dir, "../fixtures/mcp/server.ts");

/** A call on which the MCP server asks the user; it may end without waiting for the answers. */
const ask = (questions: string[], leaves = false): Step => ({
  calls: [{ name: "fix_ask", arguments: { questions, leaves } }],
});

/** An agent with the MCP server `fix`, which may ask at any time. */
function setUpServer(...script: Step[]) {
  const set = setUp({}, ...script);
  const file = join(set.cwd, "answers");
  const path = join(set.cwd, "agent.yaml");
  const agent = JSON.parse(readFileSync(path, "utf8"));
  const mcp = { type: "mcp", name: "fix", command: process.execPath, args: [SERVER, "", file] };
  agent.agents.root.toolsets = [mcp, { type: "shell" }];
  agent.permissions = { allow: ["fix_ask"] };
  writeFileSync(path, JSON.stringify(agent));
  const answers = () => (existsSync(file) ? readFileSync(file, "utf8") : "");
  return { ...set, answers, withdraw: (index: number) => writeFileSync(`${file}.withdraw${index}`, "") };
}

/** The answers that a call brought back to the model. */
function resultOf({ server }: ReturnType<typeof setUpServer>): unknown {
  return JSON.parse(server.requests[1]?.messages.at(-1)?.content ?? "");
}

const answered = (which: string) => ({ action: "accept", content: { which } });

describe.each([
  ["on a full terminal", []],
  ["with --plain", ["--plain"]],
])("two questions at once, %s", (_name, flags) => {
  test("are asked one after the other: each says who asks, the first how many wait, and each gets its answer", async () => {
    const set = setUpServer(ask(["Which tea?", "Which cup?", "Which spoon?"]), { text: "served" });
    const run = start(set.cwd, [...flags, "go"]);
    await run.sees("root asks: MCP server fix asks");
    await run.sees("| Which tea?");
    await run.sees("2 more questions wait");
    expect(run.shown()).not.toContain("| Which cup?");
    run.press("green\r");
    await run.sees("root asks: MCP server fix asks");
    await run.sees("| Which cup?");
    await run.sees("which (optional): ");
    run.press("\x03");
    await run.sees("| Which spoon?");
    await run.sees("which (optional): ");
    run.press("small\r");
    await run.sees("served");
    expect(await run.child.exited).toBe(0);
    expect(resultOf(set)).toEqual([answered("green"), { action: "decline" }, answered("small")]);
  });

  test("an approval waits for the server's question, and gets none of its keys", async () => {
    const set = setUpServer(ask(["Which tea?"], true), shell("touch made"), { text: "served" });
    const run = start(set.cwd, [...flags, "go"]);
    await run.sees("| Which tea?");
    await run.sees("1 more question waits");
    expect(run.shown()).not.toContain("root wants to run shell");
    run.press("y\r"); // one answer, which the question behind it must not get
    run.press("yyyy");
    await run.sees("root wants to run shell(cmd: touch made)");
    await run.sees("[n]o:");
    expect(run.shown().match(/1 more question waits/g)?.length).toBeGreaterThan(0);
    expect(existsSync(join(set.cwd, "made"))).toBe(false);
    run.press("n");
    await run.sees("served");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(set.cwd, "made"))).toBe(false);
    expect(set.answers()).toContain(`Which tea? ${JSON.stringify(answered("y"))}`);
  });

  test("if the first is withdrawn, the second is asked, and the rest of the answer to the first goes nowhere", async () => {
    const set = setUpServer(ask(["Which tea?", "Which cup?"]), { text: "served" });
    const run = start(set.cwd, [...flags, "go"]);
    await run.sees("| Which tea?");
    await run.sees("1 more question waits");
    run.press("gre");
    set.withdraw(0);
    await run.sees("(withdrawn)");
    run.press("en\r");
    await run.sees("| Which cup?");
    await run.sees("which (optional): ");
    run.press("large\r");
    await run.sees("served");
    expect(await run.child.exited).toBe(0);
    expect(resultOf(set)).toEqual(["withdrawn", answered("large")]);
  });
});

test("a question that is withdrawn while it waits is never shown", async () => {
  const set = setUpServer(ask(["Which tea?", "Which cup?"]), { text: "served" });
  const run = start(set.cwd, ["go"]);
  await run.sees("1 more question waits");
  set.withdraw(1);
  await until(() => set.answers().includes("Which cup? withdrawn"));
  run.press("green\r");
  await run.sees("served");
  expect(await run.child.exited).toBe(0);
  expect(resultOf(set)).toEqual([answered("green"), "withdrawn"]);
  expect(run.shown()).not.toContain("| Which cup?");
});

test("the rest of an answer to a withdrawn question is not sent to the agent", async () => {
  const set = setUpServer(ask(["Which password?"]), { text: "served" }, { text: "leaked" });
  const run = start(set.cwd);
  await run.sees("> ");
  run.press("go\r");
  await run.sees("which (optional): ");
  run.press("hunt");
  await run.sees("hunt");
  await Bun.sleep(600); // a pause: the next key would count
  set.withdraw(0);
  await run.sees("(withdrawn)");
  run.press("er2\r");
  await run.sees("served");
  await Bun.sleep(600);
  run.press("/exit\r");
  expect(await run.child.exited).toBe(0);
  expect(set.server.requests).toHaveLength(2);
  expect(JSON.stringify(set.server.requests)).not.toContain("er2");
});

test("keys that are typed on and on answer neither question", async () => {
  const set = setUpServer(ask(["Which tea?", "Which cup?"]), { text: "served" });
  const run = start(set.cwd, ["go"]);
  const typing = setInterval(() => run.press("x\r"), 50);
  await run.sees("| Which tea?"); // it does not wait for ever
  await Bun.sleep(500);
  clearInterval(typing);
  await Bun.sleep(600);
  run.press("green\r");
  await run.sees("| Which cup?");
  await run.sees("which (optional): ");
  run.press("large\r");
  await run.sees("served");
  expect(await run.child.exited).toBe(0);
  expect(resultOf(set)).toEqual([answered("green"), answered("large")]);
});
