import { type GlobPiece, matchesPiece, parseGlob } from "../../lib/files/glob.ts";
import { once } from "../../lib/once.ts";
import { ANY_NAME, isMark, MORE_WORDS, type Unit } from "../word.ts";

/**
 * Patterns of paths, and exceptions from them.
 *
 * `/a/**` is an absolute path, `~/a` one in a home directory, `./a` and `<project>/a` one in the project. Any other
 * pattern, such as `*.pem` or `.aws/credentials`, names a file anywhere. `*`, `?` and `[a-z]` stay within one part of a
 * path, `**` spans parts. A pattern covers what lies below the directory that it names.
 */
export interface PathGroup {
  covers: readonly string[];
  /** Patterns of what the group leaves out. They do not cover what lies below the directory that they name. */
  not?: readonly string[];
}

/** What a set of paths is compiled for. */
export interface PathSetOptions {
  /** The home directories that `~` matches: absolute paths, which may be patterns. */
  homes: readonly string[];
  /** The user's own home directory, for `~` in words. */
  ownHome?: string;
  /** The root of the project, absolute. Without it `./a` covers every relative path that ends so. */
  project?: string;
  ignoreCase: boolean;
}

/** Home directories that a set of hooksh's own means by `~`, besides the user's. */
export const EVERY_HOME = ["/root", "/home/*", "/Users/*"] as const;

/**
 * Whether a word names a path in a set. `certain`: every path that it can expand to is in it. `possible`: one is, or
 * could be.
 */
export type Naming = "certain" | "possible";

/**
 * How marks are matched. `begun`: as `possible`, but a mark at the beginning of a part stands only for what a pattern leaves
 * open there, so that `*` and `$X` do not name `.env`, and `.e*` does.
 */
type Matching = Naming | "begun";

/** A word of a command line, or the exact text of a path. */
export type PathWord = string | readonly Unit[];

/** A path that the system takes is shorter. */
const MAX_PATH = 4096;

/** A part of a pattern. `dirs` is any number of directories with their slashes, `deep` any text. */
type Piece = GlobPiece | { kind: "dirs" } | { kind: "deep" };

interface Pattern {
  /** A path segment that every covered path contains; undefined if each segment has a wildcard. */
  key: string | undefined;
  /** True if it covers what lies below. */
  below: boolean;
  /** Most paths need only the few patterns of a set that have one of their segments. */
  compiled: () => Compiled;
}

interface Compiled {
  pieces: readonly Piece[];
  /** The number of pieces up to the first slash that a directory above the path must reach; infinite without one. */
  above: number;
}

interface Group {
  keyed: ReadonlyMap<string, readonly Pattern[]>;
  others: readonly Pattern[];
  all: readonly Pattern[];
  not: readonly Pattern[];
}

/** Paths given by patterns. */
export class PathSet {
  readonly #options: PathSetOptions;
  readonly #sources: readonly PathGroup[];
  #compiled: readonly Group[] | undefined;

  constructor(groups: readonly PathGroup[], options: PathSetOptions) {
    this.#sources = groups;
    this.#options = options;
  }

