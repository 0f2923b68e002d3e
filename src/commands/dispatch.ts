import { statSync } from "node:fs";
import { resolve } from "node:path";
import { isOwnHook } from "../config/hooks/read-hooks.ts";
import { newRegistry } from "../engine/default-registry.ts";
import { type DetailedResult, Executor } from "../engine/executor.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { optimizeForLongRun } from "../lib/jit.ts";
import { parseDuration } from "../lib/text/duration.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "../protocol/events.ts";
import type { ParsedInput } from "../protocol/input.ts";
import { type CommandInput, defineCommand } from "./cli/define-command.ts";
import type { FlagSpecs } from "./cli/flags.ts";
import { directoriesOf, openLog } from "./cli/global-flags.ts";
import { isOutputDiscarded, printError, reserveStandardOutput, warn } from "./cli/print.ts";
import { checkRestrictions, RESTRICTION_FLAGS } from "./cli/restriction-flag.ts";
import { TRUST_FLAGS } from "./cli/trust-flags.ts";
import { worseExitCode } from "./dispatch/exit-codes.ts";
import { lazyModelClient, MODEL_FLAGS } from "./dispatch/lazy-model-client.ts";
import { isRefused, type Refused, readEvents } from "./dispatch/read-events.ts";
import { renderVerdict, VERDICT_FORMATS, type VerdictFormat, VerdictWriter } from "./dispatch/verdicts.ts";
import { loadHookEntries, SOURCE_FLAGS } from "./hooks/load-hooks.ts";

const FLAGS = {
  ...SOURCE_FLAGS,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
  event: { kind: "value", hint: "EVENT", description: "Event name for objects without hook_event_name" },
  input: { kind: "value", hint: "FILE", description: "Read events from a file instead of standard input (-)" },
  output: {
    kind: "value",
    hint: "FORMAT",
    choices: VERDICT_FORMATS,
    description: "hook (what a hook would print), result (everything), text (default: hook)",
  },
  details: { kind: "switch", description: "Add the outcome of each hook" },
  "fail-fast": { kind: "switch", description: "Stop after the first blocked event" },
  "input-timeout": {
    kind: "value",
    hint: "DURATION",
    description: "Stop reading after this long without input: 2s, 500ms (default: read to the end of the input)",
  },
  stream: { kind: "switch", description: "No effect: dispatch always reads to the end of the input" },
  "working-dir": { kind: "value", hint: "DIR", description: "Where hooks run (default: the current directory)" },
} as const satisfies FlagSpecs;

type DispatchFlags = CommandInput<typeof FLAGS>["flags"];

