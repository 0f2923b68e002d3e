import { existsSync } from "node:fs";
import { escapeGlob, parseGlob } from "../../lib/files/glob.ts";
import { once } from "../../lib/once.ts";
import { type PathGroup, PathSet } from "../../shell/paths/path-pattern.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import { ANY_NAME, ANY_TEXT, isMark, type Unit } from "../../shell/word.ts";
import type { Fit } from "../facts.ts";
import { expandGlob } from "../files/expand-glob.ts";
import type { Place } from "../place.ts";
import { formsOf, isWithin, type Need, type PathForm } from "./path-form.ts";

export interface PatternOptions {
  /** What `~` is, besides the home directory of the place. */
  homes: readonly string[];
  ignoreCase: boolean;
  /** True if only the part below the project counts of a path that lies in it. */
  inProject?: boolean;
  /** Whether paths on other machines can fit by name: always, never, or only where that restricts. */
  elsewhere: "all" | "none" | "either";
}

/** Patterns of paths, against paths as commands spell them. */
export class PathPatterns {
  readonly #place: Place;
  readonly #options: PatternOptions;
  readonly #groups: readonly PathGroup[];
  readonly #set: PathSet;
  readonly #homes: readonly string[];
  readonly #projects: readonly string[];
  /** Most of what is asked about a set needs no pattern of it (cold start). */
  readonly #needs: () => readonly Needed[];

