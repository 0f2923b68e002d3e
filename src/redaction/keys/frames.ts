import { CLASSES, holds } from "../classes.ts";
import { colourEnd } from "../escapes.ts";
import { isExampleBody } from "../placeholders.ts";
import type { Scan } from "../scan.ts";
import { endOf, followingLines, headersAt, linesOf, precedingLines, type Span } from "./material.ts";
import { isTestKey } from "./public-keys.ts";

/**
 * The kinds of private keys between two fences: a frame is a fence with its label, such as `-----BEGIN PRIVATE
 * KEY-----`.
 */
export const KEY_IDS = { pem: "private-key", pgp: "pgp-private-key", cut: "cut-private-key" } as const;

/** Every frame of a private key contains one of these: as text, and as a form of HTML submits it. */
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

/** Finds the body of the key whose frame holds the anchor at `at`. The frame stays; the other one may be missing. */
export function findFramedKey(scan: Scan, at: number): void {
  const { text } = scan;
  const frame = frameAt(text, at);
  if (frame?.isBegin) findBody(scan, frame);
  else if (frame && frame.start >= scan.readUntil(FRAMES)) findTail(scan, frame);
}

/** The name under which {@link Scan.readTo} keeps the last frame that was read. */
const FRAMES = "key frames";

/** The frame around the anchor at `at`. */
function frameAt(text: string, at: number): Frame | undefined {
  const label = /-{4}[ +]?(BEGIN|END)[ +](?:[A-Z0-9_]+[ +_]){0,6}$/.exec(
    text.slice(Math.max(0, at - LONGEST_LABEL), at),
  );
  const close = /^(?:[ +]BLOCK)?[ +]?-{4,5}/.exec(text.slice(at + ANCHOR_LENGTH, at + ANCHOR_LENGTH + 12));
  if (label === null || close === null) return undefined;
  let start = at - label[0].length;
  while (text.charCodeAt(start - 1) === DASH) start--;
  return {
    start,
    end: at + ANCHOR_LENGTH + close[0].length,
    isBegin: label[1] === "BEGIN",
    isPgp: label[0].includes("PGP"),
  };
}

function findBody(scan: Scan, begin: Frame): void {
  const { text } = scan;
  const fence = scan.next(FENCE, begin.end);
  const end = endFrame(text, fence);
  if (end === undefined) {
    const lines = followingLines(text, begin.end, Math.min(fence, scan.nextMark(begin.end), text.length));
    addKey(scan, KEY_IDS.cut, begin, lines, lines.at(-1)?.end ?? begin.end);
    return;
  }
  scan.readTo(FRAMES, fence + 1);
  if (isTestKey(text, begin.end, fence)) {
    scan.spared.push({ start: begin.end, end: fence });
    return;
  }
  const id = begin.isPgp ? KEY_IDS.pgp : KEY_IDS.pem;
  const lines = linesOf(text, begin.end, fence);
  const plain = plainBody(text, begin.end, fence);
  if (plain && isExampleBody(text, plain.start, plain.end)) return;
  if (plain && !isPrefixed(text, begin, lines[0]?.start ?? plain.start)) scan.add(id, plain.start, plain.end);
  else if (isMostly(text, lines, begin.end, fence)) addKey(scan, id, begin, lines, endOf(text, lines, fence));
}

/** `fence` if the last line of a private key begins there. */
function endFrame(text: string, fence: number): number | undefined {
  return /^-{4,}[ +]?END[ +](?:[A-Z0-9_]+[ +_]){0,6}PRIVATE[ +]KEY/.test(text.slice(fence, fence + LONGEST_LABEL))
    ? fence
    : undefined;
}

function findTail(scan: Scan, end: Frame): void {
  const { text } = scan;
  const fence = text.lastIndexOf(FENCE, end.start - 1);
  const lines = precedingLines(text, fence < 0 ? 0 : fence + FENCE.length, end.start);
  const [first] = lines;
  if (first) scan.add(KEY_IDS.cut, first.start, endOf(text, lines, end.start));
}

