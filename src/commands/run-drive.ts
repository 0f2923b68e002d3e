import { isatty } from "node:tty";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES } from "../lib/errors.ts";
import type { Team } from "../runtime/agent.ts";
import type { FrontEnd } from "../runtime/front-end.ts";
import { endSession, type EndReason, startSession, submit } from "../runtime/lifecycle.ts";
import { createRuntime, type Runtime } from "../runtime/runtime.ts";
import type { Session } from "../runtime/session.ts";
import { reviewUnanswered } from "../runtime/store/unanswered.ts";
import { askApproval, openTerminal, type Terminal } from "./front-end/terminal.ts";
import { printError } from "./output.ts";
import { textRenderer } from "./render/run-text.ts";
import type { Messages, RunFlags } from "./run-flags.ts";
import { sessionOf, type StoredRun, titleOf } from "./run-session.ts";
import type { Setup } from "./run-setup.ts";
import { standardOutput, type Writer } from "./writer.ts";

/** A run that is ready to go. */
export interface Drive {
  flags: RunFlags;
  signal: AbortSignal;
  onInterrupt: (handler: () => boolean) => void;
  team: Team;
  setup: Setup;
  workingDir: string;
  messages: Messages;
  stored: StoredRun;
}

/** How often a run in autonomous mode goes on past `max_iterations` by itself, for one message. */
const EXTENSIONS = 5;

/** Runs a session from its first message to its end, and gives the exit code. Source: runtime 18, config-and-cli 9.4. */
export async function drive(options: Drive): Promise<number> {
  const { flags, team, setup, workingDir, stored, signal } = options;
  const output = standardOutput();
  const terminal = isatty(0) && isatty(1) && !flags.json ? openTerminal() : undefined;
  const session = sessionOf(stored, flags, workingDir, setup.safetyMode);
  const control = new Control(signal);
  const frontEnd = createFrontEnd({ flags, output, terminal, session, control, hideToolResults: setup.hideToolResults });
  const runtime = createRuntime({
    team, frontEnd, env: processEnv(), interactive: options.messages.kind === "prompt", agent: setup.startAgent,
    ...(stored.journal ? { journal: stored.journal } : {}),
  });
  let reason: EndReason = "other";
  let exitCode: number = EXIT_CODES.ok;
  try {
    await startSession(runtime, session, stored.resumed ? "resume" : "startup", signal);
    if (stored.resumed) await reviewUnanswered(runtime, session, signal);
    if (options.messages.kind === "prompt" && terminal) {
      options.onInterrupt(() => control.interrupt());
      reason = await converse(runtime, session, terminal, control);
    } else if (options.messages.kind === "given") exitCode = await answerAll(runtime, session, options.messages.texts, control);
  } finally {
    await endSession(runtime, session, reason);
    await output.flush();
    terminal?.close();
  }
  return signal.aborted ? EXIT_CODES.interrupted : exitCode;
}

/** Cancels the stream that runs now, or everything. */
class Control {
  #stream = new AbortController();
  /** Extensions past `max_iterations` that were granted by themselves, for the message at hand. */
  extensions = 0;

  /** Aborted when the whole run is to end. */
  readonly whole: AbortSignal;

  constructor(whole: AbortSignal) {
    this.whole = whole;
    whole.addEventListener("abort", () => this.#stream.abort(whole.reason), { once: true });
  }

  /** The signal of the next stream. */
  begin(): AbortSignal {
    this.extensions = 0;
    this.#stream = new AbortController();
    if (this.whole.aborted) this.#stream.abort(this.whole.reason);
    return this.#stream.signal;
  }

  /** Cancels the stream that runs; false when none does. */
  interrupt(): boolean {
    if (this.#stream.signal.aborted) return false;
    this.#stream.abort(new Error("interrupted"));
    return true;
  }

  /** No stream runs: an interrupt is for the whole. */
  end(): void {
    this.#stream.abort();
  }
}

async function answerAll(runtime: Runtime, session: Session, texts: readonly string[], control: Control): Promise<number> {
  for (const text of texts) {
    session.title ||= titleOf(text);
    const { error, reason } = await submit(runtime, session, text, control.begin());
    if (reason === "canceled") return EXIT_CODES.interrupted;
    if (error) return EXIT_CODES.failed;
  }
  return EXIT_CODES.ok;
}

/** The prompt: a line, its answer, the next line; until the user leaves. */
async function converse(runtime: Runtime, session: Session, terminal: Terminal, control: Control): Promise<EndReason> {
  const welcome = runtime.team.agents.get(runtime.currentAgent)?.welcomeMessage;
  if (welcome) process.stderr.write(`${welcome}\n`);
  while (!control.whole.aborted) {
    control.end();
    const line = await terminal.readLine("> ");
    if (line === undefined || /^\/(exit|quit|q)$/.test(line.trim())) return "prompt_input_exit";
    if (line.trim() === "") continue;
    session.title ||= titleOf(line);
    await submit(runtime, session, line, control.begin());
  }
  return "other";
}

interface FrontEndOptions {
  flags: RunFlags;
  output: Writer;
  terminal: Terminal | undefined;
  session: Session;
  control: Control;
  hideToolResults: boolean;
}

function createFrontEnd({ flags, output, terminal, session, control, hideToolResults }: FrontEndOptions): FrontEnd {
  const colors = terminal !== undefined && !flags["no-color"] && !processEnv()["NO_COLOR"] && processEnv()["TERM"] !== "dumb";
  const report: FrontEnd["report"] = flags.json
    ? (event) => output.write(`${JSON.stringify(event)}\n`)
    : textRenderer({
        output, colors, terminal: terminal !== undefined, diagnostics: printError,
        hideToolCalls: flags["hide-tool-calls"] ?? false, hideToolResults,
      });
  const automatic = async () => session.safetyMode === "autonomous" && control.extensions++ < EXTENSIONS;
  if (!terminal) return { report, askContinue: automatic };
  return {
    report,
    askApproval: async (request, signal) => {
      await output.flush();
      return askApproval(terminal, request, signal, () => control.interrupt());
    },
    askContinue: async (limit, signal) => {
      if (session.safetyMode === "autonomous") return automatic();
      await output.flush();
      return (await terminal.readKey(`\nThe agent has used its ${limit} iterations. Go on? [y/n] `, ["y", "n"], signal)) === "y";
    },
  };
}
