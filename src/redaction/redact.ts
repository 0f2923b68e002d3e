/**
 * Finds and replaces secrets. It knows no event and no tool, so any text can pass it.
 *
 * @packageDocumentation
 */
import { once } from "../lib/once.ts";
import {
  isInsideRedactionMark,
  labelledRedactionMark,
  REDACTION_MARK,
  REDACTION_MARK_START,
} from "../lib/secrets/redaction-mark.ts";
import { compileWords, findAssigned } from "./assignment.ts";
import { ESCAPE_STARTS, findDecoded, MAIL_SIGNS, noteEscape, noteMail, noteName, type Window } from "./decoded.ts";
import { findEncoded } from "./generic/encoded.ts";
import { GENERIC_FINDERS } from "./generic/find-generic.ts";
import { KEY_FINDERS, KEY_KINDS } from "./keys/find-keys.ts";
import { KEY_IDS } from "./keys/frames.ts";
import { extendIndex, indexKeywords, type Keyword, type KeywordIndex, searchKeywords } from "./keywords.ts";
import { ASSIGNED_RULES } from "./kinds/assigned.ts";
import { SECRET_RULES } from "./kinds/kinds.ts";
import { findKnown, KNOWN_VALUE, spellingsInLines, spellingsOf } from "./known-values.ts";
import { findLink, findOracleLink, LINK_ANCHOR, LINK_KINDS, ORACLE_ANCHOR, OTHER_LINK_ID } from "./links.ts";
import { type Found, type GenericLevel, Scan } from "./scan.ts";
import { compileRule, followerOf, tryRule } from "./secret-pattern.ts";
import { settledLength } from "./settled.ts";

export { SECRET_KINDS, SECRET_RULES } from "./kinds/kinds.ts";
export type { Found, GenericLevel } from "./scan.ts";

type Finder = (scan: Scan, start: number, end: number) => void;

const INDEX = indexKeywords(allKeywords());

/** What a {@link Redactor} looks for, and how it marks it. */
export interface RedactionOptions {
  /** `on` by default. */
  generic?: GenericLevel | undefined;
  /** Marks name the kind of secret that they replace. Off by default. */
  label?: boolean | undefined;
  /** Values that are secrets anywhere in a text. */
  known?: readonly string[] | undefined;
}

/** Finds and replaces secrets under fixed options. */
export interface Redactor {
  /**
   * The secrets of a text, in order. Overlapping ones are merged under the most specific of their kinds; secrets that
   * only touch stay apart.
   */
  find: (text: string) => Found[];
  /**
   * The text with every secret replaced by a mark; the same string if it holds none. Redacting twice equals once. Valid
   * JSON stays valid. Takes time linear in the text. Never throws.
   *
   * A secret is known by its pattern, or by its place, such as the name it is assigned to. One that is split or
   * encrypted is not found.
   */
  redact: (text: string, tally?: Tally) => string;
  /** The length of the lines of a text that are settled: see {@link settledLength}. */
  settled: (lines: string) => number;
}

/** Called with the kind of each secret that is replaced. */
export type Tally = (kind: string) => void;

/** A {@link Redactor} for these options. All redactors share one index of keywords. */
export function createRedactor({ generic = "on", label = false, known = [] }: RedactionOptions = {}): Redactor {
  let hits = 0;
  const onHit = (): void => void hits++;
  const index =
    known.length === 0
      ? INDEX
      : extendIndex(
          INDEX,
          known.flatMap((value) => knownKeywords(value, generic, onHit)),
        );
  const search = (text: string): Search => {
    const before = hits;
    const { found, mayHideMore } = searchIn(text, index, generic, DEEPEST);
    return { found, mayHideMore: mayHideMore || hits > before };
  };
  const find = (text: string): Found[] => findAll(text, label, search);
  const inLines = known.flatMap(spellingsInLines);
  return {
    find,
    settled: (lines) => settledLength(lines, inLines),
    redact: (text, tally) => {
      const found = find(text);
      if (tally) for (const { kind } of found) tally(kind);
      return replaceFound(text, found, label);
    },
  };
}

/** {@link Redactor.find} and {@link Redactor.redact} under default options. */
export const { find: findSecrets, redact: redactText } = createRedactor();