  constructor(groups: readonly PathGroup[], place: Place, options: PatternOptions) {
    this.#place = place;
    this.#options = options;
    this.#homes = place.home === "" ? options.homes : [...options.homes, ...formsOf(place.home).map(escapeGlob)];
    this.#projects = formsOf(place.project);
    const projects = this.#projects.map((path) => escapeGlob(path.replace(/\/$/, "")));
    const anchored = (pattern: string) => {
      const [, rest] = /^(?:\.|<project>)(\/.*|)$/s.exec(pattern) ?? [];
      return rest === undefined ? [pattern] : projects.map((project) => project + rest);
    };
    this.#groups = groups.map(({ covers, not }) => ({ covers: covers.flatMap(anchored), ...(not && { not }) }));
    const homes = options.inProject ? undefined : this.#homes;
    this.#needs = once(() =>
      this.#groups.flatMap(({ covers }) => covers.flatMap((pattern) => neededBy(pattern, homes))),
    );
    this.#set = new PathSet(this.#groups, { homes: this.#homes, ignoreCase: options.ignoreCase });
  }

  /** Whether a path fits, in one of its spellings. */
  fit(form: PathForm, need: Need): Fit {
    if (
      form.elsewhere &&
      (this.#options.elsewhere === "none" || (this.#options.elsewhere === "either" && need === "both"))
    )
      return "none";
    if (this.#isElsewhere(form)) return "none";
    const { path, glob, extent } = form;
    if (extent === "below") return this.#fitOf({ ...form, path: `${path}/${HOLE}`, extent: "itself" }, need);
    if (extent !== "contents") return this.#fitOf(form, need);
    const all = `${(glob ? path : escapeGlob(path)).replace(/\/$/, "")}/*`;
    const within = this.#fitOf({ ...form, path: all, glob: true, extent: "tree" }, need, true);
    return within === "all" || need === "both" || !this.#isAbove(form) ? within : "all";
  }

  /** True for a plain path that lacks what each of the patterns needs: most paths are found out of a set by that. */
  #isElsewhere({ path, extent }: PathForm): boolean {
    const isTree = extent === "tree";
    if ((extent !== "itself" && !isTree) || !isPlain(path)) return false;
    const lower = path.toLowerCase();
    return !this.#needs().some(({ start, name, within }) =>
      start === undefined
        ? lower.includes(isTree ? name : within)
        : lower.startsWith(start) || (isTree && start.startsWith(lower)),
    );
  }

  #fitOf(form: PathForm, need: Need, dots = false): Fit {
    const units = this.#units(form.path, form.glob);
    if (this.#isCertain(units)) return "all";
    const isTree = form.extent === "tree" && need === "either";
    if (isTree && this.#isAbove(form)) return "all";
    if (!units.some(isMark)) return "none";
    const hasHole = form.path.includes(HOLE);
    if (form.glob && !hasHole && form.path.startsWith("/")) {
      const { paths, complete } = expandGlob(form.path, { dots });
      if (paths.some((path) => this.#isHit({ ...form, path, glob: false }, isTree)))
        return need === "either" ? "all" : "some";
      if (!complete && this.#set.names(units) !== undefined) return "some";
    }
    if (this.#mayBe(form, units, isTree)) return "some";
    if (!hasHole) return "none";
    return this.#set.names(units) !== undefined || (isTree && this.#set.isAbove(units)) ? "unknown" : "none";
  }

  /** True for an existing file that a pattern of names stands for. */
  #isHit(form: PathForm, isTree: boolean): boolean {
    const forms = form.elsewhere ? [form.path] : formsOf(form.path);
    return forms.some(
      (path) => this.#isCertain(this.#units(path, false)) || (isTree && this.#isAbove({ ...form, path })),
    );
  }

  /** True if whatever its expansions are, a path is in the set. */
  #isCertain(units: readonly Unit[]): boolean {
    if (this.#set.names(units) === "certain") return true;
    if (!units.includes(ANY_TEXT)) return false;
    // An expansion in the middle of a name may hold slashes or not: `$X.pem` is a name that ends so either way.
    return [[ANY_NAME], [ANY_TEXT, "/", ANY_NAME]].every(
      (instead) => this.#set.names(units.flatMap((unit) => (unit === ANY_TEXT ? instead : [unit]))) === "certain",
    );
  }

  /** True if what a path shows of itself speaks for the set. */
  #mayBe({ path, glob, read }: PathForm, units: readonly Unit[], isTree: boolean): boolean {
    if (this.#set.couldName(withinNames(units))) return true;
    if (isTree && !read && this.#set.isAbove(units, undefined, "begun")) return true;
    const at = path.indexOf(HOLE);
    if (at < 0) return false;
    // The expansion at the beginning may be a home directory, the root or the project.
    if (at === 0 && path[1] === "/")
      return ["~", "", this.#place.project].some((start) => {
        const behind = unitsOf(start + path.slice(1), glob);
        return this.#set.names(behind) === "certain" || this.#set.couldName(behind);
      });
    // Anything at once below a directory that is mostly about this: `~/.aws/$X`.
    const folder = path.slice(0, path.lastIndexOf("/"));
    return (
      path.indexOf("/", at) < 0 &&
      path[folder.length + 1] === HOLE &&
      !(glob && /[*?[]/.test(folder)) &&
      !this.#isGeneral(folder) &&
      this.#set.isAbove([...folder])
    );
  }

  /** True for a directory that holds everything: one above a home directory or the project, or one of these. */
  #isGeneral(folder: string): boolean {
    const { home, project } = this.#place;
    return folder === "" || folder === "~" || [...this.#homes, home, project].some((path) => isWithin(path, folder));
  }

  /** True if files of the set lie below a directory; if it is only read, if they exist. */
  #isAbove({ path, glob, read, elsewhere }: PathForm): boolean {
    const units = unitsOf(path, glob);
    if (!this.#set.isAbove(units, undefined, "certain")) return false;
    return !read || elsewhere || units.some(isMark) || !existsSync(path) || this.#existsBelow(path);
  }

  #existsBelow(folder: string): boolean {
    const top = folder === "/" ? "/" : `${folder}/`;
    const name = folder.slice(folder.lastIndexOf("/") + 1);
    return this.#groups.some(({ covers }) =>
      covers.some((cover) => {
        const spelled = cover.startsWith("~")
          ? [...this.#homes].map((home) => home + cover.slice(1))
          : cover.startsWith("/")
            ? [cover]
            : cover.startsWith(`${name}/`)
              ? [escapeGlob(top) + cover.slice(name.length + 1)]
              : [];
        return spelled.some((pattern) => {
          if (!mayLieBelow(pattern, top, this.#options.ignoreCase)) return false;
          const { paths, complete } = expandGlob(pattern, { dots: true });
          return !complete || paths.some((path) => path.startsWith(top) && this.#isCertain(this.#units(path, false)));
        });
      }),
    );
  }

  /** A path in the units of words, with marks for expansions and patterns of names. */
  #units(path: string, glob: boolean): Unit[] {
    const project = this.#options.inProject
      ? this.#projects.find((top) => top !== "/" && isWithin(path, top))
      : undefined;
    return unitsOf(project === undefined ? path : path.slice(project.length) || "/", glob);
  }
}

/** What a path must have to fit a pattern, in lower case. Empty texts if that cannot be told. */
interface Needed {
  /** The beginning of every absolute path that fits. Undefined if the pattern names a file anywhere. */
  start?: string;
  /** A text in the path, also if only something below it fits. */
  name: string;
  /** A text in a path that fits itself. */
  within: string;
}

/** What patterns need, without running them. `homes` is what `~` stands for; undefined if paths are cut before they are compared. */
function neededBy(pattern: string, homes: readonly string[] | undefined): Needed[] {
  const text = pattern.replace(/\/+$/, "").toLowerCase();
  const isInHome = /^~(?:\/|$)/.test(text);
  if (homes && (isInHome || text.startsWith("/"))) {
    const spellings = isInHome ? homes.map((home) => home.toLowerCase() + text.slice(1)) : [text];
    return spellings.map((path) => ({ start: path.slice(0, path.search(/[*?[\\]|$/)), name: "", within: "" }));
  }
  if (!/^[\w./~*?-]*$/.test(text)) return [{ name: "", within: "" }];
  const names = text.split("/").filter((name) => !name.startsWith("~") && name !== "." && name !== "..");
  return [{ name: longestOf(names.slice(0, 1)), within: longestOf(names) }];
}

/** The longest text without wildcards in names of a pattern. */
function longestOf(names: readonly string[]): string {
  const parts = names.flatMap((name) => name.split(/[*?]/));
  return parts.reduce((longest, part) => (part.length > longest.length ? part : longest), "");
}

/** True for an absolute path without expansions, wildcards and dots, in letters whose case is plain. */
function isPlain(path: string): boolean {
  return /^\/[ -)+->@-Z\]-~]*$/.test(path) && !/\/\.{0,2}(?:\/|$)/.test(path);
}

/** True if an absolute pattern can name something below a directory, judged by its beginning without wildcards. */
function mayLieBelow(pattern: string, top: string, ignoreCase: boolean): boolean {
  const at = pattern.search(/[*?[\\]/);
  const [start, folder] = [at < 0 ? pattern : pattern.slice(0, at), top].map((text) =>
    ignoreCase ? text.toLowerCase() : text,
  ) as [string, string];
  return start.startsWith(folder) || (at >= 0 && folder.startsWith(start));
}

/** An expansion behind a letter counts as a part of that name, as a pattern would: `log-$X.txt` is no `log-/.ssh/a.txt`. */
function withinNames(units: readonly Unit[]): readonly Unit[] {
  return units.map((unit, at) => (unit === ANY_TEXT && at > 0 && units[at - 1] !== "/" ? ANY_NAME : unit));
}

function unitsOf(path: string, glob: boolean): Unit[] {
  if (!glob) return Array.from(path, (char) => (char === HOLE ? ANY_TEXT : char));
  return path.split("/").flatMap((part, at) => {
    const units =
      part === "**" ? [ANY_TEXT] : parseGlob(part).map((piece) => (piece.kind !== "char" ? ANY_NAME : piece.char));
    return [...(at === 0 ? [] : ["/"]), ...units.map((unit) => (unit === HOLE ? ANY_TEXT : unit))];
  });
}
