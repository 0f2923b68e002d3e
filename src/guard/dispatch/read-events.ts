import { fstatSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { EXIT_CODES, InputError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { type JsonItem, jsonItems } from "../../lib/json-stream/json-items.ts";
import { readStream, standardInput } from "../../lib/platform.ts";
import type { ReadyInput } from "../../lib/process/handed-over.ts";
import { readReadyInput } from "../../lib/process/ready-input.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { isEventName } from "../../protocol/events.ts";
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
    const other = items++ === 0 && "problem" in item ? otherFormat(item.problem) : undefined;
    if (other !== undefined) throw new InputError(`${name} ${other}`);
    yield item;
  }
  if (items === 0 && !signal.aborted) throw new InputError(`${name} contains no event: pipe a JSON event into hooksh`);
}

/** The fields with which an event begins that somebody wrote as YAML. */
const YAML_EVENT = /is not a JSON object or array: "(?:---|(?:hook_event_name|session_id|cwd|tool_\w+):)/;

/** Says what the whole input is if the problem with its first line shows that it is no JSON at all. */
function otherFormat(problem: string): string | undefined {
  if (problem.includes("\\u0000")) return "looks like UTF-16 text: send UTF-8";
  if (!YAML_EVENT.test(problem)) return undefined;
  return 'is YAML: write the event as JSON, such as {"hook_event_name":"pre_tool_use","tool_name":"shell","tool_input":{"cmd":"ls"}}';
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
    else for (const event of valuesIn(item.value)) yield await readEvent(event, named);
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

/** Loads node:tty only for a character device (cold start). */
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

async function readEvent(item: unknown, event: string | undefined): Promise<ParsedInput | Refused> {
  if (!isObject(item)) return { problem: "an event must be a JSON object", exitCode: EXIT_CODES.failed };
  const named = item["hook_event_name"];
  if (event !== undefined && named && named !== event) {
    return {
      problem: `--event ${event} contradicts the input's hook_event_name ${JSON.stringify(named)}`,
      exitCode: EXIT_CODES.usage,
    };
  }
  const parsed = parseInput(event === undefined ? item : { ...item, hook_event_name: event });
  if (typeof parsed === "string" && typeof named === "string" && !isEventName(named))
    return { problem: (await ofAnotherAgent(named)) ?? parsed, exitCode: EXIT_CODES.failed };
  return typeof parsed === "string" ? { problem: parsed, exitCode: EXIT_CODES.failed } : parsed;
}

/**
 * Says how to send an event that other agents have, and that came without what tells these agents apart; undefined for a
 * name that no agent has.
 */
export async function ofAnotherAgent(name: string): Promise<string | undefined> {
  const { DIALECTS } = await import("../../dialects/names.ts");
  for (const [dialect, row] of Object.entries(DIALECTS)) {
    const { events } = (await row.load()).dialect;
    const own = Object.hasOwn(events, name) ? events[name]?.is[0] : undefined;
    if (own !== undefined)
      return `${JSON.stringify(name)} is an event of another agent, and nothing says which: add --dialect ${dialect}, or write hooksh's own ${own}`;
  }
  return undefined;
}

export function isRefused(event: ParsedInput | Refused): event is Refused {
  return !("hook_event_name" in event);
}

/** The values of the input. The first can be read in advance and is still part of {@link all}. */
export class Incoming {
  readonly #items: AsyncGenerator<JsonItem>;
  #first: Promise<IteratorResult<JsonItem>> | undefined;
  #second: Promise<IteratorResult<JsonItem>> | undefined;

  constructor(items: AsyncGenerator<JsonItem>) {
    this.#items = items;
  }

  /**
   * Returns the first value, or what is wrong with the input. Waits `ms` milliseconds at most: some agents never close
   * the standard input of a hook.
   */
  async first(ms?: number): Promise<JsonItem> {
    this.#first ??= this.#items.next();
    const settled = await settleWithin(this.#first, { ms });
    if (settled.kind !== "done") return { problem: `standard input holds no complete JSON value after ${ms} ms` };
    return settled.value.done ? { problem: "standard input contains no event" } : settled.value.value;
  }

  /** True if another value has already arrived after the first one. Does not wait for the end of the input. */
  async hasSecond(): Promise<boolean> {
    await this.#first;
    this.#second ??= this.#items.next();
    this.#second.catch(() => {}); // reported when it is taken
    const settled = await settleWithin(this.#second, { ms: 0 }).catch(() => undefined);
    return settled?.kind === "done" && !settled.value.done;
  }

  /** Yields every value, including those that were read in advance. */
  async *all(): AsyncGenerator<JsonItem> {
    for (const seen of [this.#first, this.#second]) {
      const item = await seen;
      if (item?.done) return;
      if (item) yield item.value;
    }
    yield* this.#items;
  }
}
