import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { guardFile } from "../scripts/docs-tools.ts";
import { captureReference } from "../scripts/reference/capture.ts";
import captured from "../scripts/reference/captured.json";
import { EVENT_ORDER } from "../scripts/reference/event-notes.ts";
import { EXAMPLE_CALLS } from "../scripts/reference/example-calls.ts";
import { hooksh } from "./helpers/binary.ts";
import { ORDINARY_EVENTS } from "./helpers/ordinary-events.ts";
import { tempDir } from "./helpers/temp-dir.ts";

/** The keys of a value with the types of their values, at every depth; a list has the shape of its first item. */
function shapeOf(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, 1).map(shapeOf);
  if (typeof value !== "object" || value === null) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, shapeOf(inner)]));
}

describe("docs/tools.md and docs/events.md (bun scripts/reference/capture.ts, then bun scripts/docs.ts)", async () => {
  const again = await captureReference();

  test("every tool is as captured", () => {
    const declared = (tools: typeof captured.tools | typeof again.tools) =>
      tools.map(({ response, input, ...tool }) => ({ ...tool, input: shapeOf(input), response: typeof response }));
    expect(declared(again.tools)).toEqual(declared(captured.tools) as ReturnType<typeof declared>);
  });

  test("every call was answered", () => {
    expect(again.tools.filter(({ response }) => response === "").map(({ name }) => name)).toEqual([]);
  });

  test.each(Object.entries(again.events))("%s has the payload and the verdict that were captured", (event, now) => {
    const before = captured.events[event as keyof typeof captured.events];
    expect(shapeOf(now)).toEqual(shapeOf(before));
    expect(now.result).toEqual(before.result as Record<string, unknown>);
  });
});

test("the events of a run happen in the order of docs/events.md", async () => {
  const cwd = tempDir();
  expect(await hooksh(["demo", "demo"], { cwd })).toMatchObject({ code: 0 });
  mkdirSync(join(cwd, "demo/build"));
  // The demo may have moved a build folder already.
  rmSync(join(cwd, "demo/.trash"), { recursive: true, force: true });
  const hooks = ORDINARY_EVENTS.map((event) => `--hook=${event}=echo ${event} >> events.txt`);
  const task = "Free some disk space: get rid of the build folder.";
  const args = ["run", "agent.yaml", "--yolo", "--fake", "recording.yaml", ...hooks, task];
  expect(await hooksh(args, { cwd: join(cwd, "demo") })).toMatchObject({ code: 0 });

  const { start, turn, call, answer, endOfTurn, end } = EVENT_ORDER;
  const allowed = call.filter((event) => event !== "permission_request");
  const denied = allowed.filter((event) => event !== "post_tool_use");
  const turns = [denied, allowed, answer].flatMap((events) => [...turn, ...events, ...endOfTurn]);
  const happened = readFileSync(join(cwd, "demo/events.txt"), "utf8").trim().split("\n");
  expect(happened).toEqual([...start, ...turns, ...end]);
});

describe("the rule of docs/tools.md", () => {
  const guarded = EXAMPLE_CALLS.flatMap(({ tool, guard }) => (guard ? [[tool, guard] as const] : []));

  test.each(guarded)("for %s denies its call and no other", async (tool, guard) => {
    const cwd = tempDir({ "guard.yaml": guardFile(tool, guard) });
    const event = (input: object) =>
      JSON.stringify({
        session_id: "1",
        cwd,
        hook_event_name: "pre_tool_use",
        agent_name: "root",
        tool_name: tool,
        tool_input: input,
      });
    const input = captured.tools.find(({ name }) => name === tool)?.input ?? {};
    const events = [event(guard.denied), event(input)].join("\n");
    const ran = await hooksh(["dispatch", "--hooks-file", "guard.yaml", "--output", "result"], {
      cwd,
      input: events,
    });
    expect(ran.lines()).toMatchObject([
      { allowed: false, message: expect.stringContaining(guard.reason) },
      { allowed: true },
    ]);
    expect(ran.lines()[1]).not.toHaveProperty("system_message");
  });
});