/** `hooksh dispatch`: reads JSON events, prints verdicts. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Reads JSON events from standard input to its end (one object, an array, or one per line), runs the hooks configured for each,\n" +
    "and prints one verdict per line as soon as it is known. Exits 0 if every event is allowed. With --output hook, exits 2 if an\n" +
    "event is blocked or there is no verdict (broken configuration, input or usage). With --output result or text, exits 2 if an\n" +
    "event is blocked, 3 if a hook asks, 1 if configuration or input is broken, 64 on wrong usage.",
  flags: FLAGS,
  run: runDispatch,
});

async function runDispatch({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  if (positionals.length > 1)
    throw new UsageError(`dispatch takes one agent, not ${positionals.length}: ${positionals.join(" ")}`);
  if (flags.event !== undefined && !isEventName(flags.event)) throw new UsageError(unknownEvent(flags.event));
  const silence = silenceOf(flags["input-timeout"]);
  const workingDir = workingDirOf(flags);
  const directories = directoriesOf(flags);
  const log = openLog(flags, directories);
  const [reference] = positionals;
  // Without an agent, only the hooks themselves are loaded, so that a dispatch starts fast.
  const notices = reference === undefined ? [] : (["relative"] as const);
  const { entries, file, unenforced } = await loadHookEntries({
    reference,
    flags,
    directories,
    cwd: workingDir,
    notices,
  });
  checkRestrictions(unenforced, flags);
  if (file && file.remotes.length > 0) {
    const { checkTrust } = await import("./trust/trust-check.ts");
    await checkTrust(file, { flags, directories, interactive: false }); // standard input is for events
  }
  if (entries.some(({ hook }) => isOwnHook(hook))) reserveStandardOutput();
  const registry = newRegistry(lazyModelClient({ flags, file, directories, cwd: workingDir }));
  const executor = new Executor(entries, { workingDir, env: processEnv(), directories, log, registry });
  const format = flags.output ?? "hook";
  const defaults = { session_id: `dispatch-${crypto.randomUUID()}`, cwd: workingDir };
  const lines = new VerdictWriter(format === "hook");
  let exitCode: number = EXIT_CODES.ok;
  let answered = 0;
  for await (const event of readEvents({ input: flags.input, event: flags.event, workingDir, silence, signal })) {
    const code = await answer(executor, event, defaults, { format, details: flags.details ?? false, signal, lines });
    exitCode = worseExitCode(exitCode, code);
    if (++answered === 2) optimizeForLongRun();
    if (flags["fail-fast"] && code !== EXIT_CODES.ok && code !== EXIT_CODES.asked) break;
  }
  await lines.end();
  return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

/** Returns the directory in which hooks run and against which relative paths are resolved. */
function workingDirOf(flags: DispatchFlags): string {
  const given = flags["working-dir"];
  const path = resolve(given ?? ".");
  if (given === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`--working-dir ${given}: no such directory`);
}

/** Returns the milliseconds of `--input-timeout`. */
function silenceOf(duration: string | undefined): number | undefined {
  if (duration === undefined) return undefined;
  const milliseconds = parseDuration(duration);
  if (milliseconds) return milliseconds;
  throw new UsageError(`--input-timeout takes a duration such as 2s or 500ms, not ${JSON.stringify(duration)}`);
}

interface AnswerOptions {
  format: VerdictFormat;
  details: boolean;
  signal: AbortSignal;
  lines: VerdictWriter;
}

/** Dispatches one event, prints its verdict, and returns its exit code. A broken event is never allowed. */
async function answer(
  executor: Executor,
  event: ParsedInput | Refused,
  defaults: { session_id: string; cwd: string },
  { format, details, signal, lines }: AnswerOptions,
): Promise<number> {
  if (isRefused(event)) {
    printError(event.problem);
    await lines.refusal(renderVerdict("", { allowed: false, message: event.problem }, { format }));
    return event.exitCode;
  }
  lines.release();
  const name = event.hook_event_name;
  const payload = {
    ...event,
    session_id: event["session_id"] ?? defaults.session_id,
    cwd: event["cwd"] || defaults.cwd,
  };
  const dispatched = await executor.dispatch(name, payload as EventPayload<EventName>, { signal, warn, details: true });
  const verdict = renderVerdict(name, dispatched.result, {
    format,
    details: details ? await dispatched.details() : undefined,
  });
  const isDelivered = await lines.verdict(verdict);
  const exitCode = exitCodeOf(name, dispatched);
  if (exitCode === EXIT_CODES.asked && format === "hook" && isOutputDiscarded()) {
    printError(`${name}: a hook asks for approval, but standard output, which says so, is discarded`);
    return EXIT_CODES.blocked;
  }
  // A rewrite or an ask was lost with the verdict, so the operation must not continue unchanged.
  if (isDelivered) return exitCode;
  return isEventName(name) && contractOf(name).canBlock ? EXIT_CODES.blocked : EXIT_CODES.failed;
}

function exitCodeOf(event: string, { result }: DetailedResult): number {
  if (result.allowed) return result.decision === "ask" ? EXIT_CODES.asked : EXIT_CODES.ok;
  printError(result.message ?? `${event} was blocked without a reason`);
  return EXIT_CODES.blocked;
}
