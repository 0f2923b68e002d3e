import type { HistoryAnswer } from "../history-view.ts";
import type { Rule } from "../rule.ts";
import { type CompiledPast, compileHistory } from "./past-conditions.ts";
import { type Entry, MOST_AGE_MS, type Moment, type Timeline } from "./timeline.ts";

/** The event that is judged. */
export interface Present {
  event: string;
  now: number;
  tool: string | undefined;
  /** The digest of the tool's input, if it was needed. */
  input: string | undefined;
  /** The entry of this very call, seen before on another event or by another process. */
  itself: Entry | undefined;
}

/** How doubt is taken. */
interface Reading {
  /** False for `allow`, which counts only what is certain. */
  restricts: boolean;
  /** Conditions that held possibly, and those that were not tested, count. */
  doubt: boolean;
  /** A call happened at its end rather than at its start. */
  late: boolean;
}

/** Answers from what is known of a session. Doubt never lifts a denial, and never allows. */
export function answerFrom(timeline: Timeline, rule: Rule, present: Present): HistoryAnswer {
  const { after, unlessAfter, counted } = compileHistory(rule);
  const restricts = rule.verdict !== "allow";
  const says: string[] = [];
  if (after) {
    const found = after.flatMap((past) => {
      const entry = latest(timeline, past, present, { restricts, doubt: restricts, late: restricts });
      return entry ? [{ past, entry }] : [];
    })[0];
    if (!found) return { truth: false, says: [] };
    says.push(`after ${describe(found.entry, found.past)}`);
  }
  if (unlessAfter) {
    const reading = { restricts, doubt: false, late: !restricts };
    const isLifted = unlessAfter.some((past) => latest(timeline, past, present, reading));
    if (isLifted) return { truth: false, says: [] };
    says.push(`not after ${unlessAfter.map(({ past }) => past.written).join(" or ")}`);
  }
  const { moreThan } = rule.history;
  if (!moreThan) return { truth: true, says };
  const reading = { restricts, doubt: restricts, late: restricts };
  const counting: CompiledPast = { ...counted(present.event), past: COUNTED, since: undefined };
  const candidates =
    moreThan.sameCall && present.input !== undefined
      ? timeline.sameCalls(present.tool, present.input)
      : timeline.candidates(counting.stage, counting.condition, reading.doubt);
  let count = 1;
  for (const entry of candidates) {
    if (entry === present.itself || !fits(entry, counting, present, reading)) continue;
    if (moreThan.per === undefined || present.now - momentOf(entry, reading.late).time <= moreThan.per) count++;
  }
  if (count <= moreThan.n) return { truth: false, says: [], count };
  says.push(
    `${count} calls in ${moreThan.per === undefined ? "this session" : (moreThan.perText ?? `${moreThan.per / 1000}s`)}`,
  );
  return { truth: true, says, count };
}

const COUNTED = { when: undefined, event: "tool calls", written: "" } as const;

/** Returns the latest entry that a description fits. */
function latest(timeline: Timeline, wanted: CompiledPast, present: Present, reading: Reading): Entry | undefined {
  const { past, stage, condition, since } = wanted;
  // What ends the time that counts is read the other way round.
  const opposite = { ...reading, doubt: reading.restricts && !reading.doubt, late: !reading.late };
  const bound = since && latest(timeline, since, present, opposite);
  const start = bound ? momentOf(bound, opposite.late).order : -1;
  let found: Entry | undefined;
  for (const entry of timeline.candidates(stage, condition, reading.doubt)) {
    if (entry === present.itself || entry === bound || !fits(entry, wanted, present, reading)) continue;
    const moment = momentOf(entry, reading.late);
    if (moment.order <= start) continue;
    if (past.within !== undefined && present.now - happened(entry, past.ok, reading).time > past.within) continue;
    if (!found || moment.order >= momentOf(found, reading.late).order) found = entry;
  }
  return found;
}

function fits(entry: Entry, { past, stage, condition }: CompiledPast, { now }: Present, { doubt }: Reading): boolean {
  if (now - entry.last.time > MOST_AGE_MS) return false;
  if (stage === "call" ? !entry.isCall : stage === "pre_tool_use" ? !entry.started : false) return false;
  if (stage === "post_tool_use" ? !entry.ended : stage !== "call" && stage !== "pre_tool_use" && entry.event !== stage)
    return false;
  if (past.ok !== undefined && (!entry.ended || entry.ok !== past.ok)) return false;
  if (!condition) return true;
  const isSure = entry.held.get(condition.key);
  if (isSure !== undefined) return isSure || doubt;
  return doubt && isUntested(entry, stage, condition.key);
}

/** True if no rule asked about the condition when the event happened, so that it is unknown whether it held. */
function isUntested(entry: Entry, stage: string, key: string): boolean {
  return !entry.tests.some(({ event, set }) => (stage === "call" || event === stage) && set.has(key));
}

function momentOf(entry: Entry, late: boolean): Moment {
  return late ? entry.last : entry.first;
}

/** With `ok`, a call happened when its result was seen. */
function happened(entry: Entry, ok: boolean | undefined, { late }: Reading): Moment {
  return (ok === undefined ? undefined : entry.ended) ?? momentOf(entry, late);
}

function describe(entry: Entry, { past, stage, condition }: CompiledPast): string {
  const name = entry.tool ?? entry.event;
  if (condition && isUntested(entry, stage, condition.key)) return `${name} (from before this rule was loaded)`;
  return past.written === "" ? name : `${name} (${past.written})`;
}
