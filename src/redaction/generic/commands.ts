import { redactionMarkEndsAt, redactionMarkLengthAt } from "../../lib/secrets/redaction-mark.ts";
import { CLASSES, holds } from "../classes.ts";
import { isAfterEscape } from "../edges.ts";
import { isPlaceholder } from "../placeholders.ts";
import type { Scan } from "../scan.ts";
import { findHeader } from "./headers.ts";
import { indexWithin, isRandomToken } from "./values.ts";

/** The kind of a flag's argument; `userBefore` separates a user from the password after it. */
type Takes = "password" | "header" | "credential" | { userBefore: string };

/** A program with the flags that take a secret. */
interface Program {
  /** The text to search for, where the name of the program begins. */
  anchor: string;
  name: RegExp;
  /** Must match the text before the anchor on the same line. */
  after?: RegExp;
  id: string;
  flags: readonly { names: readonly string[]; takes: Takes }[];
}

const USER: Takes = { userBefore: ":" };

/** Programs with flags for secrets. A name that ends in `*` has its argument in the same word. */
const PROGRAMS: readonly Program[] = [
  {
    anchor: "curl",
    name: /^curl(?:\.exe|ie)?$/,
    id: "curl-auth-user",
    flags: [
      { names: ["-u", "--user", "-U", "--proxy-user"], takes: USER },
      { names: ["-H", "--header", "--proxy-header"], takes: "header" },
      { names: ["--oauth2-bearer", "--pass", "--proxy-pass", "--tlspassword"], takes: "password" },
    ],
  },
  {
    anchor: "wget",
    name: /^wget2?(?:\.exe)?$/,
    id: "wget-password",
    flags: [
      { names: ["--password", "--http-password", "--ftp-password", "--proxy-password"], takes: "password" },
      { names: ["--header"], takes: "header" },
    ],
  },
  {
    anchor: "http ",
    name: /^http$/,
    id: "httpie-password",
    flags: [{ names: ["-a", "--auth"], takes: USER }],
  },
  {
    anchor: "mysql",
    name: /^mysql(?:dump|admin|import|show|check|sh|slap|binlog|pump)?(?:\.exe)?$/,
    id: "mysql-command-password",
    flags: [{ names: ["-p*", "--password"], takes: "password" }],
  },
  {
    anchor: "mariadb",
    name: /^mariadb(?:-[a-z]+)?$/,
    id: "mysql-command-password",
    flags: [{ names: ["-p*", "--password"], takes: "password" }],
  },
  {
    anchor: "sshpass",
    name: /^sshpass$/,
    id: "sshpass-password",
    flags: [{ names: ["-p", "-p*"], takes: "password" }],
  },
  {
    anchor: "redis-cli",
    name: /^redis-cli$/,
    id: "redis-command-password",
    flags: [{ names: ["-a", "--pass"], takes: "password" }],
  },
  {
    anchor: "login",
    name: /^login$/,
    after:
      /(?<![\w\]])(?:docker|podman|nerdctl|buildah|skopeo|oras|crane|helm|registry|acr|az|oc|argocd|vault|cf|heroku)\s(?:[^\n]{0,40}\s)?$/,
    id: "docker-login-password",
    flags: [{ names: ["-p", "--password"], takes: "password" }],
  },
  { anchor: "sqlcmd", name: /^sqlcmd$/, id: "sqlcmd-password", flags: [{ names: ["-P", "-P*"], takes: "password" }] },
  {
    anchor: "mongo",
    name: /^mongo(?:sh|dump|restore|export|import|stat|top)?$/,
    id: "mongodb-command-password",
    flags: [{ names: ["-p", "--password"], takes: "password" }],
  },
  {
    anchor: "ldap",
    name: /^ldap(?:search|add|modify|delete|whoami|passwd|compare)$/,
    id: "ldap-command-password",
    flags: [{ names: ["-w"], takes: "password" }],
  },
  {
    anchor: "smbclient",
    name: /^smbclient$/,
    id: "smb-command-password",
    flags: [{ names: ["-U", "--user"], takes: { userBefore: "%" } }],
  },
  {
    anchor: "lftp",
    name: /^lftp$/,
    id: "ftp-command-password",
    flags: [{ names: ["-u", "--user"], takes: { userBefore: "," } }],
  },
  {
    anchor: "cqlsh",
    name: /^cqlsh$/,
    id: "cassandra-command-password",
    flags: [{ names: ["-p", "--password"], takes: "password" }],
  },
  {
    anchor: "twine",
    name: /^twine$/,
    id: "twine-password",
    flags: [{ names: ["-p", "--password"], takes: "password" }],
  },
  {
    anchor: "keytool",
    name: /^keytool$/,
    id: "keystore-password",
    flags: [{ names: ["-storepass", "-keypass", "-srcstorepass", "-deststorepass"], takes: "password" }],
  },
  {
    anchor: "openssl",
    name: /^openssl$/,
    id: "openssl-password",
    flags: [{ names: ["-pass", "-passin", "-passout"], takes: { userBefore: "pass:" } }],
  },
  {
    anchor: "kubectl",
    name: /^kubectl$/,
    id: "kubernetes-literal",
    flags: [
      { names: ["--from-literal"], takes: "credential" },
      { names: ["--docker-password", "--token", "--password"], takes: "password" },
    ],
  },
];

