import { join } from "node:path";
import { readRegularFileSync, unreadableFileError } from "../../lib/files/read-file.ts";
import { isObject } from "../../lib/json.ts";
import { appendLine, type Reached, readAdded, shorten } from "./session-file.ts";
import { type ConditionSet, conditionSet, lineOf, readLine, type Sight } from "./sight.ts";
import { removeIdle, writeOnce } from "./store-folder.ts";
import { MOST_AGE_MS, MOST_ENTRIES, Timeline } from "./timeline.ts";

/** What is known of a session, or why it is not known. */
export interface Known {
  timeline: Timeline;
  failed: string | undefined;
}

/** Keeps the events of one session. */
export interface SessionStore {
  /** Returns what is known now. Never throws. */
  read(): Known;
  /** Adds an event; returns why it could not be kept. Never throws. */
  add(sight: Sight): string | undefined;
}

/** A store that ends with its process. */
export function memoryStore(): SessionStore {
  const timeline = new Timeline();
  return {
    read: () => ({ timeline, failed: undefined }),
    add: (sight) => {
      timeline.add(sight);
      return undefined;
    },
  };
}

/** A file is shortened if it has more lines than this: a call has two. */
const MOST_LINES = 2.5 * MOST_ENTRIES;

/** A file that is never read is checked whenever it has grown by this. */
const STRIDE_BYTES = 8 * 1024 * 1024;

const MOST_SET_BYTES = 1024 * 1024;

/** A store in a folder that processes share. What was read stays in memory: later readings take only what was added. */
export class FileStore implements SessionStore {
  readonly #folder: string;
  readonly #path: string;
  #timeline = new Timeline();
  #reached: Reached | undefined;
  #lines = 0;
  #damaged: string | undefined;
  readonly #sets = new Map<string, ConditionSet>();
  /** Events that could not be written yet: without them the history has a gap. */
  #unwritten: Sight[] = [];

  constructor(folder: string, name: string) {
    this.#folder = folder;
    this.#path = join(folder, `${name}.jsonl`);
  }

  read(): Known {
    const unwritten = this.#writeAll();
    try {
      const { reached, isAnew, lines, isPartial } = readAdded(this.#path, this.#reached);
      if (isAnew) {
        this.#timeline = new Timeline();
        this.#lines = 0;
        this.#damaged = undefined;
      }
      for (const line of lines) this.#take(line);
      this.#reached = reached;
      const partial = isPartial ? this.#damage(this.#lines + 1) : undefined;
      return { timeline: this.#timeline, failed: this.#damaged ?? partial ?? unwritten };
    } catch (error) {
      return { timeline: this.#timeline, failed: problem(this.#path, error) };
    }
  }

  add(sight: Sight): string | undefined {
    this.#unwritten.push(sight);
    if (this.#unwritten.length > MOST_ENTRIES) this.#unwritten.shift();
    return this.#writeAll();
  }

  #writeAll(): string | undefined {
    try {
      for (let sight = this.#unwritten[0]; sight; sight = this.#unwritten[0]) {
        this.#write(sight);
        this.#unwritten.shift();
      }
      return undefined;
    } catch (error) {
      return problem(this.#path, error);
    }
  }

  #write(sight: Sight): void {
    const { set, time } = sight;
    writeOnce(this.#folder, setFile(set.id), JSON.stringify(set.keys));
    this.#sets.set(set.id, set);
    const { before, after } = appendLine(this.#path, lineOf(sight));
    if (before === 0) removeIdle(this.#folder, time);
    const isLong = this.#lines > MOST_LINES || Math.floor(before / STRIDE_BYTES) < Math.floor(after / STRIDE_BYTES);
    if (isLong) this.#shorten(time);
  }

  #shorten(now: number): void {
    this.#lines = 0;
    try {
      shorten(this.#folder, this.#path, (lines) => this.#withoutOldest(lines, now));
    } catch {
      // the file stays long: the event itself is written
    }
  }

  /** Returns the lines of what is kept; undefined if a line is damaged, because that must stay known. */
  #withoutOldest(lines: readonly string[], now: number): readonly string[] | undefined {
    const timeline = new Timeline();
    const read = lines.map((line) => readLine(line, (id) => this.#setOf(id)));
    const entries = read.flatMap((sight) => (sight ? [timeline.add(sight)] : []));
    if (entries.length < lines.length) return undefined;
    return lines.filter((_, at) => {
      const entry = entries[at];
      return entry && !entry.gone && now - entry.last.time <= MOST_AGE_MS;
    });
  }

  #take(line: string): void {
    this.#lines++;
    const sight = readLine(line, (id) => this.#setOf(id));
    if (sight) this.#timeline.add(sight);
    else this.#damaged ??= this.#damage(this.#lines);
  }

  #damage(line: number): string {
    return `cannot read the history: ${this.#path}: line ${line} is damaged`;
  }

  /** Returns a set by its digest; undefined if its file is missing or damaged. */
  #setOf(id: string): ConditionSet | undefined {
    const known = this.#sets.get(id);
    if (known) return known;
    const read = readSet(join(this.#folder, setFile(id)));
    if (read?.id !== id) return undefined;
    this.#sets.set(id, read);
    return read;
  }
}

function setFile(id: string): string {
  return `${id}.conditions`;
}

function readSet(path: string): ConditionSet | undefined {
  try {
    const keys: unknown = JSON.parse(readRegularFileSync(path, { limit: MOST_SET_BYTES }).toString("utf8"));
    return Array.isArray(keys) && keys.every((key) => typeof key === "string") ? conditionSet(keys) : undefined;
  } catch {
    return undefined;
  }
}

/** Says why the history cannot be used: `cannot use the history: PATH: REASON`. */
export function problem(path: string, error: unknown): string {
  const place = isObject(error) && typeof error["path"] === "string" ? error["path"] : path;
  return `cannot use the history: ${unreadableFileError(place, error).message}`;
}
