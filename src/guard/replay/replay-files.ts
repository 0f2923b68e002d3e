import { homeDirectory } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import type { OpenHooks } from "../dispatch/open-hooks.ts";
import type { VerdictSummary } from "../record/verdict-summary.ts";
import { compareVerdicts, type VerdictChange } from "./compare-verdicts.ts";
import { type EventLabel, labelOf } from "./describe-event.ts";
import { recordedJudge } from "./judge-recorded.ts";
import { isBroken, isOmitted, readRecording } from "./read-recording.ts";
import type { RecordedEvent } from "./recorded-event.ts";
import type { RecordingFile } from "./recording-files.ts";

export interface ReplayOptions {
  /** The hooks whose verdicts count as new. */
  after: OpenHooks;
  /** The hooks whose verdicts count as old; by default the recorded verdicts do. */
  before: OpenHooks | undefined;
  workingDir: string;
  /** Compares reasons and contexts too. */
  texts: boolean;
  /** How many files are replayed at the same time. */
  jobs: number;
  signal: AbortSignal;
}

/** An event whose verdict changed. */
export interface ChangedEvent extends VerdictChange, EventLabel {
  file: string;
  line: number;
}

/** What a replay found, in the order of the files. */
export interface ReplayOutcome {
  /** The number of events that were compared. */
  events: number;
  changes: ChangedEvent[];
  /** Lines that could not be read and events that could not be judged, each with its place. */
  problems: string[];
  /** Places of events without a verdict to compare with. */
  unjudged: string[];
  /** Places of events that were too large to be recorded. */
  omitted: string[];
}

/** The longest text of a call in an outcome, in characters. */
const MAX_CALL = 100;

/** Judges every event of the files and compares the verdicts. The events of a file are judged in order. */
export async function replayFiles(files: readonly RecordingFile[], options: ReplayOptions): Promise<ReplayOutcome> {
  const outcomes = new Array<ReplayOutcome>(files.length);
  const waiting = [...files.entries()];
  const work = async () => {
    for (let next = waiting.shift(); next && !options.signal.aborted; next = waiting.shift()) {
      outcomes[next[0]] = await replayFile(next[1], options);
    }
  };
  await Promise.all(Array.from({ length: options.jobs }, work));
  return outcomes.reduce(merged, emptyOutcome());
}

function emptyOutcome(): ReplayOutcome {
  return { events: 0, changes: [], problems: [], unjudged: [], omitted: [] };
}

function merged(all: ReplayOutcome, one: ReplayOutcome): ReplayOutcome {
  return {
    events: all.events + one.events,
    changes: [...all.changes, ...one.changes],
    problems: [...all.problems, ...one.problems],
    unjudged: [...all.unjudged, ...one.unjudged],
    omitted: [...all.omitted, ...one.omitted],
  };
}

type Judge = (event: RecordedEvent) => Promise<VerdictSummary>;

async function replayFile(file: RecordingFile, options: ReplayOptions): Promise<ReplayOutcome> {
  const { after, before, workingDir, signal } = options;
  const judgeWith = ({ executor }: OpenHooks): Judge =>
    recordedJudge({ executor, workingDir, home: homeDirectory(), signal });
  const judges = { after: judgeWith(after), before: before && judgeWith(before) };
  const outcome = emptyOutcome();
  for (const item of await readRecording(file)) {
    if (signal.aborted) break;
    if (isBroken(item)) outcome.problems.push(item.problem);
    else if (isOmitted(item)) outcome.omitted.push(`${item.file}:${item.line}: ${item.omitted}`);
    else await replayEvent(item, judges, outcome, options.texts);
  }
  return outcome;
}

/** Events without an old verdict are judged too, because later events of the session may depend on them. */
async function replayEvent(
  event: RecordedEvent,
  judges: { after: Judge; before: Judge | undefined },
  outcome: ReplayOutcome,
  texts: boolean,
): Promise<void> {
  const { file, line } = event;
  try {
    const after = await judges.after(event);
    const before = judges.before ? await judges.before(event) : event.verdict;
    if (before === undefined) return void outcome.unjudged.push(`${file}:${line}`);
    outcome.events++;
    const change = compareVerdicts(before, after, { texts });
    if (change) outcome.changes.push({ file, line, ...(await labelOf(event, MAX_CALL)), ...change });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    outcome.problems.push(error.message);
  }
}
