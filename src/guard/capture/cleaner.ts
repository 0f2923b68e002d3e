import { isUtf8 } from "node:buffer";
import { hostname, userInfo } from "node:os";
import { basename } from "node:path";
import { homeDirectory, processEnv } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { rememberVariables, secretCertaintyOf } from "../../lib/secrets/known-secrets.ts";
import type { Redactor } from "../../redaction/redact.ts";
import { redactorOf } from "../../redaction/redaction-settings.ts";

/** What takes the place of private parts. */
export interface Marks {
  /** Paths and what takes their place: the home directory, directories of the project. */
  paths: readonly (readonly [path: string, mark: string])[];
  user: string;
  machine: string;
  email: (address: string) => string;
  /** For a secret, and for the id of a person or machine. `kind` is that of the redaction. */
  secret: (value: string, kind: string) => string;
}

/** Fields whose value names a person or a machine. */
const IDENTITY = /^(user|machine|device|account|installation)_?(id|name|email)$/i;

/** An e-mail address; `git@` belongs to a server, not a person. */
const EMAIL = /\b(?!git@)[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

/** Text that may be base64; shorter ones hardly hold a path or an address. */
const BASE64: readonly (readonly [RegExp, BufferEncoding])[] = [
  [/(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{16,}={0,2}(?![A-Za-z0-9+/=])/g, "base64"],
  [/(?<![\w-])[\w-]{16,}(?![\w=-])/g, "base64url"],
];

/** User names that identify no person and are also ordinary words. */
const COMMON_NAMES = new Set(
  (
    "root user home admin node runner ubuntu vscode app dev test tester git build builder docker deploy jenkins " +
    "postgres vagrant guest worker developer codespace gitpod circleci nobody debian fedora"
  ).split(" "),
);

/** The kind of a value that is private because of the name of its field. */
const NAMED_FIELD = "field";

/** How often encoded text within encoded text is searched. */
const MAX_DEPTH = 3;

/**
 * Returns a function that writes a value as JSON without what is private: secrets, e-mail addresses, names of the user
 * and the machine, and the given paths. Keys of objects, JSON within texts and base64 are cleaned too.
 */
export function createCleaner(marks: Marks): (value: unknown, indent?: number) => string {
  rememberVariables(processEnv());
  const replacements = replacementsFor(marks);
  return (value, indent) => {
    const cleaning: Cleaning = { marks, redactor: redactorOf([]), replacements };
    const text = JSON.stringify(value, (key, inner: unknown) => cleanField(key, inner, cleaning, 0), indent);
    return redacted(text, cleaning); // finds more secrets by the names of their fields; valid JSON stays valid
  };
}

interface Cleaning {
  marks: Marks;
  redactor: Redactor;
  replacements: readonly (readonly [RegExp, string])[];
}

function cleanField(key: string, value: unknown, cleaning: Cleaning, depth: number): unknown {
  if (typeof value === "string")
    return value !== "" && isPrivate(key)
      ? cleaning.marks.secret(value, NAMED_FIELD)
      : cleanText(value, cleaning, depth);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [cleanText(name, cleaning, depth), inner]));
}

function cleanText(text: string, cleaning: Cleaning, depth: number): string {
  let cleaned = redacted(depth < MAX_DEPTH ? cleanEncoded(text, cleaning, depth + 1) : text, cleaning);
  cleaned = cleaned.replace(EMAIL, (address) => cleaning.marks.email(address));
  for (const [pattern, mark] of cleaning.replacements) cleaned = cleaned.replace(pattern, () => mark);
  return cleaned;
}

/** Cleans JSON that is the whole text, and base64 anywhere in it. Text that holds nothing private keeps its form. */
function cleanEncoded(text: string, cleaning: Cleaning, depth: number): string {
  if (/^\s*[{[]/.test(text)) {
    const value = parsedJson(text);
    const before = JSON.stringify(value);
    const after = JSON.stringify(value, (key, inner: unknown) => cleanField(key, inner, cleaning, depth));
    if (before !== after) return after;
  }
  return BASE64.reduce((all, [pattern, encoding]) => {
    return all.replace(pattern, (encoded) => {
      const decoded = decodedText(encoded);
      const cleaned = decoded === undefined ? undefined : cleanText(decoded, cleaning, depth);
      return cleaned === undefined || cleaned === decoded ? encoded : Buffer.from(cleaned).toString(encoding);
    });
  }, text);
}

function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

const decoder = new TextDecoder();

/** The text that base64 encodes; undefined if it encodes other bytes, as most words do: a strict decoder would throw for each. */
function decodedText(encoded: string): string | undefined {
  const bytes = Buffer.from(encoded, "base64");
  if (!isUtf8(bytes)) return undefined;
  const text = decoder.decode(bytes);
  return /[^\t\n\r\u0020-\u007e\u00a0-\uffff]/.test(text) ? undefined : text;
}

function redacted(text: string, { redactor, marks }: Cleaning): string {
  let cleaned = "";
  let from = 0;
  for (const { start, end, kind } of redactor.find(text)) {
    cleaned += text.slice(from, start) + marks.secret(text.slice(start, end), kind);
    from = end;
  }
  return from === 0 ? text : cleaned + text.slice(from);
}

/** True for a field whose name says that its value is a secret or names a person or a machine. */
function isPrivate(field: string): boolean {
  return IDENTITY.test(field) || secretCertaintyOf(field) === "named";
}

/** What to replace, longest path first: a project is often below the home directory. */
function replacementsFor({ paths, user, machine }: Marks): [RegExp, string][] {
  const longestFirst = paths
    .filter(([path]) => path.length > 1)
    .toSorted(([one], [other]) => other.length - one.length);
  const names = [basename(homeDirectory()), nameOfUser()].filter((name) => name.length > 2 && !COMMON_NAMES.has(name));
  const host = hostname();
  return [
    ...longestFirst.flatMap(([path, mark]) => pathReplacements(path, mark)),
    ...[...new Set(names)].map((name): [RegExp, string] => [wholeWord(name, "gi"), user]),
    ...(host.length > 3 && host !== "localhost" ? [[wholeWord(host, "gi"), machine] as [RegExp, string]] : []),
  ];
}

/** The spellings of a path: as it is, in a URL, in JSON within a text, and as the folder name that hosts derive from it. */
const SPELLINGS: readonly ((path: string) => string)[] = [
  (path) => path,
  encodeURI,
  encodeURIComponent,
  (path) => JSON.stringify(path).slice(1, -1),
  (path) => path.replaceAll(/[^A-Za-z0-9]/g, "-"),
];

/** A mark that is a path itself is spelled as the path that it replaces. */
function pathReplacements(path: string, mark: string): [RegExp, string][] {
  const spelled = SPELLINGS.map((spell) => [spell(path), mark.startsWith("/") ? spell(mark) : mark] as const);
  return [...new Map(spelled)].map(([text, target]) => [
    target.startsWith("$") ? wholePath(text) : wholeWord(text),
    target,
  ]);
}

function wholePath(text: string): RegExp {
  return new RegExp(`${escaped(text)}(?![A-Za-z0-9_])`, "g");
}

function wholeWord(text: string, flags = "g"): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])${escaped(text)}(?![A-Za-z0-9_])`, flags);
}

function escaped(text: string): string {
  return text.replaceAll(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
}

function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return ""; // no such user (a container with an arbitrary user id)
  }
}
