import { displayName, type HookDefinition, type HookEntry, isJudge } from "../config/hooks.ts";
import { contractOn, type EventContract, type EventName, type Lane } from "../protocol/events.ts";
import type { Registry } from "./registry.ts";

/** When a hook of a dispatch runs: on the preempt lane, as a declared rewriter in its turn, or at once with the rest. */
export type Stage = "preempt" | "rewrite" | "concurrent";

/** What a failure of a hook leads to. */
export type FailurePolicy = "block" | "warn" | "ignore";

/** What is known of a configured hook before it runs. */
export interface HookDescription {
  event: EventName;
  lane: Lane;
  /** The tool-name pattern; absent on flat events. */
  matcher?: string;
  name: string;
  type: string;
  /** `file:line`, or the flag or setting it comes from. */
  source: string;
  stage: Stage;
  timeout_seconds: number;
  on_failure: FailurePolicy;
  /** Present on a model hook that is not asked about calls already allowed. Source: hooks 9.2 (D1). */
  judge?: true;
}

/** Seconds a hook may take when it does not say. Source: hooks 3.4. */
const DEFAULT_TIMEOUT = 60;

/** Describes a configured hook by its event's contract. Reading its source may load a parser. */
export async function describeHook(entry: HookEntry, registry: Registry): Promise<HookDescription> {
  const { event, lane, matcher, hook } = entry;
  const contract = contractOn(event, lane);
  return {
    event,
    lane,
    ...(contract.matcher ? { matcher: matcher || "*" } : {}),
    name: displayName(hook),
    type: hook.type,
    source: await entry.source(),
    stage: stageOf(contract, lane, rewritesFirst(entry, registry)),
    timeout_seconds: timeoutSeconds(hook),
    on_failure: failurePolicy(contract, hook),
    ...(isJudge(hook) ? { judge: true } : {}),
  };
}

/** The seconds until a hook is given up. */
export function timeoutSeconds({ timeout }: Pick<HookDefinition, "timeout">): number {
  return timeout || DEFAULT_TIMEOUT;
}

/** True for a hook that declares that it rewrites, itself or by its builtin. Source: hooks 5.2. */
export function rewritesFirst({ hook }: Pick<HookEntry, "hook">, registry: Registry): boolean {
  return hook.rewrite || (hook.type === "builtin" && registry.lookupBuiltin(hook.command)?.rewrites === true);
}

/** The stage a hook runs in. Source: hooks 5.2. */
export function stageOf(contract: EventContract, lane: Lane, declared: boolean): Stage {
  if (lane === "preempt") return "preempt";
  return contract.mode === "sequential" || (contract.mode === "staged" && declared) ? "rewrite" : "concurrent";
}

/** What a failure of a hook leads to on an event. Source: hooks 7. */
export function failurePolicy(contract: EventContract, { on_error }: Pick<HookDefinition, "on_error">): FailurePolicy {
  if (contract.failClosed || (contract.canBlock && on_error === "block")) return "block";
  return on_error === "ignore" ? "ignore" : "warn";
}
