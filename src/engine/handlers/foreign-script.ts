import type { HookDefinition } from "../../config/hooks/read-hooks.ts";
import { type DialectName, dialectRow } from "../../dialects/names.ts";
import { ANSWERS } from "../../dialects/scripts/answer-rules.ts";
import { ANSWER_OF_ANOTHER_AGENT, readScript } from "../../dialects/scripts/answers.ts";
import { payloadFor } from "../../dialects/scripts/compose.ts";
import { scriptVariables } from "../../dialects/scripts/environment.ts";
import type { Reading } from "../../dialects/scripts/fit-answer.ts";
import type { Composed } from "../../dialects/scripts/script.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { HandlerEnvironment, HandlerInput, HandlerResult } from "../handler.ts";
import { blocksOnFailure } from "../hook-policy.ts";
import { encodingProblem, readStandardOutput } from "../standard-output.ts";
import { commandHandler } from "./command-handler.ts";

type Exited = HandlerResult & { kind: "exited" };

/**
 * Runs a script that was written for another agent: it reads that agent's payload, and its answer is read by that
 * agent's rules. A failure of the script is a failure of the hook. See docs/hooks.md#scripts-written-for-other-agents.
 */
export async function runForeignScript(
  hook: HookDefinition,
  environment: HandlerEnvironment,
  input: HandlerInput,
  signal: AbortSignal,
): Promise<HandlerResult> {
  const name = hook.dialect as DialectName;
  const { dialect } = await dialectRow(name).load();
  const { event, host } = environment;
  const composed = payloadFor(dialect, { event, input: input.value, now: new Date() }, host);
  const env = scriptEnvironment(hook, environment, composed, input);
  const json = () => `${JSON.stringify(composed.payload)}\n`;
  const result = await commandHandler(hook, { ...environment, env }).run({ value: composed.payload, json }, signal);
  if (result.kind !== "exited" || isUnreadable(result, hook, event)) return result;
  const asked = {
    dialect: name,
    event,
    hostEvent: composed.event,
    tool: composed.tool,
    isOwnHost: host?.dialect.name === name,
    isHosted: host !== undefined,
    isStrict: hook.strict_output,
  };
  return inHooksh(readScript(ANSWERS[name] ?? { keys: [] }, asked, result, readStandardOutput), result);
}

/** True for output that is not text, which must not count as silence where a failure blocks. */
function isUnreadable({ stdout, isUtf8 = true }: Exited, hook: HookDefinition, event: EventName): boolean {
  return blocksOnFailure({ contract: contractOf(event), hook }) && encodingProblem(stdout, isUtf8) !== undefined;
}

function scriptEnvironment(
  hook: HookDefinition,
  { env }: HandlerEnvironment,
  composed: Composed,
  { value }: HandlerInput,
): HandlerEnvironment["env"] {
  const { lacking, perCall } = scriptVariables(hook.dialect, composed, value);
  const own = Object.entries(env).filter(
    ([variable]) => Object.hasOwn(hook.env, variable) || !Object.hasOwn(perCall, variable),
  );
  const present = Object.entries(perCall).filter((entry): entry is [string, string] => entry[1] !== undefined);
  return { ...lacking, ...Object.fromEntries(present), ...Object.fromEntries(own) };
}

/** Returns the reading as the result of a command hook, for the engine to interpret. */
export function inHooksh(reading: Reading, { stderr, ...exited }: Exited): HandlerResult {
  switch (reading.kind) {
    case "as_is":
      return { ...exited, stderr };
    case "silent":
      return { ...exited, exitCode: 0, stdout: "", stderr };
    case "refused":
      return { ...exited, exitCode: 2, stdout: "", stderr: reading.reason };
    case "failed":
      return { kind: "failed", error: reading.error, stderr, help: ANSWER_OF_ANOTHER_AGENT };
    case "output":
      return { kind: "returned", output: reading.output, ...(reading.warning ? { warning: reading.warning } : {}) };
  }
}
