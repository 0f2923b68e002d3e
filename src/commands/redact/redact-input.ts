import { readdirSync, statSync } from "node:fs";
import { isatty } from "node:tty";
import { errorText, InputError } from "../../lib/errors.ts";
import { unreadableFileError } from "../../lib/files/read-file.ts";
import { readStream, standardInput } from "../../lib/platform.ts";
import { type Settled, settleWithin } from "../../lib/settle-within.ts";

/** The name that means standard input. */
export const STANDARD_INPUT = "-";

/** The silence of a stream, in milliseconds, after which the complete lines that have arrived are passed on. */
const PAUSE_MS = 200;

/** The next bytes, or `pause` if none have arrived for a while. */
export type Chunk = Uint8Array | "pause";

/**
 * Yields the bytes of standard input or of a file as they arrive, and `pause` after each silence. Ends early if the
 * signal aborts. Throws an {@link InputError} or an `UnreadableFileError` if reading fails.
 */
export async function* chunksOf(name: string, signal: AbortSignal): AsyncGenerator<Chunk> {
  let reader: ReturnType<typeof openStream> | undefined;
  try {
    reader = openStream(name);
    let next = reader.read();
    let isSilent = true;
    for (;;) {
      const settled: Settled<Awaited<typeof next>> = await settleWithin(next, {
        signal,
        ms: isSilent ? undefined : PAUSE_MS,
      });
      if (settled.kind === "aborted") return;
      isSilent = settled.kind === "timed_out";
      if (settled.kind === "timed_out") yield "pause";
      else if (settled.value.done) return;
      else {
        yield settled.value.value;
        next = reader.read();
      }
    }
  } catch (error) {
    if (name === STANDARD_INPUT)
      throw new InputError(`standard input cannot be read: ${errorText(error)}`, { cause: error });
    throw unreadableFileError(name, error);
  } finally {
    reader?.cancel().catch(() => {});
  }
}

function openStream(name: string) {
  return (name === STANDARD_INPUT ? standardInput() : readStream(name)).getReader();
}

/** True if standard input is a terminal. */
export function isTerminalInput(): boolean {
  return isatty(0);
}

/** True if the name is the name of a folder. */
export function isFolder(name: string): boolean {
  return name !== STANDARD_INPUT && (statSync(name, { throwIfNoEntry: false })?.isDirectory() ?? false);
}

/**
 * Returns the regular files in a folder, at any depth, sorted by name. Skips `.git` and symbolic links. Calls
 * `onProblem` for each folder that cannot be read.
 */
export function filesIn(folder: string, onProblem: (error: Error) => void): string[] {
  const files: string[] = [];
  const open = [folder.replace(/(?<=.)\/+$/, "")];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    try {
      const place = next;
      const entries = readdirSync(place, { withFileTypes: true }).sort((a, b) => (a.name < b.name ? -1 : 1));
      files.push(...entries.filter((entry) => entry.isFile()).map(({ name }) => `${place}/${name}`));
      open.push(
        ...entries
          .filter((entry) => entry.isDirectory() && entry.name !== ".git")
          .map(({ name }) => `${place}/${name}`)
          .reverse(),
      );
    } catch (error) {
      onProblem(unreadableFileError(next, error));
    }
  }
  return files;
}
