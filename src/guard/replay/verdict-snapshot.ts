import { basename } from "node:path";
import { Document as YamlDocument } from "yaml";
import {
  type Document,
  type Problem,
  problemsError,
  readDocument,
  renderProblems,
} from "../../config/yaml/document.ts";
import { ConfigError } from "../../lib/errors.ts";
import { isObject, omitEmpty } from "../../lib/json.ts";
import { PART_NAMES, readVerdict, type VerdictSummary } from "../record/verdict-summary.ts";
import { labelOf, labelText } from "./describe-event.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/** The longest text of a call in a key, in characters. */
const MAX_CALL = 100;

/** The part of a verdict that a snapshot holds: reasons and notices may differ between machines. */
export type SnapshotVerdict = Pick<VerdictSummary, "decision" | "by" | "context" | (typeof PART_NAMES)[number]>;

/** The verdicts of recorded events, by a readable key that does not depend on the line of the event. */
export type VerdictSnapshot = ReadonlyMap<string, SnapshotVerdict>;

/** A snapshot file as read; `problem` formats a message about an entry, with its place. */
export interface SnapshotFile {
  verdicts: VerdictSnapshot;
  problem: (key: string, message: string) => Promise<string>;
}

export interface JudgedEvent {
  event: RecordedEvent;
  verdict: VerdictSummary;
}

/**
 * Returns the key of each event: file, event, tool and call, such as `s1.jsonl pre_tool_use shell: git push`, with a number
 * if it repeats.
 */
export async function snapshotKeys(events: readonly RecordedEvent[]): Promise<string[]> {
  const seen = new Map<string, number>();
  const labels = await Promise.all(events.map((event) => labelOf(event, MAX_CALL)));
  return labels.map((label, index) => {
    const key = `${basename(events[index]?.file ?? "")} ${labelText(label)}`;
    const count = (seen.get(key) ?? 0) + 1;
    seen.set(key, count);
    return count === 1 ? key : `${key} #${count}`;
  });
}

/** Returns the text of a snapshot file: YAML, sorted, the same for the same verdicts. */
export async function snapshotText(judged: readonly JudgedEvent[]): Promise<string> {
  const keys = await snapshotKeys(judged.map(({ event }) => event));
  const entries = judged.map(({ verdict }, index) => [keys[index] ?? "", snapshotVerdict(verdict)] as const);
  const sorted = entries.toSorted(([a], [b]) => (a < b ? -1 : 1));
  return new YamlDocument(Object.fromEntries(sorted)).toString({ lineWidth: 0 });
}

/** Reads a snapshot file. Throws a {@link ConfigError} with the place of each problem. */
export async function readSnapshot(path: string, displayName: string = path): Promise<SnapshotFile> {
  return snapshotOf(await readDocument(path, displayName));
}

export function snapshotVerdict({ decision, by, context, ...rest }: VerdictSummary): SnapshotVerdict {
  const parts = PART_NAMES.filter((part) => rest[part] !== undefined).map((part) => [part, rest[part]] as const);
  return { decision, ...omitEmpty({ by, context }), ...Object.fromEntries(parts) };
}

async function snapshotOf(document: Document): Promise<SnapshotFile> {
  const { value } = document;
  const fail = async (problems: Problem[]) => {
    throw await problemsError(document, problems);
  };
  if (value !== null && value !== undefined && !isObject(value))
    return fail([{ path: [], message: "expected a mapping of events to verdicts" }]);
  const problems: Problem[] = [];
  const verdicts = new Map<string, SnapshotVerdict>();
  for (const [key, verdict] of Object.entries(value ?? {})) {
    const read = isObject(verdict) ? readVerdict(verdict) : "expected a verdict, such as {decision: deny}";
    if (typeof read === "string") problems.push({ path: [key], message: read });
    else verdicts.set(key, snapshotVerdict(read));
  }
  if (problems.length > 0) return fail(problems);
  const problem = async (key: string, message: string) =>
    (await renderProblems(document, [{ path: [key], message, printedPath: [], at: "key" }]))[0] ?? message;
  return { verdicts, problem };
}
