import { isObject } from "../lib/json.ts";
import type { EventContract } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { Outcome } from "./handler.ts";

/**
 * Translates a patch of tool input to hooksh's fields, before it is applied and before other hooks see it. A message
 * instead of a patch makes the hook fail.
 */
export type ReadPatch = (patch: Payload) => Payload | string;

/** Returns the outcome of a hook with its patch translated. */
export function translatePatch(outcome: Outcome, readPatch: ReadPatch): Outcome {
  const specific = outcome.kind === "answered" ? outcome.output.hook_specific_output : undefined;
  if (outcome.kind !== "answered" || !isObject(specific?.updated_input)) return outcome;
  const patch = readPatch(specific.updated_input);
  if (typeof patch === "string") return { kind: "failed", reason: "failed", error: patch, stderr: "" };
  return { ...outcome, output: { ...outcome.output, hook_specific_output: { ...specific, updated_input: patch } } };
}

/** Returns the contract of an event, changed so that its hooks can block: some agents let a hook keep them going. */
export function allowBlocks(contract: EventContract, canBlock: boolean | undefined): EventContract {
  return canBlock ? { ...contract, canBlock } : contract;
}
