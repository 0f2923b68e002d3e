import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { PathValue } from "../../src/facts/facts.ts";
import { formsOf } from "../../src/facts/sets/path-form.ts";
import { matchesGlob } from "../../src/lib/files/glob.ts";
import type { FileTest, FileTests } from "../../src/shell/steps/found.ts";
import { HOLE } from "../../src/shell/steps/invocation.ts";
import type { Among } from "../../src/shell/steps/program-facts.ts";
import { type Repository, repositoryOf } from "./git-index.ts";
import type { Places } from "./places.ts";

/** A guard's file that a call could change. */
export interface Reached {
  /** `ask` if whether it changes depends on what only running shows. */
  verdict: "deny" | "ask";
  path: string;
  why: string;
}

type Hit = Pick<Reached, "path" | "why">;

/** The system takes no longer path. */
const MAX_PATH = 4096;

/** A pattern of file names, or an expansion. */
const WILD = /[*?[\0]/;

/** Says which guard's files the paths that a step writes can be. */
export class Reach {
  readonly #places: Places;
  readonly #cwd: string;

  constructor(places: Places, cwd: string) {
    this.#places = places;
    this.#cwd = cwd;
  }

  /** Returns the guard's file that is changed, or undefined. */
  reached(value: PathValue): Reached | undefined {
    const { extent, among, path, glob } = value;
    if (path.length > MAX_PATH) return undefined;
    const isItself = extent === "itself" || extent === "tree";
    // What a pattern of names copies has the names that are at its source.
    const keepsNames = glob && among?.kind === "copied";
    return (isItself && !keepsNames ? denied(this.#itself(value)) : undefined) ?? this.#among(value);
  }

  /** What a path itself is. */
  #itself(value: PathValue): Hit | undefined {
    for (const path of new Set([value.path, value.resolved ?? value.path])) {
      const why = this.#places.whyGuarded({ ...value, path, extent: "itself" });
      if (why === undefined) continue;
      const shown = value.glob && !path.includes(HOLE) ? this.#expanded(path).find((one) => this.#named(one)) : path;
      return { path: (shown ?? path).replaceAll(HOLE, "…"), why };
    }
    return undefined;
  }

  /** What lies below a path, as far as the step changes it. */
  #among(value: PathValue): Reached | undefined {
    const { extent, among } = value;
    switch (among?.kind) {
      case "found":
        return denied(this.#found(among));
      case "copied":
        return denied(this.#copied(value, among.from));
      case "tracked":
        return denied(this.#existingBelow(value, (repository, path) => repository.tracks(path)));
      case "untracked":
        return denied(
          this.#existingBelow(
            value,
            (repository, path) => !repository.tracks(path) && !relative(repository.top, path).startsWith(".git/"),
          ),
        );
      case "work-tree":
        return among.unless.some(exists) ? undefined : asked(this.#inRepository(value.path));
      case "patched":
        return this.#patched(value, among.files);
      case undefined:
        if (extent === "itself") return undefined;
        return extent === "tree" ? denied(this.#below(value)) : asked(this.#existingBelow(value));
    }
  }

  /** A directory that is changed with all that lies below. */
  #below(value: PathValue): Hit | undefined {
    const { path } = value;
    if (!path.includes(HOLE)) return this.#firstBelow(this.#starts(value));
    const why = this.#places.whyGuarded(value);
    return why === undefined ? undefined : { path: path.replaceAll(HOLE, "…"), why };
  }

  #firstBelow(folders: readonly string[]): Hit | undefined {
    for (const [path, why] of this.#places.existing)
      if (folders.some((folder) => isBelow(path, folder))) return { path, why };
    return undefined;
  }

  #named(path: string): Hit | undefined {
    const why = this.#places.whyExactly(path);
    return why === undefined ? undefined : { path, why };
  }

  /** The paths that a value may be, as spelled and without links; none if an expansion hides a part. */
  #starts({ path, resolved = path, glob }: Pick<PathValue, "path" | "resolved" | "glob">): string[] {
    return [...new Set([path, resolved])].flatMap((one) =>
      one.includes(HOLE) ? [] : glob ? this.#expanded(one) : [one],
    );
  }

  /** Expands a pattern of file names to the paths that lead to guards. */
  #expanded(path: string): string[] {
    const parts = path.split("/");
    const last = parts.findLastIndex((part) => WILD.test(part));
    const first = parts.findIndex((part) => WILD.test(part));
    const tail = parts.slice(last + 1).join("/");
    const prefix = parts.slice(0, first).join("/");
    const pattern = parts.slice(first, last + 1);
    return formsOf(prefix === "" ? "/" : prefix).flatMap((start) =>
      this.#places.nodes
        .filter((node) => isBelow(node, start) && matchesParts(pattern, relative(start, node).split("/")))
        .map((node) => join(node, tail)),
    );
  }

  #found({ directories, tests, deep }: Among & { kind: "found" }): Hit | undefined {
    for (const directory of directories) {
      const path = resolve(directory);
      const starts = directory.includes(HOLE) ? [] : WILD.test(path) ? this.#expanded(path) : formsOf(path);
      for (const start of starts) {
        for (const node of this.#places.nodes) {
          if ((node !== start && !isBelow(node, start)) || !this.#passes(tests, node, start)) continue;
          const hit = this.#named(node) ?? (deep ? this.#firstBelow([node]) : undefined);
          if (hit) return hit;
        }
      }
    }
    return undefined;
  }

  #passes({ all, any, maxDepth }: FileTests, node: string, start: string): boolean {
    const name = relative(start, node);
    if (maxDepth !== undefined && name.split("/").length > maxDepth) return false;
    const here = relative(this.#cwd, node);
    const holds = (test: FileTest) => fits(test, node, [name, `./${name}`, here, `./${here}`, node]) !== test.not;
    return any ? all.length === 0 || all.some(holds) : all.every(holds);
  }

  /** Files that are put to a path. */
  #copied(value: PathValue, sources: readonly string[]): Hit | undefined {
    const { extent, glob } = value;
    if (value.path.includes(HOLE)) return undefined;
    for (const from of sources) {
      if (from.includes(HOLE)) continue;
      const isRemote = /^[\w.-]+@?[\w.-]*:/.test(from.slice(from.lastIndexOf("/", from.indexOf(":")) + 1));
      // A source that does not exist yet is made by the line, so what it will hold is not known.
      const shown = WILD.test(from) ? dirname(`${from.slice(0, from.search(WILD))}x`) : from;
      const isNew = isRemote || !existsSync(shown);
      for (const target of new Set([value.path, value.resolved ?? value.path])) {
        const folder = glob ? dirname(target) : target;
        // Some programs copy what is in a folder that ends with a slash, others the folder.
        const folders = extent === "tree" && from.endsWith("/") ? [folder, dirname(folder)] : [folder];
        for (const [place, why] of this.#places.candidates) {
          const given = folders.flatMap((above) => {
            if (!isBelow(place, above)) return [];
            const parts = relative(above, place).split("/");
            if (!glob) return [join(from, ...parts)];
            return matchesParts([basename(from)], parts.slice(0, 1)) ? [join(dirname(from), ...parts)] : [];
          });
          if (given.some((path) => existsSync(isNew ? place : path))) return { path: place, why };
        }
      }
    }
    return undefined;
  }

  #patched(value: PathValue, files: readonly string[]): Reached | undefined {
    const read = files.map((file) => (WILD.test(file) ? undefined : readPatch(resolve(file))));
    for (const name of read.flatMap((text) => namesInPatch(text ?? ""))) {
      const path = resolve(value.path, name);
      const hit = denied(
        formsOf(path)
          .map((form) => this.#named(form))
          .find(Boolean),
      );
      if (hit) return hit;
    }
    return files.length > 0 && !read.includes(undefined) ? undefined : asked(this.#existingBelow(value));
  }

  #existingBelow(
    value: PathValue,
    counts: (repository: Repository, place: string) => boolean = () => true,
  ): Hit | undefined {
    for (const start of this.#starts(value)) {
      const repository = repositoryOf(start) ?? NO_REPOSITORY;
      for (const [place, why] of this.#places.existing) {
        const isNear = place === start || isBelow(place, start) || isBelow(start, place);
        if (isNear && counts(repository, place)) return { path: place, why };
      }
    }
    return undefined;
  }

  /** A command that may change every file that git tracks. */
  #inRepository(path: string): Hit | undefined {
    const repository = WILD.test(path) ? undefined : repositoryOf(formsOf(path).at(-1) ?? path);
    if (!repository) return undefined;
    for (const [place, why] of [...this.#places.candidates, ...this.#places.existing])
      if (isBelow(place, repository.top) && repository.tracks(place)) return { path: place, why };
    return undefined;
  }
}

const NO_REPOSITORY: Repository = { top: "/", tracks: () => false };

function denied(hit: Hit | undefined): Reached | undefined {
  return hit && { verdict: "deny", ...hit };
}

function asked(hit: Hit | undefined): Reached | undefined {
  return hit && { verdict: "ask", ...hit };
}

function exists(path: string): boolean {
  return !WILD.test(path) && existsSync(path);
}

function isBelow(path: string, folder: string): boolean {
  return path.startsWith(folder.endsWith("/") ? folder : `${folder}/`) && path !== folder;
}

/** True if the parts of a path fit those of a pattern. A wildcard does not match a leading dot. */
function matchesParts(pattern: readonly string[], parts: readonly string[]): boolean {
  if (pattern[0] === "**")
    return parts.some((_part, at) => matchesParts(pattern.slice(1), parts.slice(at))) || pattern.length === 1;
  if (pattern.length === 0 || parts.length === 0) return pattern.length === parts.length;
  const [glob = "", ...others] = pattern;
  const [part = "", ...rest] = parts;
  return (!part.startsWith(".") || /^(?:\.|\[)/.test(glob)) && matchesGlob(glob, part) && matchesParts(others, rest);
}

function fits(test: FileTest, node: string, spellings: readonly string[]): boolean {
  switch (test.on) {
    case "name":
      return matchesGlob(test.glob, basename(node));
    case "path":
      if ("glob" in test) return spellings.some((path) => matchesGlob(test.glob, path));
      return spellings.some((path) => new RegExp(test.expression, "i").test(path));
    case "type": {
      const found = lstatSync(node, { throwIfNoEntry: false });
      return test.type.includes(found?.isDirectory() ? "d" : found?.isSymbolicLink() ? "l" : "f");
    }
  }
}

/** A larger patch is not read. */
const MAX_PATCH = 1024 * 1024;

function readPatch(path: string): string | undefined {
  try {
    return statSync(path).size > MAX_PATCH ? undefined : readFileSync(path, "utf8");
  } catch {
    return undefined;
  }
}

/** The files that a patch changes, with up to three leading folders removed, as `-p` does. */
function namesInPatch(text: string): string[] {
  const lines = text.matchAll(
    /^(?:\+\+\+ |--- |rename (?:from|to) |copy to |\*\*\* (?:Update|Add|Delete) File: |diff --git \S+ )"?([^\t\n"]+)/gm,
  );
  return [...lines].flatMap(([, path = ""]) => {
    const parts = path.trim().split("/");
    return [0, 1, 2, 3].flatMap((strip) => (strip < parts.length ? [parts.slice(strip).join("/")] : []));
  });
}
