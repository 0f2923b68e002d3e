import { contractOf, type EventName } from "../../protocol/events.ts";
import type { HookOutput, SpecificOutput } from "../../protocol/output.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { ComposedTool } from "./script.ts";

export interface Asked {
  /** The name of the dialect, for messages. */
  dialect: string;
  event: EventName;
  /** In the host's spelling. */
  hostEvent: string;
  tool: ComposedTool | undefined;
  /** True if the script's own host called, so that its answers have their original meaning. */
  isOwnHost: boolean;
  /** True if a host called: a block after a tool is then feedback and does not end a run. */
  isHosted: boolean;
  /** True if unknown keys are a failure (`strict_output`). */
  isStrict: boolean;
}

/** The answer of a script in hooksh's terms. `as_is`: hooksh reads the exit code and standard output unchanged. */
export type Reading =
  | { kind: "as_is" }
  | { kind: "silent" }
  | { kind: "refused"; reason: string }
  | { kind: "output"; output: HookOutput; warning?: string }
  | { kind: "failed"; error: string };

/** An answer before it is fitted to the event. */
export interface Said {
  block?: string;
  /** The block ends the run instead of telling the model. */
  ends?: boolean;
  ask?: string;
  allow?: string;
  patch?: Payload;
  replace?: string;
  context?: string;
  notice?: string;
  /** True if the answer decides whether the call runs. */
  decides: boolean;
  problems: string[];
}

/** Fits an answer to the event. Drops parts that the event cannot take, with a warning. */
export function spoken(asked: Asked, said: Said): Reading {
  const { event } = asked;
  const contract = contractOf(event);
  const specific: SpecificOutput = {};
  const output: HookOutput = {};
  const contexts = [said.context];
  if (said.notice !== undefined) output.system_message = said.notice;
  if (contract.verdict) {
    const decision =
      said.block !== undefined
        ? "deny"
        : said.ask !== undefined
          ? "ask"
          : said.allow !== undefined
            ? "allow"
            : undefined;
    const reason = said.block ?? said.ask ?? said.allow;
    if (decision) specific.permission_decision = decision;
    if (decision && reason) specific.permission_decision_reason = reason;
  } else if (said.block !== undefined) {
    if (event === "tool_response_transform") said.replace ??= said.block;
    else if (isFeedback(asked, said)) contexts.unshift(said.block || undefined);
    else Object.assign(output, { decision: "block", reason: said.block });
  } else if (said.ask !== undefined && contract.canBlock) {
    Object.assign(output, { decision: "block", reason: `needs your approval: ${said.ask || "a hook asks for it"}` });
  }
  if (said.patch && contract.rewrites === "tool_input") specific.updated_input = said.patch;
  if (said.replace !== undefined && contract.rewrites === "tool_response")
    specific.updated_tool_response = said.replace;
  const context = contexts.filter((one) => one !== undefined).join("\n");
  if (context !== "" && contract.accepts.includes("additional_context")) specific.additional_context = context;
  if (Object.keys(specific).length > 0) output.hook_specific_output = { hook_event_name: event, ...specific };
  const isDropped = context !== "" && !contract.accepts.includes("additional_context");
  if (Object.keys(output).length === 0 && !isDropped) return { kind: "silent" };
  return {
    kind: "output",
    output,
    ...(isDropped ? { warning: `${event} takes no context, dropped: ${context}` } : {}),
  };
}

/** True for a block after a tool, which gives the model feedback in other agents but ends the run in hooksh. */
function isFeedback({ event, isHosted }: Asked, said: Said): boolean {
  return event === "post_tool_use" && !isHosted && said.ends !== true;
}

/** The reading of a refusal by an exit code. */
export function refusal(asked: Asked, reason: string): Reading {
  const said: Said = { block: reason, decides: true, problems: [] };
  const isPlain = asked.event !== "tool_response_transform" && !isFeedback(asked, said);
  return isPlain ? { kind: "refused", reason } : spoken(asked, said);
}
