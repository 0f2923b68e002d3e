import { hostname, userInfo } from "node:os";
import { basename } from "node:path";
import { homeDirectory, processEnv } from "../../lib/env.ts";
import { isObject } from "../../lib/json.ts";
import { rememberVariables, secretCertaintyOf } from "../../lib/secrets/known-secrets.ts";
import { REDACTION_MARK } from "../../lib/secrets/redaction-mark.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { redactorOf } from "../../redaction/redaction-settings.ts";

/** Fields whose value names a person or a machine. */
const IDENTITY = /^(user|machine|device|account|installation)_?(id|name|email)$/i;

/** An e-mail address; `git@` belongs to a server, not a person. */
const EMAIL = /\b(?!git@)[\w.%+-]+@[\w-]+(?:\.[\w-]+)*\.[a-z]{2,}\b/gi;

/** User names that identify no person and are also ordinary words. */
const COMMON_NAMES = new Set(["root", "user", "home", "admin", "node", "runner", "ubuntu", "vscode", "app", "dev"]);

/**
 * Returns a payload as JSON text without what is private: secrets, e-mail addresses, names of the user and the machine,
 * and the paths of the home directory and of `folders`, which become `$HOME` and `$DIR`. Keys of objects are cleaned
 * too.
 */
export function cleanPayload(payload: Payload, folders: readonly string[]): string {
  rememberVariables(processEnv());
  const redactor = redactorOf([]);
  const replacements = replacementsFor(folders);
  const clean = (text: string) => {
    let cleaned = redactor.redact(text).replace(EMAIL, "[EMAIL]");
    for (const [pattern, mark] of replacements) cleaned = cleaned.replace(pattern, () => mark);
    return cleaned;
  };
  const text = JSON.stringify(
    payload,
    (key, value: unknown) => {
      if (typeof value === "string") return value !== "" && isPrivate(key) ? REDACTION_MARK : clean(value);
      if (!isObject(value)) return value;
      return Object.fromEntries(Object.entries(value).map(([name, inner]) => [clean(name), inner]));
    },
    2,
  );
  return redactor.redact(text); // finds more secrets by the names of their fields; valid JSON stays valid
}

/** True for a field whose name says that its value is a secret or names a person or a machine. */
function isPrivate(field: string): boolean {
  return IDENTITY.test(field) || secretCertaintyOf(field) === "named";
}

/** What to replace, longest path first: a project is often below the home directory. */
function replacementsFor(folders: readonly string[]): [RegExp, string][] {
  const home = homeDirectory();
  const paths = [...folders.map((path) => [path, "$DIR"] as const), [home, "$HOME"] as const]
    .filter(([path]) => path.length > 1)
    .toSorted(([one], [other]) => other.length - one.length);
  const names = new Set([basename(home), nameOfUser()].filter((name) => name.length > 2 && !COMMON_NAMES.has(name)));
  const machine = hostname();
  return [
    ...paths.flatMap(([path, mark]) => spellings(path).map((text): [RegExp, string] => [wholePath(text), mark])),
    ...[...names].map((name): [RegExp, string] => [wholeWord(name), "$USER"]),
    ...(machine.length > 3 && machine !== "localhost" ? [[wholeWord(machine), "$HOST"] as [RegExp, string]] : []),
  ];
}

/** The spellings of a path: as it is, in a URL, in JSON within a text, and as the folder name that hosts derive from it. */
function spellings(path: string): string[] {
  return [
    ...new Set([path, encodeURI(path), JSON.stringify(path).slice(1, -1), path.replaceAll(/[^A-Za-z0-9]/g, "-")]),
  ];
}

function wholePath(text: string): RegExp {
  return new RegExp(`${escaped(text)}(?![A-Za-z0-9_])`, "g");
}

function wholeWord(text: string): RegExp {
  return new RegExp(`(?<![A-Za-z0-9_])${escaped(text)}(?![A-Za-z0-9_])`, "g");
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
