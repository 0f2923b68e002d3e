import type { ToolCall } from "../model/model.ts";
import type { Turn } from "./activation.ts";
import { type CallEnd, runCall, skipCall } from "./tool-call.ts";

/** What the calls not yet looked at are told once something ended their batch. Source: hooks 9.3. */
const SKIP_TEXTS = {
  interrupted: "The tool call was canceled by the user.",
  canceled: "The tool call was canceled because another tool call in the same batch was canceled by the user.",
  stopped: "The tool call was skipped because a post_tool_use hook signalled run termination.",
} as const;

/**
 * Runs the calls of one reply one after the other. Every call gets exactly one response, in order; what a batch comes
 * to is what ended it.
 *
 * Source: runtime 7.1.
 */
export async function runBatch(turn: Turn, calls: readonly ToolCall[]): Promise<CallEnd> {
  let end: CallEnd = { kind: "done" };
  for (const call of calls) {
    const text = skipText(turn, end);
    if (text === undefined) end = await runCall(turn, call);
    else await skipCall(turn, call, text);
  }
  return end;
}

function skipText(turn: Turn, end: CallEnd): string | undefined {
  if (turn.stream.signal.aborted) return SKIP_TEXTS.interrupted;
  return end.kind === "done" ? undefined : SKIP_TEXTS[end.kind];
}

const MALFORMED_NAME = /[^A-Za-z0-9_-]/;
const MAX_NAME_LENGTH = 64;

/**
 * The calls of a reply as they are recorded: each with an id, and a name that a provider takes back.
 *
 * Source: runtime 7.1.
 */
export function tidyCalls(turn: Turn, calls: readonly ToolCall[]): ToolCall[] {
  return calls.map((call) => ({
    ...call, id: call.id || `call_${crypto.randomUUID()}`, name: tidyName(turn, call.name),
  }));
}

function tidyName(turn: Turn, name: string): string {
  if (turn.tools.some(({ tool }) => tool.name === name)) return name;
  return (name.split(MALFORMED_NAME, 1)[0] ?? "").slice(0, MAX_NAME_LENGTH) || "unknown_tool";
}
