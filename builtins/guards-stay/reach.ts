import { existsSync, lstatSync, readFileSync, statSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { matchesGlob } from "../../src/lib/files/glob.ts";
import { UNKNOWN } from "../../src/shell/paths/path-text.ts";
import type { FileTest, FileTests } from "../../src/shell/paths/program-paths.ts";
import type { Touch } from "../../src/shell/paths/touched-paths.ts";
import { type Repository, repositoryOf } from "./git-index.ts";
import { type Places, realPath } from "./places.ts";

/** A guard's file that a call could change. */
export interface Reached {
  /** `ask` if whether it changes depends on what only running shows. */
  verdict: "deny" | "ask";
  by: string;
  path: string;
  why: string;
}

/** The system takes no longer path. */
const MAX_PATH = 4096;

/** A pattern of file names, or an expansion. */
const WILD = /[*?[\0]/;

/** Says which guard's files the commands and tools that run in a directory can change. */
export class Reach {
  readonly #places: Places;
  readonly #cwd: string;
  readonly #home: string;

  constructor(places: Places, { cwd, home }: { cwd: string; home: string }) {
    this.#places = places;
    this.#cwd = cwd;
    this.#home = home;
  }

  /** The path from the root; `..` and double slashes are resolved. */
  absolute(path: string): string {
    const [, user, rest = ""] = /^~([^/]*)(\/.*)?$/s.exec(path) ?? [];
    if (user === undefined) return resolve(this.#cwd, path);
    const home = user === "" || user === basename(this.#home) ? this.#home : join("/home", user);
    return resolve(this.#cwd, home + rest);
  }

  isDirectory(path: string): boolean {
    return !WILD.test(path) && (statSync(this.absolute(path), { throwIfNoEntry: false })?.isDirectory() ?? false);
  }

  /** Returns the guard's file that a touch changes, or undefined. */
  reached(touch: Touch): Reached | undefined {
    const hit = this.#hit(touch);
    return hit && { verdict: "deny", by: touch.by, ...hit };
  }

  #hit(touch: Touch): (Pick<Reached, "path" | "why"> & Partial<Reached>) | undefined {
    switch (touch.kind) {
      case "path":
        return this.#changed(touch.path, false);
      case "tree":
        return this.#changed(touch.path, true);
      case "copy":
        return this.#copied(touch.path, touch.from);
      case "unpack":
        return asked(this.#existingBelow(touch.path));
      case "found":
        return this.#found(touch.path, touch.tests, touch.deep);
      case "patch":
        return this.#patched(touch.path, touch);
      case "tracked":
        return this.#existingBelow(touch.path, (repository, path) => repository.tracks(path));
      case "untracked":
        return this.#existingBelow(
          touch.path,
          (repository, path) => !repository.tracks(path) && !relative(repository.top, path).startsWith(".git/"),
        );
      case "repository":
        return touch.operand !== undefined && this.#exists(touch.operand) ? undefined : this.#inRepository(touch.path);
    }
  }

  #exists(path: string): boolean {
    return !WILD.test(path) && existsSync(this.absolute(path));
  }

  /** A path that is changed, with what lies below if `deep`. */
  #changed(path: string, deep: boolean): Pick<Reached, "path" | "why"> | undefined {
    if (!WILD.test(path)) return this.#named(this.absolute(path), deep);
    if (path.includes(UNKNOWN)) return this.#perhaps(path, deep);
    // Nothing in a guarded folder may be changed, whatever it holds when the command runs.
    const folder = this.#named(dirname(this.absolute(`${path.slice(0, path.search(WILD))}x`)), false);
    if (folder) return folder;
    for (const spelled of this.#expanded(this.absolute(path))) {
      const hit = this.#named(spelled, deep);
      if (hit) return hit;
    }
    return undefined;
  }

  #named(path: string, deep: boolean): Pick<Reached, "path" | "why"> | undefined {
    if (path.length > MAX_PATH) return undefined;
    for (const form of formsOf(path)) {
      const why = this.#places.whyGuarded(form);
      if (why !== undefined) return { path: form, why };
      if (!deep) continue;
      const below = this.#places.existing.find((place) => isBelow(place, form));
      if (below !== undefined) return { path: below, why: this.#places.whyGuarded(below) ?? "" };
    }
    return undefined;
  }

  /** Expands a pattern of file names to the paths that lead to guards. */
  *#expanded(path: string): Generator<string> {
    const parts = path.split("/");
    const last = parts.findLastIndex((part) => WILD.test(part));
    const first = parts.findIndex((part) => WILD.test(part));
    const tail = parts.slice(last + 1).join("/");
    const prefix = parts.slice(0, first).join("/");
    const pattern = parts.slice(first, last + 1);
    for (const start of formsOf(prefix === "" ? "/" : prefix)) {
      for (const node of this.#places.nodes) {
        if (isBelow(node, start) && matchesParts(pattern, relative(start, node).split("/"))) yield join(node, tail);
      }
    }
  }

  /**
   * A path of which an expansion hides a part. It counts if its end names a guard's file wherever it is, if it lies in a
   * folder that holds one, or if the part with the expansion begins with letters that fit one.
   */
  #perhaps(path: string, deep: boolean): Pick<Reached, "path" | "why"> | undefined {
    const end = path.slice(path.lastIndexOf(UNKNOWN) + 1);
    const slash = end.indexOf("/");
    const tail = slash < 0 ? "" : end.slice(slash + 1);
    if (tail !== "" && !WILD.test(tail)) {
      const why = this.#places.whyGuarded(`/${UNKNOWN}/${tail}`);
      if (why !== undefined) return { path: shown(path), why };
      if (deep && this.#places.mayBeAbove(tail)) return { path: shown(path), why: "guards may be below it" };
    }
    const at = path.indexOf(UNKNOWN);
    const cut = path.lastIndexOf("/", at);
    const folder = cut < 0 ? "." : path.slice(0, cut) || "/";
    const begins = path.slice(cut + 1, at) !== "";
    if (at === 0 || WILD.test(folder)) return undefined;
    for (const start of formsOf(this.absolute(folder))) {
      const isOwn = start !== this.#home && start !== "/" && !isBelow(this.#cwd, start) && start !== this.#cwd;
      if (!begins && !isOwn) continue;
      const glob = path.slice(cut + 1).replaceAll(UNKNOWN, "*");
      const node = this.#places.nodes.find((node) => isBelow(node, start) && matchesGlob(glob, relative(start, node)));
      const hit = node === undefined ? undefined : this.#named(node, deep);
      if (hit) return hit;
    }
    return undefined;
  }

  /** A file or folder that is put to a path, or into it if it is a folder. */
  #copied(to: string, from: string): Pick<Reached, "path" | "why"> | undefined {
    if (WILD.test(to) || from.includes(UNKNOWN)) return undefined;
    const target = this.absolute(to);
    const source = /^[\w.-]+@?[\w.-]*:/.test(from) ? from : this.absolute(from);
    // rsync copies what is in a folder that ends with a slash, cp the folder.
    const isContent = /(?:^|\/)\.$/.test(from);
    const mayBeContent = isContent || from.endsWith("/");
    const isInto = statSync(target, { throwIfNoEntry: false })?.isDirectory() || to.endsWith("/");
    const name = basename(source);
    if (isInto && !isContent && !WILD.test(name)) {
      const hit = this.#named(join(target, name), false);
      if (hit) return hit;
    }
    // A source that does not exist yet is made by the line, so what it will hold is not known.
    const isNew = !existsSync(WILD.test(source) ? dirname(`${source.slice(0, source.search(WILD))}x`) : source);
    for (const form of formsOf(target)) {
      for (const place of this.#places.candidates()) {
        if (!isBelow(place, form)) continue;
        const parts = relative(form, place).split("/");
        const [first = ""] = parts;
        const given = [
          ...(mayBeContent || !isInto ? [join(source, ...parts)] : []),
          ...(isInto && !isContent && matchesParts([name], [first]) ? [join(dirname(source), ...parts)] : []),
        ];
        if (!given.some((path) => existsSync(isNew ? place : path))) continue;
        const why = this.#places.whyGuarded(place);
        if (why !== undefined) return { path: place, why };
      }
    }
    return undefined;
  }

  #found(path: string, tests: FileTests, deep: boolean): Pick<Reached, "path" | "why"> | undefined {
    const starts = WILD.test(path) ? [...this.#expanded(this.absolute(path))] : formsOf(this.absolute(path));
    for (const start of starts) {
      for (const node of this.#places.nodes) {
        if ((node !== start && !isBelow(node, start)) || !passes(tests, node, start, path)) continue;
        const hit = this.#named(node, deep);
        if (hit) return hit;
      }
    }
    return undefined;
  }

  #patched(path: string, { files, texts }: { files: readonly string[]; texts: readonly string[] }) {
    const read = files.map((file) => (WILD.test(file) ? undefined : readPatch(this.absolute(file))));
    for (const name of [...texts, ...read.map((text) => text ?? "")].flatMap(namesInPatch)) {
      const hit = this.#named(this.absolute(`${path}/${name}`), false);
      if (hit) return hit;
    }
    const isShown = texts.length + files.length > 0 && !read.includes(undefined);
    return isShown ? undefined : asked(this.#existingBelow(path));
  }

  #existingBelow(
    path: string,
    counts: (repository: Repository, place: string) => boolean = () => true,
  ): Pick<Reached, "path" | "why"> | undefined {
    const starts = WILD.test(path) ? [...this.#expanded(this.absolute(path))] : formsOf(this.absolute(path));
    for (const start of starts) {
      const repository = repositoryOf(start);
      for (const place of this.#places.existing) {
        if (place !== start && !isBelow(place, start) && !isBelow(start, place)) continue;
        const why = this.#places.whyGuarded(place);
        if (why !== undefined && counts(repository ?? NO_REPOSITORY, place)) return { path: place, why };
      }
    }
    return undefined;
  }

  /** A command that may change every file that git tracks. */
  #inRepository(path: string) {
    const repository = WILD.test(path) ? undefined : repositoryOf(realPath(this.absolute(path)) ?? this.absolute(path));
    if (!repository) return undefined;
    for (const place of new Set([...this.#places.candidates(), ...this.#places.existing])) {
      if (!isBelow(place, repository.top) || !repository.tracks(place)) continue;
      const why = this.#places.whyGuarded(place);
      if (why !== undefined) return asked({ path: place, why });
    }
    return undefined;
  }
}

const NO_REPOSITORY: Repository = { top: "/", tracks: () => false };

function asked<T extends object>(hit: T | undefined): (T & { verdict: "ask" }) | undefined {
  return hit && { ...hit, verdict: "ask" };
}

/** A path as spelled, and with the links in the part of it that exists resolved. */
function formsOf(path: string): string[] {
  const missing: string[] = [];
  for (let above = path; ; above = dirname(above)) {
    const real = realPath(above);
    if (real !== undefined) return [...new Set([path, join(real, ...missing)])];
    if (dirname(above) === above) return [path];
    missing.unshift(basename(above));
  }
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

function passes({ all, any, maxDepth }: FileTests, node: string, start: string, spelled: string): boolean {
  const name = relative(start, node);
  if (maxDepth !== undefined && name.split("/").length > maxDepth) return false;
  const holds = (test: FileTest) =>
    fits(test, node, [name, `./${name}`, join(spelled, name), `${spelled}/${name}`]) !== test.not;
  return any ? all.length === 0 || all.some(holds) : all.every(holds);
}

function fits(test: FileTest, node: string, spellings: readonly string[]): boolean {
  switch (test.on) {
    case "name":
      return matchesGlob(test.glob, basename(node));
    case "path":
      return spellings.some((path) => ("glob" in test ? matchesGlob(test.glob, path) : test.expression.test(path)));
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

function shown(path: string): string {
  return path.replaceAll(UNKNOWN, "…");
}
