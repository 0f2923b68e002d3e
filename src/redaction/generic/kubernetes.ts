import { wordsOf } from "../assignment/names.ts";
import { isPlaceholder } from "../placeholders.ts";
import type { Scan } from "../scan.ts";
import { credentialOf } from "./names.ts";
import { indexWithin, isRandomToken } from "./values.ts";

/** The kind of every value in a Kubernetes Secret, under gitleaks' name. */
export const KUBERNETES_KIND = "kubernetes-secret-yaml";

/** The text before the word in `kind: Secret`, `"kind": "Secret"` and `kind: SecretList`. */
const KIND = /(?:^|[^A-Za-z0-9_.-])kind(\\{0,3}["']?)\s{0,8}:\s{0,8}\\{0,3}["']?$/i;
/** What {@link Scan.readTo} remembers: the last object read, and where a search for the start of one last failed. */
const JSON_START = "kubernetes json start";
const JSON_END = "kubernetes json end";
const JSON_FAILED = "kubernetes json failed";

/** Finds the values of the Secret whose kind is the word `secret` at `start`; reads each part of a text once. */
export function findKubernetesSecret(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  if (!" \"':\t".includes(text.charAt(start - 1)) || !/^(?:List)?(?:[\s"',}\\#]|$)/i.test(text.slice(end, end + 5)))
    return;
  const kind = KIND.exec(text.slice(Math.max(0, start - 28), start));
  if (!kind) return;
  const mark = kind[1] ?? "";
  if (mark !== "") {
    findInJson(scan, start - kind[0].length, mark.length - 1);
    return;
  }
  // Inside a string of JSON or source code the lines of YAML end with an escape.
  const newline = /^["'\\]{0,3}?(\\{1,4}n)/.exec(text.slice(end, end + 8))?.[1] ?? "\n";
  const reader = `kubernetes yaml ${newline}`;
  if (scan.readUntil(reader) > 0) return;
  scan.readTo(reader, text.length);
  for (const entry of readYaml(text, newline)) addEntry(scan, entry);
}

/**
 * Finds the values of the object with the key `kind` at `at`. `escapes` backslashes precede each of its quotation
 * marks.
 */
function findInJson(scan: Scan, at: number, escapes: number): void {
  if (at < scan.readUntil(JSON_END)) return;
  const start = objectStart(scan, at - escapes, escapes);
  if (start === undefined) return scan.readTo(JSON_FAILED, at);
  const { end, found } = readJson(scan.text, start, escapes);
  scan.readTo(JSON_START, start);
  scan.readTo(JSON_END, end);
  for (const entry of found) addEntry(scan, entry);
}

/**
 * The start of the object with a key at `at`. Reads backwards from there, so that quotation marks in earlier text do
 * not matter. Skips the object that was read last, and stops where the last search failed.
 */
function objectStart(scan: Scan, at: number, escapes: number): number | undefined {
  const { text } = scan;
  const last = { start: scan.readUntil(JSON_START), end: scan.readUntil(JSON_END) };
  const least = scan.readUntil(JSON_FAILED);
  let depth = 0;
  for (let from = at - 1; from >= least; from--) {
    if (from < last.end && from >= last.start && last.end > 0) from = last.start - 1;
    const character = text.charAt(from);
    if (character === '"') from = stringStart(text, from, least, escapes);
    else if (character === "}" || character === "]") depth++;
    else if (character === "{" || character === "[") {
      if (depth === 0) return character === "{" ? from : undefined;
      depth--;
    }
  }
  return undefined;
}

/** The start of the string that ends with the quotation mark at `end`; `least - 1` if it has none. */
function stringStart(text: string, end: number, least: number, escapes: number): number {
  for (let at = text.lastIndexOf('"', end - 1); at >= least && at >= 0; at = text.lastIndexOf('"', at - 1)) {
    if (isQuote(text, at, escapes)) return at - escapes;
    if (at === 0) break;
  }
  return least - 1;
}

/**
 * True if the quotation mark at `at` begins or ends a string of JSON in which `escapes` backslashes precede such marks:
 * none, one in JSON inside JSON, three in JSON inside that. A mark inside a string has more.
 */
function isQuote(text: string, at: number, escapes: number): boolean {
  return backslashesBefore(text, at) % (2 * escapes + 2) === escapes;
}

function backslashesBefore(text: string, at: number): number {
  let first = at;
  while (text.charAt(first - 1) === "\\") first--;
  return at - first;
}

type Section = "data" | "stringData";

/** A value under `data` or `stringData`. */
interface Entry {
  section: Section;
  key: string;
  start: number;
  end: number;
}

function sectionOf(key: string): Section | undefined {
  return key === "data" || key === "stringData" ? key : undefined;
}

const LONGEST_NAMED = 4096;

/**
 * Adds a value that is a secret: every one of `data`, which is in Base64, and those of `stringData` that look or are
 * named like one.
 */
function addEntry(scan: Scan, { section, key, start, end }: Entry): void {
  const { text } = scan;
  if (end - start < 2 || scan.nextMark(start) < end) return;
  if (section === "data") {
    if (isBase64(text, start, end) && !isPublic(text, start)) scan.add(KUBERNETES_KIND, start, end);
  } else if (end - start <= LONGEST_NAMED) {
    const value = text.slice(start, end);
    if (/[\r\n]/.test(value) || isPlaceholder(value)) return;
    if (credentialOf(wordsOf(key)) ? value.length >= 4 : isRandomToken(value)) scan.add(KUBERNETES_KIND, start, end);
  }
}

/** `-----BEGIN CERTIFICATE` and `-----BEGIN PUBLIC` in Base64. */
const PUBLIC = ["LS0tLS1CRUdJTiBDRVJUSUZJQ0FUR", "LS0tLS1CRUdJTiBQVUJMSU"];

function isPublic(text: string, start: number): boolean {
  return PUBLIC.some((beginning) => text.startsWith(beginning, start));
}

function isBase64(text: string, start: number, end: number): boolean {
  let last = end;
  while (last > start && end - last < 2 && text.charAt(last - 1) === "=") last--;
  for (let at = start; at < last; at++) if (!isBase64Code(text.charCodeAt(at))) return false;
  return last > start;
}

function isBase64Code(code: number): boolean {
  return (
    (code >= 0x2f && code <= 0x39) || (code >= 0x41 && code <= 0x5a) || (code >= 0x61 && code <= 0x7a) || code === 0x2b
  );
}

/** A mapping of a YAML text, known by the column of its keys. */
interface Mapping {
  column: number;
  isSecret: boolean;
  /** Its last key, if that is `data` or `stringData` and has no value on its own line. */
  section?: Section | undefined;
  /** The mapping whose `data` this one is. */
  owner?: Mapping | undefined;
  entries: Entry[];
}

interface Line {
  /** The start of the text of the line, after blanks, a line number and the hyphens of a list. */
  start: number;
  end: number;
  /** The column of the text, and that of the first hyphen of a list, if there is one. */
  column: number;
  item?: number | undefined;
}

/**
 * The values under `data` and `stringData` of every mapping that is a Secret. Reads lines by their columns and only as
 * much of YAML as Secrets use, so that it also finds one inside other text or after line numbers.
 */
function readYaml(text: string, newline: string): Entry[] {
  const found: Entry[] = [];
  const open: Mapping[] = [];
  let block:
    | { column: number; entry: Omit<Entry, "start" | "end"> | undefined; owner: Mapping | undefined }
    | undefined;
  const close = (column: number): void => {
    for (let last = open.at(-1); last && last.column > column; last = open.at(-1)) {
      open.pop();
      if (last.isSecret) for (const entry of last.entries) found.push(entry);
    }
  };
  for (let from = 0; from <= text.length; ) {
    const next = text.indexOf(newline, from);
    const line = readLine(text, from, next < 0 ? text.length : next, newline.length > 1);
    from = next < 0 ? text.length + 1 : next + newline.length;
    if (line.start === line.end) continue;
    if (block && line.column > block.column && line.item === undefined) {
      if (block.entry && block.owner) block.owner.entries.push({ ...block.entry, start: line.start, end: line.end });
      continue;
    }
    block = undefined;
    if (text.charAt(line.start) === "#") continue;
    const key = readKey(text, line);
    if (key === undefined) {
      close((line.item ?? line.column) - 1);
      continue;
    }
    close(line.item ?? line.column);
    let mapping = open.at(-1);
    if (!mapping || mapping.column < line.column) {
      const owner: Mapping | undefined =
        mapping?.section !== undefined && line.item === undefined ? mapping : undefined;
      mapping = { column: line.column, isSecret: false, owner, entries: [] };
      open.push(mapping);
    }
    const value = valueOf(text, key.valueStart, line.end);
    const word = text.slice(value.start, Math.min(value.end, value.start + 12)).toLowerCase();
    if (key.name === "kind") mapping.isSecret = word === "secret";
    mapping.section = value.start === value.end ? sectionOf(key.name) : undefined;
    const section = mapping.owner?.section;
    const isBlock = /^[|>][-+\d]*$/.test(word);
    if (isBlock) block = { column: line.column, entry: section && { section, key: key.name }, owner: mapping.owner };
    else if (section && mapping.owner) mapping.owner.entries.push({ section, key: key.name, ...value });
    else if (text.charAt(value.start) === "{" && sectionOf(key.name))
      addFlow(text, value, key.name === "data" ? "data" : "stringData", mapping);
  }
  close(-1);
  return found;
}

/** The entries of `data: {password: cGFzcw==, user: YQ==}`. */
function addFlow(
  text: string,
  { start, end }: { start: number; end: number },
  section: Section,
  mapping: Mapping,
): void {
  for (const match of text
    .slice(start, end)
    .matchAll(/([\w.-]{1,80})["']?:\s{0,4}["']?([A-Za-z0-9+/=]{2,4096})(?=["',}\s])/g)) {
    const at = start + match.index + match[0].length - (match[2]?.length ?? 0);
    mapping.entries.push({ section, key: match[1] ?? "", start: at, end: at + (match[2]?.length ?? 0) });
  }
}

const NUMBER = /^ {0,7}\d{1,7}(?:\t|→|: ?| ?\| ?)/;

function readLine(text: string, start: number, to: number, isEscaped: boolean): Line {
  // The first line follows the quotation mark that opens the string.
  const opening = isEscaped && '{["'.includes(text.charAt(start)) ? text.slice(start, to).lastIndexOf('"') + 1 : 0;
  return readBareLine(text, start + opening, to, isEscaped);
}

function readBareLine(text: string, from: number, to: number, isEscaped: boolean): Line {
  let end = to;
  while (end > from && " \t\r\\".includes(text.charAt(end - 1))) end--;
  if (isEscaped && text.startsWith("\\r", end - 2)) end -= 2;
  const head = text.slice(from, Math.min(end, from + 20));
  const left = from + (NUMBER.exec(head)?.[0].length ?? 0);
  let start = left;
  if (text.charAt(start) === "+") start++; // A line that a diff adds.
  let item: number | undefined;
  for (; start < end; start++) {
    const character = text.charAt(start);
    if (character === "-" && " \t".includes(text.charAt(start + 1)) && start + 1 < end) item ??= start - left;
    else if (character !== " " && character !== "\t") break;
  }
  return { start, end, column: start - left, item };
}

/** The key of a line, and where its value may begin; undefined without a key. */
function readKey(text: string, { start, end }: Line): { name: string; valueStart: number } | undefined {
  const match = /^(["']?)([\w./-]{1,120})\1[ \t]{0,4}:(?=[ \t]|$)/.exec(text.slice(start, Math.min(end, start + 128)));
  return match ? { name: match[2] ?? "", valueStart: start + match[0].length } : undefined;
}

/** The value of a key without blanks, tag, quotation marks and comment. */
function valueOf(text: string, from: number, lineEnd: number): { start: number; end: number } {
  let start = from;
  while (start < lineEnd && " \t".includes(text.charAt(start))) start++;
  if (text.charAt(start) === "!") {
    while (start < lineEnd && !" \t".includes(text.charAt(start))) start++;
    while (start < lineEnd && " \t".includes(text.charAt(start))) start++;
  }
  const quote = text.charAt(start);
  if (start < lineEnd && (quote === '"' || quote === "'")) {
    const close = indexWithin(text, quote, start + 1, lineEnd);
    return { start: start + 1, end: close ?? lineEnd };
  }
  if (quote === "#") return { start: lineEnd, end: lineEnd };
  return { start, end: indexWithin(text, " #", start, lineEnd) ?? lineEnd };
}

/**
 * Returns where a mapping of a text begins to list `data` that a later `kind: Secret` would make secret; undefined if no
 * such mapping is open at the end of the text, which is that of a line. Sorted keys have `data` before `kind`.
 */
export function openSection(text: string): number | undefined {
  let open: { at: number; column: number } | undefined;
  for (let from = 0; from < text.length; ) {
    const end = text.indexOf("\n", from);
    const next = end < 0 ? text.length : end;
    const line = readLine(text, from, next, false);
    const column = line.item ?? line.column;
    const key = readKey(text, line);
    if (open && line.start < line.end && closes(open.column, column, key?.name)) open = undefined;
    if (!open && key && sectionOf(key.name) && holdsEntries(text, key.valueStart, line.end))
      open = { at: from, column };
    from = next + 1;
  }
  return open?.at;
}

/** True if a line ends the mapping whose keys are in a column, or says what kind it is. */
function closes(opened: number, column: number, key: string | undefined): boolean {
  return column === 0 && (opened > 0 || key === undefined || key === "kind");
}

function holdsEntries(text: string, from: number, lineEnd: number): boolean {
  const { start, end } = valueOf(text, from, lineEnd);
  return start === end || text.charAt(start) === "{";
}

/** An object or a list of a JSON text. */
interface Frame {
  isObject: boolean;
  /** The last key. */
  key: string;
  isSecret: boolean;
  isSecretList: boolean;
  /** The section whose values it holds. */
  section?: Section | undefined;
  entries: Entry[];
  /** The entries of the objects in a list. */
  listed: Entry[];
}

const DEEPEST = 500;

/** The values under `data` and `stringData` of every object that is a Secret, in the object that begins at `start`. */
function readJson(text: string, start: number, escapes: number): { end: number; found: Entry[] } {
  const found: Entry[] = [];
  const frames: Frame[] = [];
  const close = (): void => {
    const frame = frames.pop();
    const parent = frames.at(-1);
    if (!frame) return;
    if (frame.isSecret) for (const entry of frame.entries) found.push(entry);
    else if (frame.isSecretList) for (const entry of frame.listed) found.push(entry);
    else if (parent && !parent.isObject) for (const entry of frame.entries) parent.listed.push(entry);
    else if (parent && !frame.isObject && parent.key === "items")
      for (const entry of frame.listed) parent.listed.push(entry);
  };
  let at = start;
  for (; at < text.length; at++) {
    const character = text.charAt(at);
    if (character === "{" || character === "[") {
      if (frames.length === DEEPEST) break;
      const parent = frames.at(-1);
      const section = character === "{" && parent?.isObject ? sectionOf(parent.key) : undefined;
      frames.push({
        isObject: character === "{",
        key: "",
        isSecret: false,
        isSecretList: false,
        section,
        entries: [],
        listed: [],
      });
    } else if (character === "}" || character === "]") {
      close();
      if (frames.length === 0) break;
    } else if (character === '"') {
      if (backslashesBefore(text, at) < escapes) break; // The end of the string that holds this JSON.
      const end = stringEnd(text, at, escapes);
      if (text.charAt(end) === '"') takeString(text, at + 1, end - escapes, frames, escapes);
      at = end;
    }
  }
  while (frames.length > 0) close();
  return { end: at + 1, found };
}

/** The place of the quotation mark that ends the string beginning at `start`; without one, the end of its line. */
function stringEnd(text: string, start: number, escapes: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0x0a || (code === 0x22 && isQuote(text, at, escapes))) return at;
  }
  return text.length;
}

function takeString(text: string, start: number, end: number, frames: readonly Frame[], escapes: number): void {
  const frame = frames.at(-1);
  if (!frame?.isObject) return;
  const after = end + escapes + 1;
  if (/^\s{0,8}:/.test(text.slice(after, after + 10))) {
    frame.key = text.slice(start, Math.min(end, start + 120));
    return;
  }
  if (frame.key === "kind") {
    const kind = text.slice(start, Math.min(end, start + 12));
    frame.isSecret = kind === "Secret";
    frame.isSecretList = kind === "SecretList";
  }
  if (frame.section) frames.at(-2)?.entries.push({ section: frame.section, key: frame.key, start, end });
}
