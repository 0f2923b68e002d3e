import { isObject } from "../../lib/json.ts";
import { sha256 } from "../../lib/platform.ts";

/** The conditions that an event was tested with: a list that many events share. */
export interface ConditionSet {
  /** A digest of the keys. */
  id: string;
  keys: readonly string[];
  has: (key: string) => boolean;
}

/** What is kept of one event: no text of it. */
export interface Sight {
  /** Milliseconds since the epoch. */
  time: number;
  event: string;
  tool?: string;
  agent?: string;
  /** A digest of `tool_use_id`. */
  id?: string;
  /** A digest of the tool's input. */
  input?: string;
  /** How the call ended, on `post_tool_use`. */
  ok?: boolean;
  /** The conditions that it was tested with. */
  set: ConditionSet;
  /** Keys of the conditions that held certainly, and of those that held possibly. */
  certain: readonly string[];
  possible: readonly string[];
}

/** Makes a set of conditions from their keys. */
export function conditionSet(keys: readonly string[]): ConditionSet {
  const sorted = [...keys].sort();
  const all = new Set(sorted);
  return { id: sha256(sorted.join()).slice(0, 16), keys: sorted, has: (key) => all.has(key) };
}

/** A longer line is none of hooksh's. */
const MOST_LINE_LENGTH = 65_536;
const MOST_NAME_LENGTH = 200;

/** Returns a line of the store, without its end. */
export function lineOf(sight: Sight): string {
  const { time, event, tool, agent, id, input, ok, set, certain, possible } = sight;
  const places = (keys: readonly string[]) => (keys.length > 0 ? keys.map((key) => set.keys.indexOf(key)) : undefined);
  return JSON.stringify({
    time,
    event,
    tool: tool?.slice(0, MOST_NAME_LENGTH),
    agent: agent?.slice(0, MOST_NAME_LENGTH),
    id,
    input,
    ok,
    set: set.id,
    certain: places(certain),
    possible: places(possible),
  });
}

/** Reads a line of the store; undefined if it is damaged. `setOf` returns undefined for a set that is not known. */
export function readLine(line: string, setOf: (id: string) => ConditionSet | undefined): Sight | undefined {
  if (line.length > MOST_LINE_LENGTH) return undefined;
  let read: unknown;
  try {
    read = JSON.parse(line);
  } catch {
    return undefined;
  }
  if (!isObject(read)) return undefined;
  const { time, event, tool, agent, id, input, ok, set: name } = read;
  const isText = (value: unknown): value is string | undefined => value === undefined || typeof value === "string";
  if (typeof time !== "number" || typeof event !== "string" || typeof name !== "string") return undefined;
  if (!isText(tool) || !isText(agent) || !isText(id) || !isText(input)) return undefined;
  if (ok !== undefined && typeof ok !== "boolean") return undefined;
  const set = setOf(name);
  const certain = set && keysAt(set, read["certain"]);
  const possible = set && keysAt(set, read["possible"]);
  if (!set || !certain || !possible) return undefined;
  return {
    time,
    event,
    ...(tool === undefined ? {} : { tool }),
    ...(agent === undefined ? {} : { agent }),
    ...(id === undefined ? {} : { id }),
    ...(input === undefined ? {} : { input }),
    ...(ok === undefined ? {} : { ok }),
    set,
    certain,
    possible,
  };
}

const NONE: readonly string[] = [];

function keysAt(set: ConditionSet, places: unknown): readonly string[] | undefined {
  if (places === undefined) return NONE;
  if (!Array.isArray(places)) return undefined;
  const keys: string[] = [];
  for (const place of places) {
    const key = typeof place === "number" ? set.keys[place] : undefined;
    if (key === undefined) return undefined;
    keys.push(key);
  }
  return keys;
}
