import { isatty } from "node:tty";
import type { Env } from "../../lib/env.ts";
import { untilAborted } from "../../runtime/ask-user.ts";
import { isSmart, type Paint, painter, wantsColors } from "../render/paint.ts";
import type { Writer } from "../writer.ts";
import { Editor } from "./editor.ts";
import { interrupt, Keyboard } from "./keyboard.ts";
import type { Key } from "./keys.ts";
import { lineOf } from "./line.ts";
import { layOut } from "./layout.ts";
import { Screen } from "./screen.ts";

/** The person at the terminal. */
export interface Terminal {
  readonly screen: Screen;
  /** What the agent says. */
  readonly output: Writer;
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  readonly colors: boolean;
  /** Called before a question is shown: resolves when the user is not in the middle of something else. */
  beforeQuestion: (signal: AbortSignal) => Promise<void>;
  /** Asks until one of the keys is pressed. Undefined for Ctrl+C, which also interrupts, and when the signal aborts. */
  askKey(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** Asks for a line. Undefined for Ctrl+C and the end of input, and when the signal aborts. */
  askLine(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Leaves the terminal as it was found. */
  close(): void;
}

/**
 * The terminal on standard input and output; notes and questions go to standard error where that is a terminal too, so
 * that standard output stays what the agent says.
 */
export function openTerminal(env: Env, noColor: boolean | undefined): Terminal {
  const { stdout } = process;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const screen = new Screen({ smart: isSmart(env), size, notes: isatty(2) ? 2 : 1 });
  const keyboard = new Keyboard();
  const colors = wantsColors(env, noColor);
  const terminal: Terminal = {
    screen,
    output: { write: (text) => screen.write(text), startLine: () => screen.startLine(), flush: async () => {} },
    keyboard,
    paint: painter(colors),
    colors,
    beforeQuestion: () => keyboard.dropStale(),
    askKey: (question, keys, signal) => askKey(terminal, question, keys, signal),
    askLine: (question, signal) => (screen.smart ? askLine : askPlainLine)(terminal, question, signal),
    close: () => keyboard.close(),
  };
  return terminal;
}

async function askKey(
  { screen, keyboard, beforeQuestion }: Terminal,
  question: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  await beforeQuestion(signal);
  if (signal.aborted) return undefined;
  const answer = Promise.withResolvers<string | undefined>();
  const stop = keyboard.listen({ kind: "keys", hear: (key) => {
    const pressed = key.kind === "text" ? key.text.toLowerCase() : undefined;
    if (pressed !== undefined && keys.includes(pressed)) answer.resolve(pressed);
    if (!isLeaving(key)) return;
    answer.resolve(undefined);
    interrupt();
  } });
  if (screen.smart) screen.show("question", layOut("", lineOf(question), screen.size));
  else screen.prompt(question);
  try {
    const key = await untilAborted(answer.promise, signal);
    screen.show("question", undefined);
    if (screen.smart) screen.note(question + (key ?? "^C"));
    else screen.echo(`${key ?? "^C"}\n`);
    return key;
  } finally {
    stop();
  }
}

function isLeaving(key: Key): boolean {
  return key.kind === "control" && (key.name === "interrupt" || key.name === "end_of_input");
}

async function askLine({ screen, keyboard, beforeQuestion }: Terminal, question: string, signal: AbortSignal): Promise<string | undefined> {
  await beforeQuestion(signal);
  if (signal.aborted) return undefined;
  const answer = Promise.withResolvers<string | undefined>();
  const editor = new Editor(screen, "question", question);
  const stop = keyboard.listen({ kind: "keys", hear: (key) => {
    const edited = editor.press(key);
    if (edited?.kind === "line") answer.resolve(edited.text);
    if (edited?.kind === "key" && (isLeaving(key) || edited.name === "escape")) answer.resolve(undefined);
  } });
  editor.draw();
  try {
    const line = await untilAborted(answer.promise, signal);
    editor.hide();
    screen.note(question + (line ?? "^C"));
    return line;
  } finally {
    stop();
  }
}

async function askPlainLine({ screen, keyboard, beforeQuestion }: Terminal, question: string, signal: AbortSignal): Promise<string | undefined> {
  await beforeQuestion(signal);
  if (signal.aborted) return undefined;
  const answer = Promise.withResolvers<string | undefined>();
  const stop = keyboard.listen({ kind: "lines", hear: answer.resolve });
  screen.prompt(question);
  try {
    return await untilAborted(answer.promise, signal);
  } finally {
    screen.echo("");
    stop();
  }
}
