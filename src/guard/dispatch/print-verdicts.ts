import { isOutputWithErrors, print, printError, workAfterAnswer } from "../../cli/print.ts";
import { isUndecodable } from "../../dialects/decode.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { lookalike } from "../../dialects/recognize.ts";
import { processEnv } from "../../lib/env.ts";
import { EXIT_CODES, InputError, UsageError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import type { JsonItem } from "../../lib/json-stream/json-items.ts";
import { worseExitCode } from "./exit-codes.ts";
import { dialectOf, namedDialect, type RouteFlags } from "./find-dialect.ts";
import { type Judged, judgeCall } from "./judge-call.ts";
import { decodeFor, executorFor, type HostDispatch } from "./judge-host.ts";
import { valuesIn } from "./read-events.ts";
import { renderVerdict, type VerdictFormat } from "./verdicts.ts";

interface PrintOptions {
  format: VerdictFormat;
  details: boolean;
  flags: RouteFlags;
}

/**
 * Prints the verdict of every payload of hosts in the input, one line for each of its events of hooksh: for people,
 * and for tools that replay recordings. Returns the worst exit code.
 */
export async function printVerdicts(
  items: AsyncIterable<JsonItem>,
  options: PrintOptions,
  dispatch: HostDispatch,
): Promise<number> {
  let worst: number = EXIT_CODES.ok;
  for await (const item of items) {
    for (const value of "problem" in item ? [item.problem] : valuesIn(item.value)) {
      const code = await printVerdict(value, options, dispatch).catch(async (error: unknown) => {
        if (!(error instanceof InputError || error instanceof UsageError)) throw error;
        printError(error.message);
        await recordProblem(error.message, dispatch);
        await print(renderVerdict("", { allowed: false, message: error.message }, { format: options.format }));
        return error.exitCode;
      });
      worst = worseExitCode(worst, code);
      await workAfterAnswer();
    }
  }
  return dispatch.signal.aborted ? EXIT_CODES.interrupted : worst;
}

/** Adds a payload that no hook judged to the audit log, which is open once the hooks are loaded. */
async function recordProblem(problem: string, dispatch: HostDispatch): Promise<void> {
  const { recordRefusal } = await import("../watch/record-failure.ts");
  await dispatch.load().then(
    () => recordRefusal(problem),
    () => {}, // broken configuration is reported by the first payload that can be judged
  );
}

async function printVerdict(value: unknown, options: PrintOptions, dispatch: HostDispatch): Promise<number> {
  if (!isObject(value)) throw new InputError(typeof value === "string" ? value : "an event must be a JSON object");
  const { flags, format, details } = options;
  const named = namedDialect(flags.dialect);
  const name = await dialectOf(
    value,
    { named: named === "canonical" ? undefined : named, event: flags.event },
    processEnv(),
  );
  if (name === undefined) throw new InputError("no known agent sends this payload");
  const { dialect } = await DIALECTS[name].load();
  const call = await decodeFor(dialect, {
    payload: value,
    event: flags.event,
    like: lookalike(value, name, processEnv()),
  });
  if (isUndecodable(call)) throw new (call.contradicts ? UsageError : InputError)(`${name}: ${call.problem}`);
  const { signal, defaults } = dispatch;
  const executor = executorFor(call, await dispatch.load(), dispatch);
  let worst: number = EXIT_CODES.ok;
  for (const verdict of await judgeCall(executor, call, { defaults, signal })) {
    await print(
      renderVerdict(verdict.event, verdict.result, {
        format,
        ...(details ? { details: await verdict.details(), rules: verdict.rules } : {}),
      }),
    );
    worst = worseExitCode(worst, exitCodeOf(verdict, format));
  }
  return worst;
}

/** Also prints the reason of a block on standard error, unless the text of the verdict shows it there already. */
function exitCodeOf({ event, result }: Judged, format: VerdictFormat): number {
  if (result.allowed) return result.decision === "ask" ? EXIT_CODES.asked : EXIT_CODES.ok;
  if (format !== "text" || !isOutputWithErrors()) printError(result.message ?? `${event} was blocked without a reason`);
  return EXIT_CODES.blocked;
}
