import type { Help } from "../lib/errors.ts";
import { findRepeatedKey, isObject, isPlainObject } from "../lib/json.ts";
import type { RedactedKinds } from "../protocol/builtin.ts";
import { type EventContract, takesMalformedText } from "../protocol/events.ts";
import { mentionsVerdict } from "../protocol/unread-answer.ts";
import { ANSWER_THAT_CANNOT_BE_READ, blocksEvent, readAnswer } from "./answer.ts";
import { type HandlerResult, type HookContext, type Outcome, PROGRAM_OF_A_HOOK_FAILED } from "./handler.ts";
import { blocksOnFailure, isStrict, isUnstartable, mayEndWith } from "./hook-policy.ts";
import { encodingProblem, NOT_ONE_JSON_OBJECT, readStandardOutput, type StandardOutput } from "./standard-output.ts";

/**
 * Turns the result of a handler into an outcome. Pure. Never throws. The rules:
 * docs/design/contract.md#standard-output.
 */
export function interpret(context: HookContext, result: HandlerResult): Outcome {
  switch (result.kind) {
    case "failed":
      return failed(result.error, result.stderr, result.help);
    case "returned":
      return withRedacted(withWarning(interpretReturned(context, result.output), result.warning), result.redacted);
    case "exited":
      if (result.exitCode === 0) return interpretSuccess(context, result);
      if (result.exitCode === 2) return interpretBlock(result.stdout, result.stderr);
      if (mayEndWith(result.exitCode, context.hook)) return { kind: "silent" };
      return failed(exitText(result), result.stderr, PROGRAM_OF_A_HOOK_FAILED);
  }
}

function withWarning(outcome: Outcome, warning: string | undefined): Outcome {
  return warning === undefined || outcome.kind === "failed" || outcome.kind === "blocked"
    ? outcome
    : { ...outcome, warning };
}

function withRedacted(outcome: Outcome, redacted: RedactedKinds | undefined): Outcome {
  return redacted && outcome.kind === "answered" ? { ...outcome, redacted } : outcome;
}

function failed(error: string, stderr = "", help?: Help): Outcome & { kind: "failed" } {
  return { kind: "failed", reason: "failed", error, stderr, help };
}

type Exited = HandlerResult & { kind: "exited" };

/** Maximum characters of standard error that a message quotes. */
const MAX_QUOTED_STDERR = 300;

/** The message for a failing exit code. If the shell could not start the command, it says why and what to do. */
function exitText({ exitCode, stderr, hint }: Exited): string {
  if (!isUnstartable(exitCode)) return `exited with status ${exitCode}`;
  const [firstLine = ""] = /\S(?:[^\r\n]*\S)?/.exec(stderr) ?? [];
  const quoted = firstLine.length > MAX_QUOTED_STDERR ? `${firstLine.slice(0, MAX_QUOTED_STDERR)}...` : firstLine;
  return [`exited with status ${exitCode}`, quoted, hint].filter(Boolean).join(": ");
}

function interpretSuccess(context: HookContext, { stdout, stderr, isUtf8 = true }: Exited): Outcome {
  const problem = encodingProblem(stdout, isUtf8);
  if (problem !== undefined && blocksOnFailure(context))
    return failed(`invalid hook output: standard output ${problem}`, stderr, NOT_ONE_JSON_OBJECT);
  const outcome = interpretStandardOutput(context, readStandardOutput(stdout));
  if (outcome.kind === "failed") return { ...outcome, stderr };
  const isUnsure = outcome.kind === "silent" && blocksOnFailure(context) && missesCommand(stderr);
  return withWarning(outcome, (problem && `standard output ${problem}`) ?? (isUnsure ? NOT_FOUND_WARNING : undefined));
}

/**
 * True if a shell has printed that it did not find a command of a script: `guard.sh: 2: [[: not found`,
 * `guard.sh: line 2: x: command not found`. Takes linear time: the text may come from whom the hook guards against.
 */
function missesCommand(stderr: string): boolean {
  return stderr.split("\n").some((line) => {
    const end = /: (?:command )?not found$/.exec(line.trimEnd().slice(-20));
    return end !== null && /: (?:line )?\d+: /.test(line.trimEnd().slice(0, -end[0].length));
  });
}

