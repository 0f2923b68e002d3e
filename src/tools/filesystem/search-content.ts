import { stat } from "node:fs/promises";
import { basename } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { readRegularFile } from "../../lib/files/read-file.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import type { Access } from "./access.ts";
import { type Entry, requireDirectory, visibleEntries } from "./entries.ts";
import { type Place, pathWithin } from "./paths.ts";
import type { Patterns } from "./patterns.ts";
import type { HiddenByVcs } from "./vcs.ts";

const MAX_FILE_BYTES = 10 * 1024 * 1024;
const MAX_OUTPUT_BYTES = 1024 * 1024;
const MAX_LINE_CHARACTERS = 100;
const BINARY_PROBE_BYTES = 512;
const TIME_LIMIT_MS = 30_000;

export interface SearchRequest {
  place: Place;
  query: string;
  isRegex: boolean;
  /** Paths to leave out, relative to `place`. */
  exclude: Patterns;
  access: Access;
  hiddenByVcs: HiddenByVcs;
  signal: AbortSignal;
}

type FindMatch = (line: string) => { start: number; length: number } | undefined;

/**
 * Returns the first match of every line, one per line: `file:line:column: text`. Throws a {@link UserError} if the
 * query is empty or not a valid regular expression.
 */
export async function searchContent(request: SearchRequest): Promise<string> {
  const find = matcherOf(request.query, request.isRegex);
  const found: string[] = [];
  let bytes = 0;
  const deadline = Date.now() + TIME_LIMIT_MS;
  for await (const file of filesOf(request)) {
    if (request.signal.aborted) throw new UserError("the search was cancelled");
    const content = await readSearchable(file.real);
    if (content === undefined) continue;
    const shown = pathWithin(request.access.workingDir, file.path) ?? file.path;
    for (const line of matchesIn(content, find, deadline)) {
      found.push(`${shown}:${line}`);
      bytes += Buffer.byteLength(shown) + Buffer.byteLength(line) + 2;
      if (bytes <= MAX_OUTPUT_BYTES) continue;
      return `${cutBytes(found.join("\n"), MAX_OUTPUT_BYTES)}\n... (more matches not shown)`;
    }
  }
  return found.join("\n") || "No results found";
}

function matcherOf(query: string, isRegex: boolean): FindMatch {
  if (query === "") throw new UserError("query is empty");
  if (!isRegex) {
    return (line) => {
      const start = line.indexOf(query);
      return start < 0 ? undefined : { start, length: query.length };
    };
  }
  const pattern = compile(query);
  return (line) => {
    const match = pattern.exec(line);
    return match ? { start: match.index, length: match[0].length } : undefined;
  };
}

/** Treats a leading `(?i)`, which models know from other languages, as the flag. */
function compile(query: string): RegExp {
  try {
    return query.startsWith("(?i)") ? new RegExp(query.slice(4), "iu") : new RegExp(query, "u");
  } catch {
    try {
      return new RegExp(query); // unnecessary escapes are an error only with the u flag
    } catch (error) {
      throw new UserError(`query is not a regular expression: ${errorText(error)}`, { cause: error });
    }
  }
}

async function* filesOf(request: SearchRequest): AsyncGenerator<Place> {
  const { place, exclude, access, hiddenByVcs } = request;
  if (await isFile(place)) {
    if (exclude.judge(basename(place.path), false) !== "ignored") yield place;
    return;
  }
  await requireDirectory(place);
  const isExcluded = (entry: Entry) =>
    exclude.judge(pathWithin(place.path, entry.path) ?? entry.name, entry.kind === "directory") === "ignored";
  const open: Place[] = [place];
  for (let directory = open.pop(); directory; directory = open.pop()) {
    const entries = await visibleEntries(directory, access, hiddenByVcs).catch(() => []); // unreadable: nothing to search
    const kept = entries.filter((entry) => !isExcluded(entry));
    yield* kept.filter(({ kind }) => kind === "file");
    open.push(...kept.filter(({ kind }) => kind === "directory").reverse());
  }
}

async function isFile(place: Place): Promise<boolean> {
  return stat(place.real).then(
    (found) => found.isFile(),
    () => false,
  );
}

/** Reads a text file; undefined if it is binary, too large, or cannot be read. */
async function readSearchable(path: string): Promise<string | undefined> {
  try {
    const beginning = await readRegularFile(path, { limit: BINARY_PROBE_BYTES, over: "cut" });
    if (beginning.includes(0)) return undefined;
    return (await readRegularFile(path, { limit: MAX_FILE_BYTES })).toString("utf8");
  } catch {
    return undefined; // deleted or changed in the meantime
  }
}

function* matchesIn(content: string, find: FindMatch, deadline: number): Generator<string> {
  let number = 0;
  for (const raw of content.split("\n")) {
    // An expression that backtracks can cost a fraction of a second on each line.
    if (Date.now() > deadline) throw new UserError(`the search took longer than ${TIME_LIMIT_MS / 1000} seconds`);
    number++;
    const line = raw.endsWith("\r") ? raw.slice(0, -1) : raw;
    const match = find(line);
    if (match) yield `${number}:${match.start + 1}: ${cutAround(line, match.start, match.length)}`;
  }
}

/** Cuts a line to 100 characters with the match in the middle. */
function cutAround(line: string, start: number, length: number): string {
  if (line.length <= MAX_LINE_CHARACTERS) return line;
  const spare = Math.max(0, MAX_LINE_CHARACTERS - length);
  const from = Math.max(0, Math.min(start - Math.floor(spare / 2), line.length - MAX_LINE_CHARACTERS));
  const to = from + MAX_LINE_CHARACTERS;
  return `${from > 0 ? "..." : ""}${line.slice(from, to)}${to < line.length ? "..." : ""}`;
}
