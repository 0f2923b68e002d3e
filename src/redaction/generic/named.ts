import { redactionMarkEndsAt } from "../../lib/secrets/redaction-mark.ts";
import { isNameOfItem, placesOf } from "../assignment/contexts.ts";
import { wordsOf } from "../assignment/names.ts";
import { valueStart } from "../assignment/start.ts";
import { CLASSES, classOf, skip, skipBack } from "../classes.ts";
import { isRandom } from "../edges.ts";
import { isPlaceholder } from "../placeholders.ts";
import { isMarkAt, type Scan } from "../scan.ts";
import { type Credential, credentialOf } from "./names.ts";
import { isBasicCredential, isRandomToken, isUuid } from "./values.ts";

/** The kinds of secret that are found by the name they are assigned to, whatever their issuer. */
export const NAMED_KINDS = [
  "generic-api-key",
  "generic-password",
  "connection-string-password",
  "jdbc-password",
  "netrc-password",
  "npm-auth",
  "docker-auth",
  "maven-password",
  "nuget-config-password",
  "http-basic-password",
  "command-line-password",
  "license-key",
];

/** The parts of names to search for, in any case. */
export const NAME_ANCHORS = ["passw", "passphrase", "pwd", "pass", "secret", "token", "key", "cred", "auth", "ident"];

const LONGEST_NAME = 64;
/** Longer names have words in them. */
const LONGEST_WORD = 24;
const QUOTES = "\"'`";
/** The characters of a value without quotation marks. */
const PLAIN = classOf("_-+/=.~:!@#$%^*?|", CLASSES.alnum);
const QUOTED = classOf("&,;()[]{}", PLAIN);

interface Value {
  start: number;
  end: number;
  text: string;
  isQuoted: boolean;
}

/** A name that contains a word for a credential, and its words. */
interface Name {
  start: number;
  end: number;
  words: readonly string[];
}

/** Finds the credential assigned to the name that contains a word for credentials from `start` up to `end`. */
export function findNamed(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  const next = text.charCodeAt(end);
  // Part of another word: `keyboard` and `tokenize` are far more frequent than names of credentials.
  if (
    isLower(next) &&
    isLower(text.charCodeAt(end - 1)) &&
    !/^(?:s|word|wd|phrase|words|orization|ential|entials|entity|token|ority)/.test(text.slice(end, end + 12))
  )
    return;
  const to = skip(text, CLASSES.urldot, end, LONGEST_NAME);
  const from = skipBack(text, CLASSES.urldot, start, LONGEST_NAME);
  if (redactionMarkEndsAt(text, from)) return; // The redacted words may have said that this is not a credential.
  if (text.startsWith("----", to - 4)) return; // The frame of a private key.
  if (to - from >= LONGEST_WORD && isRandom(text, from, to, false)) return; // A part of encoded data.
  if (text.startsWith("::", from - 2)) return; // A type in a language or a cloud: `AWS::IAM::AccessKey`.
  const at = valueStart(text, to) ?? blankEnd(text, from, to);
  const mayBeElsewhere =
    to < text.length &&
    (ELSEWHERE.includes(text.charAt(to)) || ("\r\n".includes(text.charAt(to)) && isNameOfItem(text, from)));
  if (at === undefined && !mayBeElsewhere) return;
  const name = { start: from, end: to, words: wordsWithOuter(text, from, to) };
  const credential = credentialOf(name.words);
  if (credential === undefined) return;
  if (at !== undefined) addValue(scan, credential, name, at, true);
  if (mayHaveValue(scan, name)) addElsewhere(scan, name);
}

