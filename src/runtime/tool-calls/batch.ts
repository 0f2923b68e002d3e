import type { Help } from "../../lib/errors.ts";
import { omitEmpty } from "../../lib/json.ts";
import type { ReplyBlock } from "../../model/messages/message.ts";
import type { Reply, ToolCall } from "../../model/model.ts";
import type { StopVerdict, Turn } from "../stream/stream-state.ts";
import { cancellationBy } from "./cancellation.ts";
import { type CallEnd, runCall, type Skip, skipCall } from "./tool-call.ts";

const CALL_SKIPPED: Help = {
  cause:
    "The run ended while the call ran or before it could. The message says what ended it; without one, the user did.",
  cure: "Continue the session with `--session`; the model knows why the call did not finish.",
};

/** The end of a call after one that the user cancelled. */
const CANCELED: Skip = {
  text: "The tool call was canceled because another tool call in the same batch was canceled by the user.",
  ending: { outcome: "canceled" },
};

/** The end of a call in which the reply reached its output limit. */
const CUT_OFF: Skip = {
  text:
    "The tool call was not run: your answer reached its length limit in it, so its arguments may be incomplete. Call the " +
    "tool again with less in the call, for example with a long text in several parts.",
  ending: { outcome: "malformed_arguments" },
};

/**
 * Runs the calls of a reply one after the other, and returns what ended the batch. Every call gets exactly one
 * response, in order. `cutOff` is the call in which the reply reached its output limit: it does not run, because its
 * arguments may be incomplete even if they are valid JSON.
 */
export async function runBatch(turn: Turn, calls: readonly ToolCall[], cutOff?: ToolCall): Promise<CallEnd> {
  let end: CallEnd = { kind: "done" };
  for (const call of calls) {
    const skip = (await skipOf(turn, end)) ?? (call === cutOff ? CUT_OFF : undefined);
    if (skip === undefined) end = await runCall(turn, call);
    else await skipCall(turn, call, skip);
  }
  return end;
}

async function skipOf({ stream: { signal } }: Turn, end: CallEnd): Promise<Skip | undefined> {
  if (signal.aborted) return cancellationBy(signal);
  if (end.kind === "done") return undefined;
  return end.kind === "canceled" ? CANCELED : stoppedBy(end.verdict);
}

/** Returns the end of a call after one that ended the stream: by its `post_tool_use` hook, or by a rule. */
async function stoppedBy({ message, deciders }: StopVerdict): Promise<Skip> {
  const hooks = await deciders();
  const isRule = hooks.some(({ type }) => type === "rule");
  return {
    text: `The tool call was skipped because a ${isRule ? "rule" : "post_tool_use hook"} signalled run termination.`,
    ending: {
      outcome: "skipped",
      reason: `a ${isRule ? "rule" : "hook"} ended the run${message ? `: ${message}` : ""}`,
      ...omitEmpty({ hooks }),
    },
  };
}

stoppedBy.help = CALL_SKIPPED;

const MALFORMED_NAME = /[^A-Za-z0-9_-]/;
const MAX_NAME_LENGTH = 64;

/**
 * Returns the blocks of a reply to record: each call gets an id, and a name that providers accept in later requests.
 */
export function recordableBlocks(turn: Turn, { blocks, finishReason }: Reply): ReplyBlock[] {
  const kept = finishReason === "refusal" ? blocks.filter(({ type }) => type !== "tool_call") : blocks;
  return kept.map((block): ReplyBlock => {
    if (block.type !== "tool_call") return block;
    const [id, name] = [block.id || `call_${crypto.randomUUID()}`, recordableName(turn, block.name)];
    return id === block.id && name === block.name ? block : { type: block.type, id, name, arguments: block.arguments };
  });
}

function recordableName(turn: Turn, name: string): string {
  if (turn.tools.some(({ tool }) => tool.name === name)) return name;
  return (name.split(MALFORMED_NAME, 1)[0] ?? "").slice(0, MAX_NAME_LENGTH) || "unknown_tool";
}
