import type { Writer } from "../../cli/output-writer.ts";
import { escapeForStream } from "../../cli/print.ts";
import { counted } from "../../lib/text/counted.ts";
import { escapeControls, jsonLine } from "../../lib/text/escape-controls.ts";
import type { ApprovalAnswer, ApprovalRequest, FrontEnd } from "../../runtime/events/front-end.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import type { Session } from "../../runtime/session/session.ts";
import { textRenderer } from "../run-text.ts";
import { askForm } from "./form.ts";
import { QuestionQueue } from "./question-queue.ts";
import type { RunControl } from "./run-control.ts";
import { type KeyChoice, type Terminal, YES_OR_NO } from "./terminal.ts";

/** How often a run in autonomous mode continues past `max_iterations` without asking, per message. */
const EXTENSIONS = 5;

export interface FrontEndOptions {
  /** Print every event as a line of JSON instead of text. */
  json: boolean;
  /** Receives the text if there is no terminal with a user. */
  output: Writer;
  /** Receives warnings and errors. */
  diagnostics: (line: string) => void;
  /** True if standard output is a terminal. */
  isTerminal: boolean;
  colors: boolean;
  /** Absent if there is no user to ask. */
  terminal: Terminal | undefined;
  current: { readonly session: Session };
  control: RunControl;
  hideToolCalls: boolean;
  hideToolResults: boolean;
  /** True if tool calls are shown with the diagnostics. */
  callsOnDiagnostics: boolean;
  /** The flag for which nobody is asked. */
  unaskedFor: string | undefined;
  /** True if a run in autonomous mode may continue past `max_iterations`. */
  mayExtend: boolean;
}

/** Returns a front end that prints a run on the command line, and asks the user if there is a terminal. */
export function createFrontEnd(options: FrontEndOptions): FrontEnd {
  const { terminal, current, control } = options;
  const isAutomatic = () => current.session.safetyMode === "autonomous" && options.mayExtend;
  const automatic = async (limit: number) => {
    if (control.extensions >= EXTENSIONS) return false;
    control.extensions++;
    options.diagnostics(
      `⚠️  ${counted(limit, "iteration")} used up: autonomous mode goes on (${control.extensions} of ${EXTENSIONS} times)`,
    );
    return true;
  };
  if (!terminal) {
    const report = reporter(options);
    const { unaskedFor } = options;
    return {
      report,
      reportBackground: report,
      unaskedFor,
      askContinue: async (limit) => isAutomatic() && automatic(limit),
    };
  }
  const questions = new QuestionQueue((waiting) => terminal.showWaiting(waiting));
  const interject = <T>(signal: AbortSignal, ask: () => Promise<T>) =>
    questions.ask(signal, () => terminal.interject(ask, signal));
  const askYesOrNo = (question: string, signal: AbortSignal) =>
    terminal.interject(async () => (await terminal.askKey(question, YES_OR_NO, signal)) === "y", signal);
  const askContinue = (limit: number, signal: AbortSignal) =>
    askYesOrNo(`The agent has used its ${limit} iterations. Continue? `, signal);
  return {
    report: (event) => terminal.show(event),
    askApproval: async (request, signal) => {
      const answer = interject(signal, () => askApproval(terminal, request, current.session.workingDir, signal));
      // Without an answer the run is being cancelled: no answer may follow.
      return (await answer) ?? new Promise(() => {});
    },
    askUser: async (question, signal) =>
      (await interject(signal, () => askForm(terminal, question, signal))) ?? { action: "cancel" },
    askContinue: async (limit, signal) =>
      (await questions.ask(signal, () => (isAutomatic() ? automatic(limit) : askContinue(limit, signal)))) ?? false,
    askBudget: async (text, signal) =>
      (await questions.ask(signal, () => askYesOrNo(`${escapeControls(text)} Grant it once more? `, signal))) ?? false,
  };
}

const APPROVALS: Readonly<Record<string, ApprovalAnswer>> = {
  y: { kind: "once" },
  t: { kind: "tool" },
  b: { kind: "balanced" },
  a: { kind: "session" },
  n: { kind: "reject" },
};

/** The choice that is highlighted first is the narrowest one that lets the agent go on. */
function approvalChoices(grant: string): KeyChoice[] {
  return [
    { key: "y", label: "[y]es" },
    { key: "t", label: `[t] always ${grant} in this session` },
    { key: "b", label: "[b] always what looks safe" },
    { key: "a", label: "[a] everything from now on (autonomous)" },
    { key: "r", label: "[r]eject with a reason" },
    { key: "n", label: "[n]o" },
  ];
}

/**
 * Asks the user to approve one tool call of a session in `cwd`. Shows all of the call, so that no part of it can imitate
 * other text on the screen, and what hooks say about it. Returns undefined after Ctrl+C, which also interrupts the run,
 * and if the signal aborts.
 */
async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  cwd: string,
  signal: AbortSignal,
): Promise<ApprovalAnswer | undefined> {
  await terminal.showCall(request, cwd);
  const key = await terminal.askKey("", approvalChoices(escapeControls(request.grant)), signal);
  if (key !== "r") return key === undefined ? undefined : (APPROVALS[key] ?? { kind: "reject" });
  const reason = (await terminal.askLine("Reason: ", signal))?.trim();
  return { kind: "reject", ...(reason ? { reason } : {}) };
}

/** Returns a function that prints the events of a run without a user at a terminal. */
function reporter(options: FrontEndOptions): FrontEnd["report"] {
  const { output, current } = options;
  const show: FrontEnd["report"] = options.json
    ? (event) => output.write(`${escapeForStream(1, jsonLine(event))}\n`)
    : textRenderer({ ...options, terminal: options.isTerminal, answersOf: current.session.id });
  return (event) => {
    output.readerMayClose = endsAnswers(event, current.session) ?? output.readerMayClose ?? false;
    show(event);
  };
}

/**
 * Returns true after an answer that ends the turn, false when another turn starts, undefined for other events. The
 * reader may close the pipe after the last answer without cancelling the `stop` hooks that then run.
 */
function endsAnswers(event: RunEvent, { id }: Session): boolean | undefined {
  if (event.type === "agent_info") return false;
  if (event.type !== "token_usage" || event.session_id !== id || !event.usage.last_message) return undefined;
  return event.usage.last_message.finish_reason !== "tool_calls";
}