const NOT_FOUND_WARNING =
  "its shell did not find a command, and it ended with 0 all the same, which lets the call run: run it by hand";

const REASON_IS_NOT_READ =
  "exit code 2 blocks, and its standard output is not read as the reason: write the reason to standard error";

/**
 * Exit code 2: standard error is the message. If it is blank, a JSON object on standard output may contain the message.
 */
function interpretBlock(stdout: string, stderr: string): Outcome {
  const message = stderr.trim();
  if (message !== "") return { kind: "blocked", message, systemMessage: "", stderr };
  const printed = readStandardOutput(stdout);
  const output = printed.kind === "object" ? printed.value : {};
  const specific = isObject(output["hook_specific_output"]) ? output["hook_specific_output"] : {};
  const texts = [output["reason"], output["stop_reason"], specific["permission_decision_reason"]].map(textOf);
  const reason = texts.find((text) => text !== "") ?? "";
  return {
    kind: "blocked",
    message: reason,
    ...(reason === "" && printed.kind !== "nothing" ? { warning: REASON_IS_NOT_READ } : {}),
    systemMessage: textOf(output["system_message"]),
    stderr,
  };
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value.trim() : "";
}

function interpretStandardOutput(context: HookContext, printed: StandardOutput): Outcome {
  switch (printed.kind) {
    case "nothing":
      return { kind: "silent" };
    case "object":
      return interpretObject(context, printed.value, isStrict(context) ? findRepeatedKey(printed.text) : undefined);
    case "broken":
      // On these events the text counts as context, in addition to the reported failure.
      return takesMalformedText(context.contract) && !isStrict(context)
        ? { ...failed(printed.error, "", NOT_ONE_JSON_OBJECT), text: printed.text }
        : failed(printed.error, "", NOT_ONE_JSON_OBJECT);
    case "text":
      return interpretText(context, printed);
  }
}

function interpretText(context: HookContext, { text, doubt }: StandardOutput & { kind: "text" }): Outcome {
  if (isStrict(context)) return failed("strict_output requires a JSON object or empty stdout", "", NOT_ONE_JSON_OBJECT);
  const warning = textWarning(context.contract, text, doubt);
  if (doubt !== undefined && warning !== undefined && blocksOnFailure(context))
    return failed(`invalid hook output: ${warning}`, "", NOT_ONE_JSON_OBJECT);
  return { kind: "said", text, ...(warning === undefined ? {} : { warning }) };
}

/** The warning about text. On events that take context, only text that looks like an answer causes one. */
function textWarning(contract: EventContract, text: string, doubt: string | undefined): string | undefined {
  const isContext = contract.context !== undefined;
  if (doubt !== undefined && (!isContext || mentionsVerdict(text))) return `standard output ${doubt}`;
  // No answer can change this event, so its hooks only observe and may print what they like.
  if (isContext || (!contract.canBlock && contract.accepts.length === 0)) return undefined;
  return "its standard output is not JSON and has no effect: log to standard error";
}

function interpretReturned(context: HookContext, value: unknown): Outcome {
  if (value === undefined || value === null) return { kind: "silent" };
  // A Map or a Date has no own keys, and would pass for an empty answer.
  const isAnswer = isObject(value) && (isPlainObject(value) || Object.keys(value).length > 0);
  return isAnswer
    ? interpretObject(context, value)
    : failed("invalid hook output: expected an object", "", ANSWER_THAT_CANNOT_BE_READ);
}

function interpretObject(context: HookContext, value: Record<string, unknown>, repeatedKey?: string): Outcome {
  const { output, problems, unreadKey } = readAnswer(context, value, repeatedKey);
  const [problem] = problems;
  const warning = unreadKey === undefined ? {} : { warning: unreadKey };
  if (problem !== undefined) {
    if (!blocksEvent(context.contract, output)) return failed(problem, "", ANSWER_THAT_CANNOT_BE_READ);
    return { kind: "answered", output, problem: problems.join("; ") };
  }
  return Object.keys(output).length === 0 ? { kind: "silent", ...warning } : { kind: "answered", output, ...warning };
}
