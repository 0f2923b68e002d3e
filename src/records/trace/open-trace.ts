/**
 * Views of what was recorded: the audit log, statistics, traces. It changes none of them.
 *
 * @packageDocumentation
 */
import { basename } from "node:path";
import type { Directories, Env } from "../../lib/env.ts";
import { UsageError, UserError } from "../../lib/errors.ts";
import { sessionsOf, treesOfSession } from "./filter-spans.ts";
import { traceFiles } from "./find-trace.ts";
import type { TraceSpan } from "./otlp-spans.ts";
import { nameOf, parseTrace, type ReadTrace, readTraceBytes } from "./read-trace.ts";
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

const FROM_AUDIT =
  "this session was not traced: shown from the audit log, which holds only its hooks, and not when each started";

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
  return { title: path === "-" ? nameOf(path) : basename(path), roots: buildTrees(spans), notes: problems };
}

async function openSession(request: TraceRequest, session: string): Promise<OpenedTrace> {
  const files = await filesOf(request).catch((error: unknown) => {
    if (request.file === undefined && error instanceof UserError) return [];
    throw error;
  });
  const { spans, problems } = await spansMentioning(session, files);
  const trees = buildTrees(spans);
  const id = idOfSession(session, trees);
  if (id !== undefined) return { title: `session ${id}`, roots: treesOfSession(trees, id), notes: problems };
  if (request.file !== undefined) throw new UserError(`no trace of session ${session} in ${nameOf(request.file)}`);
  return openAudit(request.directories, session);
}

/** Reads the files that contain a text. A session that began before midnight is in two files. */
async function spansMentioning(text: string, files: readonly string[]): Promise<ReadTrace> {
  const spans: TraceSpan[] = [];
  const problems: string[] = [];
  for (const path of files.slice(0, SEARCHED_FILES)) {
    const bytes = await readTraceBytes(path);
    if (!bytes.includes(text)) continue;
    const read = parseTrace(bytes, nameOf(path));
    for (const span of read.spans) spans.push(span);
    problems.push(...read.problems);
  }
  return { spans, problems };
}

/** Returns the session whose id starts with a text. Throws a {@link UsageError} if there are several. */
function idOfSession(text: string, trees: readonly SpanNode[]): string | undefined {
  const found = sessionsOf(trees).filter((id) => id.startsWith(text));
  if (found.includes(text) || found.length < 2) return found.includes(text) ? text : found[0];
  throw new UsageError(`${text} is the start of ${found.length} sessions: ${found.join(", ")}`);
}

/** Shows a session that was not traced, from the audit log. */
async function openAudit(directories: Directories, session: string): Promise<OpenedTrace> {
  const { auditSpans } = await import("./audit-spans.ts");
  const trees = buildTrees(auditSpans(directories.data, session));
  const id = idOfSession(session, trees);
  if (id === undefined) throw new UserError(`session ${session} is neither in a trace nor in the audit log`);
  return { title: `session ${id}`, roots: treesOfSession(trees, id), notes: [FROM_AUDIT] };
}

async function filesOf({ file, env, directories }: TraceRequest): Promise<readonly string[]> {
  return file === undefined ? traceFiles(env, directories) : [file];
}
