/**
 * Puts a run together: flags, agent, hooks, session, front end; and ends it, for people and for machines.
 *
 * @packageDocumentation
 */
import { isatty } from "node:tty";
import { directoriesOf, openLog } from "../cli/global-flags.ts";
import { noOutput, standardOutput } from "../cli/output-writer.ts";
import { shouldUseColors } from "../cli/paint.ts";
import {
  escapeForStream,
  isBrokenPipe,
  outputErrorText,
  print,
  printError,
  redirectWarnings,
  reserveStandardOutput,
  showErrorsOn,
  warn,
} from "../cli/print.ts";
import { isOwnHook } from "../config/hooks/read-hooks.ts";
import { currentAudit } from "../guard/watch/open-observers.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, StopReason, stopReasonOf } from "../lib/errors.ts";
import { settleWithin } from "../lib/settle-within.ts";
import { escapeControlsInLines } from "../lib/text/escape-controls.ts";
import { textOf, toolCallsOf } from "../model/messages/message.ts";
import type { Team } from "../runtime/agent/agent.ts";
import {
  type EndReason,
  endSession,
  recheckUnanswered,
  startSession,
} from "../runtime/conversation/session-lifecycle.ts";
import { type ShownMessage, submitInput } from "../runtime/conversation/slash-commands.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";
import { type Session, titleOf } from "../runtime/session/session.ts";
import { createRuntime, type Runtime, stopBackgroundTasks } from "../runtime/stream/runtime.ts";
import { askAgain } from "../terminal/front-end/commands/resume-session.ts";
import { RunControl } from "../terminal/front-end/run-control.ts";
import { RunStatus } from "../terminal/front-end/run-status.ts";
import type { Terminal } from "../terminal/front-end/terminal.ts";
import { createFrontEnd } from "../terminal/front-end/terminal-front-end.ts";
import { openTerminal, themeFor } from "../terminal/open-terminal.ts";
import { commandResultText } from "../terminal/run-text.ts";
import { answerPrompt } from "./answer-prompt.ts";
import { continueCommand } from "./continue-command.ts";
import { flagForProgram, hasEventOutput, hasOneOutput, hidesCalls, isForProgram } from "./run-flags.ts";
import { type FinalAnswer, recordEvents } from "./run-ledger.ts";
import type { SessionRun } from "./run-plan.ts";
import { resumedElsewhere, sessionOf } from "./stored-run.ts";

/** How long a run that was stopped waits for the reader of its output. */
const FLUSH_MS = 5000;

/**
 * Runs a session from its first message to its end. Returns the exit code. Ends early if its output cannot be written.
 */