/**
 * Adds the lines of a key up to `end` with its headers: as one secret, or one per line if removing all of it would
 * unbalance quotes or brackets.
 */
function addKey(scan: Scan, id: string, begin: Frame, lines: readonly Span[], end: number): void {
  const { text } = scan;
  const [first] = lines;
  if (first === undefined) return;
  const start = headersAt(text, begin.end, first.start) ?? first.start + Number(isAddition(text, begin, first.start));
  if (isBalanced(text, start, end)) scan.add(id, start, end);
  else for (const line of lines) scan.add(id, line.start, line.end);
}

/** True if a line of the body starts with something other than blanks or backslash escapes. */
function isPrefixed(text: string, begin: Frame, start: number): boolean {
  const before =
    text
      .slice(begin.end, start)
      .split(/\\+[nr]|[\r\n]/)
      .at(-1) ?? "";
  return before.trim() !== "" || isAddition(text, begin, start) || /^=0[AD]/.test(text.slice(begin.end, begin.end + 3));
}

/** True if the `+` at `start` marks an added line of a diff. The frame must have one too. */
function isAddition(text: string, begin: Frame, start: number): boolean {
  return text.charAt(begin.start - 1) === "+" && text.charAt(start) === "+" && text.charAt(start - 1) === "\n";
}

/**
 * True if quotes and brackets still match when the text from `start` up to `end` is removed: it closes as many as it
 * opens, of the same kinds, and both ends are in values or both in names. Brackets inside quotes do not count. Quotes
 * that are escaped differently do not belong to one document.
 */
function isBalanced(text: string, start: number, end: number): boolean {
  const left: string[] = [];
  const entered: string[] = [];
  let quotes = 0;
  let depth: number | undefined;
  for (let at = start; at < end; at++) {
    const character = text.charAt(at);
    if (character === '"') {
      const escapes = backslashesBefore(text, at);
      depth ??= escapes;
      if (escapes !== depth) return false;
      quotes++;
    } else if (quotes % 2 === 0) continue;
    else if (character === "{" || (character === "[" && !isColour(text, at))) entered.push(character);
    else if ((character === "}" || character === "]") && entered.pop() === undefined)
      left.push(character === "}" ? "{" : "[");
  }
  if (quotes === 0) return true;
  return quotes % 2 === 0 && left.join("") === entered.reverse().join("") && isName(text, start) === isName(text, end);
}

function backslashesBefore(text: string, at: number): number {
  let from = at;
  while (text.charAt(from - 1) === "\\") from--;
  return at - from;
}

/** True if the bracket at `at` is part of a colour code. */
function isColour(text: string, at: number): boolean {
  return colourEnd(text, at) !== undefined && /(?:\u001b|1b|033|e)$/i.test(text.slice(Math.max(0, at - 3), at));
}

/** True if the text in quotes around `at` is the name of a member. */
function isName(text: string, at: number): boolean {
  const close = text.indexOf('"', at);
  return close >= 0 && /^"\s{0,16}:/.test(text.slice(close, close + 20));
}

/** True if at least a quarter of the text between two frames is key material: a log may write much before each line. */
function isMostly(text: string, lines: readonly Span[], from: number, to: number): boolean {
  const material = lines.reduce((sum, { start, end }) => sum + end - start, 0);
  let solid = 0;
  for (let at = from; at < to; at++) if (text.charCodeAt(at) > 0x20) solid++;
  return material > 0 && 4 * material >= solid;
}

/** The body of a key, without the line ends around it; undefined if it has anything but base64 and line ends. */
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

/** The length of the white space at `at`. An escaped line end counts with all its backslashes. */
function blankLength(text: string, at: number): number {
  if (" \t\r\n".includes(text.charAt(at))) return 1;
  let end = at;
  while (text.charAt(end) === "\\") end++;
  return end > at && "nrt".includes(text.charAt(end) || "-") ? end + 1 - at : 0;
}