const OUTER = 48;
/** The word before a name, as in `API key:`. Leaves out a word next to a mark, which may be the end of a longer one. */
const WORD_BEFORE = /(?:^|[^A-Za-z\]])([A-Za-z]+)[ \t]$/;
/** The name of the object that contains a name, if it comes right before: `api:` on the line above, `"api": {`. */
const PARENT =
  /(?:^|[^A-Za-z\]])(api|access|secret|private|encryption|signing|auth|master|jwt|hmac)["']?[ \t]{0,4}[:=]>?[ \t]{0,4}(?:[{[]\s{0,16}|\r?\n[ \t]{1,16})["']?$/i;

/**
 * Returns the words of a name. For a bare `key` they include the word before it, or the name of the surrounding object.
 */
function wordsWithOuter(text: string, from: number, to: number): readonly string[] {
  const words = wordsOf(text.slice(from, to));
  if (words.length !== 1 || !/^keys?$/.test(words[0] ?? "")) return words;
  const before = text.slice(Math.max(0, from - OUTER), from);
  const outer = (WORD_BEFORE.exec(before) ?? PARENT.exec(before))?.[1];
  return outer === undefined ? words : [...wordsOf(outer), ...words];
}

/**
 * Characters after a name whose value is not assigned by an operator: `setProperty("API_KEY", "x")`, `apiKey: string =
 * "x"`, `ENV API_KEY x`.
 */
const ELSEWHERE = "\"'`\\, \t:?<";
const AHEAD = 240;

/** A quick test: true if a token, or a NuGet setting, may follow a name closely. */
function mayHaveValue({ text }: Scan, { start, end }: Name): boolean {
  if (NUGET.test(text.slice(Math.max(0, start - 70), start)) || isNameOfItem(text, start)) return true;
  const tokens = text.slice(end, end + AHEAD).match(/[\w+/=.~-]{16,}/g) ?? [];
  return tokens.some((token) => /\d/.test(token));
}

/**
 * Adds the values at all places. If it stopped at the first one, a second pass, where that is a mark, would find the
 * next.
 */
function addElsewhere(scan: Scan, { start, end, words }: Name): void {
  const isPath = "/\\".includes(scan.text.charAt(start - 1)) && start > 0;
  if (isPath && !/^["']?[ \t]{1,4}--/.test(scan.text.slice(end, end + 8))) return;
  for (const { start: at, nameEnd, needs } of placesOf(scan.text, { start, end })) {
    const name = { start, end, words: nameEnd > end ? wordsOf(scan.text.slice(start, nameEnd)) : words };
    const credential = credentialOf(name.words);
    if (credential === undefined || (needs === "secret" && credential === "auth")) continue;
    addValue(scan, credential, name, at, false);
  }
}

/** Adds the value that begins at `at` if it is a credential. `isPlain` is true if an operator assigns it. */
function addValue(scan: Scan, credential: Credential, name: Name, at: number, isPlain: boolean): void {
  const value = valueAt(scan, at);
  if (value === undefined || value.end - value.start < 4 || isPart(scan.text, name, at) || value.text.startsWith("--"))
    return;
  if (isNextAssignment(scan.text, name, value) || isOutput(scan.text, credential, name, value)) return;
  const kind = kindOf(scan, credential, name, value, isPlain && scan.generic === "strict");
  if (kind !== undefined) scan.add(kind, value.start, value.end);
}

/** True if name and value are parts of one identifier: `arn:aws:secretsmanager:us-west-2:1234:secret:name-a1b2c3`. */
function isPart(text: string, name: Name, at: number): boolean {
  return at === name.end + 1 && text.charAt(name.end) === ":" && text.charAt(name.start - 1) === ":";
}

const BLANK = classOf(" \t");

/** The start of a value that only blanks separate from its name, as in `--password V` and in `.netrc`. */
function blankEnd(text: string, from: number, to: number): number | undefined {
  const end = skip(text, BLANK, to, 8);
  if (
    end === to ||
    !(text.startsWith("--", from) || /^(?:passw(?:or)?d|requirepass|masterauth)$/.test(text.slice(from, to)))
  )
    return undefined;
  return QUOTES.includes(text.charAt(end)) && end < text.length ? end + 1 : end;
}

function isLower(code: number): boolean {
  return code >= 0x61 && code <= 0x7a;
}

const LONGEST_VALUE = 4096;

function valueAt(scan: Scan, start: number): Value | undefined {
  const { text } = scan;
  const quote = text.charAt(start - 1);
  const isQuoted = QUOTES.includes(quote) && start > 0;
  let end = scan.runEnd(isQuoted ? QUOTED : PLAIN, start);
  if (end - start > LONGEST_VALUE || isMarkAt(text, end)) return undefined;
  if (isQuoted)
    return text.charAt(end) === quote || text.charAt(end) === "\\"
      ? { start, end, text: text.slice(start, end), isQuoted }
      : undefined;
  while (end > start && ".,:?!".includes(text.charAt(end - 1))) end--;
  return endsValue(text, end) ? { start, end, text: text.slice(start, end), isQuoted } : undefined;
}

/** True if the name has no value and `value` is the assignment on the next line, as in `A_KEY=` before `B_KEY=x`. */
function isNextAssignment(text: string, name: Name, value: Value): boolean {
  if (value.isQuoted || !text.slice(name.end, value.start).includes("\n")) return false;
  return /^[+-]?[A-Za-z_][\w.-]*=[^=]/.test(value.text);
}

/**
 * True if the value is the first word of the line below a prompt for a password, such as `Password:`. A value on a line of
 * its own is alone there, indented or in quotes.
 */
function isOutput(text: string, credential: Credential, name: Name, value: Value): boolean {
  if (credential !== "password" || value.isQuoted || !/[\r\n]$/.test(text.slice(name.end, value.start))) return false;
  return /^[ \t]+[^\s#]/.test(text.slice(value.end, value.end + LONGEST_GAP));
}

const LONGEST_GAP = 64;

function endsValue(text: string, end: number): boolean {
  return end >= text.length || " \t\r\n\0\"'`\\,;)]}<&.:?!".includes(text.charAt(end));
}

function kindOf(scan: Scan, credential: Credential, name: Name, value: Value, isStrict: boolean): string | undefined {
  const placed = placedKind(scan, credential, name, value);
  if (placed !== undefined) return placed === "" ? undefined : placed;
  if (credential === "license") return isLicense(value.text) ? "license-key" : undefined;
  if (isSure(credential, name, value.text)) return credential === "password" ? "generic-password" : "generic-api-key";
  if (!isStrict || !isStrictValue(value, credential === "password")) return undefined;
  return credential === "password" ? "generic-password" : "generic-api-key";
}

/** Words of a name under which a UUID is a token; under others it is more often an id. */
const UUID_NAME = new Set(["access", "api", "apikey", "apitoken", "auth", "bearer", "oauth", "password", "secret"]);

function isSure(credential: Credential, { words }: Name, value: string): boolean {
  if (value.includes("://") || !isRandomToken(value)) return false;
  return credential === "password" || !isUuid(value) || words.some((word) => UUID_NAME.has(word));
}

/** True for groups of capitals and digits, as vendors print licence keys, and for a random token. */
function isLicense(value: string): boolean {
  return (
    (/^(?:[A-Z0-9]{4,8}-){2,9}[A-Z0-9]{4,12}$/.test(value) &&
      /\d/.test(value) &&
      /[A-Z]/.test(value) &&
      !isPlaceholder(value)) ||
    isRandomToken(value)
  );
}

const SHORTEST_STRICT = 8;

/** True if a value may be a secret chosen by a person: not a placeholder and not a name in source code. */
function isStrictValue({ text, isQuoted }: Value, isPassword: boolean): boolean {
  if (text.length < SHORTEST_STRICT || isPlaceholder(text) || /:\/\/|^\.{0,2}\//.test(text)) return false;
  if (isPassword && isQuoted) return !/^[A-Za-z]+$/.test(text) || !/[a-z][A-Z]/.test(text);
  return /\d/.test(text) && /[A-Za-z]/.test(text) && !/^(?:0x|[A-Za-z_$][\w$]*(?:\.[A-Za-z_$][\w$]*)+$)/.test(text);
}

/** The kind of a value by its place; "" if the place shows that it is not a secret, undefined if it shows nothing. */
function placedKind({ text }: Scan, credential: Credential, name: Name, value: Value): string | undefined {
  const last = name.words.at(-1) ?? "";
  const whole = name.words.join("");
  if (credential === "auth" && isBasicCredential(value.text)) {
    if (whole === "auth")
      return text.charAt(name.start) === "_" ? "npm-auth" : value.isQuoted ? "docker-auth" : undefined;
    return whole === "npmauthident" ? "npm-auth" : undefined;
  }
  if (isNpm(text, name, whole)) return isFilled(value.text, 8) ? "npm-auth" : "";
  if (
    (whole === "identitytoken" || whole === "registrytoken") &&
    /^["']\s*:\s*["']$/.test(text.slice(name.end, value.start))
  )
    return isFilled(value.text, 16) ? "docker-auth" : "";
  if (credential !== "password") return undefined;
  return passwordKind(text, name, value, last);
}

function isFilled(value: string, shortest: number): boolean {
  return value.length >= shortest && !isPlaceholder(value);
}

function isNpm(text: string, name: Name, whole: string): boolean {
  if (whole === "npmauthtoken" || whole === "npmauthident") return true;
  if (!/^(?:authtoken|password|auth)$/.test(whole) || text.charAt(name.start) !== "_") return false;
  const before = text.charAt(name.start - 1);
  return before === ":" || (whole === "authtoken" && (before === "" || before === "\n"));
}

const AROUND = 300;
const JDBC = /jdbc:[a-z0-9:]+/i;
const CONNECTION =
  /(?:^|[;?&\s,:])(?:server|data source|host|hostname|hostaddr|addr|address|user id|uid|user|username|userid|database|dbname|initial catalog|driver|dsn|endpoint)\s{0,2}=\s{0,2}[^;&\s=]|:\d{2,5},/i;
/** The text before the name of a NuGet setting, whose value is another attribute. In JSON the quotes are escaped. */
const NUGET = /<add\s+key\s*=\s*\\{0,7}"[\w:.-]{0,40}$/i;
const NETRC = /(?:machine\s+\S+|(?:^|\n)\s*default)\s+login\s+\S+\s+(?:account\s+\S+\s+)?$/;
const SURE_VARIABLES =
  /^(?:PGPASSWORD|MYSQL_PWD|MYSQL_ROOT_PASSWORD|MYSQL_PASSWORD|POSTGRES_PASSWORD|REDIS_PASSWORD|SSHPASS|MSSQL_SA_PASSWORD|SA_PASSWORD|MONGO_INITDB_ROOT_PASSWORD)$/;

function passwordKind(text: string, name: Name, value: Value, last: string): string | undefined {
  const before = text.slice(Math.max(0, name.start - AROUND), name.start);
  const operator = text.slice(name.end, value.start);
  const isBare = !/\W/.test(text.slice(name.start, name.end)) && name.words.length === 1;
  if (NUGET.test(before.slice(-70))) return isFilled(value.text, 8) ? "nuget-config-password" : "";
  if (isBare && /^\s+["']?$/.test(operator) && NETRC.test(before))
    return isFilled(value.text, 4) ? "netrc-password" : "";
  if (isBare && text.charAt(name.start - 1) === "<" && /^>\s*$/.test(operator) && /<\/username>\s*<$/i.test(before)) {
    return isFilled(value.text, 4) ? "maven-password" : "";
  }
  if (isBare && /\[http-basic[^\]]*\][^[]*$/.test(before) && value.isQuoted)
    return isFilled(value.text, 4) ? "http-basic-password" : "";
  const connected = operator === "=" && isBare && !value.isQuoted ? connectionKind(text, value, before) : undefined;
  if (connected !== undefined) return connected;
  if (/--$/.test(text.slice(name.start - 2, name.start)) || text.startsWith("--", name.start)) {
    return last !== "pass" && isFilled(value.text, 4) && (value.isQuoted || /[\d!@#$%^&*]/.test(value.text))
      ? "command-line-password"
      : undefined;
  }
  if (SURE_VARIABLES.test(text.slice(name.start, name.end)) && /^["'\s]*[=:]/.test(operator)) {
    return isFilled(value.text, 4) && /[\d\W]/.test(value.text) ? "generic-password" : undefined;
  }
  return undefined;
}

function connectionKind(text: string, value: Value, before: string): string | undefined {
  const head = before.split(/["'`\n]/).at(-1) ?? "";
  const tail = text.slice(value.end, value.end + AROUND).split(/["'`\n]/, 1)[0] ?? "";
  if (!/(?:^|[;?&\s,])$/.test(head)) return undefined;
  const isJdbc = JDBC.test(head);
  if (!isJdbc && !CONNECTION.test(head) && !CONNECTION.test(tail)) return undefined;
  const end = passwordEnd(value.text);
  // Commas separate the arguments of a function; they separate the settings of a connection only after `host:port`.
  if (",)".includes(text.charAt(value.start + end)) && !/:\d{2,5},/.test(head)) return undefined;
  value.end = value.start + end;
  return isFilled(value.text.slice(0, end), 4) ? (isJdbc ? "jdbc-password" : "connection-string-password") : "";
}

function passwordEnd(value: string): number {
  const end = value.search(/[;&]/);
  return end < 0 ? value.length : end;
}
