import { closeSync, fstatSync, openSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { errorText, UserError } from "../lib/errors.ts";
import { descriptorFile, type OutputFile, sleepSync, standardOutput, write as writeTo } from "../lib/platform.ts";
import { divertStandardOutput, hasNoReader } from "../lib/process/descriptors.ts";
import { escapeControlsInJson, escapeControlsInLines } from "../lib/text/escape-controls.ts";

/**
 * Writes one line to standard output. Resolves when it is written, so that nothing is lost when the process ends.
 * Escapes control characters if standard output is a terminal.
 */
export function print(line: string): Promise<void> {
  return write(`${escapeForStream(1, line)}\n`);
}

/** Like {@link print}, but also throws if the reader of standard output has closed it. */
export async function printOrThrow(line: string): Promise<void> {
  const bytes = Buffer.from(`${escapeForStream(1, line)}\n`);
  const written = writeAtOnce(bytes);
  if (written < bytes.length) await writeTo(outputFile(), bytes.subarray(written));
}

/** Writes an answer to standard output as it is, without a final newline. Returns false if that fails. */
export async function writeAnswer(text: string): Promise<boolean> {
  if (kept) {
    kept.output += text;
    return true;
  }
  try {
    const bytes = Buffer.from(text);
    const written = writeAtOnce(bytes);
    if (written < bytes.length) await writeTo(outputFile(), bytes.subarray(written));
    return true;
  } catch (error) {
    printError(outputErrorText(error));
    return false;
  }
}

/** In bytes. Every pipe buffers this much, so a write up to it does not wait for the reader. */
const SMALLEST_PIPE = 4096;

let writtenAtOnce = 0;

/**
 * Writes the first verdicts synchronously (cold start). Returns the number of bytes written.
 */
function writeAtOnce(bytes: Uint8Array): number {
  if (writtenAtOnce + bytes.length > SMALLEST_PIPE) return 0;
  writtenAtOnce += bytes.length;
  try {
    return writeSync(standardOutputFile, bytes);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EAGAIN") return 0;
    throw error;
  }
}

/** Like {@link print}, for hooksh's own text, which may contain colours. */
export function printStyled(text: string): Promise<void> {
  return write(`${text}\n`);
}

/** Writes bytes to standard output unchanged; to a terminal, writes them as text with control characters escaped. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return write(isTerminalLike(1) ? escapeControlsInJson(new TextDecoder().decode(bytes)) : bytes);
}

let output: OutputFile | undefined;
let standardOutputFile = 1;

/** True if standard output is a terminal or a device like one, where control characters are escaped. */
export function isTerminalOutput(): boolean {
  return isTerminalLike(1);
}

/** Returns the file that standard output is written to; see {@link reserveStandardOutput}. */
export function outputFile(): OutputFile {
  output ??= standardOutput();
  return output;
}

/**
 * Reserves standard output for this file: from now on, whatever the user's own hooks and their child processes write to
 * it goes to standard error. No effect on Windows.
 */
export function reserveStandardOutput(): void {
  if (standardOutputFile !== 1) return; // reserved already
  isTerminalLike(1); // caches the answer: descriptor 1 is about to point elsewhere
  const own = divertStandardOutput();
  if (own === undefined) return;
  output = descriptorFile(own);
  standardOutputFile = own;
}

const waiting: (() => Promise<void>)[] = [];
let working = Promise.resolve();

/** Keeps work that the answer does not need until it is given. It must not throw. */
export function afterAnswer(work: () => Promise<void>): void {
  waiting.push(work);
}

/** Does the work that waits for an answer, in order. Resolves when all of it is done. */
export function workAfterAnswer(): Promise<void> {
  working = working.then(async () => {
    for (let work = waiting.shift(); work; work = waiting.shift()) await work();
  });
  return working;
}

/** Does the work that waits for the last answer. First closes standard output, for those who wait for its end. */
export async function workAfterLastAnswer(): Promise<void> {
  if (waiting.length > 0) closeOutput();
  await workAfterAnswer();
}

function closeOutput(): void {
  try {
    closeSync(standardOutputFile);
    // The lowest free number is taken, which would else be that of a file.
    if (standardOutputFile === 1) openSync(devNull, "w");
  } catch {
    // it is closed already
  }
}

/** True if standard output is the null device, which Bun also opens if standard output is closed. */
export function isOutputDiscarded(): boolean {
  const output = fstatSync(standardOutputFile);
  return output.isCharacterDevice() && output.rdev === nullDevice();
}

function nullDevice(): number | undefined {
  return statSync(devNull, { throwIfNoEntry: false })?.rdev;
}

/** True if standard output and standard error are the same terminal, pipe or file, as after `2>&1`. */
export function isOutputWithErrors(): boolean {
  try {
    const [output, errors] = [fstatSync(standardOutputFile), fstatSync(2)];
    return output.ino !== 0 && output.ino === errors.ino && output.dev === errors.dev;
  } catch {
    return false; // standard error is closed
  }
}

async function write(text: string | Uint8Array): Promise<void> {
  try {
    await writeTo(outputFile(), text);
  } catch (error) {
    // If the reader has closed the pipe, the exit code still carries the result.
    if (!isBrokenPipe(error)) throw new UserError(outputErrorText(error), { cause: error });
  }
}

/** True if standard output is a pipe or socket that no process reads anymore. */
export function outputHasNoReader(): boolean {
  return hasNoReader(standardOutputFile);
}

/** True if a write failed because the reader of the pipe has closed it. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** Returns a message that says why standard output cannot be written, such as a full disk. */
export function outputErrorText(error: unknown): string {
  return `cannot write to standard output: ${errorText(error).replace(/^E[A-Z]+: |, write\b.*$/g, "")}`;
}

let screen: ((message: string) => void) | undefined;

/**
 * Shows further errors and warnings on a screen that hooksh draws, where lines on standard error would be in the way;
 * undefined ends that. Control characters are escaped.
 */
export function showErrorsOn(show: typeof screen): void {
  screen = show;
}

/** Writes an error message to standard error, or shows it: see {@link showErrorsOn}. */
export function printError(message: string): void {
  if (screen) screen(escapeControlsInLines(message));
  else toStandardError(message);
}

let warningReceiver: ((message: string) => void) | undefined;

/** Writes a warning to standard error, even with `--quiet`; see {@link redirectWarnings}. */
export function warn(message: string): void {
  if (warningReceiver) warningReceiver(message);
  else printError(`warning: ${message}`);
}

/** Passes every further warning to `receive`, for a caller that reads standard error as part of an answer. */
export function redirectWarnings(receive: (message: string) => void): void {
  warningReceiver = receive;
}

/** Writes a workflow command of hooksh's own to standard error, past {@link filterOutput}. */
export function printCommand(line: string): void {
  writeLine(line);
}

function toStandardError(text: string): void {
  writeLine(kept ? outputFilter(text) : escapeForStream(2, text));
}

function writeLine(text: string): void {
  if (kept) {
    kept.errors += `${text}\n`;
    return;
  }
  try {
    writeSync(2, `${text}\n`);
  } catch {
    // standard error is closed: the exit code still carries the result
  }
}

let kept: { output: string; errors: string } | undefined;

/** From now on, keeps answers and errors instead of writing them, for {@link printKept}. */
export function keepAnswer(): void {
  kept ??= { output: "", errors: "" };
}

/** True after {@link keepAnswer}. */
export function isAnswerKept(): boolean {
  return kept !== undefined;
}

/**
 * Writes what {@link keepAnswer} kept to standard output, as `render` makes it, before the process exits. Returns false
 * if that fails, and true if nothing was to be kept.
 */
export function printKept(render: (kept: { output: string; errors: string }) => string): boolean {
  if (!kept) return true;
  const bytes = Buffer.from(render(kept));
  for (let at = 0; at < bytes.length; ) {
    try {
      at += writeSync(standardOutputFile, bytes, at);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EAGAIN")) return false;
      sleepSync(2);
    }
  }
  return true;
}

let outputFilter = (text: string): string => text;

/** Passes all further text for a file or pipe through `filter`, which must keep the value of JSON. */
export function filterOutput(filter: (text: string) => string): void {
  outputFilter = filter;
}

/** Returns a text for a file or pipe; see {@link filterOutput}. */
export function filtered(text: string): string {
  return outputFilter(text);
}

/**
 * Returns a text for standard output (1) or standard error (2): with control characters escaped if that is a terminal,
 * else filtered.
 */
export function escapeForStream(stream: 1 | 2, text: string): string {
  return isTerminalLike(stream) ? escapeControlsInJson(text) : outputFilter(text);
}

const terminals = new Map<number | string, boolean>();

/**
 * True for a terminal and any other character device but the null device. Escaping does no harm there, and node:tty,
 * which tells them apart, is not loaded (cold start).
 */
export function isTerminalLike(file: number | string): boolean {
  const known = terminals.get(file) ?? isCharacterDevice(file);
  terminals.set(file, known);
  return known;
}

function isCharacterDevice(file: number | string): boolean {
  try {
    const status = typeof file === "number" ? fstatSync(file) : statSync(file);
    return status.isCharacterDevice() && status.rdev !== nullDevice();
  } catch {
    return false; // a closed stream, or a file that does not exist yet
  }
}
