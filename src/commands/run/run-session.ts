import { isatty } from "node:tty";
import { isOwnHook } from "../../config/hooks/read-hooks.ts";
import { processEnv } from "../../lib/env.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { StopReason, stopReasonOf } from "../../lib/stop-reason.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { createRuntime, type Runtime, stopBackgroundTasks } from "../../runtime/runtime.ts";
import type { AttachedFile } from "../../runtime/session/attached-file.ts";
import type { Session } from "../../runtime/session/session.ts";
import { type EndReason, endSession, startSession } from "../../runtime/session/session-lifecycle.ts";
import { submitInput, type UnsentMessage } from "../../runtime/session/slash-commands.ts";
import { recheckUnanswered } from "../../runtime/session/unanswered-messages.ts";
import type { Team } from "../../runtime/team/agent.ts";
import { directoriesOf, openLog } from "../cli/global-flags.ts";
import { standardOutput } from "../cli/output-writer.ts";
import {
  escapeForStream,
  isBrokenPipe,
  outputErrorText,
  print,
  printError,
  redirectWarnings,
  reserveStandardOutput,
  showErrorsOn,
} from "../cli/print.ts";
import { sessionFile } from "../cli/session-flags.ts";
import { goBack } from "../front-end/commands/go-back.ts";
import { askAgain, showLastExchange } from "../front-end/commands/resume-session.ts";
import { commandChoices, isCommand } from "../front-end/commands/typed-commands.ts";
import { converse, interruptConversation, reportUserErrors, takeBack } from "../front-end/converse.ts";
import type { LastOutcomes } from "../front-end/last-outcomes.ts";
import { openTerminal, themeFor } from "../front-end/open-terminal.ts";
import { openHistory } from "../front-end/prompt-history.ts";
import type { Conversation } from "../front-end/prompt-session.ts";
import { RunControl } from "../front-end/run-control.ts";
import { RunStatus } from "../front-end/run-status.ts";
import type { Terminal } from "../front-end/terminal.ts";
import { createFrontEnd } from "../front-end/terminal-front-end.ts";
import { shouldUseColors } from "../render/paint.ts";
import { commandResultText } from "../render/run-text.ts";
import { currentAudit } from "../watch/open-audit.ts";
import { continueCommand } from "./continue-command.ts";
import type { RunSetup } from "./load-setup.ts";
import type { RunFlags, RunMessages } from "./run-flags.ts";
import { type RunLedger, recordEvents } from "./run-ledger.ts";
import { resumeAtPrompt, type StoredRun, sessionOf, titleOf } from "./stored-run.ts";

/** How long a run that was stopped waits for the reader of its output. */
const FLUSH_MS = 5000;

/** The options of {@link runSession}: a run with everything loaded. */
export interface SessionRun {
  flags: RunFlags;
  signal: AbortSignal;
  onInterrupt: (handler: () => boolean) => void;
  team: Team;
  setup: RunSetup;
  workingDir: string;
  messages: RunMessages;
  /** Files that go with the first message. */
  files: readonly AttachedFile[];
  stored: StoredRun;
  /** Keeps the account of the run. */
  ledger: RunLedger;
  /** How each hook ended last; the hooks of the team write it. */
  outcomes: LastOutcomes;
}

/**
 * Runs a session from its first message to its end. Returns the exit code. Ends early if its output cannot be written.
 */
