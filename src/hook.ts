/**
 * The module `hooksh/hook`, which users' own hooks import: types and a few helpers. It does not load the engine, and it
 * works on every runtime.
 *
 * @packageDocumentation
 */
import type { Builtin, BuiltinContext, BuiltinInput } from "./protocol/builtin.ts";
import type { EventInput, EventName } from "./protocol/events.ts";
import type { HookOutput } from "./protocol/output.ts";
import type { Decision } from "./protocol/result.ts";

export { type Builtin, type BuiltinContext, type BuiltinInput, defineBuiltin } from "./protocol/builtin.ts";
export { allContracts, contractOf, type EventInput, type EventName } from "./protocol/events.ts";
export { BLOCK, contextOutput, type HookOutput, isBlocked, shouldContinue } from "./protocol/output.ts";
export { mayRun, runsOnly } from "./shell/command-pattern.ts";

/**
 * A hook for one event, whose input has that event's fields. Under another event it fails: a guard that is configured
 * in the wrong place must not stay silent.
 */
export function defineHook<E extends EventName>(
  event: E,
  run: (
    input: EventInput<E>,
    args: readonly string[],
    context: BuiltinContext,
  ) => HookOutput | undefined | Promise<HookOutput | undefined>,
): Builtin {
  return (input, args, context) => {
    if (!isFor(event, input)) throw new Error(`this hook is made for ${event}, not for ${input.hook_event_name}`);
    return run(input, args, context);
  };
}

function isFor<E extends EventName>(event: E, input: BuiltinInput): input is BuiltinInput & EventInput<E> {
  return input.hook_event_name === event;
}

/** Allows the tool call. Another hook that asks or denies is stronger. */
export function allow(input: Pick<BuiltinInput, "hook_event_name">, reason?: string): HookOutput {
  return decision(input, "allow", reason);
}

/** Lets the user decide on the tool call. */
export function ask(input: Pick<BuiltinInput, "hook_event_name">, reason: string): HookOutput {
  return decision(input, "ask", reason);
}

/** Denies the tool call; the model reads the reason. */
export function deny(input: Pick<BuiltinInput, "hook_event_name">, reason: string): HookOutput {
  return decision(input, "deny", reason);
}

function decision(
  { hook_event_name }: Pick<BuiltinInput, "hook_event_name">,
  permission_decision: Decision,
  reason: string | undefined,
): HookOutput {
  const because = reason === undefined ? {} : { permission_decision_reason: reason };
  return { hook_specific_output: { hook_event_name, permission_decision, ...because } };
}
