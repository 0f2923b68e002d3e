import { basename, dirname, join } from "node:path";
import type { Env } from "../../lib/env.ts";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import { isInside } from "../../lib/files/paths.ts";
import { readFileInside, UnreadableFileError } from "../../lib/files/read-file.ts";
import { absolutePath, type Place, pathWithin, realEntry, realPath } from "./paths.ts";
import type { ParsePatterns, Patterns } from "./patterns.ts";

const IGNORE_FILE = ".agentsignore";
const IGNORE_LIMIT = 1024 * 1024;

/** The paths that a filesystem toolset may access. */
export interface AccessRules {
  /** Only these paths may be accessed; absent: any path. */
  allow?: readonly string[];
  /** Overrides `allow`. */
  deny?: readonly string[];
}

/**
 * Decides which paths tools may access: checks `.agentsignore`, then the deny list, then the allow list. Checks both
 * the path as given and the path with symbolic links resolved; tools then open the resolved path.
 */
export interface Access {
  workingDir: string;
  /** Resolves a path. Throws a {@link UserError} if it may not be accessed. */
  locate(path: string): Place;
  /** {@link locate} for operations on a directory entry itself, which must not follow a link. */
  locateEntry(path: string): Place;
  /** True if listings and searches leave the place out. */
  hides(place: Place, isDirectory: boolean): boolean;
}

interface Options {
  workingDir: string;
  env: Env;
  rules: AccessRules;
  parsePatterns: ParsePatterns;
}

type Judge = (place: Place, isDirectory: boolean) => string | undefined;

/** Reads the rules. Throws a {@link ConfigError} if one of them is invalid, so that no path can be accessed. */
export function openAccess(options: Options): Access {
  const { workingDir, env, rules } = options;
  const judges: Judge[] = [
    ignoreFileJudge(options),
    denyJudge(rules.deny ?? [], options),
    allowJudge(rules.allow, options),
  ];
  const refusal: Judge = (place, isDirectory) => {
    for (const judge of judges) {
      const reason = judge(place, isDirectory);
      if (reason !== undefined) return reason;
    }
    return undefined;
  };
  const admit = (path: string, follow: (path: string) => string): Place => {
    const absolute = absolutePath(path, workingDir, env);
    const place = { path: absolute, real: follow(absolute) };
    // The path may be, or become, a file or a directory, so it is refused if a pattern matches either.
    const reason = refusal(place, false) ?? refusal(place, true);
    if (reason !== undefined) throw new UserError(`${path}: ${reason}`);
    return place;
  };
  return {
    workingDir,
    locate: (path) => admit(path, realPath),
    locateEntry: (path) => admit(path, realEntry),
    hides: (place, isDirectory) => refusal(place, isDirectory) !== undefined,
  };
}

/** Judges by the nearest ignore file in the working directory or above. Throws if it cannot be read. */
function ignoreFileJudge({ workingDir, parsePatterns }: Options): Judge {
  for (let directory = workingDir; ; directory = dirname(directory)) {
    const text = readIgnoreFile(directory);
    if (text !== undefined) return patternJudge(parsePatterns(text), directory);
    if (dirname(directory) === directory) return () => undefined;
  }
}

function patternJudge(patterns: Patterns, directory: string): Judge {
  const roots = new Set([directory, realPath(directory)]);
  return (place, isDirectory) => {
    for (const path of new Set([place.path, place.real])) {
      if (basename(path).toLowerCase() === IGNORE_FILE) return `${IGNORE_FILE} is off limits`;
      for (const root of roots) {
        const inner = pathWithin(root, path);
        const verdict = inner === undefined ? "unmentioned" : patterns.judge(inner, isDirectory);
        if (verdict === "ignored") return `off limits by ${IGNORE_FILE}`;
      }
    }
    return undefined;
  };
}

function denyJudge(entries: readonly string[], options: Options): Judge {
  const denied = entries.flatMap((entry) => Object.values(resolveEntry("deny_list", entry, options)));
  return ({ path, real }) =>
    denied.some((entry) => isInside(path, entry) || isInside(real, entry)) ? "off limits by deny_list" : undefined;
}

function allowJudge(entries: readonly string[] | undefined, options: Options): Judge {
  if (entries === undefined) return () => undefined;
  const allowed = entries.map((entry) => resolveEntry("allow_list", entry, options).real);
  return ({ real }) => (allowed.some((entry) => isInside(real, entry)) ? undefined : "outside allow_list");
}

function resolveEntry(key: string, entry: string, { workingDir, env }: Options): { path: string; real: string } {
  try {
    const path = absolutePath(entry, workingDir, env);
    return { path, real: realPath(path) };
  } catch (error) {
    throw new ConfigError(`${key}: ${JSON.stringify(entry)}: ${errorText(error)}`, { cause: error });
  }
}

function readIgnoreFile(directory: string): string | undefined {
  const path = join(directory, IGNORE_FILE);
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(readFileInside(directory, path, { limit: IGNORE_LIMIT }));
  } catch (error) {
    if (error instanceof UnreadableFileError && error.kind === "missing") return undefined;
    const reason = error instanceof UnreadableFileError ? error.reason : "not UTF-8 text";
    throw new ConfigError(`${path}: ${reason}; without its rules the file tools refuse every path`, { cause: error });
  }
}
