import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { EXIT_CODES, InputError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { type JsonItem, jsonItems } from "../../lib/json-stream/json-items.ts";
import { readStream, standardInput } from "../../lib/platform.ts";
import { type ReadyInput, readReadyInput } from "../../lib/process/ready-input.ts";
import { type ParsedInput, parseInput } from "../../protocol/input.ts";

/** Where the events of a dispatch come from. */
export interface EventSource {
  /** The file of `--input`; standard input if absent or `-`. */
  input: string | undefined;
  /** The directory that a relative `input` is resolved against. */
  workingDir: string;
  /** Milliseconds without input after which reading ends. */
  silence: number | undefined;
  signal: AbortSignal;
}

/** An event that cannot be judged: why not, and its exit code. */
export interface Refused {
  problem: string;
  exitCode: number;
}

/** Yields the JSON values of the input in order. Throws an {@link InputError} if the input cannot be read or is empty. */
export async function* readItems({ input, workingDir, silence, signal }: EventSource): AsyncGenerator<JsonItem> {
  let items = 0;
  const name = input === undefined || input === "-" ? "standard input" : input;
  const { open, ready } = await findInput(input, workingDir);
  for await (const item of jsonItems(open, { ready, silence, signal, name })) {
    items++;
    yield item;
  }
  if (items === 0 && !signal.aborted) throw new InputError(`${name} contains no event: pipe a JSON event into hooksh`);
}

/**
 * Yields the events of the input; `named` is the event of `--event`, for objects without an event name. An event that
 * cannot be judged is {@link Refused}; reading continues.
 */
export async function* eventsIn(
  items: AsyncIterable<JsonItem>,
  named: string | undefined,
): AsyncGenerator<ParsedInput | Refused> {
  for await (const item of items) {
    if ("problem" in item) yield { problem: item.problem, exitCode: EXIT_CODES.failed };
    else for (const event of valuesIn(item.value)) yield readEvent(event, named);
  }
}

/** The events of a value: the elements of an array, or the value itself. */
export function valuesIn(value: object): readonly unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

/** The source of events: a stream, and the input that is available without opening it. */
interface Input {
  open: () => ReadableStream<Uint8Array>;
  ready?: ReadyInput;
}

async function findInput(file: string | undefined, workingDir: string): Promise<Input> {
  if (file !== undefined && file !== "-") return { open: () => openFile(resolve(workingDir, file), file) };
  if (await isTerminal()) throw new InputError("standard input is a terminal: pipe a JSON event into hooksh dispatch");
  return { open: standardInput, ready: readReadyInput() };
}

/** Loads node:tty only for a character device: loading it takes as long as a whole dispatch. */
async function isTerminal(): Promise<boolean> {
  try {
    if (!fstatSync(0).isCharacterDevice()) return false;
  } catch {
    return false; // standard input is closed and counts as empty
  }
  const { isatty } = await import("node:tty");
  return isatty(0);
}

function openFile(path: string, shownName: string): ReadableStream<Uint8Array> {
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) throw new InputError(`${shownName}: no such file`);
  if (found.isDirectory()) throw new InputError(`${shownName}: is a directory`);
  return readStream(path);
}

function readEvent(item: unknown, event: string | undefined): ParsedInput | Refused {
  if (!isObject(item)) return { problem: "an event must be a JSON object", exitCode: EXIT_CODES.failed };
  const named = item["hook_event_name"];
  if (event !== undefined && named && named !== event) {
    return {
      problem: `--event ${event} contradicts the input's hook_event_name ${JSON.stringify(named)}`,
      exitCode: EXIT_CODES.usage,
    };
  }
  const parsed = parseInput(event === undefined ? item : { ...item, hook_event_name: event });
  return typeof parsed === "string" ? { problem: parsed, exitCode: EXIT_CODES.failed } : parsed;
}

/** True if an event cannot be judged. */
export function isRefused(event: ParsedInput | Refused): event is Refused {
  return !("hook_event_name" in event);
}
