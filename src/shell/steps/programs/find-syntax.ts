import { once } from "../../../lib/once.ts";
import { ruleName } from "../../rules/rules.ts";
import type { Syntax } from "./syntax.ts";
import { FILE_SYNTAX } from "./syntax-files.ts";
import { GIT_SYNTAX } from "./syntax-git.ts";
import { PACKAGE_SYNTAX } from "./syntax-packages.ts";
import { SERVICE_SYNTAX } from "./syntax-services.ts";
import { SYSTEM_SYNTAX } from "./syntax-system.ts";

/** How an option takes a value: not at all, as the next word, only attached, or all words up to `;`. */
export type Takes = "none" | "next" | "attached" | "until";

/** An option that a table knows. */
export interface KnownOption {
  /** Its long name. */
  name: string;
  takes: Takes;
}

/** Options by every name they have. */
export type KnownOptions = ReadonlyMap<string, KnownOption>;

const TAKES: Readonly<Record<string, Takes>> = { "=": "next", "?": "attached", ";": "until" };

const table = once(() => {
  const byProgram = new Map<string, Syntax>();
  for (const rows of [SYSTEM_SYNTAX, SERVICE_SYNTAX, PACKAGE_SYNTAX, GIT_SYNTAX, FILE_SYNTAX])
    for (const [names, syntax] of Object.entries(rows))
      for (const name of names.split(" ")) byProgram.set(name, syntax);
  return byProgram;
});

/** How a program reads its words; undefined for one that no table knows. */
export function syntaxOf(program: string): Syntax | undefined {
  return table().get(program) ?? table().get(ruleName(program));
}

const compiled = new Map<Syntax, Map<string, KnownOptions>>();

/** The options that count behind a verb, compiled on first use; `undefined` for before any verb. */
export function optionsOf(syntax: Syntax, verb: string | undefined): KnownOptions {
  let byVerb = compiled.get(syntax);
  if (!byVerb) compiled.set(syntax, (byVerb = new Map()));
  const paths = verb === undefined ? undefined : listedPaths(syntax, verb);
  const key = paths?.join() ?? "before";
  let options = byVerb.get(key);
  if (!options) {
    // The more exact lists come last and win.
    const lists = paths?.map((path) => syntax.verbs?.[path]) ?? [syntax.before];
    byVerb.set(key, (options = compile([syntax.options, ...lists])));
  }
  return options;
}

/** The first levels of a verb that have a list of options. */
function listedPaths({ verbs }: Syntax, verb: string): string[] {
  if (!verbs || verb === "") return [];
  const paths: string[] = [];
  for (let end = verb.indexOf(" "); ; end = verb.indexOf(" ", end + 1)) {
    const path = end < 0 ? verb : verb.slice(0, end);
    if (Object.hasOwn(verbs, path)) paths.push(path);
    if (end < 0) return paths;
  }
}

/** The option with a name. Programs with long options after one hyphen also take them after two. */
export function knownOption({ style }: Syntax, known: KnownOptions, name: string): KnownOption | undefined {
  return known.get(name) ?? (style === "long" && name.startsWith("--") ? known.get(name.slice(1)) : undefined);
}

/** All long names that an option of a program may have, whatever the verb; the option itself if no table knows it. */
export function longNames(syntax: Syntax, option: string): string[] {
  const paths = [undefined, "", ...Object.keys(syntax.verbs ?? {})];
  return [...new Set(paths.flatMap((path) => knownOption(syntax, optionsOf(syntax, path), option)?.name ?? []))];
}

const namesAnywhere = new Map<string, readonly string[]>();

/** All names, short and long, that an option has in any program that knows it. */
export function namesInAnyProgram(option: string): readonly string[] {
  let names = namesAnywhere.get(option);
  if (!names) {
    const found = new Set<string>();
    for (const syntax of new Set(table().values())) {
      const lists = [syntax.options, syntax.before, ...Object.values(syntax.verbs ?? {})];
      for (const group of lists.flatMap((list) => (list ? list.split(" ") : []))) {
        const spelled = group.split("/").map((name) => name.replace(/(?<=..)[=?;]$/, ""));
        if (spelled.includes(option)) for (const name of spelled) found.add(name);
      }
    }
    namesAnywhere.set(option, (names = [...found]));
  }
  return names;
}

function compile(lists: readonly (string | undefined)[]): KnownOptions {
  const options = new Map<string, KnownOption>();
  for (const group of lists.flatMap((list) => (list ? list.split(" ") : []))) {
    const names = group.split("/").map((spelled) => {
      const takes = TAKES[spelled.slice(-1)];
      return { name: takes && spelled.length > 2 ? spelled.slice(0, -1) : spelled, takes };
    });
    const name = (names.find((one) => one.name.startsWith("--")) ?? names[0])?.name ?? "";
    const takes = names.map((one) => one.takes).findLast((one) => one !== undefined) ?? "none";
    for (const one of names) options.set(one.name, { name, takes: one.takes ?? takes });
  }
  return options;
}