export async function runSession(options: SessionRun): Promise<number> {
  const { flags, team, setup, workingDir, stored, ledger } = options;
  const lost = new AbortController();
  const signal = AbortSignal.any([options.signal, lost.signal]);
  const current = { session: sessionOf(stored, flags, workingDir, setup.safetyMode) };
  const status = new RunStatus(current);
  const terminal = await terminalOf(options, current, status);
  const namesMode = flags.safety !== undefined || flags.yolo !== undefined;
  if (terminal && stored.resumed && !namesMode && askAgain(stored.resumed, setup.safetyMode))
    terminal.note("(this session ran with --yolo; tools ask again now, unless --yolo is given again)");
  if (terminal) showErrorsOn((line) => terminal.note(line));
  const output = standardOutput((error) => lost.abort(new StopReason(outputErrorText(error), { cause: error })));
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
    json: flags.json ?? false,
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
    hideToolCalls: flags["hide-tool-calls"] ?? false,
    hideToolResults: setup.hideToolResults,
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
    audit: audit === "off" ? undefined : audit,
  });
  status.runtime = runtime;
  // With --json, standard output contains only events.
  const show = (message: UnsentMessage) => {
    if (terminal) terminal.note(escapeControlsInLines(commandResultText(message)));
    else if (message.kind === "url" && !flags.json) output.write(`${escapeForStream(1, message.url)}\n`);
    else printError(commandResultText(message));
  };
  let reason: EndReason = "other";
  let exitCode: number = EXIT_CODES.ok;
  try {
    await startSession(runtime, current.session, stored.resumed ? "resume" : "startup", signal);
    if (stored.resumed) await recheckUnanswered(runtime, current.session, signal);
    if (options.messages.kind === "prompt" && terminal)
      reason = await prompt(options, { runtime, current, control, terminal });
    else if (options.messages.kind === "given") {
      const { messages: given, files } = options;
      exitCode = await answerAll({ runtime, session: current.session, texts: given.texts, files, control, show });
    }
  } finally {
    await stopBackgroundTasks(runtime, stopReasonOf(signal) ?? "the run has ended");
    await endSession(runtime, current.session, reason);
    const flushed = await settleWithin(output.flush(), signal.aborted ? { ms: FLUSH_MS } : {});
    ledger.isOutputStuck = flushed.kind !== "done";
    showErrorsOn(undefined);
    await terminal?.close();
    // Behind the terminal's own rows, which are wrapped: a command is copied as one line.
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

/** Opens the terminal if a user is at it, and if the output is for people. */
async function terminalOf(
  { flags, setup }: SessionRun,
  current: { readonly session: Session },
  status: RunStatus,
): Promise<Terminal | undefined> {
  if (!isatty(0) || !isatty(1) || flags.json) return undefined;
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

interface Answering {
  runtime: Runtime;
  session: Session;
  texts: readonly string[];
  /** They go with the first text. */
  files: readonly AttachedFile[];
  control: RunControl;
  show: (message: UnsentMessage) => void;
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
  }
  return EXIT_CODES.ok;
}

/** Reads and answers lines until the user leaves. */
async function prompt(
  { flags, setup, stored, outcomes, files, onInterrupt }: SessionRun,
  parts: Pick<Conversation, "runtime" | "current" | "control" | "terminal">,
): Promise<EndReason> {
  const directories = directoriesOf(flags);
  const conversation: Conversation = {
    ...parts,
    prompt: parts.terminal.openPrompt({
      history: openHistory(directories.data, (message) => parts.terminal.note(escapeControlsInLines(message))),
      commands: (typed) => commandChoices(conversation, typed),
      isCommand: (line) => isCommand(conversation, line),
      directory: () => parts.current.session.workingDir,
      onGoBack: () => void reportUserErrors(conversation, () => goBack(conversation)),
      onCancel: () => void parts.control.interrupt(),
      takeBack: () => takeBack(conversation),
      onTyping: () => {
        conversation.interruptedAt = 0; // Ctrl+C then clears the line, and does not leave
      },
    }),
    directories,
    sessionFile: sessionFile(flags["session-db"], directories),
    hasSnapshots: setup.hasSnapshots,
    stored: {
      list: stored.list,
      load: (id) => {
        const session = stored.load(id);
        return session && resumeAtPrompt(session, flags, parts.current.session);
      },
    },
    modelNames: [...Object.keys(setup.file.models), ...setup.file.agents.map(({ model }) => model)],
    outcomes,
    pending: [],
    afterAnswer: [],
    earlierModes: new WeakMap(),
    firstFiles: [...files],
    reading: Promise.resolve(),
    interruptedAt: 0,
    isLeaving: false,
  };
  onInterrupt(() => interruptConversation(conversation));
  if (stored.resumed) showLastExchange(parts.terminal, stored.resumed);
  for (const { name, description } of files)
    parts.terminal.note(escapeControls(`(goes with your first message) ${name}: ${description}`));
  try {
    return await converse(conversation);
  } finally {
    conversation.prompt.close();
  }
}
