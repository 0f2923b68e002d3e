import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { PathValue } from "../../src/facts/facts.ts";
import type { Place } from "../../src/facts/place.ts";
import { type GuardKind, guardKinds } from "../../src/facts/sets/guard-patterns.ts";
import { formsOf } from "../../src/facts/sets/path-form.ts";
import { PathPatterns } from "../../src/facts/sets/path-patterns.ts";
import { listedSet } from "../../src/facts/sets/path-sets.ts";
import { escapeGlob, matchesGlob } from "../../src/lib/files/glob.ts";
import { EVERY_HOME } from "../../src/shell/paths/path-pattern.ts";

/** Files of a guarded folder that are looked at one by one. */
const MAX_CHILDREN = 256;

const START_FILES: GuardKind = {
  why: "it starts every shell, and names hooksh",
  covers: "~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.config/fish/config.fish".split(" "),
};

/** A file or folder that is guarded, and why. */
type Candidate = readonly [path: string, why: string];

type PathForm = Pick<PathValue, "path" | "glob" | "extent" | "read" | "elsewhere">;

/** The files that decide whether guards run, and with what. */
export class Places {
  readonly #place: Place;
  readonly #projects: readonly string[];
  readonly #patterns = new Map<GuardKind, PathPatterns>();
  #kinds: readonly GuardKind[] | undefined;
  #candidates: readonly Candidate[] | undefined;
  #existing: ReadonlyMap<string, string> | undefined;
  #nodes: readonly string[] | undefined;

  /** `projects`: the folders whose projects count: that of the call, and those above it up to the top of its repository. */
  constructor(place: Place, projects: readonly string[]) {
    this.#place = place;
    this.#projects = projects;
  }

  /** Returns why a path is guarded; undefined if it is not. Expansions and patterns of names count if they may fit. */
  whyGuarded(form: PathForm): string | undefined {
    const fits = (kind: GuardKind) => /all|some/.test(this.#of(kind).fit(form, "either"));
    // Most paths are in no kind, which the whole set tells at once.
    if (/all|some/.test(listedSet("guards", this.#place).fit(form, "either")))
      return (this.#allKinds().find(fits) ?? this.#allKinds().at(-1))?.why;
    if (!fits(START_FILES)) return undefined;
    const covers = this.#startFiles().map(escapeGlob);
    return covers.length > 0 && fits({ ...START_FILES, covers }) ? START_FILES.why : undefined;
  }

  /** Returns why an absolute path is guarded; undefined if it is not. */
  whyExactly(path: string): string | undefined {
    return (
      this.#existing?.get(path) ??
      this.whyGuarded({ path, glob: false, extent: "itself", read: false, elsewhere: false })
    );
  }

  /** The guarded files and folders of the projects and the home directory, whether they exist or not, and why. */
  get candidates(): readonly Candidate[] {
    this.#candidates ??= [...this.#findCandidates()];
    return this.#candidates;
  }

  *#findCandidates(): Generator<Candidate> {
    for (const { covers, why } of this.#allKinds())
      for (const pattern of covers) for (const path of this.#expand(pattern)) yield [path, why];
    for (const path of this.#startFiles()) yield [path, START_FILES.why];
  }

  /** Those of {@link candidates} that exist, as spelled and without links. */
  get existing(): ReadonlyMap<string, string> {
    if (this.#existing) return this.#existing;
    const existing = new Map<string, string>();
    for (const [path, why] of this.candidates) {
      if (existing.has(path) || !statSync(path, { throwIfNoEntry: false })) continue;
      for (const form of formsOf(path)) existing.set(form, why);
    }
    this.#existing = existing;
    return existing;
  }

  /** The existing places, what folders among them hold, and every folder above them. */
  get nodes(): readonly string[] {
    if (this.#nodes) return this.#nodes;
    const nodes = new Set<string>();
    for (const place of this.existing.keys()) {
      for (const name of namesIn(place).slice(0, MAX_CHILDREN)) nodes.add(join(place, name));
      for (let path = place; !nodes.has(path); path = dirname(path)) nodes.add(path);
    }
    this.#nodes = [...nodes];
    return this.#nodes;
  }

  #allKinds(): readonly GuardKind[] {
    this.#kinds ??= guardKinds(this.#place);
    return this.#kinds;
  }

  /** Files that start the own shell, and name hooksh. */
  #startFiles(): string[] {
    const paths = START_FILES.covers.map((path) => path.replace("~", this.#place.home));
    return paths.filter(mentionsHooksh).flatMap(formsOf);
  }

  #of(kind: GuardKind): PathPatterns {
    let patterns = this.#patterns.get(kind);
    if (!patterns) {
      const options = { homes: EVERY_HOME, ignoreCase: true, elsewhere: "all" } as const;
      this.#patterns.set(kind, (patterns = new PathPatterns([kind], this.#place, options)));
    }
    return patterns;
  }

  *#expand(pattern: string): Generator<string> {
    if (pattern.startsWith("~/")) yield* matching(this.#place.home, pattern.slice(2));
    else if (pattern.startsWith("/")) yield* matching("/", pattern.slice(1));
    else for (const project of this.#projects) yield* matching(project, pattern);
  }
}

function* matching(folder: string, pattern: string): Generator<string> {
  const [first = "", ...rest] = pattern.split("/");
  const plain = first.replace(/\\(.)/gs, "$1");
  const isPlain = !/(?<!\\)[*?[]/.test(first);
  for (const name of isPlain ? [plain] : namesIn(folder).filter((each) => matchesGlob(first, each))) {
    if (rest.length === 0) yield join(folder, name);
    else yield* matching(join(folder, name), rest.join("/"));
  }
}

function namesIn(folder: string): string[] {
  try {
    return statSync(folder).isDirectory() ? readdirSync(folder) : [];
  } catch {
    return [];
  }
}

/** More of a start file is not read. */
const MAX_START_FILE = 256 * 1024;

function mentionsHooksh(path: string): boolean {
  try {
    const { size } = statSync(path);
    return size > MAX_START_FILE || readFileSync(path, "utf8").includes("hooksh");
  } catch {
    return false;
  }
}
