import { CLASSES, classOf, skip } from "../classes.ts";
import { neighbourBefore } from "../edges.ts";
import { isPlaceholder } from "../placeholders.ts";
import { isMarkAt, type Scan } from "../scan.ts";
import { indexWithin, isBasicCredential, isRandomToken } from "./values.ts";

/** The kinds of secret in headers of HTTP. */
export const HEADER_KINDS = [
  "basic-auth-header",
  "bearer-token",
  "authorization-header",
  "curl-auth-header",
  "session-cookie",
];

const BLANK = classOf(" \t+");
/** The characters of a token in a header: those of RFC 6750, and others that vendors use. */
const TOKEN = classOf("-._~+/=@", CLASSES.alnum);
const SHORTEST = 8;

/** Finds the credential after the word `Basic`, which ends at `end`: Base64 of `user:password` (RFC 7617). */
export function findBasic(scan: Scan, start: number, end: number): void {
  const value = valueBehind(scan, start, end, CLASSES.b64any);
  if (value && isBasicCredential(scan.text.slice(value.start, value.end)))
    scan.add("basic-auth-header", value.start, value.end);
}

/** Finds the token after the word `Bearer`, which ends at `end`. */
export function findBearer(scan: Scan, start: number, end: number): void {
  const value = valueBehind(scan, start, end, TOKEN);
  if (!value) return;
  const token = scan.text.slice(value.start, value.end);
  const isToken = scan.generic === "strict" ? isCredential(token) : isToken16(token);
  if (isToken) scan.add("bearer-token", value.start, value.end);
}

/** The characters of a class that follow a word and blanks; undefined if they are too few. */
function valueBehind(
  scan: Scan,
  start: number,
  end: number,
  table: Uint8Array,
): { start: number; end: number } | undefined {
  const { text } = scan;
  if (neighbourBefore(text, start) !== "free") return undefined;
  const from = text.startsWith("%20", end) ? end + 3 : skip(text, BLANK, end, 4);
  if (from === end) return undefined;
  const to = scan.runEnd(table, from);
  if (to - from < SHORTEST || isMarkAt(text, to)) return undefined;
  const last = lastOf(text, from, to);
  return { start: from, end: last };
}

/** The end of a token without the full stop of a sentence. */
function lastOf(text: string, from: number, to: number): number {
  let end = to;
  while (end > from && text.charAt(end - 1) === ".") end--;
  return end;
}

function isToken16(token: string): boolean {
  return isRandomToken(token) || token.split(".").some((part) => part.length >= 24 && isRandomToken(part));
}

const LONGEST = 8192;

/** True if a value in a place for credentials is one and not a placeholder. */
function isCredential(value: string): boolean {
  return value.length >= SHORTEST && !isPlaceholder(value) && /\d/.test(value);
}

const SCHEME =
  /^(?:(?:api-?)?(?:token|key)|oauth|ssws|geniekey|pat|jwt|access-?token|bot|client-id|klaviyo-api-key|discourse|zoho-oauthtoken|negotiate)[ \t]+/i;
const BY_SCHEME = /^(?:basic|bearer|digest|aws4-hmac-sha256|hawk|signature)\b/i;

/** Finds a credential in the value of an `Authorization` header, or of one like it, that begins at `start`. */
export function findAuthorization(scan: Scan, start: number): void {
  const { text } = scan;
  const head = text.slice(start, start + 32);
  if (BY_SCHEME.test(head)) return;
  const from = start + (SCHEME.exec(head)?.[0].length ?? 0);
  const to = lastOf(text, from, scan.runEnd(TOKEN, from));
  if (to - from < SHORTEST || isMarkAt(text, to) || !endsValue(text, to)) return;
  const value = text.slice(from, to);
  if (isToken16(value) || (scan.generic === "strict" && isCredential(value)))
    scan.add("authorization-header", from, to);
}

function endsValue(text: string, end: number): boolean {
  return end >= text.length || " \t\r\n\"'`\\,;)}]<&".includes(text.charAt(end));
}

const SECRET_HEADER =
  /^(?:(?:proxy-)?authorization|(?:x-)?(?:[a-z0-9]+-){0,3}?(?:api-?|auth-?|access-?|private-?|secret-?|subscription-?)*(?:key|token|secret|password))$/i;

/** Finds the credential in the header from `start` up to `end`, which is the argument of a command. */
export function findHeader(scan: Scan, start: number, end: number): void {
  const { text } = scan;
  const colon = indexWithin(text, ":", start, Math.min(end, start + 60));
  if (colon === undefined) return;
  const name = text.slice(start, colon).trim();
  if (!SECRET_HEADER.test(name)) return;
  let from = skip(text, BLANK, colon + 1, 8);
  const head = text.slice(from, Math.min(end, from + 40));
  const scheme = /^(?:basic|bearer)[ \t]+/i.exec(head) ?? SCHEME.exec(head);
  from += scheme?.[0].length ?? 0;
  if (end - from > LONGEST || scan.nextMark(from) < end) return;
  const value = text.slice(from, end);
  if (/\s/.test(value)) return;
  const isSecret = /^basic/i.test(head) ? isBasicCredential(value) : isCredential(value) || isToken16(value);
  if (isSecret) scan.add("curl-auth-header", from, end);
}

const SESSION =
  /(?:^|[-_.])(?:sess(?:ion)?(?:[-_.]?(?:id|key|token))?|sid|[a-z]*sessid|[a-z]*sessionid|[a-z]*token|auth|jwt|remember[-_]me|[a-z]*session)$/i;
const LONGEST_COOKIES = 4096;
const COOKIES = "cookies";

/** Finds the tokens of sessions in the value of a `Cookie` or `Set-Cookie` header that begins at `start`. */
export function findCookies(scan: Scan, start: number): void {
  if (start < scan.readUntil(COOKIES)) return;
  const line = scan.text.slice(start, start + LONGEST_COOKIES).split(/[\r\n"]/, 1)[0] ?? "";
  scan.readTo(COOKIES, start + line.length);
  for (const match of line.matchAll(/([A-Za-z0-9_.-]{1,64})=([A-Za-z0-9._~+/%=:|-]{16,})/g)) {
    const [whole, name = "", value = ""] = match;
    if (!SESSION.test(name) || /csrf|xsrf/i.test(name) || !isToken16(value)) continue;
    const to = start + match.index + whole.length;
    if (!isMarkAt(scan.text, to)) scan.add("session-cookie", to - value.length, to);
  }
}
