import { expandEnv, expandWorkingDir } from "../config/expansion/expand-variables.ts";
import { expandHookDir, withHookDir } from "../config/expansion/hook-dir.ts";
import { errorText, helpOf } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import { formatDuration } from "../lib/text/duration.ts";
import type { EventContract } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { ExecutorSettings } from "./dispatch-options.ts";
import type { Invocation } from "./dispatch-record.ts";
import {
  type FailureReason,
  type Handler,
  type HandlerEnvironment,
  type HandlerInput,
  type HandlerResult,
  HOOK_TIMED_OUT,
  NO_LOG,
  type Outcome,
} from "./handler.ts";
import { transcript } from "./hook-log.ts";
import { isUnstartable, timeoutSeconds } from "./hook-policy.ts";
import { interpret } from "./interpret.ts";
import type { CompiledHook } from "./match.ts";

/** Runs one hook on a payload, within its deadline. Never rejects: an error is a failure of the hook. */
export async function invokeHook(
  { entry: { event, hook, directory, evaluator } }: CompiledHook,
  contract: EventContract,
  payload: Payload,
  settings: ExecutorSettings,
  signal?: AbortSignal,
): Promise<Invocation> {
  const { registry, memory, log, directories, host, evaluated } = settings;
  const input = handlerInput(payload);
  const isApproval = contract.reading === "approval";
  try {
    if (hook.if !== "" && !(await import("./condition.ts")).fitsCondition(hook.if, payload, host))
      return { outcome: { kind: "silent" }, output: undefined };
    const own = Object.keys(hook.env).length === 0 ? undefined : expandEnv(hook.env, settings.env);
    const env = own ? { ...withHookDir(settings.env, directory), ...own } : withHookDir(settings.env, directory);
    const definition = expandHookDir(hook, directory, env);
    const workingDir =
      definition.working_dir === ""
        ? settings.workingDir
        : expandWorkingDir(
            definition.working_dir,
            settings.workingDir,
            { ...settings.env, hook_dir: directory ?? "" },
            (message) => log("warn", message),
          );
    const shared = { event, workingDir, directories, memory, log, env, host };
    const environment: HandlerEnvironment = { ...shared, evaluator, evaluated };
    const factory = registry.lookup(definition.type);
    if (!factory) throw new Error(`unsupported hook type: ${definition.type}`);
    const create = isApproval ? (await import("./approval.ts")).approvalHandler(factory) : factory;
    const handler = create(definition, environment);
    const { startedAt: begunAt } = handler;
    const end = await runWithDeadline(handler, input, timeoutSeconds(definition) * 1000, signal);
    if (input.problem !== undefined) throw new Error(input.problem);
    if (end.reason !== undefined) return { outcome: stoppedOutcome(end), output: undefined, begunAt };
    const context = { event, contract, hook };
    const outcome = await withFailureLine(interpret(context, end.result), end.result);
    if (log !== NO_LOG) log("debug", transcript(context, end.result, outcome));
    return { outcome, output: end.result, begunAt };
  } catch (error) {
    const reason = input.problem === undefined ? "failed" : "unreadable";
    const text = isApproval ? "could not be run" : errorText(error);
    return { outcome: { kind: "failed", reason, error: text, stderr: "", help: helpOf(error) }, output: undefined };
  }
}

/** Adds what a script that failed said last; the message of a program that could not be started has that already. */
async function withFailureLine(outcome: Outcome, result: HandlerResult): Promise<Outcome> {
  if (outcome.kind !== "failed" || result.kind !== "exited" || result.exitCode === 0) return outcome;
  if (isUnstartable(result.exitCode) || outcome.stderr.trim() === "") return outcome;
  return { ...outcome, said: await (await import("./failure-line.ts")).failureLine(outcome.stderr) };
}

/** The payload as handlers read it. `problem` is set if it had to be written as JSON and could not be. */
function handlerInput(value: Payload): HandlerInput & { problem?: string } {
  let json: string | undefined;
  const input: HandlerInput & { problem?: string } = {
    value,
    json: () => {
      try {
        return (json ??= `${JSON.stringify(value)}\n`);
      } catch (error) {
        input.problem = `failed to serialize hook input: ${errorText(error)}`;
        throw new Error(input.problem, { cause: error });
      }
    },
  };
  return input;
}

/** How a handler ended: with a result, or stopped at its deadline (`afterMs`) or by the caller. */
type HandlerEnd =
  | { reason: undefined; result: HandlerResult }
  | { reason: FailureReason; stderr: string; afterMs: number };

/** Runs a handler until it returns, its deadline passes or the caller cancels, whichever is first. Never rejects. */
async function runWithDeadline(
  handler: Handler,
  input: HandlerInput,
  deadlineMs: number,
  signal?: AbortSignal,
): Promise<HandlerEnd> {
  if (signal?.aborted) return { reason: "cancelled", stderr: "", afterMs: deadlineMs };
  const stop = new AbortController();
  const { startedAt } = handler;
  const left = startedAt === undefined ? deadlineMs : Math.max(0, startedAt + deadlineMs - performance.now());
  const running = handler.run(input, stop.signal).catch(thrownResult);
  const settled = await settleWithin(running, { ms: left, signal });
  if (settled.kind === "done") return { reason: undefined, result: settled.value };
  stop.abort();
  const late = await settleWithin(running, { ms: handler.lingerMs ?? 0 });
  const stderr = late.kind === "done" && late.value.kind !== "returned" ? (late.value.stderr ?? "") : "";
  return { reason: settled.kind === "timed_out" ? "timed_out" : "cancelled", stderr, afterMs: deadlineMs };
}

function thrownResult(error: unknown): HandlerResult {
  return { kind: "failed", error: errorText(error), help: helpOf(error) };
}

function stoppedOutcome({ reason, stderr, afterMs }: HandlerEnd & { reason: FailureReason }): Outcome {
  const error = reason === "timed_out" ? `timed out after ${formatDuration(afterMs)}` : "cancelled";
  return { kind: "failed", reason, error, stderr, help: reason === "timed_out" ? HOOK_TIMED_OUT : undefined };
}