/** A command that creates a ConfigMap, which holds no secrets. */
const CONFIG_MAP = /\b(?:configmap|cm)\s[^\n|;&]*$/;

/** The kinds of secret in command lines. */
export const COMMAND_KINDS: readonly string[] = [...new Set(PROGRAMS.map(({ id }) => id))];

/** The texts that announce a command, each with its finder. */
export const COMMAND_FINDERS = PROGRAMS.map((program) => ({
  text: program.anchor,
  find: (scan: Scan, start: number): void => findInCommand(scan, program, start),
}));

const LONGEST_COMMAND = 8192;
const MOST_WORDS = 400;

function findInCommand(scan: Scan, program: Program, start: number): void {
  const { text } = scan;
  const isInWord = holds(CLASSES.urldot, text.charCodeAt(start - 1)) && !isAfterEscape(text, start);
  if (isInWord || redactionMarkEndsAt(text, start) || start < scan.readUntil(program.anchor)) return;
  const nameEnd = programEnd(text, start);
  const after = text.charAt(nameEnd);
  if (!" \t\"'\\".includes(after) || after === "" || !program.name.test(text.slice(start, nameEnd))) return;
  if (
    program.after &&
    !program.after.test(
      text
        .slice(Math.max(0, start - 60), start)
        .split("\n")
        .at(-1) ?? "",
    )
  )
    return;
  const words = readWords(text, nameEnd);
  scan.readTo(program.anchor, words.at(-1)?.end ?? nameEnd);
  words.forEach((word, index) => {
    for (const { names, takes } of program.flags) {
      const value = valueOf(text, names, word, words[index + 1]);
      if (value) take(scan, program.id, takes, value);
    }
  });
}

function programEnd(text: string, start: number): number {
  let at = start;
  while (at - start < 24 && (holds(CLASSES.dashed, text.charCodeAt(at)) || text.charAt(at) === ".")) at++;
  return at;
}

/** The place of a word of a command line, with its quotes. */
interface Word {
  start: number;
  end: number;
}

/** The words of a command, which ends at a line end, at the end of the string around it, or at `|`, `;` or `&`. */
function readWords(text: string, from: number): Word[] {
  const words: Word[] = [];
  const limit = Math.min(text.length, from + LONGEST_COMMAND);
  let at = from;
  // A list of words: ["curl", "-u", ...]
  const isList = quoteLength(text, at) > 0;
  if (isList) at += quoteLength(text, at);
  while (at < limit && words.length < MOST_WORDS) {
    at = skipGap(text, at, isList);
    const word = readWord(text, at, limit, isList);
    if (word.end === word.start) break;
    words.push({ start: word.start, end: word.end });
    if (word.isLast) break;
    at = word.end;
  }
  return words;
}

