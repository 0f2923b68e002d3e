import { basename } from "node:path";
import type { Directories, Env } from "../../lib/env.ts";
import { UsageError, UserError } from "../../lib/errors.ts";
import { sessionsOf, treesOfSession } from "./filter-spans.ts";
import { traceFiles } from "./find-trace.ts";
import type { TraceSpan } from "./otlp-spans.ts";
import { nameOf, parseTrace, readTraceBytes } from "./read-trace.ts";
import { buildTrees, type SpanNode } from "./span-tree.ts";

/** A trace to show. */
export interface OpenedTrace {
  /** The name of the file, or of the session. */
  title: string;
  roots: readonly SpanNode[];
  /** A line for everything that could not be read or is left out. */
  notes: readonly string[];
}

/** The trace that a user asks for. */
export interface TraceRequest {
  /** `-` is standard input. If absent, the trace is looked for where hooksh writes traces. */
  file: string | undefined;
  /** The id of a session, or at least the first 6 characters of it. */
  session: string | undefined;
  env: Env;
  directories: Directories;
}

/** A shorter id may belong to several sessions by chance. */
const SHORTEST_SESSION = 6;

/** Of the files in the data directory, one for each day, this many are searched for a session. */
const SEARCHED_FILES = 100;

/** Finds and reads a trace. Throws a `UserError` if there is none, or none of the session. */
export async function openTrace(request: TraceRequest): Promise<OpenedTrace> {
  const { session } = request;
  if (session === undefined) {
    const [file] = await filesOf(request);
    return openFile(file ?? "-");
  }
  if (session.length < SHORTEST_SESSION)
    throw new UsageError(`--session takes an id, or at least its first ${SHORTEST_SESSION} characters`);
  return openSession(request, session);
}

async function openFile(path: string): Promise<OpenedTrace> {
  const { spans, problems } = parseTrace(await readTraceBytes(path), nameOf(path));
  return { title: titleOf(path), roots: buildTrees(spans), notes: problems };
}

async function openSession(request: TraceRequest, session: string): Promise<OpenedTrace> {
  const spans: TraceSpan[] = [];
  const notes: string[] = [];
  const files = await filesOf(request);
  for (const path of files.slice(0, SEARCHED_FILES)) {
    const bytes = await readTraceBytes(path);
    if (!bytes.includes(session)) continue;
    const read = parseTrace(bytes, nameOf(path));
    // A session that began before midnight is in two files.
    for (const span of read.spans) spans.push(span);
    notes.push(...read.problems);
  }
  const trees = buildTrees(spans);
  const found = sessionsOf(trees).filter((id) => id.startsWith(session));
  const [id] = found;
  if (found.length > 1)
    throw new UsageError(`${session} is the start of ${found.length} sessions: ${found.join(", ")}`);
  if (id === undefined) throw new UserError(`no trace of session ${session} in ${files.map(nameOf).join(", ")}`);
  return { title: `session ${id}`, roots: treesOfSession(trees, id), notes };
}

async function filesOf({ file, env, directories }: TraceRequest): Promise<readonly string[]> {
  if (file !== undefined) return [file];
  return traceFiles({ env, setting: undefined, directories });
}

function titleOf(path: string): string {
  return path === "-" ? nameOf(path) : basename(path);
}
