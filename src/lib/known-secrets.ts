import type { Env } from "./env.ts";

/**
 * How sure it is that a value is a secret: `key` for a value that hooksh itself sends or hands on as a credential,
 * `named` for one whose name says so (`DATABASE_PASSWORD`), `hinted` for one whose name may say so (`CACHE_KEY`).
 */
export type Certainty = "key" | "named" | "hinted";

/** A value that may be a secret. */
export interface SecretCandidate {
  value: string;
  certainty: Certainty;
}

/** No shorter value is redacted by value: it would turn up by chance. */
export const SHORTEST_KNOWN = 8;

const CERTAINTIES: readonly Certainty[] = ["key", "named", "hinted"];

const remembered = new Map<string, Certainty>();
/** `remembered` as it is handed out; undefined once it has changed. */
let candidates: readonly SecretCandidate[] | undefined;
const read = new WeakSet<Env>();
/** Environments whose names are still to be read. */
let unread: Env[] = [];
const MOST_UNREAD = 16;

/**
 * Remembers for as long as the process runs that a value is a secret, so that redaction finds it in any text. A secret
 * that replaces another, such as a refreshed token, does not make the old one harmless: both are remembered.
 */
export function rememberSecret(value: string, certainty: Certainty = "key"): void {
  const bare = value.trim();
  if (bare.length < SHORTEST_KNOWN) return;
  const known = remembered.get(bare);
  if (known === undefined || CERTAINTIES.indexOf(certainty) < CERTAINTIES.indexOf(known)) {
    remembered.set(bare, certainty);
    candidates = undefined;
  }
}

/**
 * Remembers the variables whose names say that they hold secrets, and passwords in URLs. Costs nothing until redaction
 * asks for the candidates.
 */
export function rememberVariables(variables: Env): void {
  if (read.has(variables) || unread.includes(variables)) return;
  unread.push(variables);
  if (unread.length > MOST_UNREAD) readVariables();
}

/**
 * Remembers the values of a place where credentials belong, such as configured request headers or a file of secrets: all
 * but those whose names say that they are something else.
 */
export function rememberCredentials(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (!describesOnly(name) && !PLAIN_HEADERS.test(name)) rememberAuthorization(value, certaintyOf(name) ?? "hinted");
  }
}

/** Remembers the password in a URL; any other text is ignored. */
export function rememberUrl(text: string): void {
  if (!text.includes("://") || !text.includes("@") || !URL.canParse(text)) return;
  const { password } = new URL(text);
  try {
    rememberSecret(decodeURIComponent(password), "named");
  } catch {
    rememberSecret(password, "named"); // it holds a bare percent sign
  }
}

/**
 * Everything that is remembered, the same list for as long as nothing is added; the caller decides what of it can be
 * searched for.
 */
export function secretCandidates(): readonly SecretCandidate[] {
  readVariables();
  return (candidates ??= Array.from(remembered, ([value, certainty]) => ({ value, certainty })));
}

/** How sure the name of a variable or header makes it that its value is a secret; undefined when the name says nothing. */
export function certaintyOf(name: string): Exclude<Certainty, "key"> | undefined {
  if (!HINT.test(name) || describesOnly(name)) return undefined;
  const words = wordsOf(name);
  const isNamed = words.some((word, at) => NAMED.test(word) || (/^KEYS?$/.test(word) && KEY_OF.test(words[at - 1] ?? "")));
  if (isNamed) return "named";
  return words.some((word) => HINTED.test(word)) ? "hinted" : undefined;
}

/** Any name that says more has one of these, and most names have none. */
const HINT = /key|token|secret|pass|pwd|pat|auth|cred|cookie/i;
const NAMED = /(TOKEN|SECRET|SECRETS|PASSWORD|PASSWD|PASSPHRASE|CREDENTIALS?|APIKEY|AUTHORIZATION)$/;
/** What a key is for, where it is a credential. */
const KEY_OF = /^(API|ACCESS|SECRET|PRIVATE|AUTH|SIGNING|ENCRYPTION|MASTER|SERVICE|ACCOUNT|ADMIN|LICEN[CS]E|STORAGE)$/;
const HINTED = /(KEY|KEYS|PASS|PWD|AUTH|COOKIE)$|^(PAT|CREDS?)$/;
/** The last word of a name that tells something about a credential and holds none. */
const DESCRIBES = new Set(
  ("ID IDS PATH FILE FILENAME DIR DIRECTORY FOLDER NAME URL URI HOST PORT USER USERNAME TYPE LIMIT LENGTH SIZE COUNT TTL "
    + "TIMEOUT EXPIRY EXPIRES EXPIRATION ENDPOINT PREFIX SUFFIX VERSION ALGORITHM ENABLED REGION FORMAT MODE SOCK HELPER "
    + "PROMPT COMMAND CMD HINT STORE PROVIDER ARN METHOD SCHEME POLICY").split(" "),
);
const PLAIN_HEADERS = /^(accept(-.*)?|content-.*|user-agent|host|origin|referer|cache-control|if-.*|range|connection|mcp-.*|anthropic-.*)$/i;

function describesOnly(name: string): boolean {
  return DESCRIBES.has(wordsOf(name).at(-1) ?? "");
}

/** The words of `DATABASE_PASSWORD`, `x-api-key` and `apiKey`, in upper case. */
function wordsOf(name: string): string[] {
  return name.split(/[^A-Za-z0-9]+|(?<=[a-z0-9])(?=[A-Z])/).filter(Boolean).map((word) => word.toUpperCase());
}

function readVariables(): void {
  for (const variables of unread) {
    read.add(variables);
    for (const [name, value] of Object.entries(variables)) {
      const certainty = certaintyOf(name);
      if (certainty !== undefined) rememberAuthorization(value, certainty);
      rememberUrl(value);
    }
  }
  unread = [];
}

const SCHEME = /^(Basic|Bearer|Token|ApiKey)\s+/i;

/** A secret that may be written as the value of an `Authorization` header. */
function rememberAuthorization(value: string, certainty: Certainty): void {
  const scheme = SCHEME.exec(value.trimStart());
  if (!scheme) return rememberSecret(value, certainty);
  const credentials = value.trimStart().slice(scheme[0].length);
  rememberSecret(credentials, "key");
  if (scheme[1]?.toLowerCase() !== "basic") return;
  const pair = Buffer.from(credentials, "base64").toString("utf8");
  rememberSecret(pair.slice(pair.indexOf(":") + 1), "named");
}