/** Skips the text between two words: blanks, an escaped line end, a line end before a flag, the comma of a list. */
function skipGap(text: string, start: number, isList: boolean): number {
  let at = start;
  for (;;) {
    const character = text.charAt(at);
    if (
      character === " " ||
      character === "\t" ||
      (isList && (character === "," || character === "\n" || character === "\r"))
    )
      at++;
    else if ("\\^`".includes(character) && /^.\r?\n/.test(text.slice(at, at + 3)))
      at += text.charAt(at + 1) === "\r" ? 3 : 2;
    else if ((character === "\n" || character === "\r") && /^\r?\n[ \t#]{0,32}-/.test(text.slice(at, at + 36))) at++;
    else if (character === "#" && "\n\r".includes(text.charAt(at - 1)) && at > start) at++;
    else return at;
    if (character === "") return start;
  }
}

function readWord(text: string, start: number, limit: number, isList: boolean): Word & { isLast: boolean } {
  let at = start;
  while (at < limit) {
    const quote = quoteLength(text, at);
    if (quote > 0) {
      if (at > start && (!":=,{}".includes(text.charAt(at - 1)) || endsString(text, at + quote)))
        return { start, end: at, isLast: true };
      const end = closingQuote(text, at, quote, limit);
      if (end === undefined) return { start, end: at, isLast: true };
      // The quotation mark belonged to a text around the command, one of a JSON document.
      if (!isList && ",]}".includes(text.charAt(end)) && end < text.length) return { start, end, isLast: true };
      at = end;
      continue;
    }
    const character = text.charAt(at);
    if (" \t\n\r".includes(character)) return { start, end: at, isLast: false };
    if (isList && character === ",") return { start, end: at, isLast: false };
    const mark = character === "[" ? redactionMarkLengthAt(text, at) : 0;
    if (mark > 0) {
      at += mark;
      continue;
    }
    if ("|;)]<>".includes(character) || (character === "&" && !isInUrl(text, start, at)))
      return { start, end: at, isLast: true };
    if (character === "\\") {
      if ("\r\n".includes(text.charAt(at + 1))) return { start, end: at, isLast: false };
      at++;
    }
    at++;
  }
  return { start, end: Math.min(at, limit), isLast: true };
}

/** True if a quotation mark that ends at `end` closes the string that a command is in: `"curl -u key:", "next"`. */
function endsString(text: string, end: number): boolean {
  return end >= text.length || ",]}:\r\n".includes(text.charAt(end)) || /^\\+n/.test(text.slice(end, end + 4));
}

function isInUrl(text: string, start: number, at: number): boolean {
  return text.slice(start, Math.min(at, start + 24)).includes("://");
}

/** The length of the quotation mark at `at` with the backslashes that escape it; 0 without one. */
function quoteLength(text: string, at: number): number {
  let end = at;
  while (end - at < 4 && text.charAt(end) === "\\") end++;
  const mark = text.charAt(end);
  return mark === '"' || mark === "'" || mark === "`" ? end + 1 - at : 0;
}

/** The end of the quoted text that begins at `at` with a mark of this length. */
function closingQuote(text: string, at: number, length: number, limit: number): number | undefined {
  const mark = text.slice(at, at + length);
  let from = at + length;
  for (;;) {
    const close = indexWithin(text, mark, from, limit);
    if (close === undefined) return undefined;
    if (text.charAt(close - 1) !== "\\" || mark === "'") return close + length;
    from = close + length;
  }
}

/** The word without the quotation marks around it. */
function unquote(text: string, { start, end }: Word): Word {
  const open = quoteLength(text, start);
  if (open === 0 || end - start < 2 * open) return { start, end };
  return text.endsWith(text.slice(start, start + open), end)
    ? { start: start + open, end: end - open }
    : { start, end };
}

/** The argument of a flag, in the same word or the next one; undefined if the word is not one of the flags. */
function valueOf(text: string, names: readonly string[], word: Word, next: Word | undefined): Word | undefined {
  const bare = unquote(text, word);
  const flag = text.slice(bare.start, Math.min(bare.end, bare.start + 40));
  if (!flag.startsWith("-")) return undefined;
  for (const name of names) {
    if (name.endsWith("*")) {
      const head = name.slice(0, -1);
      if (flag.length > head.length && flag.startsWith(head))
        return unquote(text, { start: bare.start + head.length, end: bare.end });
    } else if (flag === name || (name.length === 2 && /^-[a-zA-Z]{1,8}$/.test(flag) && flag.endsWith(name.slice(1)))) {
      return next && unquote(text, next);
    } else if (flag.startsWith(`${name}=`)) {
      return unquote(text, { start: bare.start + name.length + 1, end: bare.end });
    } else if (name.length === 2 && flag.startsWith(name) && flag.length > 4) {
      return { start: bare.start + 2, end: bare.end };
    }
  }
  return undefined;
}

function take(scan: Scan, id: string, takes: Takes, value: Word): void {
  const { text } = scan;
  const { start, end } = value;
  if (takes === "header") findHeader(scan, start, end);
  else if (takes === "password") addPassword(scan, id, value);
  else if (takes === "credential") {
    const equals = indexWithin(text, "=", start, end);
    const isPublic = CONFIG_MAP.test(text.slice(Math.max(0, start - 200), start));
    if (equals !== undefined && !isPublic) addPassword(scan, id, { start: equals + 1, end });
  } else {
    takeUser(scan, id, value, takes.userBefore);
  }
}

/**
 * Adds the password of `user:password`. If the password is empty, adds the user if it looks like a key, as some
 * services expect.
 */
function takeUser(scan: Scan, id: string, { start, end }: Word, separator: string): void {
  const { text } = scan;
  const at = indexWithin(text, separator, start, end);
  if (at === undefined || scan.nextMark(start) < end) return;
  const password = unquote(text, { start: at + separator.length, end });
  if (password.end > password.start) {
    if (!text.startsWith("//", password.start)) addPassword(scan, id, password);
  } else if (isRandomToken(text.slice(start, at)) || isStrongPassword(text.slice(start, at))) {
    scan.add(id, start, at);
  }
}

const SHORTEST_PASSWORD = 4;

function addPassword(scan: Scan, id: string, { start, end }: Word): void {
  const value = scan.text.slice(start, Math.min(end, start + LONGEST_COMMAND));
  if (end - start < SHORTEST_PASSWORD || value.startsWith("-") || /[\s]/.test(value)) return;
  if (!isPlaceholderInCommand(value) && scan.nextMark(start) >= end) scan.add(id, start, end);
}

/** True for a placeholder. In commands, braces with a digit inside are part of a password. */
function isPlaceholderInCommand(value: string): boolean {
  return isPlaceholder(value) && !/^\{[^{}]*\d[^{}]*\}$/.test(value);
}

/** True if a text mixes letters of both cases, digits and signs, which user names do not. */
function isStrongPassword(value: string): boolean {
  return value.length >= 8 && [/[a-z]/, /[A-Z]/, /\d/, /[^A-Za-z0-9]/].every((kind) => kind.test(value));
}
