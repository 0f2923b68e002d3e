import { BUILTINS } from "../../builtins/index.ts";
import type { HookDefinition, HookEntry } from "../config/hooks/read-hooks.ts";
import type { BuiltinRow } from "../protocol/builtin.ts";
import type { EventContract, Lane } from "../protocol/events.ts";
import type { HookContext } from "./handler.ts";

/** When a hook runs: on the preempt lane, as a declared rewriter in its turn, or at once with all other hooks. */
export type Stage = "preempt" | "rewrite" | "concurrent";

/** How a failure of a hook is handled. */
export type FailurePolicy = "block" | "warn" | "ignore";

/** The timeout of a hook that sets none. */
const DEFAULT_TIMEOUT_SECONDS = 60;

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

/** True if an exit code other than 0 and 2 is no failure of the hook (`other_exit_codes`). */
export function mayEndWith(exitCode: number, { other_exit_codes: others }: HookDefinition): boolean {
  return others === "allow" && !isUnstartable(exitCode);
}

/** True for the exit codes with which a shell says that it cannot start the command. */
export function isUnstartable(exitCode: number): boolean {
  return exitCode === 126 || exitCode === 127;
}

/** True if unknown keys, text and unsupported fields in the answer of a hook are failures. */
export function isStrict({ contract, hook }: Pick<HookContext, "contract" | "hook">): boolean {
  return hook.strict_output || contract.reading !== undefined;
}

/** Finds the row of a builtin. */
interface Builtins {
  lookupBuiltin(name: string): BuiltinRow | undefined;
}

/** True if the hook, or the builtin it runs, is declared a rewriter. */
export function isDeclaredRewriter({ hook }: Pick<HookEntry, "hook">, registry: Builtins): boolean {
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

/** The row of a builtin that hooksh ships, even if a registry has replaced it: the promises of its name still hold. */
export function shippedRow(name: string): BuiltinRow | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name as keyof typeof BUILTINS] : undefined;
}

/** True if a failure of the hook blocks the event. */
export function blocksOnFailure({ contract, hook }: Pick<HookContext, "contract" | "hook">): boolean {
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
