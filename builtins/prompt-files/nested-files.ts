import { type Dirent, readdirSync } from "node:fs";
import { join } from "node:path";

const DEPTH_ARGUMENT = /^--depth=(.*)$/s;

/** The arguments of `add_prompt_files`: names of files, and `--depth=N`. */
export interface PromptFileArguments {
  names: string[];
  /** How many levels below the working directory are searched; 0 for none. */
  depth: number;
}

/** Splits the arguments of `add_prompt_files`. The last `--depth=N` counts. */
export function readPromptFileArguments(args: readonly string[]): PromptFileArguments {
  const depths = args.flatMap((arg) => DEPTH_ARGUMENT.exec(arg)?.[1] ?? []);
  return { names: args.filter((arg) => !DEPTH_ARGUMENT.test(arg)), depth: Number(depths.at(-1) ?? 0) };
}

/** Returns the problem with the arguments; undefined if they are valid. */
export function promptFileArgsProblem(args: readonly string[]): string | undefined {
  const wrong = args.find((arg) => DEPTH_ARGUMENT.test(arg) && !/^--depth=\d{1,16}$/.test(arg));
  return wrong === undefined
    ? undefined
    : `expected --depth=N, a number of directory levels, but got ${JSON.stringify(wrong)}`;
}

/** The most directories that are searched, and the most files that are listed. */
const LIMITS = { directories: 5000, files: 100 } as const;

/**
 * Returns the paths, relative to a directory, of files with these names up to `depth` levels below it, sorted. Skips
 * `.git`, `node_modules` and symbolic links. Looks into 5000 directories at most, and lists 100 files.
 */
export function nestedFiles(cwd: string, { names, depth }: PromptFileArguments): string[] {
  const found: string[] = [];
  let level = [""];
  let searched = 0;
  for (let at = 1; at <= depth && level.length > 0; at++) {
    level = level.flatMap((folder) => (searched++ < LIMITS.directories ? subdirectories(cwd, folder) : []));
    found.push(...level.flatMap((folder) => filesIn(cwd, folder, names)));
  }
  return found.sort().slice(0, LIMITS.files);
}

function subdirectories(cwd: string, folder: string): string[] {
  return entriesOf(join(cwd, folder))
    .filter((entry) => entry.isDirectory() && ![".git", "node_modules"].includes(entry.name))
    .map(({ name }) => join(folder, name));
}

function filesIn(cwd: string, folder: string, names: readonly string[]): string[] {
  return entriesOf(join(cwd, folder))
    .filter((entry) => entry.isFile() && names.includes(entry.name))
    .map(({ name }) => join(folder, name));
}

function entriesOf(folder: string): Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true });
  } catch {
    return []; // removed meanwhile, or not readable
  }
}
