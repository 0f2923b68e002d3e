import { withDialectAdvice } from "../protocol/dialect-advice.ts";
import type { EventContract } from "../protocol/events.ts";
import { BLOCK, type HookOutput, isBlocked } from "../protocol/output.ts";
import { DECISIONS } from "../protocol/result.ts";
import { isStrict } from "./hook-policy.ts";
import type { HookContext } from "./handler.ts";

/** True if an answer blocks or denies on an event that can be blocked or decided. */
export function blocksEvent(contract: EventContract, output: HookOutput): boolean {
  if (isBlocked(output) && contract.canBlock) return true;
  return contract.verdict !== undefined && output.hook_specific_output?.permission_decision === "deny";
}

/** Removes unknown verdicts from an answer and reports them. */
export function removeUnknownVerdicts(
  context: HookContext,
  output: HookOutput,
  report: (problem: string) => void,
): void {
  const { decision = "", hook_specific_output: specific = {} } = output;
  const isLenient = decision === "allow" && !isStrict(context);
  if (decision !== "" && decision !== BLOCK && !isLenient) {
    report(withDialectAdvice(`invalid decision ${JSON.stringify(decision)}: expected block`, context.hook, output));
    delete output.decision;
  }
  const { permission_decision: verdict = "" } = specific;
  if (verdict !== "" && !(DECISIONS as readonly string[]).includes(verdict)) {
    report(`invalid permission_decision ${JSON.stringify(verdict)}: expected allow, ask, or deny`);
    delete specific.permission_decision;
  }
}

/** Removes a transition that the event does not take, or that names no agent, and reports it. */
export function removeInvalidTransition(
  { event, contract }: HookContext,
  { hook_specific_output: specific = {} }: HookOutput,
  report: (problem: string) => void,
): void {
  if (specific.transition === undefined) return;
  const { action = "", agent = "" } = specific.transition;
  const problem = !contract.accepts.includes("transition")
    ? `${event} does not support transition`
    : action !== "route"
      ? `invalid transition action ${JSON.stringify(action)}: expected route`
      : agent.trim() === ""
        ? "route transition requires an agent"
        : undefined;
  if (problem === undefined) return;
  report(problem);
  delete specific.transition;
}
