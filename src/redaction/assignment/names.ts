import { redactionMarkEndsAt } from "../../lib/secrets/redaction-mark.ts";
import { CLASSES, holds } from "../classes.ts";
import { isAfterEscape } from "../edges.ts";

/**
 * The identifier that a vendor's word is part of, from `start` up to `end`, such as `config.datadogApiKey` or
 * `x-okta-token`; the vendor's word ends at `wordEnd`.
 */
export interface Name {
  start: number;
  wordEnd: number;
  end: number;
}

const SEPARATORS = ["", "_", "__", "-", ".", " "];

/**
 * The texts to search for, in lower case. A word with a space is searched for in every way to join its parts: `new
 * relic` as `newrelic`, `new_relic`, `new__relic`, `new-relic`, `new.relic` and `new relic`.
 */
export function spellingsOf(word: string): string[] {
  const parts = word.toLowerCase().split(" ");
  return parts.length === 1 ? parts : SEPARATORS.map((separator) => parts.join(separator));
}

/**
 * A pattern for the cases in which the word may be written: each part, which begins at a space or a capital, is in
 * lower case, in upper case, or capitalized. So `dataDog` matches `datadog`, `DataDog` and `DATADOG`, not `daTadog`.
 */
export function casesOf(word: string): RegExp {
  const parts = word.split(/ |(?=[A-Z])/).map((part) => part.toLowerCase());
  const cases = parts.map(
    (part) => `(?:${part}|${part.charAt(0).toUpperCase()}${part.slice(1)}|${part.toUpperCase()})`,
  );
  return new RegExp(`^${cases.join("[_. -]{0,2}")}$`);
}

const LONGEST = 64;

/**
 * The name that contains the vendor's word from `start` up to `end`. Undefined if those letters are part of another
 * word, as in `ReactNativeCameraKit`, `sumOfExposures` or `blob`. The caller has checked their case.
 */
export function readName(text: string, start: number, end: number): Name | undefined {
  if (!beginsWord(text, start) || !endsWord(text, end)) return undefined;
  let from = start;
  while (start - from < LONGEST && holds(CLASSES.urldot, text.charCodeAt(from - 1))) from--;
  if (redactionMarkEndsAt(text, from)) return undefined;
  let to = end;
  while (to - end < LONGEST && holds(CLASSES.urldot, text.charCodeAt(to))) to++;
  while (to > end && isTrailing(text.charCodeAt(to - 1))) to--;
  for (let members = 0; members < MOST_MEMBERS; members++) to = memberEnd(text, to);
  return { start: from, wordEnd: end, end: to };
}

const MOST_MEMBERS = 2;
/** A member that follows the identifier and names the credential: `datadog["api_key"]`, `datadog->key`. */
const MEMBER = /^["'`]?\]?(?:\[[:"'`]{1,2}|->|::|\?\.)[\w.-]{1,40}(?![\w.-])/;

function memberEnd(text: string, end: number): number {
  if (!"\"'`][-:?".includes(text.charAt(end)) || end >= text.length) return end;
  return end + (MEMBER.exec(text.slice(end, end + LONGEST))?.[0].length ?? 0);
}

/** A hyphen or a dot at the end of an identifier belongs to what follows: `${NAME:-x}`, the end of a sentence. */
function isTrailing(code: number): boolean {
  return code === 0x2d || code === 0x2e;
}

const isUpper = (code: number): boolean => code >= 0x41 && code <= 0x5a;
const isLower = (code: number): boolean => code >= 0x61 && code <= 0x7a;

/**
 * True if a word can begin at `start`: after no letter, at a capital after a lower-case letter, at the last of several
 * capitals, or after a flag of one letter (`-Ddatadog.key=`).
 */
function beginsWord(text: string, start: number): boolean {
  const before = text.charCodeAt(start - 1);
  if (!holds(CLASSES.alpha, before) || isAfterEscape(text, start)) return true;
  if (/(?:^|[^\w-])-[A-Za-z]$/.test(text.slice(Math.max(0, start - 3), start))) return true;
  if (!isUpper(text.charCodeAt(start))) return false;
  return isLower(before) || isLower(text.charCodeAt(start + 1));
}

/** Words that follow a vendor's without a separator: `datadogapikey`, `HEROKUKEY`, `travisci_token`. */
const GLUED = new RegExp(
  "^(?:access|account|admin|ai|api|app|auth|bearer|bot|ci|client|cloud|consumer|cred|db|deploy|dev|integration|io|key|" +
    "license|live|logic|oauth|personal|private|prod|project|sandbox|sdk|secret|service|signing|test|token|upload|user|" +
    "webhook|pass(?:word|wd|phrase)?|pwd|pat|id)+s?$",
);

/**
 * True if a word can end at `end`: before no letter, before a capital of the next word, or before a word of
 * credentials.
 */
function endsWord(text: string, end: number): boolean {
  const next = text.charCodeAt(end);
  if (!holds(CLASSES.alpha, next)) return true;
  const isCapital = isUpper(next);
  if (isCapital && (isLower(text.charCodeAt(end - 1)) || isLower(text.charCodeAt(end + 1)))) return true;
  const isSame = isCapital ? isUpper : isLower;
  let to = end;
  while (to - end < LONGEST && isSame(text.charCodeAt(to))) to++;
  return GLUED.test(text.slice(end, to).toLowerCase());
}

const IDENTIFIERS =
  /^(access|account|app|client|event|group|guild|job|key|object|order|org|page|project|request|secret|session|task|team|tenant|token|trace|user)(id)s?$/;

/** The words of an identifier, in lower case. Digits separate words, and `taskid` is two words. */
export function wordsOf(identifier: string): string[] {
  const words = identifier.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g) ?? [];
  return words.map((word) => word.toLowerCase()).flatMap((word) => IDENTIFIERS.exec(word)?.slice(1) ?? word);
}

