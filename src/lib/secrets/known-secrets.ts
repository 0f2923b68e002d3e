import type { Env } from "../env.ts";

/**
 * How certain it is that a value is a secret: `key` if hooksh itself uses it as a credential or a source of credentials
 * has it under the name of one, `named` if only its name says so (`DATABASE_PASSWORD`), `hinted` if its name suggests it
 * (`CACHE_KEY`).
 */
export type Certainty = "key" | "named" | "hinted";

/** A value that may be a secret. */
export interface SecretCandidate {
  value: string;
  certainty: Certainty;
}

/** Shorter values are not redacted by value, because they occur in ordinary text by chance. */
export const MIN_SECRET_LENGTH = 8;

const CERTAINTIES: readonly Certainty[] = ["key", "named", "hinted"];

const remembered = new Map<string, Certainty>();
/** `remembered` as {@link secretCandidates} returns it; undefined after a change. */
let candidates: readonly SecretCandidate[] | undefined;
const read = new WeakSet<Env>();
/** Environments that have not been read yet. */
let unread: Env[] = [];
const MAX_UNREAD = 16;

/**
 * Remembers a secret until the process ends, so that redaction finds it in any text. A refreshed token is remembered in
 * addition to the old one.
 */
export function rememberSecret(value: string, certainty: Certainty = "key"): void {
  const bare = value.trim();
  if (bare.length < MIN_SECRET_LENGTH) return;
  const known = remembered.get(bare);
  if (known === undefined || CERTAINTIES.indexOf(certainty) < CERTAINTIES.indexOf(known)) {
    remembered.set(bare, certainty);
    candidates = undefined;
  }
}

/**
 * Remembers the values of variables whose names say that they are secrets, and passwords in URLs. Reads the variables
 * only when redaction asks for the candidates.
 */
export function rememberVariables(variables: Env): void {
  if (read.has(variables) || unread.includes(variables)) return;
  unread.push(variables);
  if (unread.length > MAX_UNREAD) readVariables();
}

/**
 * Remembers values from a source of credentials, such as configured request headers or a file of secrets, except those
 * whose names say that they are not secret.
 */
export function rememberCredentials(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!describesOnly(name) && !PLAIN_HEADERS.test(name))
      rememberAuthorization(value, certaintyInSource(name) ?? "hinted");
  }
}

/** Returns how certain its name makes it that a value from a source of credentials is a secret, as {@link secretCertaintyOf} does. */
export function certaintyInSource(name: string): Certainty | undefined {
  const certainty = secretCertaintyOf(name);
  return certainty === "named" || (certainty === "hinted" && CREDENTIAL.test(wordsOf(name).at(-1) ?? ""))
    ? "key"
    : certainty;
}

/** Remembers the password in a URL. Ignores any other text. */
export function rememberUrl(text: string): void {
  if (!text.includes("://") || !text.includes("@") || !URL.canParse(text)) return;
  const { password } = new URL(text);
  try {
    rememberSecret(decodeURIComponent(password), "named");
  } catch {
    rememberSecret(password, "named"); // it contains an unencoded percent sign
  }
}

/**
 * Returns every remembered value; the same list until a value is added. The caller decides which of them to search for.
 */
export function secretCandidates(): readonly SecretCandidate[] {
  readVariables();
  return (candidates ??= Array.from(remembered, ([value, certainty]) => ({ value, certainty })));
}

/**
 * Returns how certain a variable's or header's name makes it that the value is a secret; undefined if it does not hint
 * at one.
 */
export function secretCertaintyOf(name: string): Exclude<Certainty, "key"> | undefined {
  if (!HINT.test(name) || describesOnly(name)) return undefined;
  const words = wordsOf(name);
  const isNamed = words.some(
    (word, at) => NAMED.test(word) || (/^KEYS?$/.test(word) && KEY_OF.test(words[at - 1] ?? "")),
  );
  if (isNamed) return "named";
  return words.some((word) => HINTED.test(word)) ? "hinted" : undefined;
}

/** A quick test that rules out most names. */
const HINT = /key|token|secret|pass|pwd|pat|auth|cred|cookie/i;
const NAMED = /(TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY|AUTHORIZATION)$/;
/** Words before `KEY` that make it a credential. */
const KEY_OF = /^(API|ACCESS|SECRET|PRIVATE|AUTH|SIGNING|ENCRYPTION|MASTER|SERVICE|ACCOUNT|ADMIN|LICEN[CS]E|STORAGE)$/;
const HINTED = /(KEY|KEYS|PASS|PWD|AUTH|COOKIE)$|^(PAT|CREDS?)$/;
/** Last words of names that are those of credentials in a file of secrets; elsewhere `PWD` is a directory. */
const CREDENTIAL = /^(PASS|PWD|PAT|CREDS?)$/;
/** Last words of names that describe a credential and do not contain it: `TOKEN_URL`. */
const DESCRIBES = new Set(
  (
    "ID IDS PATH FILE FILENAME DIR DIRECTORY FOLDER NAME URL URI HOST PORT USER USERNAME TYPE LIMIT LENGTH SIZE COUNT TTL " +
    "TIMEOUT EXPIRY EXPIRES EXPIRATION ENDPOINT PREFIX SUFFIX VERSION ALGORITHM ENABLED REGION FORMAT MODE SOCK HELPER " +
    "PROMPT COMMAND CMD HINT STORE PROVIDER ARN METHOD SCHEME POLICY"
  ).split(" "),
);
const PLAIN_HEADERS =
  /^(accept(-.*)?|content-.*|user-agent|host|origin|referer|cache-control|if-.*|range|connection|mcp-.*|anthropic-.*)$/i;

function describesOnly(name: string): boolean {
  return DESCRIBES.has(wordsOf(name).at(-1) ?? "");
}

/** Splits names such as `DATABASE_PASSWORD`, `x-api-key` and `apiKey` into words, in upper case. */
function wordsOf(name: string): string[] {
  return name
    .split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/)
    .filter(Boolean)
    .map((word) => word.toUpperCase());
}

function readVariables(): void {
  for (const variables of unread) {
    read.add(variables);
    for (const [name, value] of Object.entries(variables)) {
      const certainty = secretCertaintyOf(name);
      if (certainty !== undefined) rememberAuthorization(value, certainty);
      rememberUrl(value);
    }
  }
  unread = [];
}

const SCHEME = /^(Basic|Bearer|Token|ApiKey)\s+/i;

/**
 * Remembers a secret. If it has the form of an `Authorization` header, remembers it without the scheme, and for `Basic`
 * also the password.
 */
function rememberAuthorization(value: string, certainty: Certainty): void {
  const scheme = SCHEME.exec(value.trimStart());
  if (!scheme) return rememberSecret(value, certainty);
  const credentials = value.trimStart().slice(scheme[0].length);
  rememberSecret(credentials, "key");
  if (scheme[1]?.toLowerCase() !== "basic") return;
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  rememberSecret(pair.slice(pair.indexOf(":") + 1), certainty === "key" ? "key" : "named");
}
