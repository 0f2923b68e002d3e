import { readdirSync, readFileSync, realpathSync, statSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { agentSettings, GIT_HOOKS, MCP_LISTS, ownFolders } from "../../src/facts/sets/guard-patterns.ts";
import type { Directories, Env } from "../../src/lib/env.ts";
import { matchesGlob } from "../../src/lib/files/glob.ts";
import { EVERY_HOME, PathSet } from "../../src/shell/paths/path-pattern.ts";

/** What the places of guards depend on. */
export interface PlaceOptions {
  env: Env;
  home: string;
  /** The folders whose projects count: that of the call, and those above it up to the top of its repository. */
  projects: readonly string[];
  directories: Directories;
  /** Absolute paths of the files that the active hooks were read from, and of the scripts that they run. */
  policy: readonly string[];
  /** Paths of this program. */
  program: readonly string[];
}

const split = (patterns: string) => patterns.trim().split(/\s+/);

const START_FILES = split(`
  ~/.bashrc ~/.bash_profile ~/.profile ~/.zshrc ~/.zshenv ~/.zprofile ~/.config/fish/config.fish
`);

/** Patterns of places, and why they are guarded, as the end of a sentence about them. */
interface Kind {
  covers: readonly string[];
  why: string;
  /** True if only files that name hooksh count. */
  namesHooksh?: true;
}

/** The files that decide whether guards run, and with what. */
export class Places {
  readonly #options: PlaceOptions;
  readonly #kinds: readonly (Kind & { set: PathSet; keys: ReadonlySet<string> })[];
  #existing: readonly string[] | undefined;
  #nodes: readonly string[] | undefined;

  constructor(options: PlaceOptions) {
    this.#options = options;
    const { home } = options;
    const set = (covers: readonly string[]) =>
      new PathSet([{ covers }], { homes: EVERY_HOME, ownHome: home, ignoreCase: true });
    this.#kinds = kindsOf(options).map((kind) => ({
      ...kind,
      set: set(kind.covers),
      keys: new Set(kind.covers.map(keyOf)),
    }));
  }

  /** Returns why an absolute path is guarded; undefined if it is not. */
  whyGuarded(path: string): string | undefined {
    const parts = path.toLowerCase().split("/");
    const kind = this.#kinds.find(
      ({ set, keys, namesHooksh }) =>
        parts.some((part) => keys.has(part)) && set.names(path) !== undefined && (!namesHooksh || mentionsHooksh(path)),
    );
    return kind?.why;
  }

  /** True if a relative path in an unknown directory can be the beginning of a guarded one: `.claude`. */
  mayBeAbove(path: string): boolean {
    return this.#kinds.some(({ set, namesHooksh }) => !namesHooksh && set.isAbove(path));
  }

  /** The guarded files and folders of the projects and the home directory, whether they exist or not. */
  *candidates(): Generator<string> {
    for (const { covers } of this.#kinds) for (const pattern of covers) yield* this.#expand(pattern);
  }

  /** Those of {@link candidates} that exist, as spelled and without links. */
  get existing(): readonly string[] {
    this.#existing ??= [...new Set(this.candidates())].flatMap((path) => {
      const real = realPath(path);
      return real === undefined || this.whyGuarded(path) === undefined ? [] : [...new Set([path, real])];
    });
    return this.#existing;
  }

  /** The existing places, what folders among them hold, and every folder above them. */
  get nodes(): readonly string[] {
    if (this.#nodes) return this.#nodes;
    const nodes = new Set<string>();
    for (const place of this.existing) {
      for (const name of namesIn(place).slice(0, MAX_CHILDREN)) nodes.add(join(place, name));
      for (let path = place; !nodes.has(path); path = dirname(path)) nodes.add(path);
    }
    this.#nodes = [...nodes];
    return this.#nodes;
  }

  *#expand(pattern: string): Generator<string> {
    const { home, projects } = this.#options;
    if (pattern.startsWith("~/")) yield* matching(home, pattern.slice(2));
    else if (pattern.startsWith("/")) yield* matching("/", pattern.slice(1));
    else for (const project of projects) yield* matching(project, pattern);
  }
}

/** A part that every path of a pattern has. Most paths have none of them, and need no pattern compiled. */
function keyOf(pattern: string): string {
  return (
    pattern
      .toLowerCase()
      .split("/")
      .findLast((part) => part !== "~" && !/[*?[]/.test(part)) ?? ""
  );
}

/** Files of a guarded folder that are looked at one by one. */
const MAX_CHILDREN = 256;

function kindsOf({ env, home, directories, policy, program }: PlaceOptions): Kind[] {
  return [
    { why: "the hooks in force were read from it", covers: policy },
    { why: "it is the program that guards", covers: [...program, ...beforeOnPath(env, program)] },
    { why: "hooksh keeps its configuration and records there", covers: ownFolders(env, directories) },
    { why: "agents read their hooks and settings there", covers: agentSettings({ env, home }) },
    { why: "agents read their MCP servers there", covers: MCP_LISTS },
    { why: "git runs hooks from there", covers: GIT_HOOKS },
    { why: "it starts every shell, and names hooksh", covers: START_FILES, namesHooksh: true },
  ];
}

/** Where a program named hooksh would be found before this one. */
function beforeOnPath({ PATH = "" }: Env, program: readonly string[]): string[] {
  const folders = PATH.split(delimiter).filter((folder) => folder.startsWith("/"));
  const own = folders.findIndex((folder) => program.includes(join(folder, "hooksh")));
  return folders.slice(0, own < 0 ? 0 : own).map((folder) => join(folder, "hooksh"));
}

function* matching(folder: string, pattern: string): Generator<string> {
  const [first = "", ...rest] = pattern.split("/");
  const names = /[*?[]/.test(first) ? namesIn(folder).filter((name) => matchesGlob(first, name)) : [first];
  for (const name of names) {
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

/** The path without links; undefined if it does not exist. */
export function realPath(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
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
