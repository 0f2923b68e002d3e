import type { HookDefinition } from "../../config/hooks/read-hooks.ts";
import { redactionRole } from "../../engine/hook-policy.ts";
import { processEnv } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { rememberVariables } from "../../lib/secrets/known-secrets.ts";
import { toHookMessage } from "../../model/messages/hook-messages.ts";
import { applyHookRewrite } from "../../model/messages/hook-rewrite.ts";
import type { Message } from "../../model/messages/message.ts";
import type { ToolCall } from "../../model/model.ts";
import type { EventName } from "../../protocol/events.ts";
import type { Redactor } from "../../redaction/redact.ts";
import type { RedactingStream } from "../../redaction/redacting-stream.ts";
import type { Agent } from "./agent.ts";

/**
 * Redacts the messages of a compaction if the agent redacts its model calls: `before_llm_call`, where that happens, is
 * not dispatched for a compaction.
 */
export async function redactedMessages(agent: Agent, messages: Message[]): Promise<Message[]> {
  const redactors = await redactorsOn(agent, "before_llm_call");
  if (redactors.length === 0) return messages;
  const { redactMessages } = await import("../../redaction/redact-messages.ts");
  const wire = messages.map(toHookMessage);
  const redacted = redactors.reduce((before, redactor) => redactMessages(before, redactor) ?? before, wire);
  return redacted === wire ? messages : applyHookRewrite(messages, redacted);
}

/**
 * Redacts the fields of a call that never reached `pre_tool_use`, where its arguments would have been redacted: it was
 * denied before, could not be parsed, or was skipped.
 */
export async function redactedFields<T extends { tool_input?: Readonly<Record<string, unknown>> | undefined }>(
  agent: Agent,
  fields: T,
): Promise<T> {
  const redactors = fields.tool_input === undefined ? [] : await redactorsOn(agent, "pre_tool_use");
  if (redactors.length === 0) return fields;
  const { redactDeep } = await import("../../redaction/redact-deep.ts");
  const redacted = redactors.reduce<unknown>(redactDeep, fields.tool_input);
  return isObject(redacted) ? { ...fields, tool_input: redacted } : fields;
}

/** Redacts a call for run events if the agent redacts arguments and `pre_tool_use` has not done so. */
export async function redactedCall(agent: Agent, call: ToolCall): Promise<ToolCall> {
  const redactors = await redactorsOn(agent, "pre_tool_use");
  return { ...call, arguments: redactAll(call.arguments, redactors) };
}

/** Returns a function that redacts a text like the model's input; undefined if that is not redacted. */
export function redactorOf(agent: Agent): ((text: string) => Promise<string>) | undefined {
  const event = (["tool_response_transform", "before_llm_call"] as const).find(
    (one) => redactionsOn(agent, one).length > 0,
  );
  return event && (async (text) => redactAll(text, await redactorsOn(agent, event)));
}

/** The texts of a result that its hooks wrote for the user. The rest goes to the model, and is redacted on its way. */
const SAID = ["message", "decision_reason", "system_message", "stderr"] as const;

/** Redacts the texts of a dispatch that are shown and reported, if the agent redacts the model's input. */
export async function redactedResult<T extends { [K in (typeof SAID)[number]]?: string }>(
  agent: Agent,
  result: T,
): Promise<T> {
  const said = SAID.filter((key) => result[key]);
  const redact = said.length > 0 ? redactorOf(agent) : undefined;
  if (!redact) return result;
  const texts = said.map(async (key) => [key, await redact(result[key] ?? "")] as const);
  return { ...result, ...Object.fromEntries(await Promise.all(texts)) };
}

/** How the output of a tool may be shown before its result has gone through the hooks. */
export type EarlyOutput =
  | { kind: "as_it_is" }
  /** Without secrets: redaction is all that the hooks change. */
  | { kind: "redacted"; open: () => Promise<RedactingStream> }
  /** Not at all: a hook may change the result. */
  | { kind: "withheld" };

/** Returns how an agent's hooks let the output of a tool be shown early. */
export function earlyOutput(agent: Agent): EarlyOutput {
  const event = "tool_response_transform";
  const { hooks } = agent.hooks;
  if (!hooks) return agent.hooks.has(event) ? { kind: "withheld" } : { kind: "as_it_is" };
  const changing = hooks.filter(({ entry }) => entry.event === event && !onlyShortens(entry.hook));
  if (changing.length === 0) return { kind: "as_it_is" };
  const [redaction, ...others] = redactionsOn(agent, event);
  if (changing.length > 1 || !redaction || others.length > 0) return { kind: "withheld" };
  return {
    kind: "redacted",
    open: async () => {
      const { RedactingStream } = await import("../../redaction/redacting-stream.ts");
      return new RedactingStream(await redactorOfHook(redaction));
    },
  };
}

/** True for the builtin that every agent has: it cuts long results and changes nothing else. */
function onlyShortens({ type, command }: HookDefinition): boolean {
  return type === "builtin" && command === "limit_large_tool_results";
}

function redactAll(text: string, redactors: readonly Redactor[]): string {
  return redactors.reduce((before, redactor) => redactor.redact(before), text);
}

/** Returns the redactors that the agent's hooks on an event use, in configuration order. */
async function redactorsOn(agent: Agent, event: EventName): Promise<Redactor[]> {
  return Promise.all(redactionsOn(agent, event).map(redactorOfHook));
}

async function redactorOfHook({ args }: HookDefinition): Promise<Redactor> {
  rememberVariables(processEnv());
  const settings = await import("../../redaction/redaction-settings.ts");
  return settings.redactorOf(args);
}

function redactionsOn({ hooks }: Agent, wanted: EventName): HookDefinition[] {
  return (hooks.hooks ?? [])
    .map(({ entry }) => entry)
    .filter(({ event, hook }) => event === wanted && redactionRole(hook) === "does")
    .map(({ hook }) => hook);
}
