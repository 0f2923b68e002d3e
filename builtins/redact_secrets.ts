import { isDeeperThan, isObject } from "../src/lib/json.ts";
import { rememberVariables } from "../src/lib/secrets/known-secrets.ts";
import { REDACTION_MARK } from "../src/lib/secrets/redaction-mark.ts";
import { type BuiltinContext, type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import type { HookOutput, SpecificOutput } from "../src/protocol/output.ts";
import type { Redactor } from "../src/redaction/redact.ts";
import { redactDeep } from "../src/redaction/redact-deep.ts";
import { redactMessages } from "../src/redaction/redact-messages.ts";
import { redactorOf } from "../src/redaction/redaction-settings.ts";

/**
 * Replaces secrets in tool arguments, in messages for the model, in tool responses and in answers by `[REDACTED]`. It
 * answers only if it found one, and never throws. A response that is not a text is answered as JSON text.
 */
export const run = defineBuiltin((input, args, context) => {
  rememberVariables(context.env);
  const kinds: Record<string, number> = {};
  const redactor = redactorOf(args);
  const counting: Redactor = {
    ...redactor,
    redact: (text) => redactor.redact(text, (kind) => void (kinds[kind] = (kinds[kind] ?? 0) + 1)),
  };
  const answer = redactInputOf(input, counting, context);
  if (answer) context.redacted?.(kinds);
  return answer;
});

function redactInputOf(input: BuiltinInput, redactor: Redactor, { log }: BuiltinContext): HookOutput | undefined {
  switch (input.hook_event_name) {
    case "pre_tool_use":
    case "tool_input_transform":
      return redactInput(input, redactor);
    case "before_llm_call":
      return redactRequest(input, redactor);
    case "tool_response_transform":
      return redactResponse(input, redactor);
    case "response_guard":
      return redactAnswer(input, redactor);
    default:
      log("warn", `redact_secrets does nothing on ${input.hook_event_name}`);
      return undefined;
  }
}

function redactInput(input: BuiltinInput, redactor: Redactor): HookOutput | undefined {
  if (!isObject(input.tool_input)) return undefined;
  const changed = Object.entries(input.tool_input)
    .map(([key, value]) => ({ key, value, redacted: redactDeep(value, redactor) }))
    .filter(({ value, redacted }) => redacted !== value);
  if (changed.length === 0) return undefined;
  const updated = Object.fromEntries(changed.map(({ key, redacted }) => [key, redacted]));
  return {
    system_message: `redact_secrets: redacted secret material from arguments of tool "${input.tool_name ?? ""}"`,
    ...specific(input, { updated_input: updated }),
  };
}

function redactRequest(input: BuiltinInput, redactor: Redactor): HookOutput | undefined {
  if (!Array.isArray(input.messages)) return undefined;
  const updated = redactMessages(input.messages, redactor);
  return updated && specific(input, { updated_messages: updated });
}

function redactResponse(input: BuiltinInput, redactor: Redactor): HookOutput | undefined {
  const response = input.tool_response;
  const redacted = redactDeep(response, redactor);
  if (redacted === response) return undefined;
  return specific(input, { updated_tool_response: typeof redacted === "string" ? redacted : jsonOf(redacted) });
}

/** Answers with the same text if only the thoughts hold a secret, because a rewritten answer is shown without them. */
function redactAnswer(input: BuiltinInput, redactor: Redactor): HookOutput | undefined {
  const { stop_response: text = "", reasoning_content: thoughts = "" } = input;
  const redacted = redactor.redact(text);
  if (redacted === text && redactor.redact(thoughts) === thoughts) return undefined;
  return specific(input, { updated_response: redacted });
}

/** Levels of nesting up to which a value can be written as JSON without overflowing the stack. */
const DEEPEST = 5_000;

/**
 * The JSON text of a value. A value that nests too deeply is replaced whole, so that no part of it goes on unredacted.
 */
function jsonOf(value: unknown): string {
  return isDeeperThan(value, DEEPEST) ? REDACTION_MARK : JSON.stringify(value);
}

function specific(input: BuiltinInput, answer: SpecificOutput): HookOutput {
  return { hook_specific_output: { hook_event_name: input.hook_event_name, ...answer } };
}
