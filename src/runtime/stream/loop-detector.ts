import type { Help } from "../../lib/errors.ts";
import { canonicalJson } from "../../lib/json.ts";
import type { ToolCall } from "../../model/model.ts";

const MODEL_REPEATS_A_CALL: Help = {
  cause: "The model repeated the same call, or reached its output limit in it again and again.",
  cure: "Give the task in smaller parts, or take another model; if the message says so, raise `max_tokens`.",
};

const DEFAULT_THRESHOLD = 5;

/** Tools that are meant to be called repeatedly. */
const POLLING_TOOLS: readonly string[] = [
  "view_background_agent",
  "list_background_agents",
  "wait_background_agents",
  "view_background_job",
];

/** Counts identical batches in a row. */
export interface LoopDetector {
  readonly threshold: number;
  signature: string;
  count: number;
}

/** Returns a detector that has seen no batch. A threshold below 1 means the default. */
export function createLoopDetector(threshold: number): LoopDetector {
  return { threshold: threshold > 0 ? threshold : DEFAULT_THRESHOLD, signature: "", count: 0 };
}

/**
 * Counts a batch as the model wrote it, and returns an error text if it was repeated too often. Empty batches and pure
 * polling neither count nor interrupt the count. Two calls of a tool that were cut off count as identical, wherever
 * they were cut.
 */
export function detectLoop(detector: LoopDetector, batch: readonly ToolCall[], cutOff?: ToolCall): string | undefined {
  if (batch.every(({ name }) => POLLING_TOOLS.includes(name))) return undefined;
  const signature = JSON.stringify(
    batch.map((call) => [call.name, call === cutOff ? null : canonicalArguments(call.arguments)]),
  );
  detector.count = signature === detector.signature ? detector.count + 1 : 1;
  detector.signature = signature;
  if (detector.count < detector.threshold) return undefined;
  if (cutOff) {
    return (
      `Agent terminated: the model reached its output limit in ${detector.count} consecutive calls to ${cutOff.name}: ` +
      "raise max_tokens of the model."
    );
  }
  return (
    `Agent terminated: detected ${detector.count} consecutive identical calls to ${batch[0]?.name}. ` +
    "This indicates a degenerate loop where the model is not making progress."
  );
}

detectLoop.help = MODEL_REPEATS_A_CALL;

function canonicalArguments(text: string): string {
  try {
    return canonicalJson(JSON.parse(text));
  } catch {
    return text; // not JSON: the text itself is what repeats
  }
}