/** Replaces each secret with a mark, which names its kind if `label` is set. */
export function replaceFound(text: string, found: readonly Found[], label: boolean): string {
  if (found.length === 0) return text;
  let redacted = "";
  let from = 0;
  for (const { start, end, kind } of found) {
    redacted += text.slice(from, start) + (label ? labelledRedactionMark(kind) : REDACTION_MARK);
    from = end;
  }
  return redacted + text.slice(from);
}

/** How often decoded text is decoded again. Nested escapes of one kind count as one, so few texts need it. */
const DEEPEST = 3;

interface Search {
  found: Found[];
  /**
   * A secret was found in decoded text, or a known value, or a private key: a second search, with marks for secrets, may
   * find more.
   */
  mayHideMore: boolean;
}

/** One round was enough for each of a million random texts; the others are a margin. */
const MOST_ROUNDS = 4;

/**
 * Searches a text, then searches it again with marks in place of what was found. A mark is an edge: it can reveal a
 * secret that touched a known value or, in decoded text, another secret, and the lines of a key around another key.
 */
function findAll(text: string, label: boolean, search: (text: string) => Search): Found[] {
  let { found, mayHideMore } = search(text);
  for (let round = 0; mayHideMore && found.length > 0 && round < MOST_ROUNDS; round++) {
    const more = search(replaceFound(text, found, label)).found;
    if (more.length === 0) break;
    found = merge([...found, ...withoutMarks(more, found, label)]);
  }
  return found;
}

/** Maps places in a text with marks to places in the text before the marks were put in. */
function withoutMarks(places: readonly Found[], marked: readonly Found[], label: boolean): Found[] {
  let next = 0;
  let shift = 0;
  const before = (at: number): number => {
    for (let mark = marked[next]; mark && mark.start - shift < at; mark = marked[++next]) {
      const length = label ? labelledRedactionMark(mark.kind).length : REDACTION_MARK.length;
      if (mark.start - shift + length > at) return mark.end;
      shift += mark.end - mark.start - length;
    }
    return at + shift;
  };
  return places.map(({ kind, start, end }) => ({ kind, start: before(start), end: before(end) }));
}

function findIn(text: string, index: KeywordIndex<Finder>, generic: GenericLevel, depth: number): Found[] {
  return searchIn(text, index, generic, depth).found;
}

function searchIn(text: string, index: KeywordIndex<Finder>, generic: GenericLevel, depth: number): Search {
  const scan = new Scan(text, generic);
  // The kind in a mark is not a name to which a value is assigned.
  const isMarked = text.includes(`${REDACTION_MARK_START}:`);
  scan.bits = searchKeywords(text, index, (finder, start, end) => {
    if (!isMarked || !isInsideRedactionMark(text, start)) finder(scan, start, end);
  });
  scan.settle();
  if (depth > 0 && generic !== "off") findEncoded(scan, (decoded) => findIn(decoded, index, generic, depth - 1));
  for (const each of scan.found) spareEscapes(text, each);
  const parts = depth > 0 ? findDecoded(scan, (decoded) => findIn(decoded, index, generic, depth - 1)) : [];
  const found = merge(scan.found.filter((each) => !isSpared(scan, each)));
  return { found, mayHideMore: overlap(found, parts) || found.some(({ kind }) => KEY_KINDS.includes(kind)) };
}

/** True if nothing is left of a secret, or if it is the end of a key that stays, which a decoded part showed without its start. */
function isSpared({ spared }: Scan, { kind, start, end }: Found): boolean {
  if (end <= start) return true;
  return kind === KEY_IDS.cut && spared.some((key) => key.start <= start && end <= key.end);
}

/** True if a secret lies in one of the parts, or touches it; both are in order. */
function overlap(found: readonly Found[], parts: readonly Window[]): boolean {
  let next = 0;
  return found.some(({ start, end }) => {
    while (next < parts.length && (parts[next]?.to ?? 0) < start) next++;
    return next < parts.length && (parts[next]?.from ?? 0) <= end;
  });
}

const BACKSLASH = 0x5c;

/**
 * Moves the ends of a secret out of escapes that they would cut, so that the JSON or source code around it stays valid:
 * in `\npm_…` the first two characters are a line end.
 */
