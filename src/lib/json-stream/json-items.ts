import { errorText, InputError } from "../errors.ts";
import { optimizeForLongRun } from "../platform.ts";
import type { ReadyInput } from "../process/handed-over.ts";
import { settleWithin } from "../settle-within.ts";
import { formatDuration } from "../text/duration.ts";
import { INCOMPLETE_VALUE, type JsonPiece, JsonSplitter } from "./json-splitter.ts";

/** A JSON object or array of the input, or the problem with a line that contains something else. */
export type JsonItem = { value: object } | { problem: string };

export interface ReadOptions {
  /** The name of the stream in messages. */
  name?: string;
  /** Ends reading silently when aborted. */
  signal?: AbortSignal;
  /** The part of the stream that was read before it was opened. */
  ready?: ReadyInput | undefined;
  /** Milliseconds without input after which the stream counts as ended. If absent, it is read to its end. */
  silence?: number | undefined;
}

/** From this many bytes on, compiling the code that reads them pays off. */
const MUCH_INPUT = 64 * 1024;

/**
 * Yields the JSON objects and arrays of a byte stream, each as soon as it is complete, whether or not they are on
 * separate lines. An unreadable line is an item too, and reading continues after it (see {@link JsonSplitter}). Throws
 * an {@link InputError} if the stream itself cannot be read.
 */
export async function* jsonItems(
  open: () => ReadableStream<Uint8Array>,
  options: ReadOptions = {},
): AsyncGenerator<JsonItem> {
  const { name = "standard input", silence, ready } = options;
  const splitter = new JsonSplitter();
  let reader: Reader | undefined;
  let chunk = ready?.bytes;
  /** Set at the end of the stream: the problem with a value that is incomplete there. */
  let incomplete = ready?.ended ? INCOMPLETE_VALUE : undefined;
  let bytes = 0;
  try {
    for (;;) {
      if (chunk) splitter.push(chunk);
      if (incomplete !== undefined) splitter.finish(incomplete);
      for (let piece = splitter.next(); piece; piece = splitter.next()) yield itemOf(piece, name);
      if (incomplete !== undefined) return;
      const opened = (reader ??= await orInputError(name, () => open().getReader()));
      const read = await orInputError(name, () => readWithin(opened, options));
      if (read === "aborted") return;
      chunk = read === "silent" ? undefined : read;
      if (read === "silent")
        incomplete = `holds a value that is incomplete after ${formatDuration(silence ?? 0)} of silence`;
      else if (read === undefined) incomplete = INCOMPLETE_VALUE;
      else if (bytes < MUCH_INPUT && (bytes += read.length) >= MUCH_INPUT) optimizeForLongRun();
    }
  } finally {
    reader?.cancel().catch(() => {});
  }
}

/**
 * Returns the result of `read`. Converts the error of a stream that cannot be opened or read to an {@link InputError}.
 */
async function orInputError<T>(name: string, read: () => T | Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof InputError) throw error;
    throw new InputError(`${name} cannot be read: ${errorText(error)}`, { cause: error });
  }
}

interface Reader {
  read(): Promise<{ done: boolean; value?: Uint8Array | undefined }>;
  cancel(): Promise<void>;
}

/** Returns the next chunk; undefined at the end of the stream. */
async function readWithin(
  reader: Reader,
  { silence, signal }: ReadOptions,
): Promise<Uint8Array | "silent" | "aborted" | undefined> {
  const settled = await settleWithin(reader.read(), { ms: silence, signal });
  if (settled.kind !== "done") return settled.kind === "timed_out" ? "silent" : "aborted";
  return settled.value.done ? undefined : settled.value.value;
}

function itemOf(piece: JsonPiece, name: string): JsonItem {
  return "problem" in piece ? { problem: `line ${piece.line} of ${name} ${piece.problem}` } : piece;
}
