import { asksForVerdict, displayName, type HookDefinition, type HookEntry } from "../config/hooks/read-hooks.ts";
import { isForeignScript } from "../dialects/script-events.ts";
import { type EventContract, type EventName, type Lane, laneContract } from "../protocol/events.ts";
import type { HookContext } from "./handler.ts";
import { type Registry, shippedRow } from "./registry.ts";

/** When a hook runs: on the preempt lane, as a declared rewriter in its turn, or at once with all other hooks. */
export type Stage = "preempt" | "rewrite" | "concurrent";

/** How a failure of a hook is handled. */
export type FailurePolicy = "block" | "warn" | "ignore";

/** A configured hook as `hooks list` shows it. */
export interface HookDescription {
  event: EventName;
  lane: Lane;
  /** The matcher; absent on events without a tool call. */
  matcher?: string;
  name: string;
  type: string;
  /** The dialect of the hook; absent for hooksh's own. */
  dialect?: string;
  /** Where the hook is configured: `file:line`, a flag or a setting. */
  source: string;
  stage: Stage;
  timeout_seconds: number;
  on_failure: FailurePolicy;
  /** The hook only observes: it runs, and its verdict has no effect. */
  mode?: "observe";
  /** Present on a model hook that judges tool calls; in the default lane, an allow rule answers in its place. */
  judge?: true;
}

/** The timeout of a hook that sets none. */
const DEFAULT_TIMEOUT_SECONDS = 60;

/** Describes a configured hook. Locating it in its file may load a parser. */
export async function describeHook(entry: HookEntry, registry: Registry): Promise<HookDescription> {
  const { event, lane, matcher, hook } = entry;
  const contract = laneContract(event, lane);
  return {
    event,
    lane,
    ...(contract.matcher ? { matcher: matcher || "*" } : {}),
    name: displayName(hook),
    type: hook.type,
    ...(isForeignScript(hook) ? { dialect: hook.dialect } : {}),
    source: await entry.source(),
    stage: stageOf(contract, lane, isDeclaredRewriter(entry, registry)),
    timeout_seconds: timeoutSeconds(hook),
    on_failure: failurePolicy(contract, hook),
    ...(observesOnly(hook) ? { mode: "observe" } : {}),
    ...(contract.matcher && asksForVerdict(hook) ? { judge: true } : {}),
  };
}

/** True if a hook runs without effect: its verdict is reported, not enforced. */
export function observesOnly({ mode }: Pick<HookDefinition, "mode">): boolean {
  return mode === "observe";
}

/** The timeout of a hook in seconds. */
export function timeoutSeconds({ timeout }: Pick<HookDefinition, "timeout">): number {
  return timeout || DEFAULT_TIMEOUT_SECONDS;
}

/** The share of its timeout from which a hook counts as near it. */
export const NEAR_TIMEOUT = 0.8;

/** The timeout of a hook in seconds if a run that took `milliseconds` was near it, else undefined. */
export function nearTimeoutSeconds(hook: Pick<HookDefinition, "timeout">, milliseconds: number): number | undefined {
  const timeout = timeoutSeconds(hook);
  return milliseconds >= timeout * 1000 * NEAR_TIMEOUT ? timeout : undefined;
}

/**
 * True if an exit code other than 0 and 2 is no failure of the hook (`other_exit_codes`). 126 and 127 always are one: with
 * them a shell says that it cannot start the command.
 */
export function mayEndWith(exitCode: number, { other_exit_codes: others }: HookDefinition): boolean {
  return others === "allow" && exitCode !== 126 && exitCode !== 127;
}

/** True if unknown keys, text and unsupported fields in the answer of a hook are failures. */
export function isStrict({ contract, hook }: Pick<HookContext, "contract" | "hook">): boolean {
  return hook.strict_output || contract.reading !== undefined;
}

/** True if the hook, or the builtin it runs, is declared a rewriter. */
export function isDeclaredRewriter({ hook }: Pick<HookEntry, "hook">, registry: Registry): boolean {
  return hook.rewrite || (hook.type === "builtin" && registry.lookupBuiltin(hook.command)?.rewrites === true);
}

/** The stage a hook runs in. */
export function stageOf(contract: EventContract, lane: Lane, declared: boolean): Stage {
  if (lane === "preempt") return "preempt";
  return contract.mode === "sequential" || (contract.mode === "staged" && declared) ? "rewrite" : "concurrent";
}

/**
 * The role of a hook in redaction: `does` if it redacts, `follows` if it must only see redacted text. Only the builtins
 * of hooksh have one; it still holds if a registry replaces the builtin.
 */
export function redactionRole({
  type,
  command,
}: Pick<HookDefinition, "type" | "command">): "does" | "follows" | undefined {
  return type === "builtin" ? shippedRow(command)?.redaction : undefined;
}

/** True if a failure of the hook blocks the event. */
export function blocksOnFailure({
  contract,
  hook,
}: {
  contract: EventContract;
  hook: Parameters<typeof failurePolicy>[1];
}): boolean {
  return failurePolicy(contract, hook) === "block";
}

/**
 * How a failure of a hook is handled on an event. A failed redaction blocks wherever it can, so that no secret gets
 * out.
 */
export function failurePolicy(
  contract: EventContract,
  hook: Pick<HookDefinition, "type" | "command" | "on_error">,
): FailurePolicy {
  const isStrict = hook.on_error === "block" || redactionRole(hook) === "does";
  if (contract.failClosed || (contract.canBlock && isStrict)) return "block";
  return hook.on_error === "ignore" && !isStrict ? "ignore" : "warn";
}
