import { dirname } from "node:path";
import { parseYaml } from "../../config/yaml/yaml-text.ts";
import { isDialectName } from "../../dialects/names.ts";
import { errorText, InputError, UserError } from "../../lib/errors.ts";
import { readUserFile } from "../../lib/files/read-file.ts";
import { findRepeatedKey, isDeeperThan } from "../../lib/json.ts";
import { type BrokenLine, type OmittedEvent, type RecordedEvent, readRecordedEvent } from "./recorded-event.ts";
import type { RecordingFile } from "./recording-files.ts";

/** The largest file and the longest line, in bytes. `--record events:DIR` writes less. */
const LIMITS = { file: 128 * 1024 * 1024, line: 8 * 1024 * 1024 };

/** The deepest nesting; no agent sends more than a few levels. */
const MAX_DEPTH = 1000;

/** Longer texts are not searched for the place of an error. */
const MAX_LOCATED = 1024 * 1024;

/** One item of a recording, in the order of the file. */
export type RecordingItem = RecordedEvent | OmittedEvent | BrokenLine;

/**
 * Reads a file of recorded events: a recording with an event on each line, a JSON file with one payload or a list of
 * them, or what `--capture` kept. A line that cannot be read is an item too, with its place. Throws an
 * {@link InputError} if the file itself cannot be read.
 */
export async function readRecording({ path, file }: RecordingFile): Promise<RecordingItem[]> {
  const bytes = await readUserFile(path, { limit: LIMITS.file }).catch((error: unknown) => {
    throw error instanceof UserError ? new InputError(error.message.replace(path, file), { cause: error }) : error;
  });
  const texts = file.endsWith(".json") ? [{ line: 1, bytes }] : linesOf(bytes);
  return texts.flatMap(({ line, bytes: text }) => itemsOf(text, { file, line }).map(withDialectOf(path)));
}

export function isBroken(item: RecordingItem): item is BrokenLine {
  return "problem" in item;
}

export function isOmitted(item: RecordingItem): item is OmittedEvent {
  return "omitted" in item;
}

function* splitLines(bytes: Buffer): Generator<{ line: number; bytes: Buffer }> {
  let line = 1;
  for (let from = 0; from < bytes.length; line++) {
    const end = bytes.indexOf(0x0a, from);
    const to = end < 0 ? bytes.length : end;
    yield { line, bytes: bytes.subarray(from, to) };
    from = to + 1;
  }
}

function linesOf(bytes: Buffer): { line: number; bytes: Buffer }[] {
  return [...splitLines(bytes)].filter(({ bytes: text }) => text.some((byte) => byte > 0x20));
}

function itemsOf(bytes: Buffer, place: { file: string; line: number }): RecordingItem[] {
  if (bytes.length > LIMITS.line) return [brokenAt(place, { line: 1, column: 1 }, "longer than 8 MiB")];
  let text: string;
  try {
    text = new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return [brokenAt(place, { line: 1, column: 1 }, "not UTF-8 text")];
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    return [brokenAt(place, positionOfError(text), errorText(error).replace(/^JSON Parse error: /, "not JSON: "))];
  }
  if (isDeeperThan(value, MAX_DEPTH))
    return [brokenAt(place, { line: 1, column: 1 }, `nested more than ${MAX_DEPTH} levels deep`)];
  const repeated = findRepeatedKey(text);
  if (repeated !== undefined)
    return [brokenAt(place, positionOfError(text), `repeats the key ${JSON.stringify(repeated)} in an object`)];
  const values: unknown[] = Array.isArray(value) ? value : [value];
  return values.map((each) => {
    const read = readRecordedEvent(each, place);
    return typeof read === "string" ? brokenAt(place, { line: 1, column: 1 }, read) : read;
  });
}

interface Position {
  line: number;
  column: number;
}

function brokenAt(place: { file: string; line: number }, at: Position, problem: string): BrokenLine {
  return { problem: `${place.file}:${place.line + at.line - 1}:${at.column}: ${problem}` };
}

/** The JSON parser gives no position, so the YAML parser finds it: most errors in JSON are errors in YAML too. */
function positionOfError(text: string): Position {
  return (text.length > MAX_LOCATED ? undefined : parseYaml(text).errors[0]) ?? { line: 1, column: 1 };
}

/** `--capture` keeps payloads in a folder that is named after the dialect: `claude-2.1.330/2026-11-22/Stop.json`. */
function withDialectOf(path: string): (item: RecordingItem) => RecordingItem {
  const [, name = ""] = /^([a-z-]+?)-[^/]*$/.exec(dirname(dirname(path)).split("/").at(-1) ?? "") ?? [];
  return (item) =>
    "payload" in item && item.dialect !== undefined && item.verdict === undefined && isDialectName(name)
      ? { ...item, dialect: name }
      : item;
}
