import { isatty } from "node:tty";
import type { Env } from "../../lib/env.ts";
import { untilAborted } from "../../lib/until-aborted.ts";
import type { Writer } from "../cli/output-writer.ts";
import { type Paint, painter, shouldUseColors, supportsEscapes } from "../render/paint.ts";
import { Editor } from "./editor.ts";
import type { Key } from "./key-reader.ts";
import { interrupt, Keyboard, type Listener } from "./keyboard.ts";
import { layOut } from "./layout.ts";
import { lineOf } from "./line.ts";
import { Screen } from "./screen.ts";

/** A terminal: output, keyboard, and questions to the user. */
export interface Terminal {
  readonly screen: Screen;
  /** Writes the agent's text. */
  readonly output: Writer;
  readonly keyboard: Keyboard;
  readonly paint: Paint;
  /** Call it before the first question. Resolves once the user is not in the middle of typing something else. */
  beforeQuestion: (signal: AbortSignal) => Promise<void>;
  /** Asks several questions; keys typed between two of them go to the second. */
  withTypeAhead<T>(ask: () => Promise<T>): Promise<T>;
  /**
   * Asks until one of the keys is pressed. Returns undefined on Ctrl+C, which also interrupts the run, and if the
   * signal aborts.
   */
  askKey(question: string, keys: readonly string[], signal: AbortSignal): Promise<string | undefined>;
  /** Asks for a line. Returns undefined on Ctrl+C, at the end of input, and if the signal aborts. */
  askLine(question: string, signal: AbortSignal): Promise<string | undefined>;
  /** Restores the original mode of the terminal. */
  close(): void;
}

/**
 * Opens the terminal on standard input and output. Notes and questions go to standard error if that is a terminal too,
 * so that standard output contains only the agent's text.
 */
export function openTerminal(env: Env, noColor: boolean | undefined): Terminal {
  const { stdout } = process;
  const size = () => ({ columns: stdout.columns || 80, rows: stdout.rows || 24 });
  const screen = new Screen({ supportsEscapes: supportsEscapes(env), size, notes: isatty(2) ? 2 : 1 });
  const keyboard = new Keyboard();
  const colors = shouldUseColors(env, noColor);
  const terminal: Terminal = {
    screen,
    output: { write: (text) => screen.write(text), startLine: () => screen.startLine(), flush: async () => {} },
    keyboard,
    paint: painter(colors),
    beforeQuestion: () => keyboard.dropTypeAhead(),
    withTypeAhead: (ask) => (screen.supportsEscapes ? withTypeAhead(keyboard, ask) : ask()),
    askKey: (question, keys, signal) => askKey(terminal, question, keys, signal),
    askLine: (question, signal) => (screen.supportsEscapes ? askLine : askPlainLine)(terminal, question, signal),
    close: () => keyboard.close(),
  };
  return terminal;
}

async function withTypeAhead<T>(keyboard: Keyboard, ask: () => Promise<T>): Promise<T> {
  const release = keyboard.holdTypeAhead();
  try {
    return await ask();
  } finally {
    release();
  }
}

async function askKey(
  { screen, keyboard }: Terminal,
  question: string,
  keys: readonly string[],
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  if (screen.supportsEscapes) screen.show("question", layOut("", lineOf(question), screen.size));
  else screen.prompt(question);
  const key = await listenOnce<string>(keyboard, signal, (answer) => ({
    kind: "keys",
    onInput: (pressed) => {
      const text = pressed.kind === "text" ? pressed.text.toLowerCase() : undefined;
      if (text !== undefined && keys.includes(text)) answer(text);
      if (!isLeaving(pressed)) return;
      answer(undefined);
      interrupt();
    },
  }));
  screen.show("question", undefined);
  if (screen.supportsEscapes) screen.note(question + (key ?? "^C"));
  else screen.echo(`${key ?? "^C"}\n`);
  return key;
}

function isLeaving(key: Key): boolean {
  return key.kind === "control" && (key.name === "interrupt" || key.name === "end_of_input");
}

async function askLine(
  { screen, keyboard }: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  const editor = new Editor(screen, "question", question);
  editor.draw();
  const line = await listenOnce<string>(keyboard, signal, (answer) => ({
    kind: "keys",
    onInput: (key) => {
      const edited = editor.press(key);
      if (edited?.kind === "line") answer(edited.text);
      if (edited?.kind === "key" && (isLeaving(key) || edited.name === "escape")) answer(undefined);
    },
  }));
  editor.hide();
  screen.note(question + (line ?? "^C"));
  return line;
}

async function askPlainLine(
  { screen, keyboard }: Terminal,
  question: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  if (signal.aborted) return undefined;
  screen.prompt(question);
  const line = await listenOnce<string>(keyboard, signal, (answer) => ({ kind: "lines", onInput: answer }));
  screen.echo("");
  return line;
}

/** Listens for one answer. Keys typed after it go to the next listener. */
async function listenOnce<T>(
  keyboard: Keyboard,
  signal: AbortSignal,
  listener: (answer: (value: T | undefined) => void) => Listener,
): Promise<T | undefined> {
  const answer = Promise.withResolvers<T | undefined>();
  let stop = () => {};
  stop = keyboard.listen(
    listener((value) => {
      stop();
      answer.resolve(value);
    }),
  );
  try {
    return await untilAborted(answer.promise, signal);
  } finally {
    stop();
  }
}
