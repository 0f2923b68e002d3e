import { existsSync } from "node:fs";
import { stat } from "node:fs/promises";
import { dirname, isAbsolute, join, normalize, resolve, sep, win32 } from "node:path";
import { type Env, homeDirectory } from "../src/lib/env.ts";
import { readFileInside, readRegularFile, UnreadableFileError } from "../src/lib/files/read-file.ts";
import { cutBytes } from "../src/lib/text/cut-text.ts";
import { escapeControls } from "../src/lib/text/escape-controls.ts";
import { defineBuiltin, joinLoaded, type LoadedText } from "../src/protocol/builtin.ts";
import { contextOutput } from "../src/protocol/output.ts";
import { nestedFiles, readPromptFileArguments } from "./prompt-files/nested-files.ts";

const FILE_LIMIT = 256 * 1024;
const TOTAL_LIMIT = 1024 * 1024;
const TRUNCATED = "\n... (truncated)";

const NESTED_HEADING = "Nested prompt files, read those you need:";

/** A file to add. Its links must not lead out of `folder`, which is undefined for a file in the home directory. */
interface PromptFile {
  path: string;
  folder: string | undefined;
  /** Whether it exists cannot be seen, for example because its folder may not be searched. */
  isHidden?: true;
}

/** Reports that are remembered, so that each is made once; beyond this many they are forgotten and repeated. */
const MAX_REPORTED = 1000;

/**
 * Adds the contents of the named files: for each name, the nearest file at or above the working directory, and the one
 * in the home directory. The first may come with a repository, so its links must not lead out of that repository. The
 * files are read again on each call. With `--depth=N`, also lists the files with these names in directories below, by
 * path only. A file that is left out is reported to the user once per session.
 */
export const run = defineBuiltin(async (input, args, { env, memory, loaded }) => {
  if (input.cwd === "") return undefined;
  const { names, depth } = readPromptFileArguments(args);
  const home = homeDirectory(env);
  const texts: LoadedText[] = [];
  const problems: string[] = [];
  for (const name of names) {
    if (!staysInside(name)) {
      problems.push(`${JSON.stringify(name)} must name a file inside the directory`);
      continue;
    }
    for (const { path, folder, isHidden } of await findFiles(name, input.cwd, home)) {
      try {
        texts.push(isHidden ? unreadable(path) : { path, content: await readBeginning({ path, folder }) });
      } catch (error) {
        if (!(error instanceof UnreadableFileError)) throw error;
        problems.push(error.message);
        texts.push(unreadable(path));
      }
    }
  }
  const nested = nestedFiles(input.cwd, { names, depth });
  if (nested.length > 0)
    texts.push({ content: `${NESTED_HEADING}\n${nested.map((path) => `- ${escapeControls(path)}`).join("\n")}` });
  const kept = withinTotal(texts);
  loaded?.(kept);
  const output = contextOutput(input.hook_event_name, joinLoaded(kept));
  const fresh = unreported(
    problems,
    input.session_id,
    memory(() => new Set<string>()),
  );
  if (fresh.length === 0) return output;
  return { ...output, system_message: fresh.map((problem) => `add_prompt_files: left out: ${problem}`).join("\n") };
});

function unreadable(path: string): LoadedText {
  return { path, content: "", isUnreadable: true };
}

/** Cuts the text that goes beyond the limit of all texts, and leaves out the texts after it. */
function withinTotal(texts: readonly LoadedText[]): LoadedText[] {
  let left = TOTAL_LIMIT;
  let isCut = false;
  return texts.flatMap((text) => {
    if (text.isUnreadable) return [text];
    if (isCut) return [];
    const content = cutBytes(text.content, Math.max(0, left));
    isCut = content !== text.content;
    left -= Buffer.byteLength(content) + "\n\n".length;
    return [isCut ? { ...text, content: content + TRUNCATED } : text];
  });
}

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
  return found.some(({ isHidden }) => !isHidden)
    ? undefined
    : `no such file in ${cwd}, above it or in the home directory`;
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
    const state = await stateOf(path);
    if (state === "hidden") found.push({ path, folder: undefined, isHidden: true });
    if (state === "there") found.push({ path, folder: path === own ? undefined : repositoryAround(at) });
    if (state === "there" || dirname(at) === at) break;
  }
  if (own !== undefined && !found.some(({ path }) => path === own)) {
    const state = await stateOf(own);
    if (state !== "absent") found.push({ path: own, folder: undefined, ...(state === "hidden" && { isHidden: true }) });
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

async function stateOf(path: string): Promise<"there" | "hidden" | "absent"> {
  try {
    return (await stat(path)).isDirectory() ? "absent" : "there";
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return code === "ENOENT" || code === "ENOTDIR" ? "absent" : "hidden";
  }
}

async function readBeginning({ path, folder }: PromptFile): Promise<string> {
  const bound = { limit: FILE_LIMIT + 4, over: "cut" } as const; // 4 more bytes show whether a character is cut
  const bytes = folder === undefined ? await readRegularFile(path, bound) : readFileInside(folder, path, bound);
  const text = bytes.toString("utf8");
  return bytes.length > FILE_LIMIT ? cutBytes(text, FILE_LIMIT) + TRUNCATED : text;
}
