import { CLASSES, holds } from "../classes.ts";
import { colourEnd } from "../escapes.ts";
import type { Scan } from "../scan.ts";
import { followingLines, endOf, headersAt, linesOf, precedingLines, type Span } from "./material.ts";

/** The kinds of framed keys. */
export const KEY_IDS = { pem: "private-key", pgp: "pgp-private-key", cut: "cut-private-key" } as const;

/** What every frame of a private key contains, as text and in a form of HTML. */
export const FRAME_ANCHORS = ["PRIVATE KEY", "PRIVATE+KEY"] as const;

/** The first or the last line of a key. */
interface Frame extends Span {
  isBegin: boolean;
  isPgp: boolean;
}

const ANCHOR_LENGTH = FRAME_ANCHORS[0].length;
const LONGEST_LABEL = 64;
const FENCE = "----";
const DASH = 0x2d;

/** Finds what is left of the key to whose frame the anchor at `at` belongs; the frame stays. */
export function findFramedKey(scan: Scan, at: number): void {
  const { text } = scan;
  const frame = frameAt(text, at);
  if (frame?.isBegin) findBody(scan, frame);
  else if (frame && frame.start >= scan.readUntil(FRAMES)) findTail(scan, frame);
}

/** What {@link Scan.readTo} remembers: the frame up to which keys were read. */
const FRAMES = "key frames";

/** The frame in which an anchor stands at `at`. */
function frameAt(text: string, at: number): Frame | undefined {
  const label = /-{4}[ +]?(BEGIN|END)[ +](?:[A-Z0-9_]+[ +_]){0,6}$/.exec(text.slice(Math.max(0, at - LONGEST_LABEL), at));
  const close = /^(?:[ +]BLOCK)?[ +]?-{4,5}/.exec(text.slice(at + ANCHOR_LENGTH, at + ANCHOR_LENGTH + 12));
  if (label === null || close === null) return undefined;
  let start = at - label[0].length;
  while (text.charCodeAt(start - 1) === DASH) start--;
  return { start, end: at + ANCHOR_LENGTH + close[0].length, isBegin: label[1] === "BEGIN", isPgp: label[0].includes("PGP") };
}

function findBody(scan: Scan, begin: Frame): void {
  const { text } = scan;
  const fence = scan.next(FENCE, begin.end);
  const end = endFrame(text, fence);
  if (end === undefined) {
    const lines = followingLines(text, begin.end, Math.min(fence, text.length));
    addKey(scan, KEY_IDS.cut, begin, lines, lines.at(-1)?.end ?? begin.end);
    return;
  }
  scan.readTo(FRAMES, fence + 1);
  const id = begin.isPgp ? KEY_IDS.pgp : KEY_IDS.pem;
  const lines = linesOf(text, begin.end, fence);
  const plain = plainBody(text, begin.end, fence);
  if (plain && !isPrefixed(text, begin, lines[0]?.start ?? plain.start)) scan.add(id, plain.start, plain.end);
  else if (isMostly(text, lines, begin.end, fence)) addKey(scan, id, begin, lines, endOf(text, lines, fence));
}

/** The place of a fence, if it begins the last line of a private key. */
function endFrame(text: string, fence: number): number | undefined {
  return /^-{4,}[ +]?END[ +](?:[A-Z0-9_]+[ +_]){0,6}PRIVATE[ +]KEY/.test(text.slice(fence, fence + LONGEST_LABEL)) ? fence : undefined;
}

function findTail(scan: Scan, end: Frame): void {
  const { text } = scan;
  const fence = text.lastIndexOf(FENCE, end.start - 1);
  const lines = precedingLines(text, fence < 0 ? 0 : fence + FENCE.length, end.start);
  const [first] = lines;
  if (first) scan.add(KEY_IDS.cut, first.start, endOf(text, lines, end.start));
}

/** Adds the lines of a key up to `end` with its headers: as one, or each for itself where together they would tear the text. */
function addKey(scan: Scan, id: string, begin: Frame, lines: readonly Span[], end: number): void {
  const { text } = scan;
  const [first] = lines;
  if (first === undefined) return;
  const start = headersAt(text, begin.end, first.start) ?? first.start + Number(isAddition(text, begin, first.start));
  if (isBalanced(text, start, end)) scan.add(id, start, end);
  else for (const line of lines) scan.add(id, line.start, line.end);
}

/** True if something else than blanks stands before a line, on its own line or as an escape that is no backslash's. */
function isPrefixed(text: string, begin: Frame, start: number): boolean {
  const before = text.slice(begin.end, start).split(/\\+[nr]|[\r\n]/).at(-1) ?? "";
  return before.trim() !== "" || isAddition(text, begin, start) || /^=0[AD]/.test(text.slice(begin.end, begin.end + 3));
}

/** True if the `+` at `start` marks an added line of a diff, as one before the frame does. */
function isAddition(text: string, begin: Frame, start: number): boolean {
  return text.charAt(begin.start - 1) === "+" && text.charAt(start) === "+" && text.charAt(start - 1) === "\n";
}

/**
 * True if a piece of a text can be taken out of the quotes and brackets around it: it leaves as many as it enters, of the
 * same kinds, and both its ends are in values or in names.
 */
function isBalanced(text: string, start: number, end: number): boolean {
  const left: string[] = [];
  const entered: string[] = [];
  let quotes = 0;
  for (let at = start; at < end; at++) {
    const character = text.charAt(at);
    if (character === '"') quotes++;
    else if (character === "{" || (character === "[" && !isColour(text, at))) entered.push(character);
    else if ((character === "}" || character === "]") && entered.pop() === undefined) left.push(character === "}" ? "{" : "[");
  }
  if (quotes === 0) return true;
  return quotes % 2 === 0 && left.join("") === entered.reverse().join("") && isName(text, start) === isName(text, end);
}

/** True if a bracket begins a change of colour. */
function isColour(text: string, at: number): boolean {
  return colourEnd(text, at) !== undefined && /(?:\u001b|1b|033|e)$/i.test(text.slice(Math.max(0, at - 3), at));
}

/** True if the text in quotes around `at` is the name of a member. */
function isName(text: string, at: number): boolean {
  const close = text.indexOf('"', at);
  return close >= 0 && /^"\s{0,16}:/.test(text.slice(close, close + 20));
}

/** A quarter of what stands between two frames has to be key material, for a log can say much before each line. */
function isMostly(text: string, lines: readonly Span[], from: number, to: number): boolean {
  const material = lines.reduce((sum, { start, end }) => sum + end - start, 0);
  let solid = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 0x20) solid++;
  return material > 0 && 4 * material >= solid;
}

/** The body of a key that is nothing but base64 and line ends, without the line ends around it. */
function plainBody(text: string, from: number, to: number): Span | undefined {
  let start = to;
  let end = from;
  for (let at = from; at < to; at++) {
    const blank = blankLength(text, at);
    if (blank > 0) {
      at += blank - 1;
    } else if (holds(CLASSES.b64pad, text.charCodeAt(at))) {
      start = Math.min(start, at);
      end = at + 1;
    } else {
      return undefined;
    }
  }
  return end - start >= 2 ? { start, end } : undefined;
}

/** How many characters of white space stand at `at`; an escaped line end counts with all its backslashes. */
function blankLength(text: string, at: number): number {
  if (" \t\r\n".includes(text.charAt(at))) return 1;
  let end = at;
  while (text.charAt(end) === "\\") end++;
  return end > at && "nrt".includes(text.charAt(end) || "-") ? end + 1 - at : 0;
}
