import { afterEach, expect, test } from "bun:test";
import type { RunEvent } from "../../../src/runtime/events/run-events.ts";
import { themeNamed } from "../../../src/terminal/theme.ts";
import { Activity } from "../../../src/terminal/tui/activity.ts";

const of = { agent_name: "root", session_id: "one", timestamp: "2026-01-01T00:00:00.000Z" };
const started: RunEvent = { ...of, type: "stream_started" };
const compacting: RunEvent = { ...of, type: "session_compaction", status: "started" };
const compacted: RunEvent = { ...of, type: "session_compaction", status: "completed", outcome: "applied" };

const activity = new Activity(
  () => {},
  () => themeNamed("none"),
);
afterEach(() => activity.stop());

/** The row after these events, once it may appear. */
async function rowAfter(...events: RunEvent[]): Promise<string> {
  for (const event of events) activity.see(event);
  await Bun.sleep(400);
  return activity.render(80).join("");
}

test("a compaction that the user asked for leaves nothing to wait for", async () => {
  expect(await rowAfter(compacting)).toContain("compacting the conversation");
  expect(await rowAfter(compacting, compacted)).toBe("");
});

test("an answer follows a compaction inside a stream", async () => {
  expect(await rowAfter(started, compacting, compacted)).toContain("thinking");
});

test("while hooks run, the row names them; afterwards it says what it said before", async () => {
  const running: RunEvent = { ...of, type: "hook_started", hook_event: "pre_tool_use", hooks: ["no-delete"] };
  const done: RunEvent = { ...of, type: "hook_finished", hook_event: "pre_tool_use", duration_ms: 1, allowed: true };
  expect(await rowAfter(started, running)).toContain("running the hook no-delete, 0 s");
  expect(await rowAfter(done)).toContain("thinking");
  const many = { ...running, hooks: ["a\x1b[2J", "b", "c", "d", "e"] };
  expect(await rowAfter(many)).toContain("running the hooks a\\x1b[2J, b, c and 2 more, 0 s");
  expect(await rowAfter(done, { ...running, hooks: undefined })).toContain("thinking");
  activity.stop();
  expect(await rowAfter(running, done)).toBe("");
});
