import { type CharacterClass, CLASSES, type ClassName, holds } from "./classes.ts";
import {
  isAfterLower,
  isDataAfter,
  isDataBefore,
  isDigestAt,
  isRandom,
  isUnlikeWords,
  isWords,
  neighbourAfter,
  neighbourBefore,
} from "./edges.ts";
import { isExampleBody } from "./placeholders.ts";
import type { SecretRule } from "./rule.ts";
import type { Scan } from "./scan.ts";

/** A slot: `min` to `max` characters of a class. */
interface Slot {
  kind: "slot";
  table: CharacterClass;
  min: number;
  max: number;
}

/** A piece of a pattern. */
export type Part = { kind: "text"; options: string[] } | Slot | { kind: "open" } | { kind: "close" };

/** The parts before an anchor (nearest first) and after it, and properties that follow from them. */
interface Sides {
  before: readonly Part[];
  after: readonly Part[];
  /** Whether a match always begins or ends at the same distance from the anchor. */
  beginsFixed: boolean;
  endsFixed: boolean;
  /** The alphabet of the slot that ends every match. */
  last: CharacterClass | undefined;
  isHex: boolean;
  isExact: boolean;
}

/** A rule with the anchors to search for. Its sides are computed at the first match. */
export interface CompiledRule {
  rule: SecretRule;
  anchors: readonly string[];
  sides?: Sides;
}

const UUID = "<hex:8>-<hex:4>-<hex:4>-<hex:4>-<hex:12>";
/** The UUIDs of some vendors also have letters after `f`. */
const LOOSE_UUID = UUID.replaceAll("hex", "lownum");

