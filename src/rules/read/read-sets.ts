import { HOST_SETS, PATH_SETS } from "../../facts/sets/set-names.ts";
import { isObject } from "../../lib/json.ts";
import type { OwnSets, RulePath } from "../rule.ts";
import { kindOf, quoted, type Reading, type RuleProblem, unknownKey, unknownName } from "./reading.ts";

const KINDS = ["paths", "hosts"] as const;

const OTHER_KINDS = { path: "paths", files: "paths", file: "paths", host: "hosts", domains: "hosts", urls: "hosts" };

/** Reads `sets: { paths: { NAME: [pattern, ...] }, hosts: {...} }`. */
export function readSets(value: unknown, path: RulePath): { sets: OwnSets; problems: RuleProblem[] } {
  const sets = { paths: {}, hosts: {} };
  const reading: Reading = { problems: [], notices: [], sets, agents: undefined };
  if (!isObject(value) || Object.keys(value).length === 0) {
    const message = `expected a mapping with paths and hosts but got ${kindOf(value)}`;
    return { sets, problems: [{ path, message }] };
  }
  for (const [kind, named] of Object.entries(value)) {
    if (kind === "paths" || kind === "hosts") sets[kind] = readNamed(kind, named, [...path, kind], reading);
    else unknownKey(reading, path, kind, unknownName("kind of sets", kind, KINDS, OTHER_KINDS));
  }
  return { sets, problems: reading.problems };
}

function readNamed(
  kind: (typeof KINDS)[number],
  value: unknown,
  path: RulePath,
  reading: Reading,
): Record<string, readonly string[]> {
  if (!isObject(value) || Object.keys(value).length === 0) {
    reading.problems.push({ path, message: `expected a mapping of names to patterns but got ${kindOf(value)}` });
    return {};
  }
  const builtIn = Object.keys(kind === "paths" ? PATH_SETS : HOST_SETS);
  const entries = Object.entries(value).map(([name, patterns]): [string, string[]] => {
    const at = [...path, name];
    const wrong = builtIn.includes(name)
      ? `the set ${quoted(name)} is built in: take another name`
      : /^[a-z][a-z0-9]*(?:-[a-z0-9]+)*$/.test(name)
        ? undefined
        : `${quoted(name)} is no name of a set: lower case letters and digits, with hyphens between them`;
    if (wrong !== undefined) reading.problems.push({ path: at, at: "key", message: wrong });
    return [name, readPatterns(patterns, at, reading)];
  });
  return Object.fromEntries(entries);
}

function readPatterns(value: unknown, path: RulePath, reading: Reading): string[] {
  if (!Array.isArray(value) || value.length === 0) {
    reading.problems.push({ path, message: `expected a list of patterns but got ${kindOf(value)}` });
    return [];
  }
  return value.flatMap((item: unknown, index) => {
    if (typeof item === "string" && item.trim() !== "") return [item];
    reading.problems.push({ path: [...path, index], message: `expected a pattern but got ${kindOf(item)}` });
    return [];
  });
}
