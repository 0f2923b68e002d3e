import { fstatSync, statSync, writeSync } from "node:fs";
import { devNull } from "node:os";
import { errorText, UserError } from "../../lib/errors.ts";
import { descriptorFile, type OutputFile, standardOutput, write as writeTo } from "../../lib/platform.ts";
import { divertStandardOutput } from "../../lib/process/divert-output.ts";
import { hasNoReader } from "../../lib/process/has-no-reader.ts";
import { escapeControlsInJson } from "../../lib/text/escape-controls.ts";

/**
 * Writes one line to standard output and waits until it is out: nothing is lost when the process ends. Control
 * characters are escaped if standard output is a terminal.
 */
export function print(line: string): Promise<void> {
  return write(`${escapeForStream(1, line)}\n`);
}

/** {@link print} for a line that must arrive: throws also if its reader has gone. */
export async function printOrThrow(line: string): Promise<void> {
  const bytes = Buffer.from(`${escapeForStream(1, line)}\n`);
  const written = writeAtOnce(bytes);
  if (written < bytes.length) await writeTo(outputFile(), bytes.subarray(written));
}

/** In bytes; every pipe holds that much before its writer has to wait for the reader. */
const SMALLEST_PIPE = 4096;

let writtenAtOnce = 0;

/**
 * Writes the first verdicts without a thread, whose start takes a cold dispatch longer than the verdict itself. Returns
 * the number of bytes that were written.
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

/** {@link print} for text that is hooksh's own and may be coloured. */
export function printStyled(text: string): Promise<void> {
  return write(`${text}\n`);
}

/** Writes bytes to standard output as they are; to a terminal as text, with control characters escaped. */
export function printBytes(bytes: Uint8Array): Promise<void> {
  return write(isTerminalLike(1) ? escapeControlsInJson(new TextDecoder().decode(bytes)) : bytes);
}

let output: OutputFile | undefined;
let standardOutputFile = 1;

/** True if standard output is a terminal or another character device: control characters are escaped there. */
export function isTerminalOutput(): boolean {
  return isTerminalLike(1);
}

/** The file that standard output is written through; see {@link reserveStandardOutput}. */
export function outputFile(): OutputFile {
  output ??= standardOutput();
  return output;
}

/**
 * Keeps standard output to what is printed here: what the user's own hooks and their children write to it goes to
 * standard error from now on. Not on Windows.
 */
export function reserveStandardOutput(): void {
  isTerminalLike(1); // remembered: the descriptor is about to lead elsewhere
  const own = divertStandardOutput();
  if (own === undefined) return;
  output = descriptorFile(own);
  standardOutputFile = own;
}

/** True if standard output is the null device. Bun opens that in place of a standard output that is closed. */
export function isOutputDiscarded(): boolean {
  const output = fstatSync(standardOutputFile);
  return output.isCharacterDevice() && output.rdev === statSync(devNull, { throwIfNoEntry: false })?.rdev;
}

async function write(text: string | Uint8Array): Promise<void> {
  try {
    await writeTo(outputFile(), text);
  } catch (error) {
    // The exit code still tells the result.
    if (!isBrokenPipe(error)) throw new UserError(outputErrorText(error), { cause: error });
  }
}

/** True if standard output is a pipe or socket that no process reads any more. */
export function outputHasNoReader(): boolean {
  return hasNoReader(standardOutputFile);
}

/** True for the error of a write to a pipe that no process reads any more. */
export function isBrokenPipe(error: unknown): boolean {
  return error instanceof Error && "code" in error && error.code === "EPIPE";
}

/** Why standard output cannot be written, such as a full disk. */
export function outputErrorText(error: unknown): string {
  return `cannot write to standard output: ${errorText(error).replace(/^E[A-Z]+: |, write\b.*$/g, "")}`;
}

/** Writes a line about what went wrong to standard error. */
export function printError(message: string): void {
  toStandardError(message);
}

/** Writes a warning to standard error, in every mode. */
export function warn(message: string): void {
  toStandardError(`warning: ${message}`);
}

function toStandardError(text: string): void {
  try {
    writeSync(2, `${escapeForStream(2, text)}\n`);
  } catch {
    // nobody reads standard error: the exit code still tells
  }
}

/** A text for standard output (1) or standard error (2): unchanged, or with {@link escapeControlsInJson} if that is a terminal. */
export function escapeForStream(stream: 1 | 2, text: string): string {
  return isTerminalLike(stream) ? escapeControlsInJson(text) : text;
}

const terminals = new Map<number | string, boolean>();

/**
 * True for a terminal, and for any other character device: escaping does no harm there, and node:tty, which tells them
 * apart, costs as much to load as a whole dispatch.
 */
export function isTerminalLike(file: number | string): boolean {
  const known = terminals.get(file) ?? isCharacterDevice(file);
  terminals.set(file, known);
  return known;
}

function isCharacterDevice(file: number | string): boolean {
  try {
    return (typeof file === "number" ? fstatSync(file) : statSync(file)).isCharacterDevice();
  } catch {
    return false; // a closed stream, or a file that is not there yet
  }
}
