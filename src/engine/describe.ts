import { displayName, type HookDefinition, type HookEntry, judgesToolCalls } from "../config/hooks/read-hooks.ts";
import { type EventContract, type EventName, type Lane, laneContract } from "../protocol/events.ts";
import { type Registry, shippedRow } from "./registry.ts";

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
  /** Present on a model hook that is not asked about calls already allowed. */
  judge?: true;
}

/** Seconds a hook may take when it does not say. */
const DEFAULT_TIMEOUT = 60;

/** Describes a configured hook by its event's contract. Reading its source may load a parser. */
export async function describeHook(entry: HookEntry, registry: Registry): Promise<HookDescription> {
  const { event, lane, matcher, hook } = entry;
  const contract = laneContract(event, lane);
  return {
    event,
    lane,
    ...(contract.matcher ? { matcher: matcher || "*" } : {}),
    name: displayName(hook),
    type: hook.type,
    source: await entry.source(),
    stage: stageOf(contract, lane, isDeclaredRewriter(entry, registry)),
    timeout_seconds: timeoutSeconds(hook),
    on_failure: failurePolicy(contract, hook),
    ...(judgesToolCalls(hook) ? { judge: true } : {}),
  };
}

/** The seconds until a hook is given up. */
export function timeoutSeconds({ timeout }: Pick<HookDefinition, "timeout">): number {
  return timeout || DEFAULT_TIMEOUT;
}

/** True for a hook that declares that it rewrites, itself or by its builtin. */
export function isDeclaredRewriter({ hook }: Pick<HookEntry, "hook">, registry: Registry): boolean {
  return hook.rewrite || (hook.type === "builtin" && registry.lookupBuiltin(hook.command)?.rewrites === true);
}

/** The stage a hook runs in. */
export function stageOf(contract: EventContract, lane: Lane, declared: boolean): Stage {
  if (lane === "preempt") return "preempt";
  return contract.mode === "sequential" || (contract.mode === "staged" && declared) ? "rewrite" : "concurrent";
}

/**
 * The part that a builtin of hooksh's plays in redaction, also where a registry has replaced it: `does` if it redacts,
 * `follows` if it must only see redacted text.
 */
export function redactionRole({
  type,
  command,
}: Pick<HookDefinition, "type" | "command">): "does" | "follows" | undefined {
  return type === "builtin" ? shippedRow(command)?.redaction : undefined;
}

/** What a failure of a hook leads to on an event. A failed redaction blocks wherever it can: its text must go nowhere. */
export function failurePolicy(
  contract: EventContract,
  hook: Pick<HookDefinition, "type" | "command" | "on_error">,
): FailurePolicy {
  const isStrict = hook.on_error === "block" || redactionRole(hook) === "does";
  if (contract.failClosed || (contract.canBlock && isStrict)) return "block";
  return hook.on_error === "ignore" && !isStrict ? "ignore" : "warn";
}
