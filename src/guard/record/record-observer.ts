import { closeSync, constants, fstatSync, mkdirSync, openSync, writeSync } from "node:fs";
import { dirname, join } from "node:path";
import { displayName } from "../../config/hooks/read-hooks.ts";
import { eventNamed } from "../../dialects/decode.ts";
import type { HostCall } from "../../dialects/dialect.ts";
import type { DispatchObserver, DispatchRecord } from "../../engine/dispatch-record.ts";
import { errorText, type Help } from "../../lib/errors.ts";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/platform.ts";
import { createCleaner } from "../capture/cleaner.ts";
import { recordingKey, recordingMarks } from "./recording-marks.ts";
import {
  type JudgedDispatch,
  originalsOf,
  summarizeVerdict,
  type VerdictSummary,
  withoutRedactions,
} from "./verdict-summary.ts";

const EVENT_NOT_RECORDED: Help = {
  cause: "The folder of `--record events:DIR` cannot be written. The verdict is not affected.",
  cure: "Free space, or correct the permissions of the folder.",
};

/** The most that one file holds, in bytes. */
const MAX_FILE = 64 * 1024 * 1024;

// Windows has neither flag. Without O_NONBLOCK, opening a FIFO waits for a reader, and the verdict with it; a FIFO can
// appear after the check that the file is a regular one.
const FLAGS =
  constants.O_WRONLY |
  constants.O_APPEND |
  constants.O_CREAT |
  (constants.O_NOFOLLOW ?? 0) |
  (constants.O_NONBLOCK ?? 0);

/** A larger event, with its verdict, is left out and noted; in UTF-16 units of its JSON text. */
const MAX_EVENT = 2 * 1024 * 1024;

export interface RecordOptions {
  /** The absolute path of the folder. */
  dir: string;
  /** The data directory, which holds the key of the marks. */
  dataDir: string;
  warn: (message: string) => void;
}

/**
 * Returns an observer that appends each event with its verdict to `DIR/SESSION.jsonl`, without private parts. The event
 * of another agent is one line, in the agent's fields, even if it is several events of hooksh. An error is reported once
 * and changes no verdict.
 */
export function recordObserver(options: RecordOptions): DispatchObserver {
  const reported = new Set<string>();
  const report = (problem: string) => {
    if (reported.has(problem) || reported.size >= MAX_REPORTS) return;
    reported.add(problem);
    options.warn(`--record events: ${problem}`);
  };
  const parts = new WeakMap<HostCall, JudgedDispatch[]>();
  let clean: Clean | undefined;
  return () => ({
    settled: (record) => {
      try {
        const draft = draftOf(record, parts);
        if (draft) write(draft, options.dir, (clean ??= openCleaner(options.dataDir)), report);
      } catch (error) {
        report(`events are not recorded: ${errorText(error)}`);
      }
      return undefined;
    },
  });
}

recordObserver.help = EVENT_NOT_RECORDED;

const MAX_REPORTS = 20;

type Clean = (value: unknown) => string;

function openCleaner(dataDir: string): Clean {
  return createCleaner(recordingMarks(recordingKey(join(dataDir, "recording.key"))));
}

/** A line before it is cleaned. `originals` are the parts that hooks rewrote, as they were before. */
interface Draft {
  session: string;
  name: string;
  line: { event: unknown; dialect?: string; host_event?: string; verdict: VerdictSummary };
  originals: ReturnType<typeof originalsOf>;
}

/** Returns undefined for the first parts of a host's event: the last one records them all. */
function draftOf(record: DispatchRecord, parts: WeakMap<HostCall, JudgedDispatch[]>): Draft | undefined {
  const { event, payload, result, runs, host } = record;
  // A guard of hooksh about a file that the host's event loaded: the host's event shows its effect.
  if (host && !host.events.some((one) => one.event === event)) return undefined;
  const by = runs.filter(({ decided }) => decided).map(({ hook }) => displayName(hook.entry.hook));
  const judged: JudgedDispatch = { event, payload, result, by };
  const dispatches = host ? [...(parts.get(host) ?? []), judged] : [judged];
  if (host) parts.set(host, dispatches);
  if (host && result.allowed && event !== host.events.at(-1)?.event) return undefined;
  return {
    session: String(payload["session_id"] ?? ""),
    name: host ? `${host.dialect.name} ${host.event}` : event,
    line: { ...(host ? hostLine(host) : { event: payload }), verdict: summarizeVerdict(dispatches) },
    originals: originalsOf(dispatches),
  };
}

function hostLine({ dialect, payload, event }: HostCall): Omit<Draft["line"], "verdict"> {
  const isNamed = eventNamed(dialect, payload) === event;
  return { event: payload, dialect: dialect.name, ...(isNamed ? {} : { host_event: event }) };
}

function write({ session, name, line, originals }: Draft, dir: string, clean: Clean, report: Report): void {
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

type Report = (problem: string) => void;

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
