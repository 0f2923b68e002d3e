import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve, sep, win32 } from "node:path";
import { type Env, homeDirectory } from "../src/lib/env.ts";
import { readFileInside, readRegularFile, UnreadableFileError } from "../src/lib/files/read-file.ts";
import { cutBytes } from "../src/lib/text/cut-text.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";
import { nestedFiles, readPromptFileArguments } from "./prompt-files/nested-files.ts";

const FILE_LIMIT = 256 * 1024;
const TOTAL_LIMIT = 1024 * 1024;
const TRUNCATED = "\n... (truncated)";

const NESTED_HEADING = "Directories below have files of the same names. Read one before you work in its directory:";

/** A file to add. Its links must not lead out of `folder`, which is undefined for a file in the home directory. */
interface PromptFile {
  path: string;
  folder: string | undefined;
}

/** Reports that are remembered, so that each is made once; beyond this many they are forgotten and repeated. */
const MAX_REPORTED = 1000;

/**
 * Adds the contents of the named files: for each name, the nearest file at or above the working directory, and the one
 * in the home directory. The first may come with a repository, so its links must not lead out of that repository. The
 * files are read again on each call. With `--depth=N`, also lists the files with these names in directories below, by
 * path only. A file that is left out is reported to the user once per session.
 */
export const run = defineBuiltin(async (input, args, { env, memory }) => {
  if (input.cwd === "") return undefined;
  const { names, depth } = readPromptFileArguments(args);
  const home = homeDirectory(env);
  const contents: string[] = [];
  const problems: string[] = [];
  for (const name of names) {
    if (!staysInside(name)) {
      problems.push(`${JSON.stringify(name)} must name a file inside the directory`);
      continue;
    }
    for (const file of await findFiles(name, input.cwd, home)) {
      try {
        contents.push(await readBeginning(file));
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        problems.push(error.message);
      }
    }
  }
  const nested = nestedFiles(input.cwd, { names, depth });
  if (nested.length > 0) contents.push(`${NESTED_HEADING}\n${nested.map((path) => `- ${path}`).join("\n")}`);
  const text = contents.join("\n\n");
  const cut = cutBytes(text, TOTAL_LIMIT);
  const output = contextOutput(input.hook_event_name, cut === text ? text : cut + TRUNCATED);
  const fresh = unreported(
    problems,
    input.session_id,
    memory(() => new Set<string>()),
  );
  if (fresh.length === 0) return output;
  return { ...output, system_message: fresh.map((problem) => `add_prompt_files: left out: ${problem}`).join("\n") };
});

function unreported(problems: readonly string[], sessionId: string, reported: Set<string>): string[] {
  if (reported.size > MAX_REPORTED) reported.clear();
  return problems.filter((problem) => {
    const key = JSON.stringify([sessionId, problem]);
    if (reported.has(key)) return false;
    reported.add(key);
    return true;
  });
}

/** Why a name adds no file in a directory; undefined if it adds one. */
export async function promptFileProblem(name: string, cwd: string, env: Env): Promise<string | undefined> {
  if (!staysInside(name)) return "must name a file inside the directory";
  const found = await findFiles(name, cwd, homeDirectory(env));
  return found.length > 0 ? undefined : `no such file in ${cwd}, above it or in the home directory`;
}

function staysInside(name: string): boolean {
  const plain = normalize(name);
  return name !== "" && !isAbsolute(name) && !win32.isAbsolute(name) && plain !== ".." && !plain.startsWith(`..${sep}`);
}

async function findFiles(name: string, cwd: string, home: string): Promise<PromptFile[]> {
  const found: PromptFile[] = [];
  const own = home === "" ? undefined : resolve(home, name);
  for (let at = resolve(cwd); ; at = dirname(at)) {
    const path = join(at, name);
    if (await isNonDirectory(path)) found.push({ path, folder: path === own ? undefined : repositoryAround(at) });
    if (found.length > 0 || dirname(at) === at) break;
  }
  if (own !== undefined && !found.some(({ path }) => path === own) && (await isNonDirectory(own))) {
    found.push({ path: own, folder: undefined });
  }
  return found;
}

/** The root of the repository that a folder is in, else the folder itself. */
function repositoryAround(folder: string): string {
  for (let at = folder; ; at = dirname(at)) {
    if (existsSync(join(at, ".git"))) return at;
    if (dirname(at) === at) return folder;
  }
}

async function isNonDirectory(path: string): Promise<boolean> {
  return stat(path).then(
    (found) => !found.isDirectory(),
    () => false,
  );
}

async function readBeginning({ path, folder }: PromptFile): Promise<string> {
  const bound = { limit: FILE_LIMIT + 4, over: "cut" } as const; // 4 more bytes show whether a character is cut
  const bytes = folder === undefined ? await readRegularFile(path, bound) : readFileInside(folder, path, bound);
  const text = bytes.toString("utf8");
  return bytes.length > FILE_LIMIT ? cutBytes(text, FILE_LIMIT) + TRUNCATED : text;
}
