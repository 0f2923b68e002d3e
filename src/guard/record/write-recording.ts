import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/platform.ts";
import { createCleaner } from "../capture/cleaner.ts";
import { recordingKey, recordingMarks } from "./recording-marks.ts";
import { type originalsOf, type VerdictSummary, withoutRedactions } from "./verdict-summary.ts";

/** The most that one file holds, in bytes. */
const MAX_FILE = 64 * 1024 * 1024;

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a reader; a FIFO can appear after the check that
// the file is a regular one.
const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** A larger event, with its verdict, is left out and noted; in UTF-16 units of its JSON text. */
const MAX_EVENT = 2 * 1024 * 1024;

type Clean = (value: unknown) => string;

/** Where events are recorded. */
export interface Recording {
  /** The absolute path of the folder. */
  dir: string;
  /** The data directory, which holds the key of the marks. */
  dataDir: string;
}

/** A line before it is cleaned. `originals` are the parts that hooks rewrote, as they were before. */
export interface Draft {
  session: string;
  name: string;
  line: { event: unknown; dialect?: string; host_event?: string; verdict: VerdictSummary };
  originals: ReturnType<typeof originalsOf>;
}

const cleaners = new Map<string, Clean>();

function cleanerFor(dataDir: string): Clean {
  const clean = cleaners.get(dataDir) ?? createCleaner(recordingMarks(recordingKey(join(dataDir, "recording.key"))));
  cleaners.set(dataDir, clean);
  return clean;
}

/** Appends a line to the file of its session. Reports an event that is left out. Throws if the line cannot be written. */
export function writeRecorded(
  { session, name, line, originals }: Draft,
  { dir, dataDir }: Recording,
  report: (problem: string) => void,
): void {
  const clean = cleanerFor(dataDir);
  const file = join(dir, sessionFile(JSON.parse(clean(session)) as string));
  if (JSON.stringify(line).length > MAX_EVENT) {
    const { dialect, host_event: hostEvent } = line;
    report(`${file}: a ${name} event is larger than 2 MiB and left out`);
    return appendLine(
      file,
      JSON.stringify({ event: {}, dialect, host_event: hostEvent, omitted: `${name}: larger than 2 MiB` }),
    );
  }
  appendLine(file, cleanLine(line, originals, clean));
}

/** The rewritten parts are compared after cleaning: a rewrite that took out secrets is then no rewrite. */
function cleanLine(line: Draft["line"], originals: Draft["originals"], clean: Clean): string {
  const rewritten = Object.entries(originals).filter(([part]) => part in line.verdict);
  if (rewritten.length === 0) return clean(line);
  const cleaned = JSON.parse(clean({ line, originals: Object.fromEntries(rewritten) })) as {
    line: Draft["line"];
    originals: Draft["originals"];
  };
  return JSON.stringify({ ...cleaned.line, verdict: withoutRedactions(cleaned.line.verdict, cleaned.originals) });
}

/** The name of a session's file. An id can be any text, so one that is not safe is shown in part, with its digest. */
export function sessionFile(session: string): string {
  const safe = session
    .replaceAll(/[^\w.-]+/g, "_")
    .replace(/^[.-]+/, "_")
    .slice(0, 100);
  return safe === session && safe !== ""
    ? `${safe}.jsonl`
    : `${safe || "session"}-${sha256(session).slice(0, 8)}.jsonl`;
}

/**
 * Appends a line to a file with one write, so that the lines of several processes do not mix. Creates the file and its
 * folder for their owner only. Throws if the line cannot be written completely, or the file would grow beyond 64 MiB.
 */
function appendLine(file: string, line: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const bytes = Buffer.from(`${line}\n`);
  requireRegularIfExists(file);
  const descriptor = openSync(file, FLAGS, 0o600);
  try {
    if (fstatSync(descriptor).size + bytes.length > MAX_FILE) throw new Error(`${file}: holds 64 MiB already`);
    const written = writeSync(descriptor, bytes);
    if (written === bytes.length) return;
    writeSync(descriptor, "\n"); // ends the broken line, so that the next one can be read
    throw new Error(`${file}: only ${written} of ${bytes.length} bytes could be written`);
  } finally {
    closeSync(descriptor);
  }
}
