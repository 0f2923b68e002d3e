/**
 * Captures what docs/tools.md and docs/events.md show: `bun scripts/reference/capture.ts` writes captured.json beside this
 * file, from runs of the compiled program. A test captures again and compares.
 */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { EVENT_NAMES, EVENTS, type EventName } from "../../src/protocol/events.ts";
import { binary, cleanEnv } from "../../test/helpers/binary.ts";
import { captureRareEvents } from "./capture-events.ts";
import type { Payload } from "./capture-run.ts";
import { type CapturedTool, captureTools } from "./capture-tools.ts";
import { EXAMPLE_ANSWERS } from "./event-answers.ts";

/** An event as a hook reads it, and what `dispatch --output result` says when a hook gives the example answer. */
export interface CapturedEvent {
  payload: Payload;
  result: Record<string, unknown>;
}

/** What the pages show. */
export interface Captured {
  tools: CapturedTool[];
  events: Record<EventName, CapturedEvent>;
}

/** Runs the agents. Throws if an event never happened, or a tool was not called. */
export async function captureReference(): Promise<Captured> {
  const { tools, payloads } = await captureTools();
  const all = [...(await captureRareEvents()), ...payloads];
  const events: Partial<Record<EventName, CapturedEvent>> = {};
  for (const event of EVENT_NAMES) {
    const payload = exampleOf(event, all);
    if (!payload) throw new Error(`no run had the event ${event}`);
    events[event] = { payload, result: await judge(event, payload) };
  }
  return { tools, events: events as Record<EventName, CapturedEvent> };
}

/** Returns the payload to show: of the root agent, with the most fields, and the shortest of those. */
function exampleOf(event: EventName, payloads: readonly Payload[]): Payload | undefined {
  const ofEvent = payloads.filter((payload) => payload.hook_event_name === event && payload["agent_name"] === "root");
  const aboutShell = ofEvent.filter(({ tool_name: tool }) => tool === "shell");
  const size = (payload: Payload) => JSON.stringify(payload).length - 1000 * Object.keys(payload).length;
  return (aboutShell.length > 0 ? aboutShell : ofEvent).sort((a, b) => size(a) - size(b))[0];
}

async function judge(event: EventName, payload: Payload): Promise<Record<string, unknown>> {
  const folder = mkdtempSync(join(tmpdir(), "hooksh-reference-"));
  try {
    const file = join(folder, "hooks.json");
    writeFileSync(join(folder, "answer.json"), JSON.stringify(EXAMPLE_ANSWERS[event].answer));
    const hook = { name: "example", type: "command", command: 'cat "${hook_dir}/answer.json"' };
    const hooks = EVENTS[event].matcher ? [{ hooks: [hook] }] : [hook];
    writeFileSync(file, JSON.stringify({ [event]: hooks }));
    const input = Buffer.from(JSON.stringify({ ...payload, cwd: folder }));
    const args = ["dispatch", "--hooks-file", file, "--output", "result", "--no-audit"];
    const child = Bun.spawn([binary(), ...args], {
      cwd: folder,
      env: cleanEnv(folder),
      stdin: input,
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    if (stdout === "") throw new Error(`${event}: ${stderr}`);
    return JSON.parse(stdout.replaceAll(folder, "/home/user/shop")) as Record<string, unknown>;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

if (import.meta.main) {
  const captured = await captureReference();
  await Bun.write(join(import.meta.dir, "captured.json"), `${JSON.stringify(captured, undefined, 2)}\n`);
}
