import { redactionOf } from "../engine/describe.ts";
import { isObject } from "../lib/json.ts";
import type { EventName } from "../protocol/events.ts";
import { toHook } from "../model/hook-messages.ts";
import { mergeRewrite } from "../model/hook-rewrite.ts";
import type { Message } from "../model/message.ts";
import type { ToolCall } from "../model/model.ts";
import type { Redactor } from "../../builtins/redaction/redact.ts";
import type { Agent } from "./agent.ts";
import type { ToolFields } from "./call.ts";

/**
 * Redacts the messages of a compaction if the agent redacts its model calls: `before_llm_call`, where that happens, is
 * not dispatched for a compaction.
 */
export async function redactedMessages(agent: Agent, messages: Message[]): Promise<Message[]> {
  const redactor = await redactorOn(agent, "before_llm_call");
  if (!redactor) return messages;
  const { redactMessages } = await import("../../builtins/redaction/messages.ts");
  const redacted = redactMessages(messages.map(toHook), redactor);
  return redacted ? mergeRewrite(messages, redacted) : messages;
}

/**
 * What hooks are told of a call that never got as far as `pre_tool_use`, where its arguments would have been redacted:
 * it was denied before, could not be read, or was skipped.
 */
export async function redactedFields(agent: Agent, fields: ToolFields): Promise<ToolFields> {
  const redactor = fields.tool_input === undefined ? undefined : await redactorOn(agent, "pre_tool_use");
  if (!redactor) return fields;
  const { redactDeep } = await import("../../builtins/redaction/deep.ts");
  const redacted = redactDeep(fields.tool_input, redactor);
  return isObject(redacted) ? { ...fields, tool_input: redacted } : fields;
}

/** A call as it is reported when its arguments were not redacted on their way: redacted now, if the agent redacts them. */
export async function redactedCall(agent: Agent, call: ToolCall): Promise<ToolCall> {
  const redactor = await redactorOn(agent, "pre_tool_use");
  return redactor ? { ...call, arguments: redactor.redact(call.arguments) } : call;
}

/** Redacts a text as what the model reads is redacted; undefined if nothing that the agent's model reads is. */
export function redactorOf(agent: Agent): ((text: string) => Promise<string>) | undefined {
  const event = (["tool_response_transform", "before_llm_call"] as const).find((one) => redactionArgs(agent, one));
  return event && (async (text) => (await redactorOn(agent, event))?.redact(text) ?? text);
}

/** The redactor that the agent's hooks on an event use, the first of several; undefined if none redacts there. */
async function redactorOn(agent: Agent, event: EventName): Promise<Redactor | undefined> {
  const args = redactionArgs(agent, event);
  if (!args) return undefined;
  const settings = await import("../../builtins/redaction/settings.ts");
  return settings.redactorOf(args);
}

function redactionArgs({ hooks }: Agent, wanted: EventName): readonly string[] | undefined {
  return hooks.hooks?.find(({ entry: { event, hook } }) => event === wanted && redactionOf(hook) === "does")?.entry.hook.args;
}
