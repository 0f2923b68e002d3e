import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { revealCharacters } from "../../../lib/text/reveal-characters.ts";
import { type DiffLine, diffLines } from "../../../lib/text/unified-diff.ts";
import type { TextChange } from "./file-change.ts";

/** A line of a diff as it is shown: escaped, with its number, and the part in which it differs from its counterpart. */
export type ChangeLine =
  | {
      kind: "same" | "removed" | "added";
      text: string;
      number: number | undefined;
      differs?: readonly [number, number];
    }
  | { kind: "note"; text: string };

type ShownLine = Exclude<ChangeLine, { kind: "note" }>;

const CONTEXT = 3;
/** The part that two lines share must be this long, or they are different lines and not two states of one. */
const SHARED_PART = 0.3;
const KINDS = { " ": "same", "-": "removed", "+": "added" } as const;

/** Returns the lines of a change with three lines around each difference; notes say what lies between. */
export function changeLines(change: TextChange): ChangeLine[] {
  const [before, after] = withCommonLineEnds(change);
  const lines = numbered(diffLines(before, after), change.isWhole);
  const changed = lines.flatMap(({ kind }, index) => (kind === "same" ? [] : [index]));
  if (before === after) return [{ kind: "note", text: "no change" }];
  markDifferences(lines);
  return [...aroundChanges(lines, changed), ...lastLineNote(before, after)];
}

/** Returns how many lines a change removes and adds. */
export function countChanges(lines: readonly ChangeLine[]): { removed: number; added: number } {
  const count = (kind: ChangeLine["kind"]) => lines.filter((line) => line.kind === kind).length;
  return { removed: count("removed"), added: count("added") };
}

/** Drops the carriage returns of texts that both end every line with CR LF; others are shown. */
function withCommonLineEnds({ before, after }: TextChange): [string | undefined, string] {
  const isWindows = (text: string) => text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
  const unix = (text: string) => text.replaceAll("\r\n", "\n");
  if (!isWindows(after) || (before !== undefined && !isWindows(before))) return [before, after];
  return [before === undefined ? undefined : unix(before), unix(after)];
}

function numbered(lines: readonly DiffLine[], isWhole: boolean): ShownLine[] {
  const next = { old: 1, new: 1 };
  return lines.map(({ mark, text }) => {
    const number = mark === "-" ? next.old : next.new;
    if (mark !== "+") next.old++;
    if (mark !== "-") next.new++;
    return { kind: KINDS[mark], text: shownText(text), number: isWhole ? number : undefined };
  });
}

/** Escapes control characters except tabs, and characters that a reader mistakes for others. */
function shownText(text: string): string {
  return revealCharacters(text.split("\t").map(escapeControls).join("\t"), "prose");
}

function aroundChanges(lines: readonly ShownLine[], changed: readonly number[]): ChangeLine[] {
  const shown: ChangeLine[] = [];
  let next = 0;
  const skipTo = (index: number) => {
    // A note in place of a single line would save nothing.
    if (index - next > 1) shown.push({ kind: "note", text: `⋮ ${index - next} unchanged lines` });
    else shown.push(...lines.slice(next, index));
    next = Math.max(next, index);
  };
  for (const index of changed) {
    if (index - CONTEXT > next) skipTo(index - CONTEXT);
    const end = Math.min(index + CONTEXT + 1, lines.length);
    shown.push(...lines.slice(next, end));
    next = Math.max(next, end);
  }
  if (changed.length > 0 && lines.length > next) skipTo(lines.length);
  return shown;
}

/** Says whether the text ends with a newline, which its lines do not show. */
function lastLineNote(before: string | undefined, after: string): ChangeLine[] {
  const isEnded = (text: string) => text === "" || text.endsWith("\n");
  if (isEnded(before ?? "") === isEnded(after)) return [];
  if (isEnded(after)) return [{ kind: "note", text: "now ends with a newline" }];
  return [{ kind: "note", text: before ? "no longer ends with a newline" : "does not end with a newline" }];
}

/** Marks in which part each removed line differs from the added line in its place, if they are alike. */
function markDifferences(lines: ShownLine[]): void {
  for (let at = 0; at < lines.length; at++) {
    const removed = runOf(lines, at, "removed");
    const added = runOf(lines, at + removed, "added");
    for (let index = 0; index < Math.min(removed, added); index++) {
      markPair(lines[at + index], lines[at + removed + index]);
    }
    at += removed + added;
  }
}

function runOf(lines: readonly ShownLine[], from: number, kind: ShownLine["kind"]): number {
  let end = from;
  while (lines[end]?.kind === kind) end++;
  return end - from;
}

function markPair(removed: ShownLine | undefined, added: ShownLine | undefined): void {
  if (!removed || !added) return;
  const [old, now] = [wordsOf(removed.text), wordsOf(added.text)];
  let start = 0;
  while (start < old.length && start < now.length && old[start] === now[start]) start++;
  let end = 0;
  while (end < Math.min(old.length, now.length) - start && old.at(-1 - end) === now.at(-1 - end)) end++;
  const startLength = lengthOf(old.slice(0, start));
  const endLength = lengthOf(old.slice(old.length - end));
  if (startLength + endLength < Math.max(removed.text.length, added.text.length) * SHARED_PART) return;
  removed.differs = [startLength, removed.text.length - endLength];
  added.differs = [startLength, added.text.length - endLength];
}

function wordsOf(text: string): string[] {
  return text.match(/[\p{L}\p{N}\p{M}_]+|\s+|[^\p{L}\p{N}\p{M}_\s]\p{M}*/gu) ?? [];
}

function lengthOf(words: readonly string[]): number {
  return words.reduce((sum, word) => sum + word.length, 0);
}