  get #groups(): readonly Group[] {
    this.#compiled ??= this.#sources.map((group) => this.#compile(group));
    return this.#compiled;
  }

  /**
   * Whether a word names a path in the set, as it is spelled or without `..`; undefined if it cannot. A relative one is
   * joined with `directory`; without that, it may be in a home directory or the project.
   */
  names(word: PathWord, directory?: string): Naming | undefined {
    let found: Naming | undefined;
    for (const form of this.#forms(word, directory)) {
      const naming = nameOf(this.#groups, form);
      if (naming === "certain") return naming;
      found ??= naming;
    }
    return found;
  }

  /**
   * True if a word that expands could name a path in the set, judged by its literal beginnings: its last part begins with
   * a character that counts, such as `.e*` for `.env`. `*`, `*.yaml` and `$X` could name anything, and do not.
   */
  couldName(word: PathWord): boolean {
    return this.#forms(word, undefined).some(
      (form) =>
        beginsLiterally(form) &&
        this.#groups.some(
          ({ all, not }) =>
            all.some((pattern) => matches(pattern, form, "begun")) &&
            !not.some((pattern) => matches(pattern, form, "certain")),
        ),
    );
  }

  /**
   * True if the word can name a directory with paths of the set below it: `~` for `~/.ssh`. Patterns of files that may
   * be anywhere count only if the word begins one: `.aws` for `.aws/credentials`.
   */
  isAbove(word: PathWord, directory?: string, matching: Matching = "possible"): boolean {
    return this.#forms(word, directory).some((form) => {
      if (matching === "begun" && !beginsLiterally(form)) return false;
      const units = form.at(-1) === "/" ? form : [...form, "/"];
      return this.#groups.some(({ all }) => all.some((pattern) => beginsWith(pattern, units, matching)));
    });
  }

  #compile({ covers, not = [] }: PathGroup): Group {
    const all = covers.flatMap((text) => this.#patternsOf(text, true));
    const keyed = new Map<string, Pattern[]>();
    for (const pattern of all) {
      if (pattern.key === undefined) continue;
      const others = keyed.get(pattern.key);
      if (others) others.push(pattern);
      else keyed.set(pattern.key, [pattern]);
    }
    return {
      all,
      keyed,
      others: all.filter(({ key }) => key === undefined),
      not: not.flatMap((text) => this.#patternsOf(text, false)),
    };
  }

  #patternsOf(source: string, below: boolean): Pattern[] {
    const { homes, ownHome, project, ignoreCase } = this.#options;
    const text = (ignoreCase ? source.toLowerCase() : source).replace(/\/+$/, "");
    const [, root, rest = ""] = /^(~|\.|<project>)(\/.*)?$/s.exec(text) ?? [];
    const spellings =
      root === "~"
        ? ["~", "./**", ...new Set([...homes, ...(ownHome ? [ownHome] : [])])].map((home) => home + rest)
        : root !== undefined
          ? [`./**${rest}`, ...(project === undefined ? [] : [project + rest])]
          : [text.startsWith("/") ? text : `**/${text}`];
    return spellings.map((spelling) => makePattern(ignoreCase ? spelling.toLowerCase() : spelling, below));
  }

  /** The paths that a word may mean: `/absolute`, `~/in a home`, `./somewhere`. */
  #forms(word: PathWord, directory: string | undefined): (readonly Unit[])[] {
    const all = typeof word === "string" ? Array.from(word) : word;
    if (all.length === 0 || all.filter((unit) => !isMark(unit)).length > MAX_PATH) return [];
    const units = all
      .filter((unit, at) => unit !== MORE_WORDS || at === 0)
      .map((unit) => (unit === "\\" ? "/" : this.#options.ignoreCase && !isMark(unit) ? unit.toLowerCase() : unit));
    if (isMark(units[0] as Unit) && units[0] !== ANY_NAME) return [units];
    const parts = splitParts(units);
    if (parts[0]?.length === 2 && /^[a-z]:$/i.test(parts[0].join(""))) parts[0] = []; // a drive
    return this.#rooted(parts, directory).flatMap((path) => {
      const resolved = withoutDots(path);
      return resolved.some((part, at) => part.join("") !== path[at]?.join("")) || resolved.length !== path.length
        ? [joinParts(resolved), joinParts(path)]
        : [joinParts(path)];
    });
  }

  #rooted(parts: readonly Part[], directory: string | undefined): Part[][] {
    const [first = [], ...rest] = parts;
    if (first.length === 0) return [[[], ...rest]];
    if (first[0] === "~") {
      const { ownHome } = this.#options;
      return [[["~"], ...rest], ...(ownHome && first.length === 1 ? [[...this.#partsOf(ownHome), ...rest]] : [])];
    }
    if (directory !== undefined) return [[...this.#partsOf(directory), ...parts]];
    const up = parts.findIndex((part) => part.join("") !== ".." && part.join("") !== ".");
    const behind = parts.slice(up < 0 ? parts.length : up);
    // Steps up from an unknown directory may end at the root.
    return [[["."], ...behind], ...(first.join("") === ".." ? [[[], ...behind]] : [])];
  }

  #partsOf(path: string): Part[] {
    return splitParts(Array.from(this.#options.ignoreCase ? path.toLowerCase() : path));
  }
}

type Part = readonly Unit[];

function splitParts(units: readonly Unit[]): Part[] {
  const parts: Unit[][] = [[]];
  for (const unit of units) {
    if (unit === "/") parts.push([]);
    else parts.at(-1)?.push(unit);
  }
  return parts;
}

function joinParts(parts: readonly Part[]): Unit[] {
  if (parts.length === 1 && parts[0]?.length === 0) return ["/"];
  return parts.flatMap((part, at) => (at === 0 ? part : ["/", ...part]));
}

/** Resolves `.`, `..` and double slashes behind the first part, as far as the text shows what `..` leaves. */
function withoutDots([root = [], ...parts]: readonly Part[]): Part[] {
  const result: Part[] = [root];
  for (const part of parts) {
    const text = part.join("");
    if (text === "" || text === ".") continue;
    const last = result.at(-1);
    if (text !== ".." || !last || last.some(isMark)) result.push(part);
    else if (result.length > 1) result.pop();
  }
  return result;
}

function makePattern(text: string, below: boolean): Pattern {
  const key = text.split("/").findLast((part) => /^[^*?[\]\\]+$/.test(part) && part !== "~" && part !== ".");
  return { key, below, compiled: once(() => compile(text)) };
}

function compile(text: string): Compiled {
  const parts = text.split("/");
  const pieces = parts.flatMap((part, at): Piece[] => {
    const isLast = at === parts.length - 1;
    if (part === "**") return [{ kind: isLast ? "deep" : "dirs" }];
    return [...parseGlob(part), ...(isLast ? [] : [{ kind: "char", char: "/" } as const])];
  });
  const firstDirs = pieces.findIndex(({ kind }) => kind === "dirs");
  const isLoose = parts[0] === "**" || (parts[0] === "." && parts[1] === "**");
  const slash = pieces.findIndex(
    (piece, at) =>
      at > (isLoose ? firstDirs : -1) && (piece.kind === "dirs" || (piece.kind === "char" && piece.char === "/")),
  );
  return { pieces, above: slash < 0 ? Number.POSITIVE_INFINITY : slash + 1 };
}

function nameOf(groups: readonly Group[], form: readonly Unit[]): Naming | undefined {
  const isLiteral = !form.some(isMark);
  const parts = isLiteral ? new Set(form.join("").split("/")) : undefined;
  let found: Naming | undefined;
  for (const group of groups) {
    const candidates = parts ? candidatesOf(group, parts) : group.all;
    if (!candidates.some((pattern) => matches(pattern, form, "possible"))) continue;
    if (group.not.some((pattern) => matches(pattern, form, "certain"))) continue;
    if (isLiteral || candidates.some((pattern) => matches(pattern, form, "certain"))) return "certain";
    found = "possible";
  }
  return found;
}

function candidatesOf({ keyed, others }: Group, parts: ReadonlySet<string>): Pattern[] {
  return [...others, ...[...parts].flatMap((part) => keyed.get(part) ?? [])];
}

/** True if the last part of a path begins with a character. */
function beginsLiterally(form: readonly Unit[]): boolean {
  const first = form[form.lastIndexOf("/") + 1];
  return first !== undefined && !isMark(first);
}

/** True if a pattern covers what the units can be, or could be. */
function matches(pattern: Pattern, units: readonly Unit[], matching: Matching): boolean {
  const { length } = pattern.compiled().pieces;
  const states = statesAfter(pattern, units, matching);
  return states.has(length) || states.has(length + 1);
}

/** True if a path below a directory can be covered, by a pattern of which the directory is a literal beginning. */
function beginsWith(pattern: Pattern, units: readonly Unit[], matching: Matching): boolean {
  const { above } = pattern.compiled();
  return [...statesAfter(pattern, units, matching)].some((state) => state >= above);
}

/**
 * Runs a pattern over units as a set of states. State N is before piece N; the state behind all pieces is the path that
 * the pattern names, and the one after it what lies below.
 */
function statesAfter({ compiled, below }: Pattern, units: readonly Unit[], matching: Matching): ReadonlySet<number> {
  const { pieces } = compiled();
  const end = pieces.length;
  let states = new Set<number>();
  const enter = (into: Set<number>, state: number) => {
    for (let at = state; !into.has(at); at++) {
      into.add(at);
      const kind = pieces[at]?.kind;
      if (kind !== "run" && kind !== "deep" && kind !== "dirs") return;
    }
  };
  enter(states, 0);
  let isBegun = false;
  for (const unit of units) {
    const next = new Set<number>();
    for (const state of states) {
      const piece = pieces[state];
      if (isMark(unit)) stepOverMark(piece, state, unit, next);
      else if (state > end) next.add(state);
      else if (state === end) {
        if (unit === "/" && below) next.add(end + 1);
      } else if (piece?.kind === "dirs") {
        next.add(state);
        if (unit === "/") enter(next, state + 1);
      } else if (piece?.kind === "deep") enter(next, state);
      else if (piece?.kind === "run") {
        if (unit !== "/") enter(next, state);
      } else if (piece && (unit !== "/" || piece.kind === "char") && matchesPiece(piece, unit)) enter(next, state + 1);
    }
    states = next;
    if (states.size === 0) break;
    isBegun = unit !== "/" && (isBegun || !isMark(unit));
  }
  return states;

  function stepOverMark(piece: Piece | undefined, state: number, unit: Unit, next: Set<number>): void {
    const kind = piece?.kind;
    if (matching === "certain" || (matching === "begun" && !isBegun)) {
      const stays = state > end || kind === "deep" || kind === "dirs" || (kind === "run" && unit === ANY_NAME);
      if (stays && kind === "dirs") next.add(state);
      else if (stays) enter(next, state);
      return;
    }
    if (unit !== ANY_NAME) {
      for (let at = state; at <= end + (below ? 1 : 0); at++) next.add(at);
      return;
    }
    if (kind === "dirs") {
      next.add(state);
      return;
    }
    for (let at = state; ; at++) {
      enter(next, at);
      const passed = pieces[at];
      if (!passed || passed.kind === "dirs" || passed.kind === "deep") return;
      if (passed.kind === "char" && passed.char === "/") return;
    }
  }
}
