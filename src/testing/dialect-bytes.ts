import { defineHook } from "../config/hooks/read-hooks.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { Encoded } from "../dialects/encode.ts";
import type { DialectName } from "../dialects/names.ts";
import { ANSWERS } from "../dialects/scripts/answer-rules.ts";
import { readScript } from "../dialects/scripts/answers.ts";
import { payloadFor } from "../dialects/scripts/compose.ts";
import type { Asked, Reading } from "../dialects/scripts/fit-answer.ts";
import type { Composed, ComposedTool } from "../dialects/scripts/script.ts";
import { toOwnPatch } from "../dialects/tools.ts";
import { aggregate } from "../engine/aggregate.ts";
import { inHooksh } from "../engine/handlers/foreign-script.ts";
import { interpret } from "../engine/interpret.ts";
import { readStandardOutput } from "../engine/standard-output.ts";
import { isObject } from "../lib/json.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";

/** Writes an event as another agent sends it. Throws if the agent has no such event. */
export function composeStep(dialect: Dialect, event: EventName, payload: Payload): Composed {
  return payloadFor(dialect, { event, input: { ...payload, hook_event_name: event }, now: new Date() }, undefined);
}

/** Returns the parts that an answer is read for. */
export function askedOf(dialect: DialectName, event: EventName, { event: hostEvent, tool }: Composed): Asked {
  return { dialect, event, hostEvent, tool, isOwnHost: true, isHosted: true, isStrict: false };
}

/** Returns the verdict that the agent takes from an answer, or why it would not understand it. */
export function readAnswer(
  asked: Asked,
  { stdout, stderr, exitCode }: Pick<Encoded, "stdout" | "stderr" | "exitCode">,
  payload: Payload,
): AnyResult | string {
  const { event, dialect } = asked;
  const end = { stdout, stderr, exitCode };
  const rules = ANSWERS[dialect];
  // Without rules the agent is asked by a plugin of hooksh, which reads hooksh's own answers.
  const reading: Reading = rules?.keys.length ? readScript(rules, asked, end, readStandardOutput) : { kind: "as_is" };
  const context = { event, contract: contractOf(event), hook: defineHook({ type: "command", command: dialect }) };
  const outcome = interpret(context, inHooksh(reading, { kind: "exited", ...end }));
  if (outcome.kind === "failed") return outcome.error;
  const { result } = aggregate([{ ...context, outcome }]);
  const specific = outcome.kind === "answered" ? outcome.output.hook_specific_output : undefined;
  const { updated_input: patch, updated_tool_response: response } = specific ?? {};
  const own = patch && reading.kind === "as_is" && asked.tool ? toOwnPatch(decodedTool(asked.tool), patch) : patch;
  if (typeof own === "string") return own;
  const input = payload["tool_input"];
  return {
    ...result,
    ...(own === undefined ? {} : { modified_input: { ...(isObject(input) ? input : {}), ...own } }),
    ...(response === undefined ? {} : { updated_tool_response: response }),
  };
}

function decodedTool(tool: ComposedTool): Parameters<typeof toOwnPatch>[0] {
  return { ...tool, id: undefined, input: tool.hostInput, names: [tool.name], original: tool.hostInput };
}
