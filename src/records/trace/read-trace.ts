import { type ParseError, parseTree } from "jsonc-parser";
import { InputError } from "../../lib/errors.ts";
import { readUserFile } from "../../lib/files/read-file.ts";
import { isDeeperThan } from "../../lib/json.ts";
import { INCOMPLETE_VALUE, type JsonPiece, JsonSplitter } from "../../lib/json-stream/json-splitter.ts";
import { standardInput } from "../../lib/platform.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { type ReadSpans, readOtlpSpans, type TraceSpan } from "./otlp-spans.ts";

/** The spans of a file, and a line with its place for everything in it that could not be read. */
export interface ReadTrace {
  spans: TraceSpan[];
  problems: string[];
}

/** The limits of a trace. `spans` is what a page still opens with in a few seconds. */
const TRACE_LIMITS = { bytes: 256 * 1024 * 1024, spans: 200_000, depth: 100 } as const;

/** Further problems are only counted: a file of another kind has one on every line. */
const REPORTED_PROBLEMS = 20;

/** In a longer line, hooksh does not look for the column of a problem. */
const SCANNED_LINE = 1024 * 1024;

/** Reads a file; `-` is standard input. Throws a `UserError` if it cannot be read or is larger than 256 MiB. */
export async function readTraceBytes(path: string): Promise<Buffer> {
  return path === "-" ? readStandardInput() : readUserFile(path, { limit: TRACE_LIMITS.bytes });
}

/** The name of a file in messages. */
export function nameOf(path: string): string {
  return path === "-" ? "standard input" : path;
}

/**
 * Reads OTLP/JSON lines, or whole OTLP/JSON objects as other tools write them. A line that cannot be read is a problem,
 * `NAME:LINE:COLUMN: ...`, and reading continues after it.
 */
export function parseTrace(bytes: Uint8Array, name: string): ReadTrace {
  const spans: TraceSpan[] = [];
  const problems: string[] = [];
  let hidden = 0;
  const report = (line: number, column: () => number, problem: string) => {
    if (problems.length < REPORTED_PROBLEMS) problems.push(`${name}:${line}:${column()}: ${problem}`);
    else hidden++;
  };
  for (const piece of piecesOf(bytes)) {
    const { line } = piece;
    if (spans.length >= TRACE_LIMITS.spans) {
      problems.push(`${name}:${line}:1: the rest is left out: a view holds at most ${TRACE_LIMITS.spans} spans`);
      break;
    }
    if ("problem" in piece) report(line, () => columnOf(bytes, line), piece.problem);
    else {
      const read = spansOf(piece.value);
      for (const span of read.spans) spans.push(span);
      for (const problem of read.problems) report(line, () => 1, problem);
    }
  }
  if (hidden > 0) problems.push(`${name}: ${hidden} more problems`);
  return { spans: spans.slice(0, TRACE_LIMITS.spans), problems: problems.map(escapeControls) };
}

function spansOf(value: object): ReadSpans {
  if (!isDeeperThan(value, TRACE_LIMITS.depth)) return readOtlpSpans(value);
  return { spans: [], problems: [`nests deeper than ${TRACE_LIMITS.depth} levels`] };
}

function* piecesOf(bytes: Uint8Array): Generator<JsonPiece> {
  const splitter = new JsonSplitter();
  splitter.push(bytes);
  splitter.finish(INCOMPLETE_VALUE);
  for (let piece = splitter.next(); piece; piece = splitter.next()) yield piece;
}

/** The column, from 1, at which a line stops being JSON; 1 if the line alone does not show it. */
function columnOf(bytes: Uint8Array, line: number): number {
  const start = lineStart(bytes, line);
  const end = bytes.indexOf(LINE_FEED, start);
  const last = end < 0 ? bytes.length : end;
  if (last - start > SCANNED_LINE) return 1;
  const errors: ParseError[] = [];
  try {
    parseTree(new TextDecoder().decode(bytes.subarray(start, last)), errors, { disallowComments: true });
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    return 1; // nests so deep that the parser runs out of stack
  }
  return (errors[0]?.offset ?? 0) + 1;
}

const LINE_FEED = 0x0a;

function lineStart(bytes: Uint8Array, line: number): number {
  let start = 0;
  for (let number = 1; number < line; number++) start = bytes.indexOf(LINE_FEED, start) + 1;
  return start;
}

async function readStandardInput(): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of standardInput()) {
    chunks.push(chunk);
    size += chunk.length;
    if (size > TRACE_LIMITS.bytes) throw new InputError("standard input: larger than 256 MiB");
  }
  return Buffer.concat(chunks);
}