/** Compiles a rule. Throws on an invalid pattern; a test compiles every row. */
export function compileRule(rule: SecretRule): CompiledRule {
  const head = /^([^<{]{3,})<(?:[a-z0-9]+:|uuid>)/.exec(rule.pattern)?.[1];
  if (head !== undefined && rule.anchor === undefined) return { rule, anchors: [head] };
  return compileWhole(rule);
}

/** The class of the character after the anchors of a rule; undefined if no slot follows them. */
export function followerOf(compiled: CompiledRule): CharacterClass | undefined {
  const [part] = sidesOf(compiled).after;
  return part?.kind === "slot" ? part.table : undefined;
}

function sidesOf(compiled: CompiledRule): Sides {
  compiled.sides ??= compileWhole(compiled.rule).sides;
  return compiled.sides;
}

function compileWhole(rule: SecretRule): CompiledRule & { sides: Sides } {
  const parts = parseSecretPattern(rule.pattern);
  const isAnchor = (options: string[]) => rule.anchor === undefined || options.includes(rule.anchor);
  const at = parts.findIndex((part) => part.kind === "text" && isAnchor(part.options));
  const anchor = parts[at];
  if (anchor?.kind !== "text") throw new Error(`Rule ${rule.id}: no literal to search for`);
  const before = parts.slice(0, at).reverse();
  const after = parts.slice(at + 1);
  const slots = parts.filter((part) => part.kind === "slot");
  const last = after.findLast(({ kind }) => kind === "slot" || kind === "text");
  const sides: Sides = {
    before,
    after,
    beginsFixed: before.every(isFixed),
    endsFixed: after.every(isFixed),
    last: last?.kind === "slot" ? last.table : undefined,
    isHex: slots.every(({ table }) => table === CLASSES.hex || table === CLASSES.digit),
    isExact: isExact(rule, parts),
  };
  return { rule, anchors: anchor.options, sides };
}

/**
 * True if the pattern of a rule, made of these parts, is certain where nothing touches a match, even if its body is
 * words.
 */
export function isExact(rule: SecretRule, parts: readonly Part[]): boolean {
  return rule.sure === true || (rule.edge === undefined && rule.random === undefined && parts.every(isFixed));
}

function isFixed(part: Part): boolean {
  return part.kind !== "slot" || part.min === part.max;
}

/** The parts of a pattern. Adjacent literals and choices become one choice, longest first. */
export function parseSecretPattern(pattern: string): Part[] {
  const parts: Part[] = [];
  for (const token of pattern
    .replaceAll("<uuid>", UUID)
    .replaceAll("<auuid>", LOOSE_UUID)
    .match(/<[^>]*>|[{}]|[^<{}]+/g) ?? []) {
    const part = parsePart(token);
    const last = parts.at(-1);
    if (part.kind === "text" && last?.kind === "text") {
      last.options = last.options.flatMap((head) => part.options.map((tail) => head + tail));
    } else {
      parts.push(part);
    }
  }
  for (const part of parts) if (part.kind === "text") part.options.sort((a, b) => b.length - a.length);
  return parts;
}

function parsePart(token: string): Part {
  if (token === "{") return { kind: "open" };
  if (token === "}") return { kind: "close" };
  if (!token.startsWith("<")) return { kind: "text", options: [token] };
  const sized = /^<([a-z0-9]+):(\d+)(-?)(\d*)>$/.exec(token);
  if (!sized) return { kind: "text", options: token.slice(1, -1).split("|") };
  const [, name = "", min, dash, max] = sized;
  if (!isClassName(name)) throw new Error(`Unknown alphabet ${JSON.stringify(name)} in ${JSON.stringify(token)}`);
  const least = Number(min);
  return { kind: "slot", table: CLASSES[name], min: least, max: dash === "" ? least : Number(max || Infinity) };
}

function isClassName(name: string): name is ClassName {
  return Object.hasOwn(CLASSES, name);
}

/** Tries a rule whose anchor is from `from` up to `to`, and adds the secret if it matches. */
export function tryRule(scan: Scan, compiled: CompiledRule, from: number, to: number): void {
  const { rule } = compiled;
  const sides = compiled.sides ?? sidesOf(compiled);
  if (sides.before.length === 0 && isClosed(rule) && neighbourBefore(scan.text, from, rule.edge) === "word") return;
  const head = sides.before.length === 0 ? WHOLE : matchBefore(scan, sides.before, from);
  if (head === undefined) return;
  const tail = matchAfter(scan, sides.after, to);
  if (tail === undefined) return;
  const start = head.at ?? from;
  const end = tail.at;
  const body = sides.before.length === 0 ? to : start;
  const secret = { kind: rule.id, start: head.open ?? tail.open ?? start, end: tail.close ?? head.close ?? end };
  // The host of an address that is a secret may be called an example; its last part is not.
  const last = scan.text.lastIndexOf("/", secret.end - 1) + 1;
  if (isExampleBody(scan.text, Math.max(last, secret.start, body), secret.end)) return;
  const ends = rule.edge === "none" ? HOLDING : endsOf(scan.text, rule, sides, { start, body, end });
  if (ends === undefined) return;
  if (ends.holdsBefore && ends.holdsAfter) scan.add(secret.kind, secret.start, secret.end);
  else scan.addGlued({ ...secret, ...ends });
}

/** True if a match that touches a word is never a secret; checked first because it rejects the most. */
function isClosed({ edge }: SecretRule): boolean {
  return edge === "strict" || edge === "blob";
}

/** Where a match, and the body after its prefix, begin, and where they end. */
interface Extent {
  start: number;
  body: number;
  end: number;
}

const HOLDING = { holdsBefore: true, holdsAfter: true };

/**
 * Checks the ends of a match: no word continues there, or the body is certainly random. Undefined if the match is not a
 * secret in any surroundings. A mark counts as an end, as the secret it replaced did, except next to a slot of variable
 * length: the slot would have extended into that secret, and a second pass must not find more than the first.
 */
function endsOf(
  text: string,
  rule: SecretRule,
  sides: Sides,
  { start, body, end }: Extent,
): typeof HOLDING | undefined {
  const { edge } = rule;
  const before = neighbourBefore(text, start, edge);
  const after = neighbourAfter(text, end, edge, sides.last);
  if ((before === "mark" && !sides.beginsFixed) || (after === "mark" && !sides.endsFixed)) return undefined;
  const ends = { holdsBefore: before !== "word", holdsAfter: after !== "word" };
  const holds = ends.holdsBefore && ends.holdsAfter;
  if (isClosed(rule) && (before !== "free" || after !== "free")) return undefined;
  if (isDigestAt(text, start)) return undefined;
  if (sides.isExact && isApart(text, start, end)) return ends;
  if (rule.random ? !isUnlikeWords(text, body, end) : isWords(text, body, end)) return undefined;
  if (edge === "strict" && (isFileHash(text, start, body, end) || !isRandom(text, body, end, sides.isHex)))
    return undefined;
  if (holds || edge === "word" || !isRandom(text, body, end, sides.isHex)) return ends;
  const isPiece = isDataBefore(text, start);
  ends.holdsAfter ||= !isPiece || before === "word";
  ends.holdsBefore ||= !isPiece && !isDataAfter(text, end) && !(edge === "camel" && isAfterLower(text, start));
  return ends;
}

/** True if the body is hexadecimal and its prefix the ending of a file's name, as in `video_box.ico-7a388b`. */
function isFileHash(text: string, start: number, body: number, end: number): boolean {
  return /[\w-]\.$/.test(text.slice(Math.max(0, start - 2), start)) && /^[0-9a-f]+$/.test(text.slice(body, end));
}

/**
 * True if nothing that can be part of a name touches a match, nor a mark, because a second pass must not find more than
 * the first.
 */
function isApart(text: string, start: number, end: number): boolean {
  return neighbourBefore(text, start, "strict") === "free" && neighbourAfter(text, end, "strict") === "free";
}

/** How far the parts of one side reach, and the places of the braces among them. */
interface Reach {
  at: number;
  open?: number;
  close?: number;
}

const WHOLE: Partial<Reach> = {};

/** Matches parts from `at` on, each taking as much as it may; undefined if one does not match. */
export function matchAfter(scan: Scan, parts: readonly Part[], at: number): Reach | undefined {
  const reach: Reach = { at };
  for (const part of parts) {
    if (part.kind === "open") {
      reach.open = reach.at;
    } else if (part.kind === "close") {
      reach.close = reach.at;
    } else if (part.kind === "text") {
      const length = optionAt(scan.text, part.options, reach.at);
      if (length === undefined) return undefined;
      reach.at += length;
    } else {
      const end = slotEnd(scan, part, reach.at);
      if (end - reach.at < part.min) return undefined;
      reach.at = end;
    }
  }
  return reach;
}

/** The length of the first option that `text` has at `at`. */
function optionAt(text: string, options: readonly string[], at: number): number | undefined {
  for (const option of options) if (text.startsWith(option, at)) return option.length;
  return undefined;
}

/** Slots up to this length are walked each time; longer ones use the remembered run. */
const SHORT = 64;

function slotEnd(scan: Scan, { table, max }: Slot, start: number): number {
  const limit = start + max;
  if (max > SHORT) return Math.min(scan.runEnd(table, start), limit);
  const { text } = scan;
  let at = start;
  while (at < limit && holds(table, text.charCodeAt(at))) at++;
  return at;
}

/**
 * Matches parts that end at `at`, nearest first. A slot of variable length looks for the literal beyond it within its
 * own limit, because that literal can consist of the slot's characters.
 */
function matchBefore(scan: Scan, parts: readonly Part[], at: number): Reach | undefined {
  const { text } = scan;
  const reach: Reach = { at };
  for (let index = 0; index < parts.length; index++) {
    const part = parts[index];
    if (part === undefined) break;
    if (part.kind === "open") {
      reach.open = reach.at;
    } else if (part.kind === "close") {
      reach.close = reach.at;
    } else if (part.kind === "text") {
      const option = part.options.find((each) => text.endsWith(each, reach.at));
      if (option === undefined) return undefined;
      reach.at -= option.length;
    } else {
      const start = slotStart(text, part, reach.at);
      if (reach.at - start < part.min) return undefined;
      const next = parts[index + 1];
      if (part.min !== part.max && next?.kind === "text") {
        const window = text.slice(Math.max(0, start - longest(next.options)), reach.at - part.min);
        const found = farthest(window, next.options);
        if (found === undefined) return undefined;
        reach.at -= part.min + window.length - found;
        index++;
      } else {
        reach.at = start;
      }
    }
  }
  return reach;
}

function slotStart(text: string, { table, max }: Slot, end: number): number {
  const limit = Math.max(0, end - max);
  let at = end;
  while (at > limit && holds(table, text.charCodeAt(at - 1))) at--;
  return at;
}

function longest(options: readonly string[]): number {
  return Math.max(...options.map((option) => option.length));
}

function farthest(window: string, options: readonly string[]): number | undefined {
  const places = options.map((option) => window.indexOf(option)).filter((place) => place >= 0);
  return places.length === 0 ? undefined : Math.min(...places);
}