function spareEscapes(text: string, found: Found): void {
  found.start = escapeEnd(text, found.start);
  found.end = escapeEnd(text, found.end);
}

/** The end of the escape around `at`; `at` itself if it is not inside one. */
function escapeEnd(text: string, at: number): number {
  for (let from = at - 1; from >= at - 5; from--) {
    if (text.charCodeAt(from) !== BACKSLASH) continue;
    let first = from;
    while (text.charCodeAt(first - 1) === BACKSLASH) first--;
    const isEscaped = (from - first) % 2 === 1;
    const length = isEscaped ? 1 : escapeLength(text, from);
    return Math.max(at, from + length);
  }
  return at;
}

function escapeLength(text: string, at: number): number {
  if (/^\\u[0-9a-fA-F]{4}/.test(text.slice(at, at + 6))) return 6;
  return /["\\/bfnrt]/.test(text.charAt(at + 1)) ? 2 : 1;
}

function merge(found: Found[]): Found[] {
  const merged: Found[] = [];
  for (const each of found.sort((a, b) => a.start - b.start || b.end - a.end)) {
    const last = merged.at(-1);
    if (last && each.start < last.end) {
      last.end = Math.max(last.end, each.end);
      if (vagueness(each.kind) < vagueness(last.kind)) last.kind = each.kind;
    } else merged.push(each);
  }
  return merged;
}

const BY_PATTERN = once(() => new Set([...SECRET_RULES.map(({ id }) => id), ...KEY_KINDS]));
const BY_NAME = once(() => new Set([...ASSIGNED_RULES, ...LINK_KINDS, { id: OTHER_LINK_ID }].map(({ id }) => id)));

/** How unspecific a kind is: 0 if known by its pattern, 1 if by a name or a URL, 2 for any other. */
function vagueness(kind: string): number {
  return BY_PATTERN().has(kind) ? 0 : BY_NAME().has(kind) ? 1 : 2;
}

function allKeywords(): Keyword<Finder>[] {
  const withPattern = SECRET_RULES.flatMap((rule) => {
    const compiled = compileRule(rule);
    const action: Finder = (scan, start, end) => tryRule(scan, compiled, start, end);
    return compiled.anchors.map((text) => {
      const next = text.length > 2 ? undefined : followerOf(compiled);
      return { text, folded: false, action, next };
    });
  });
  const assigned = compileWords(ASSIGNED_RULES).flatMap((word) => {
    const action: Finder = (scan, start, end) => {
      findAssigned(scan, word, start, end);
      noteName(scan, start, end);
    };
    return word.spellings.map((text) => ({ text, folded: true, action }));
  });
  const generic = GENERIC_FINDERS.map(({ text, find }) => {
    const action: Finder = (scan, start, end) => {
      if (scan.generic === "off") return;
      find(scan, start, end);
      noteName(scan, start, end);
    };
    return { text, folded: true, action };
  });
  return [
    ...withPattern,
    ...assigned,
    ...generic,
    ...ESCAPE_STARTS.map((escape) => ({ ...escape, action: noteEscape })),
    ...MAIL_SIGNS.map((sign) => ({ ...sign, action: noteMail })),
    { text: LINK_ANCHOR, folded: false, action: findLink },
    { text: ORACLE_ANCHOR, folded: true, action: findOracleLink },
    ...KEY_FINDERS.map(({ text, find }) => ({ text, folded: false, action: find })),
  ];
}

/** The keywords of a known value. Its kind is that of its pattern, if any. Calls `onHit` for each place found. */
function knownKeywords(value: string, generic: GenericLevel, onHit: () => void): Keyword<Finder>[] {
  let kind: string | undefined;
  const findKind = (): string => {
    const whole = findIn(value, INDEX, generic, 0).find(({ start, end }) => start === 0 && end === value.length);
    return whole?.kind ?? KNOWN_VALUE;
  };
  return spellingsOf(value).map((spelling) => {
    const action: Finder = (scan, start, end) => {
      if (findKnown(scan, spelling, (kind ??= findKind()), start, end)) onHit();
    };
    return { text: spelling.head, folded: false, action };
  });
}
