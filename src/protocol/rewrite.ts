import { isObject } from "../lib/json.ts";
import type { EventContract } from "./events.ts";
import type { HookOutput, SpecificOutput } from "./output.ts";
import type { AnyResult } from "./result.ts";

/** The payload of a dispatch; never changed in place. */
export type Payload = Readonly<Record<string, unknown>>;

/** The part of a payload that hooks may rewrite. */
type Rewritable = NonNullable<EventContract["rewrites"]>;

/** The fields of `hook_specific_output` and of the result that hold the rewritten part. */
const REWRITES = {
  tool_input: { answer: "updated_input", result: "modified_input" },
  messages: { answer: "updated_messages", result: "updated_messages" },
  tool_response: { answer: "updated_tool_response", result: "updated_tool_response" },
  stop_response: { answer: "updated_response", result: "updated_response" },
} as const satisfies Record<Rewritable, { answer: keyof SpecificOutput; result: keyof AnyResult }>;

/** The new value that a hook gave for the rewritable part of a payload. */
export type Rewrite = NonNullable<SpecificOutput[(typeof REWRITES)[Rewritable]["answer"]]>;

/** Returns the rewrite in an output if its event accepts one. An empty list of messages is not a rewrite. */
export function rewriteOf({ rewrites }: EventContract, output: HookOutput): Rewrite | undefined {
  if (rewrites === undefined) return undefined;
  const rewrite = output.hook_specific_output?.[REWRITES[rewrites].answer];
  return rewrites === "messages" && Array.isArray(rewrite) && rewrite.length === 0 ? undefined : rewrite;
}

/**
 * Returns the payload with a rewrite applied: tool arguments are merged key by key at the top, anything else is
 * replaced.
 */
export function rewritePayload({ rewrites }: EventContract, payload: Payload, rewrite: Rewrite): Payload {
  if (rewrites === undefined) return payload;
  if (rewrites !== "tool_input") return { ...payload, [rewrites]: rewrite };
  const before = isObject(payload[rewrites]) ? payload[rewrites] : {};
  return { ...payload, [rewrites]: { ...before, ...(isObject(rewrite) ? rewrite : {}) } };
}

/** Copies the rewritten part of a payload into the result. */
export function addRewrite(result: AnyResult, { rewrites }: EventContract, payload: Payload): void {
  if (rewrites !== undefined) Object.assign(result, { [REWRITES[rewrites].result]: payload[rewrites] });
}
