import type { Place } from "../../facts/place.ts";
import { isWithin } from "../../facts/sets/path-form.ts";
import { listedPatterns } from "../../facts/sets/path-sets.ts";
import { isBareWord } from "../../facts/sets/set-names.ts";
import { escapeGlob } from "../../lib/files/glob.ts";
import { memoize } from "../../lib/once.ts";
import type { PathGroup } from "../../shell/paths/path-pattern.ts";
import { both, either, globExpression, type Language, not, whole } from "./language.ts";
import { Undecidable } from "./undecidable.ts";

/** Stand for the top directory of the project and the home directory, of which a proof knows only that they differ. */
export const PROJECT = "\ue000";
export const HOME = "\ue001";

/** A character of a part. Case would make the set of all others costly. */
const ANY = "(?-i:[^/])";
const PARTS = `(?:/${ANY}+)*`;
const PLACES = `(?-i:[${PROJECT}${HOME}])`;
const BELOW = "(?:/(?s:.*))?";

/** All paths: without empty parts, and in no other form than these. */
export const ALL_PATHS = `${PLACES}${PARTS}|/|(?:/[^/${PROJECT}${HOME}]+)+`;

const TEMPORARY = "/(?:tmp|var/tmp|private/tmp|private/var/folders|dev/shm)/(?s:.+)";
const EVERY_HOME = `(?:${HOME}|/root|/home/${ANY}+|/Users/${ANY}+)`;

/** The sets that are places and no lists of patterns. */
const PLACE_SETS: Readonly<Record<string, () => Language>> = {
  project: () => whole(`${PROJECT}${BELOW}`),
  tmp: () => whole(TEMPORARY),
  outside: () => not(either([whole(`${PROJECT}${BELOW}`), whole(TEMPORARY)])),
  home: () => whole(`${HOME}${BELOW}`),
  roots: () => whole(`/|/[^/]+|/(?:home|Users)/[^/]+|${HOME}|${PROJECT}(?:/\\.git)?`),
};

/** The paths that a pattern or set covers in a place. Throws {@link Undecidable} for one that proofs do not know. */
export function pathLanguage(
  pattern: string,
  own: Readonly<Record<string, readonly string[]>>,
  place: Place,
): Language {
  const listed = Object.hasOwn(own, pattern) ? own[pattern] : undefined;
  if (listed) return either(listed.map((one) => pathLanguage(one, {}, place)));
  if (!isBareWord(pattern)) return covered(pattern);
  const known = languagesIn(place);
  let language = known.get(pattern);
  if (!language) known.set(pattern, (language = setLanguage(pattern, place)));
  return language;
}

const languagesIn = memoize((_place: Place) => new Map<string, Language>());

function setLanguage(name: string, place: Place): Language {
  const area = Object.hasOwn(PLACE_SETS, name) ? PLACE_SETS[name] : undefined;
  if (area) return area();
  const groups = listedPatterns(name, place);
  if (groups) return either(groups.map((group) => groupLanguage(group, place)));
  throw new Undecidable();
}

function covered(pattern: string): Language {
  return whole(expressionOf(pattern, HOME));
}

/** A built-in set: case does not count, and `~` is every home. What it leaves out does not cover what lies below. */
function groupLanguage({ covers, not: except = [] }: PathGroup, place: Place): Language {
  const covering = covers
    .flatMap((pattern) => spellings(pattern, place))
    .map((pattern) => `(?:${expressionOf(pattern, EVERY_HOME, BELOW, true)})`);
  const left = except.map((pattern) => `(?:${expressionOf(pattern, EVERY_HOME, "", true)})`);
  const language = whole(covering.join("|"));
  return left.length === 0 ? language : both([language, not(whole(left.join("|")))]);
}

/** A path below the project or the home directory of a place, of which a proof knows no more: also as one below its symbol. */
function spellings(pattern: string, { project, home }: Place): string[] {
  const below = (top: string, symbol: string): string[] =>
    top !== "" && isWithin(pattern, escapeGlob(top)) ? [symbol + pattern.slice(escapeGlob(top).length)] : [];
  return [pattern, ...below(project, PROJECT), ...below(home, HOME)];
}

function expressionOf(pattern: string, home: string, end = BELOW, fold = false): string {
  if (pattern.includes("\\") || /^[A-Za-z]:/.test(pattern)) throw new Undecidable();
  const project = /^(?:\.|<project>)(?:\/(.*))?$/s.exec(pattern);
  if (project) return below(PROJECT, project[1] ?? "", end, fold);
  if (pattern === "~" || pattern.startsWith("~/")) return below(home, pattern.slice(2), end, fold);
  if (pattern.startsWith("~") || pattern.startsWith("../")) throw new Undecidable();
  const symbol = pattern[0];
  if (symbol === PROJECT || symbol === HOME) return below(symbol, pattern.slice(1), end, fold);
  if (pattern.startsWith("/")) return absolute(pattern.slice(1), end, fold);
  return below(`(?:${PLACES}|)${PARTS}`, pattern, end, fold);
}

/** A pattern whose first part is open also covers what lies in the project and at home, wherever these are. */
function absolute(rest: string, end: string, fold: boolean): string {
  const first = rest.split("/")[0] ?? "";
  if (first === "**" && /^\*\*(?:\/\*\*?)?$/.test(rest)) return "(?s:.*)";
  if (/[*?[]/.test(first)) throw new Undecidable();
  return below("", rest, end, fold);
}

function below(start: string, rest: string, end: string, fold: boolean): string {
  const parts = rest.split("/").filter((part) => part !== "" && part !== ".");
  let expression = start;
  for (const [at, part] of parts.entries()) {
    if (part === "..") throw new Undecidable();
    if (part === "**") expression += at === parts.length - 1 ? "/(?s:.+)" : PARTS;
    else expression += `/${globExpression(part, ANY, fold)}`;
  }
  if (expression === "") expression = "/?";
  return `${expression}${end}`;
}
