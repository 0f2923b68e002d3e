import { CLASSES, holds } from "./classes.ts";
import { isGeneralPassword, isGeneralUser } from "./placeholders.ts";
import type { Scan } from "./scan.ts";

/** Every URL that contains a password contains this text. */
export const LINK_ANCHOR = "://";

/** The kind of a password by the scheme of its URL. Only the password is redacted. */
export const LINK_KINDS: readonly { id: string; schemes: readonly string[] }[] = [
  { id: "postgres-password", schemes: ["postgres", "postgresql"] },
  { id: "mysql-password", schemes: ["mysql", "mysql2", "mariadb"] },
  { id: "mongodb-password", schemes: ["mongodb"] },
  { id: "redis-password", schemes: ["redis", "rediss", "valkey"] },
  { id: "amqp-password", schemes: ["amqp", "amqps"] },
  { id: "sqlserver-password", schemes: ["mssql", "sqlserver"] },
  { id: "clickhouse-password", schemes: ["clickhouse"] },
  { id: "nats-password", schemes: ["nats"] },
  { id: "mail-password", schemes: ["smtp", "smtps", "imap", "imaps"] },
  { id: "directory-password", schemes: ["ldap", "ldaps"] },
  { id: "mqtt-password", schemes: ["mqtt", "mqtts"] },
  {
    id: "database-password",
    schemes: ["cassandra", "cockroachdb", "couchbase", "neo4j", "bolt", "oracle", "redshift", "snowflake", "trino"],
  },
  { id: "transfer-password", schemes: ["ftp", "ftps", "sftp"] },
];

/** The kind of a password in a URL of any other scheme. */
export const OTHER_LINK_ID = "link-password";

const LONGEST_SCHEME = 32;
/**
 * The beginning of a placeholder: a variable of a shell or a template, a verb of printf (not a percent-encoded
 * character), the end of a string to which a variable is appended.
 */
const VARIABLE = /^(?:[${<]|%(?![0-9a-fA-F]{2})|[#\\][{(]|'\s?[+.])/;
/** Texts that tools print instead of a password. */
const MASK = /^(?:\*{1,32}|[xX]{3,32}|\.{3,32}|-{3,32}|\u2022{1,32}|\u2026)$/;
const LONGEST_MASK = 32;
const AT = 0x40;
const COLON = 0x3a;

/** Finds the password of the URL whose `://` is at `at`. */
export function findLink(scan: Scan, at: number): void {
  const { text } = scan;
  const userEnd = scan.runEnd(CLASSES.user, at + LINK_ANCHOR.length);
  if (text.charCodeAt(userEnd) !== COLON) return;
  const start = userEnd + 1;
  const end = passwordEnd(scan, start);
  if (end <= start) return;
  const id = kindBefore(text, at);
  if (isElsewhere(text, start, end, id !== undefined)) return;
  addPassword(scan, id ?? OTHER_LINK_ID, text.slice(at + LINK_ANCHOR.length, userEnd), start, end);
}

/** The text before the driver in an address of Oracle's JDBC: `jdbc:oracle:thin:user/password@host`. */
export const ORACLE_ANCHOR = "jdbc:oracle:";

const ORACLE = /^(?:thin|oci8?):(?:"[^"\s]{1,128}"|[^\s"'/@]{1,128})\/"?/i;

/** Finds the password of the address of Oracle's JDBC whose driver is at `at`. */
export function findOracleLink(scan: Scan, _start: number, at: number): void {
  const { text } = scan;
  const [head] = ORACLE.exec(text.slice(at, at + LONGEST_USER)) ?? [];
  if (head === undefined) return;
  const start = at + head.length;
  const end = scan.runEnd(CLASSES.password, start);
  if (end > start && /^"?@/.test(text.slice(end, end + 2)))
    addPassword(scan, "database-password", head.slice(head.indexOf(":") + 1, -1), start, end);
}

const LONGEST_USER = 140;

/** Adds the password of a URL that is neither a reference nor one of documentation. */
function addPassword(scan: Scan, id: string, user: string, start: number, end: number): void {
  const { text } = scan;
  const password = text.slice(start, end);
  const host = text.slice(end, end + HOST).replace(/^"?@(?:\/\/)?/, "");
  if (VARIABLE.test(password.slice(0, 4)) || (password.length <= LONGEST_MASK && MASK.test(password))) return;
  if (isDocumented(user, password, host) || scan.nextMark(start) < end) return;
  scan.add(id, start, end);
}

/** The characters of a host that are examined. */
const HOST = 64;
/** Hosts that are never those of a server (RFC 2606, RFC 6761). */
const RESERVED = /^(?:[\w-]+\.)*(?:example(?:\.(?:com|net|org|edu))?|test|invalid)(?![\w.-]*\w)/i;
/** This machine, and the word for a host in place of its name. */
const GENERAL =
  /^(?:localhost|127\.0\.0\.1|\[::1\]|(?:(?:my|your|some|db)[-_]?)?(?:host(?:name)?|server|domain|dsn|endpoint|proxy)\d?)(?![\w-]|\.\w)|^\/|^$/i;
/** A word or a name. */
const WORD = /^[A-Za-z]{1,12}$/;

/**
 * True if a URL is one of documentation: its password is a word for a password, such as `password`, and its user or its
 * host is as general. On a host that is reserved for examples any word is one. A single letter is never a password.
 */
function isDocumented(user: string, password: string, host: string): boolean {
  if (password.length === 1) return true;
  if (RESERVED.test(host) && WORD.test(password)) return true;
  return isGeneralPassword(password) && (isGeneralUser(user) || RESERVED.test(host) || GENERAL.test(host));
}

/** The end of a password: the last `@` before the host. A password may hold an `@` that is not encoded. */
function passwordEnd(scan: Scan, start: number): number {
  const end = scan.runEnd(CLASSES.password, start);
  if (scan.text.charCodeAt(end) !== AT) return start;
  return scan.lastAtBefore(scan.runEnd(CLASSES.hosts, end));
}

/**
 * True if a port and a path follow the colon, so that the `@` further on belongs to something else. The
 * passwords of databases are often written with characters that a URL should encode; those of the web are not.
 */
function isElsewhere(text: string, start: number, end: number, isDatabase: boolean): boolean {
  let at = start;
  while (at < end && at - start < 5 && holds(CLASSES.digit, text.charCodeAt(at))) at++;
  if (at > start && at < end && "/?#'\\,;)]}".includes(text.charAt(at))) return true;
  if (isDatabase) return false;
  for (; at < end; at++) if ("/?#,;(){}<>|'".includes(text.charAt(at))) return true;
  return false;
}

/**
 * The kind of the URL whose scheme ends at `end`: `postgresql+asyncpg` counts as postgresql. The scheme may follow
 * other letters directly, for those may be the end of another secret.
 */
function kindBefore(text: string, end: number): string | undefined {
  let start = end;
  while (start > 0 && end - start < LONGEST_SCHEME && isSchemeCode(text.charCodeAt(start - 1))) start--;
  const names = text.slice(start, end).toLowerCase().split("+");
  return LINK_KINDS.find(({ schemes }) => names.some((name) => schemes.some((scheme) => name.endsWith(scheme))))?.id;
}

function isSchemeCode(code: number): boolean {
  return holds(CLASSES.alnum, code) || code === 0x2b;
}
