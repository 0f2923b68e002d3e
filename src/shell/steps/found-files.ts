import { joinPath } from "../paths/working-directory.ts";
import type { FileTest, FileTests, Found } from "./found.ts";
import { HOLE, type Invocation } from "./invocation.ts";
import { readGit } from "./programs/git-words.ts";

const NO_TESTS: FileTests = { all: [], any: false };

/** The files whose names commands print; undefined if their words name no directory or file. */
export function filesOf(printed: readonly Invocation[]): Found | undefined {
  const [first, ...others] = printed;
  if (!first) return undefined;
  if (others.length === 0) return namedBy(first);
  const found = printed.map(namedBy).find((one) => one !== undefined);
  return found && { ...found, isBelow: false };
}

function namedBy({ programs, words, fedBy }: Invocation): Found | undefined {
  const [name = ""] = programs;
  const texts = words.map(({ text }) => text);
  const operands = texts.filter((text) => !text.startsWith("-"));
  const options = texts.filter((text) => text.startsWith("-"));
  const below = (named: readonly string[], tests = NO_TESTS, isBelow = true): Found => ({
    directories: named.length > 0 ? named : ["."],
    tests,
    isBelow: isBelow && !named.some((text) => text.includes(HOLE)),
  });
  switch (name) {
    case "find":
    case "gfind": {
      const { directories, tests } = readFind(texts);
      return below(directories, tests);
    }
    case "fd":
    case "fdfind": {
      const { directories, tests } = readFd(texts);
      return below(directories, tests);
    }
    case "ls":
    case "dir":
      return below(operands);
    case "dirname":
      return below(
        operands.map((path) => path.replace(/\/[^/]*$/, "")),
        NO_TESTS,
        false,
      );
    case "git":
      return listedByGit(texts, options);
    default:
  }
  const fed = fedBy.length > 0 ? filesOf(fedBy) : undefined;
  if (/^(?:rg|[ef]?grep)$/.test(name)) {
    const lists = options.some((text) => /^-\w*l|^--files/.test(text));
    if (fed && !lists) {
      const tests = matching(operands[0], /v/.test(options.join("")));
      return fed.tests.any ? fed : { ...fed, tests: { ...fed.tests, all: [...fed.tests.all, ...tests] } };
    }
    const includes = options.flatMap((text): FileTest[] => {
      const glob = /^--include=(.*)$/s.exec(text)?.[1];
      return glob === undefined ? [] : [{ on: "name", glob, not: false }];
    });
    return below(
      operands.slice(options.includes("--files") ? 0 : 1),
      { all: includes, any: includes.length > 1 },
      lists,
    );
  }
  if (fed) return PASS_ON.test(name) ? fed : { ...fed, isBelow: false };
  return operands.length > 0 ? below(operands, NO_TESTS, false) : undefined;
}

/** Programs that pass names of files on as they are. */
const PASS_ON = /^(?:head|tail|sort|uniq)$/;

/** The files that pathspecs of git name: `src`, `*.ts`. */
function listedByGit(texts: readonly string[], options: readonly string[]): Found | undefined {
  const { directory, verb, rest } = readGit(texts);
  if (!/^(?:ls-files|diff|status|grep|ls-tree|show|log)$/.test(verb)) return undefined;
  const named = rest.filter((arg) => !arg.startsWith("-"));
  const pathspecs = verb === "grep" ? named.slice(1) : named;
  const globs = pathspecs.filter((text) => /[*?[]/.test(text));
  const plain = pathspecs.filter((text) => !globs.includes(text));
  const isNames = verb === "diff" && options.includes("--name-only");
  // What stands before the paths of `git diff` may be a revision.
  const directories = globs.length > 0 || plain.length === 0 || isNames ? ["."] : plain;
  return {
    directories: directories.map((path) => joinPath(directory, path)),
    tests: { all: globs.map((glob) => ({ on: "path", glob, not: false })), any: globs.length > 1 },
    isBelow: (verb === "ls-files" || isNames) && !directories.some((text) => text.includes(HOLE)),
  };
}

/** The tests of `find` that look at the name, the path or the kind of a file. */
const FIND_TESTS = /^-(?:i?name|i?path|i?wholename|i?regex|type|maxdepth)$/;

/** Reads the directories and the tests of a `find`. */
export function readFind(texts: readonly string[]): Omit<Found, "isBelow"> {
  const first = texts.findIndex((text) => /^[-(!]/.test(text) && !/^-[HLPDO]/.test(text));
  const named = texts.slice(0, first < 0 ? undefined : first).filter((text) => !text.startsWith("-"));
  const all: FileTest[] = [];
  let any = false;
  let maxDepth: number | undefined;
  let not = false;
  for (let at = first; at >= 0 && at < texts.length; at++) {
    const text = texts[at] ?? "";
    if (text === "!" || text === "-not") not = true;
    else if (text === "-o" || text === "-or" || text === ",") any = true;
    else if (FIND_TESTS.test(text)) {
      const value = texts[++at] ?? "";
      const kind = text.replace(/^-i?/, "");
      if (text === "-maxdepth") maxDepth = Number.parseInt(value, 10);
      else if (kind === "type") all.push({ on: "type", type: value, not });
      else if (kind === "name") all.push({ on: "name", glob: value, not });
      else if (kind === "regex") all.push(...matching(`^(?:${value.replace(/\\([(|)])/g, "$1")})$`, not));
      else all.push({ on: "path", glob: value, not });
      not = false;
    } else if (text !== "(" && text !== "\\(") not = false;
  }
  return {
    directories: named.length > 0 ? named : ["."],
    tests: { all, any, ...(maxDepth === undefined || Number.isNaN(maxDepth) ? {} : { maxDepth }) },
  };
}

/** Reads the pattern and the directories of a `fd`. */
export function readFd(texts: readonly string[]): Omit<Found, "isBelow"> {
  const [pattern, ...named] = texts.filter((text) => !text.startsWith("-"));
  return { directories: named.length > 0 ? named : ["."], tests: { all: matching(pattern), any: false } };
}

/** A test by an expression; none if this language cannot read it. */
function matching(source: string | undefined, not = false): FileTest[] {
  if (source === undefined || source.includes(HOLE) || source.length >= 256) return [];
  try {
    new RegExp(source, "i");
    return [{ on: "path", expression: source, not }];
  } catch {
    return [];
  }
}