/** Words that say nothing about what a value is: `var key string = ...`, `the key is ...`. */
const FILLERS = new Set([
  "are",
  "byte",
  "bytes",
  "char",
  "const",
  "is",
  "of",
  "str",
  "string",
  "the",
  "value",
  "varchar",
]);

/** Words that end in one of these name a credential: `apikey`, `secret`, `dbpassword`. */
const CREDENTIAL =
  /^login$|(?:^|[^n])keys?$|tokens?$|secrets?$|passw(?:or)?ds?$|passphrase$|(?:^|db)(?:pass|pwd|pw)$|creds?$|credentials?$/;
/** Words that often name a credential. */
const SUGGESTIVE = new Set(["api", "access", "auth", "oauth", "bearer", "client", "license", "pat"]);

/** Words for values that only look like secrets. */
const DIGEST =
  /(?:^|git)(?:sha|md)$|commit$|hash$|digest$|checksum$|^integrity$|^rev$|^revision$|^etag$|^fingerprint$|^crc$/;
/** Last words of names whose values are not secret. */
const OPEN = new Set([
  "count",
  "dir",
  "domain",
  "email",
  "enabled",
  "endpoint",
  "file",
  "filename",
  "format",
  "host",
  "hostname",
  "image",
  "interval",
  "kind",
  "length",
  "level",
  "limit",
  "mode",
  "name",
  "names",
  "path",
  "port",
  "region",
  "role",
  "site",
  "size",
  "slug",
  "tag",
  "timeout",
  "title",
  "type",
  "uri",
  "url",
  "urls",
  "username",
  "version",
  "zone",
]);
const PUBLIC = new Set(["public", "publishable"]);
const ID = /^(?:[ug]?u?ids?|identifiers?)$/;
/** Words that make a following `id` a secret: `VAULT_SECRET_ID`, `session_id`. */
const SECRET_IDS = new Set(["secret", "session"]);
/** Like {@link SECRET_IDS}, for kinds that are ids and one half of a pair of credentials. */
const PAIRED_IDS = new Set(["access", "api", "client", "key"]);

/**
 * The evidence of a name about its value: not secret (`harmless`: a digest, something public, an id), none (`none`),
 * maybe a credential (`credential`: `client`, `auth`), certainly one (`secret`: `key`).
 */
export type NameStrength = "harmless" | "none" | "credential" | "secret";

/**
 * Returns the strength of a name. `first` is the name up to the end of the vendor's word. `isId` is true for a kind
 * that is itself an id.
 */
export function strengthOf(first: string, rest: string, isId: boolean): NameStrength {
  const own = wordsOf(rest).filter((word) => !FILLERS.has(word));
  const words = [...wordsOf(first), ...own];
  const last = own.at(-1) ?? "";
  if (words.some((word) => PUBLIC.has(word))) return "harmless";
  if (CREDENTIAL.test(last)) return "secret";
  if (OPEN.has(last) || words.some((word) => DIGEST.test(word))) return "harmless";
  if (ID.test(last)) return strengthOfId(words.at(-2) ?? "", isId);
  if (words.some((word) => CREDENTIAL.test(word))) return "secret";
  return words.some((word) => SUGGESTIVE.has(word)) ? "credential" : "none";
}

function strengthOfId(before: string, isId: boolean): NameStrength {
  return SECRET_IDS.has(before) || (isId && PAIRED_IDS.has(before)) ? "secret" : "harmless";
}

const STRENGTHS: readonly NameStrength[] = ["harmless", "none", "credential", "secret"];

/** True if `strength` is at least `least`. */
export function suffices(strength: NameStrength, least: NameStrength): boolean {
  return STRENGTHS.indexOf(strength) >= STRENGTHS.indexOf(least);
}
