import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import {
  isOutputDiscarded,
  isOutputWithErrors,
  isTerminalLike,
  printError,
  warn,
  workAfterAnswer,
} from "../cli/print.ts";
import type { DetailedResult, Executor } from "../engine/executor.ts";
import {
  DISPATCH_FLAG_GROUPS,
  DISPATCH_FLAGS,
  durationOf,
  withProof,
  workingDirOf,
} from "../guard/dispatch/dispatch-flags.ts";
import { worseExitCode } from "../guard/dispatch/exit-codes.ts";
import { noteIfUnjudged, type OpenHooks, openHooks } from "../guard/dispatch/open-hooks.ts";
import {
  eventsIn,
  Incoming,
  isRefused,
  ofAnotherAgent,
  type Refused,
  readItems,
} from "../guard/dispatch/read-events.ts";
import { findHost } from "../guard/dispatch/route.ts";
import { renderVerdict, type VerdictFormat, VerdictWriter } from "../guard/dispatch/verdicts.ts";
import { auditDirectories } from "../guard/watch/audit-directories.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { optimizeForLongRun } from "../lib/platform.ts";
import { handedSession } from "../lib/process/handed-over.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "../protocol/events.ts";
import type { ParsedInput } from "../protocol/input.ts";

/** `hooksh dispatch`: reads JSON events, prints verdicts. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Reads JSON events from standard input to its end (one object, an array, or one per line), runs the hooks configured for each,\n" +
    "and prints one verdict per line as soon as it is known. Exits 0 if every event is allowed. With --output hook, exits 2 if an\n" +
    "event is blocked or there is no verdict (broken configuration, input or usage). With --output result or text, exits 2 if an\n" +
    "event is blocked, 3 if a hook asks, 1 if configuration or input is broken, 64 on wrong usage.\n" +
    "An event of another agent (Claude Code, Codex, Cursor ...) is recognised and answered in that agent's own bytes and exit code.",
  flags: DISPATCH_FLAGS,
  flagGroups: DISPATCH_FLAG_GROUPS,
  run: runDispatch,
});

async function runDispatch(command: CommandInput<typeof DISPATCH_FLAGS>): Promise<number> {
  const { flags, positionals, signal } = command;
  if (positionals.length > 1)
    throw new UsageError(`dispatch takes one agent, not ${positionals.length}: ${positionals.join(" ")}`);
  const workingDir = workingDirOf(flags["working-dir"]);
  const silence = durationOf(flags["input-timeout"], "input-timeout");
  const deadlineMs = durationOf(flags.deadline, "deadline");
  const incoming = new Incoming(readItems({ input: flags.input, workingDir, silence, signal }));
  const defaults = { session_id: handedSession() ?? `dispatch-${crypto.randomUUID()}`, cwd: workingDir };
  const format = flags.output ?? "hook";
  const host = withProof(await findHost(incoming, flags, processEnv()), flags);
  if (host !== undefined) {
    let opened: Promise<OpenHooks> | undefined;
    const load = () => (opened ??= openHooks(command, workingDir));
    const own = flags["working-dir"] === undefined ? undefined : workingDir;
    const settings = { ask: flags.ask ?? "deny", startedAt: 0, deadlineMs, workingDir: own, defaults, signal };
    const dispatch = { load, ...settings, directories: () => auditDirectories(flags) };
    if (format === "hook") {
      const code = await (await import("../guard/dispatch/answer-host.ts")).answerHost(host, dispatch);
      const dir = flags.capture ?? processEnv()["HOOKSH_CAPTURE"];
      if (dir) await (await import("../guard/capture/capture-too.ts")).captureToo(host, dir, flags);
      return code;
    }
    const { printVerdicts } = await import("../guard/dispatch/print-verdicts.ts");
    return printVerdicts(incoming.all(), { format, details: flags.details ?? false, flags }, dispatch);
  }
  if (flags.event !== undefined && !isEventName(flags.event))
    throw new UsageError((await ofAnotherAgent(flags.event)) ?? unknownEvent(flags.event));
  const { executor } = await openHooks(command, workingDir);
  return answerAll(incoming, command, { executor: executor({ workingDir }), defaults, format });
}

interface AnswerAll {
  executor: Executor;
  defaults: { session_id: string; cwd: string };
  format: VerdictFormat;
}

/** Answers every event of the input in order. Returns the worst exit code. */
async function answerAll(
  incoming: Incoming,
  { flags, signal }: CommandInput<typeof DISPATCH_FLAGS>,
  { executor, defaults, format }: AnswerAll,
): Promise<number> {
  const lines = new VerdictWriter(format === "hook");
  let exitCode: number = EXIT_CODES.ok;
  let answered = 0;
  let pause: Timer | undefined;
  for await (const event of eventsIn(incoming.all(), flags.event)) {
    clearTimeout(pause);
    await workAfterAnswer();
    const code = await answer(executor, event, { defaults, format, details: flags.details ?? false, signal, lines });
    exitCode = worseExitCode(exitCode, code);
    if (++answered === 2) optimizeForLongRun();
    // While the next event is awaited; the end of the input comes sooner.
    pause = setTimeout(() => void workAfterAnswer(), 0);
    if (flags["fail-fast"] && code !== EXIT_CODES.ok && code !== EXIT_CODES.asked) break;
  }
  clearTimeout(pause);
  await lines.end();
  return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

interface AnswerOptions {
  defaults: { session_id: string; cwd: string };
  format: VerdictFormat;
  details: boolean;
  signal: AbortSignal;
  lines: VerdictWriter;
}

/** Dispatches one event, prints its verdict, and returns its exit code. A broken event is never allowed. */
async function answer(executor: Executor, event: ParsedInput | Refused, options: AnswerOptions): Promise<number> {
  const { defaults, format, details, signal, lines } = options;
  if (isRefused(event)) {
    printError(format === "hook" ? `hooksh: ${event.problem}` : event.problem);
    await (await import("../guard/watch/record-failure.ts")).recordRefusal(event.problem);
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
  // A host gives its hooks no terminal, and what it reads may be an answer.
  if (isTerminalLike(2)) noteIfUnjudged(executor, event);
  const dispatched = await executor.dispatch(name, payload as EventPayload<EventName>, { signal, warn, details: true });
  const verdict = renderVerdict(name, dispatched.result, {
    format,
    ...(details ? { details: await dispatched.details(), rules: dispatched.rules?.hits } : {}),
  });
  const isDelivered = await lines.verdict(verdict);
  const exitCode = await exitCodeOf(name, dispatched, format);
  if (exitCode === EXIT_CODES.asked && format === "hook" && isOutputDiscarded()) {
    printError(`${name}: a hook asks for approval, but standard output, which says so, is discarded`);
    return EXIT_CODES.blocked;
  }
  // A rewrite or an ask was lost with the verdict, so the operation must not continue unchanged.
  if (isDelivered) return exitCode;
  return isEventName(name) && contractOf(name).canBlock ? EXIT_CODES.blocked : EXIT_CODES.failed;
}

/** Also prints the reason of a block on standard error, unless the text of the verdict shows it there already. */
async function exitCodeOf(event: string, dispatched: DetailedResult, format: VerdictFormat): Promise<number> {
  const { result } = dispatched;
  if (result.allowed) return result.decision === "ask" ? EXIT_CODES.asked : EXIT_CODES.ok;
  if (format !== "text" || !isOutputWithErrors())
    printError(result.message ?? (await withoutReason(event, dispatched)));
  return EXIT_CODES.blocked;
}

async function withoutReason(event: string, dispatched: DetailedResult): Promise<string> {
  // The exit code must say that the event was blocked, even if the place of a hook cannot be read any more.
  const details = await dispatched.details().catch(() => []);
  const names = details.flatMap(({ outcome, name }) => (outcome === "blocked" ? [name] : []));
  return `${event} was blocked by ${names.join(", ") || "a hook"}, which gave no reason: print it on standard error`;
}