export async function runSession(options: SessionRun): Promise<number> {
  const { flags, team, setup, stored, ledger } = options;
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const elsewhere = stored.resumed ? resumedElsewhere(stored.resumed, options) : [];
  const current = { session: sessionOf(options) };
  const status = new RunStatus(current);
  const terminal = await terminalOf(options, current, status);
  const namesMode = flags.safety !== undefined || flags.yolo !== undefined;
  const note = terminal ? (text: string) => terminal.note(`(${text})`) : warn;
  const before = stored.resumed?.safetyMode;
  if (stored.resumed && !namesMode && askAgain(stored.resumed, setup.safetyMode)) {
    const flag = before === "autonomous" ? "--yolo" : `--safety ${before}`;
    note(`this session ran with ${flag}; tools ask again now, unless ${flag} is given again`);
  }
  elsewhere.forEach(note);
  if (stored.newId !== undefined && !flags.quiet) {
    const near = stored.nearId === undefined ? "" : `; did you mean ${stored.nearId}?`;
    const text = `no session ${stored.newId} is stored, so it starts now${near}`;
    if (terminal) note(text);
    else printError(text);
  }
  const allowsAsked = flags.ask === "allow";
  if (allowsAsked) note("--ask allow: calls run although a hook asks for your approval");
  if (terminal) options.onInterrupt(() => terminal.declineLine?.() ?? false);
  if (terminal) showErrorsOn((line) => terminal.note(line));
  const onLost = (error: unknown) => lost.abort(new StopReason(outputErrorText(error), { cause: error }));
  const output = hasOneOutput(flags) ? noOutput() : standardOutput(onLost);
  const usesOwnHooks = [...team.agents.values()].some(({ hooks }) =>
    hooks.hooks?.some(({ entry }) => isOwnHook(entry.hook)),
  );
  const isColored = isatty(1) && shouldUseColors(processEnv(), flags["no-color"]);
  const isTerminal = isatty(1);
  // From here on, descriptor 1 may be standard error.
  if (!terminal && usesOwnHooks) reserveStandardOutput();
  ledger.sessionId = current.session.id;
  ledger.isStored = stored.journal !== undefined;
  if (!terminal) redirectWarnings((message) => output.after?.(() => printError(`warning: ${message}`)));
  const control = new RunControl(signal);
  const frontEnd = createFrontEnd({
    json: hasEventOutput(flags),
    output,
    terminal,
    current,
    control,
    isTerminal,
    colors: isColored,
    diagnostics: (line) => {
      if (terminal) terminal.note(escapeControlsInLines(line));
      // Once output is lost, the errors of the cancelled calls add nothing.
      else if (!lost.signal.aborted) output.after?.(() => printError(line));
    },
    hideToolCalls: hidesCalls(flags),
    hideToolResults: setup.hideToolResults || flags.print === true,
    callsOnDiagnostics: flags.print === true,
    unaskedFor: flagForProgram(flags),
    mayExtend: flags["max-iterations"] === undefined,
  });
  const audit = currentAudit();
  const runtime = createRuntime({
    team,
    frontEnd: recordEvents(frontEnd, ledger),
    meter: ledger.meter,
    env: processEnv(),
    interactive: options.messages.kind === "prompt",
    agent: setup.startAgent,
    ...(stored.journal ? { journal: stored.journal } : {}),
    log: openLog(flags, directoriesOf(flags)),
    allowsAsked,
    audit: audit === "off" ? undefined : audit,
  });
  status.runtime = runtime;
  // With --json, standard output contains only events; with --last only the answer.
  const show = (message: ShownMessage) => {
    if (terminal) terminal.note(escapeControlsInLines(commandResultText(message)));
    else if (message.kind === "url" && !isForProgram(flags)) output.write(`${escapeForStream(1, message.url)}\n`);
    else printError(commandResultText(message));
  };
  let reason: EndReason = "other";
  let exitCode: number = EXIT_CODES.ok;
  try {
    await startSession(runtime, current.session, stored.resumed ? "resume" : "startup", signal);
    if (stored.resumed) await recheckUnanswered(runtime, current.session, signal);
    if (options.messages.kind === "prompt" && terminal)
      reason = await answerPrompt(options, { runtime, current, control, terminal });
    else if (options.messages.kind === "given") {
      const { messages: given, files } = options;
      const firstItem = current.session.items.length;
      exitCode = await answerAll({ runtime, session: current.session, texts: given.texts, files, control, show });
      ledger.answer = finalAnswer(current.session, firstItem, team);
    }
  } finally {
    await stopBackgroundTasks(runtime, stopReasonOf(signal) ?? "the run has ended");
    await endSession(runtime, current.session, reason);
    const flushed = await settleWithin(output.flush(), signal.aborted ? { ms: FLUSH_MS } : {});
    ledger.isOutputStuck = flushed.kind !== "done";
    showErrorsOn(undefined);
    await terminal?.close();
    // After the terminal's own rows, which are wrapped: a command is copied as one line.
    if (terminal && options.messages.kind === "prompt" && stored.journal && current.session.items.length > 0)
      await print(`To continue: ${continueCommand(current.session.id, setup.reference, flags)}`);
  }
  if (options.signal.aborted) return EXIT_CODES.interrupted;
  return lost.signal.aborted ? lostOutput(lost.signal.reason.cause) : exitCode;
}

/**
 * Returns the exit code of a run whose output could not be written. A reader that closes the pipe, such as `head`, is
 * not an error.
 */
function lostOutput(error: unknown): number {
  if (isBrokenPipe(error)) return EXIT_CODES.outputClosed;
  printError(`error: ${outputErrorText(error)}`);
  return EXIT_CODES.failed;
}

/** Returns the last answer among the items from `firstItem` on; undefined if the run ended without one. */
function finalAnswer({ items }: Session, firstItem: number, { agents }: Team): FinalAnswer | undefined {
  const last = items.slice(firstItem).findLast((item) => item.kind === "message");
  // An implicit message is hooksh's own, such as the one that names a limit.
  if (last?.message.role !== "assistant" || last.implicit || toolCallsOf(last.message).length > 0) return undefined;
  return { text: textOf(last.message), isStructured: agents.get(last.agent)?.structuredOutput !== undefined };
}

interface Answering {
  runtime: Runtime;
  session: Session;
  texts: readonly string[];
  /** They go with the first text. */
  files: readonly AttachedFile[];
  control: RunControl;
  show: (message: ShownMessage) => void;
}

async function answerAll({ runtime, session, texts, files, control, show }: Answering): Promise<number> {
  for (const [at, text] of texts.entries()) {
    session.title ||= titleOf(text);
    const { error, reason } = await submitInput(
      runtime,
      session,
      { text, files: at === 0 ? files : [] },
      control.beginStream(),
      show,
    );
    if (reason === "canceled") return EXIT_CODES.interrupted;
    if (error) return EXIT_CODES.failed;
    if (runtime.meter.stoppedBy) break;
  }
  return EXIT_CODES.ok;
}

/** Opens the terminal if a user is at it, and if the output is for people. */
async function terminalOf(
  { flags, setup }: SessionRun,
  current: { readonly session: Session },
  status: RunStatus,
): Promise<Terminal | undefined> {
  if (!isatty(0) || !isatty(1) || isForProgram(flags)) return undefined;
  const env = processEnv();
  return openTerminal({
    env,
    plain: flags.plain ?? setup.terminal.plain,
    notify: setup.terminal.notify,
    ...themeFor(env, flags["no-color"], setup.terminal.theme),
    status,
    mayRead: (...call) => status.mayRead(...call),
    cwd: () => current.session.workingDir,
    hideToolCalls: flags["hide-tool-calls"] ?? false,
    hideToolResults: setup.hideToolResults,
  });
}
