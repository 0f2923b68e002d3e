import { existsSync, realpathSync } from "node:fs";
import { basename, dirname, join, relative, sep } from "node:path";
import { errorText, type Help } from "../../lib/errors.ts";
import type { Skill } from "../agent/skill.ts";
import { parseFrontMatter, parseList } from "./front-matter.ts";
import { entriesOf, isFolder, listFiles, readSkillFile, SKILL_FILE, statsOf } from "./skill-files.ts";

const SKILL_LEFT_OUT: Help = {
  cause: "The `SKILL.md` of the folder has no description or no valid name, or it is behind a symbolic link.",
  cure: "Correct the folder of the skill; `hooksh doctor AGENT` lists those that are found.",
};

/** A folder that holds skills. */
interface Root {
  path: string;
  /** Searches nested folders, and follows links. */
  recursive: boolean;
  /** True for the user's own folder. Any other may come with an untrusted repository, so its skills add no tools. */
  isOwn: boolean;
}

const MAX_DEPTH = 6;
const MAX_DESCRIPTION = 1024;

/**
 * Returns the skills of the user and of the project around a directory. If two have the same name, the one nearer to
 * the directory wins. Calls `warn` for every folder with a `SKILL.md` that is left out.
 */
export async function discoverSkills(
  workingDir: string,
  home: string,
  warn: (message: string) => void,
): Promise<Skill[]> {
  const skills = new Map<string, Skill>();
  for (const root of rootsOf(workingDir, home)) {
    for (const folder of skillFolders(root)) {
      try {
        if (!root.recursive) requireNoLink(folder);
        const skill = readSkillFolder(folder);
        skills.set(skill.name, root.isOwn || !skill.fork ? skill : { ...skill, fork: { ...skill.fork, toolsets: [] } });
      } catch (error) {
        warn(`the skill ${folder} is left out: ${errorText(error)}`);
      }
    }
  }
  return [...skills.values()];
}

discoverSkills.help = SKILL_LEFT_OUT;

function rootsOf(workingDir: string, home: string): Root[] {
  const own =
    home === ""
      ? []
      : [
          { path: join(home, ".codex/skills"), recursive: true, isOwn: true },
          { path: join(home, ".claude/skills"), recursive: false, isOwn: true },
          { path: join(home, ".agents/skills"), recursive: true, isOwn: true },
        ];
  const project = projectFolders(workingDir, home).flatMap((folder) => [
    join(folder, ".github/skills"),
    join(folder, ".agents/skills"),
  ]);
  const theirs = [join(workingDir, ".claude/skills"), ...project].map((path) => ({
    path,
    recursive: false,
    isOwn: own.some((root) => root.path === path),
  }));
  return [...own, ...theirs];
}

/** Returns the folders from just below home, or from the git root outside of home, down to a directory. */
function projectFolders(workingDir: string, home: string): string[] {
  const directory = real(workingDir);
  const above = ancestors(directory);
  const top = home === "" ? -1 : above.indexOf(real(home));
  if (top >= 0) return above.slice(0, top).reverse();
  const gitRoot = above.findIndex((folder) => existsSync(join(folder, ".git")));
  return gitRoot < 0 ? [directory] : above.slice(0, gitRoot + 1).reverse();
}

function ancestors(directory: string): string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...ancestors(parent)];
}

function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path; // does not exist: nothing below it is found either
  }
}

function skillFolders({ path, recursive }: Root): string[] {
  if (recursive) return searchBelow(path, new Set(), 0);
  return entriesOf(path)
    .map((name) => join(path, name))
    .filter((folder) => statsOf(join(folder, SKILL_FILE)));
}

function searchBelow(folder: string, seen: Set<string>, depth: number): string[] {
  const place = real(folder);
  if (seen.has(place) || depth > MAX_DEPTH) return [];
  seen.add(place);
  return entriesOf(folder)
    .map((name) => join(folder, name))
    .filter(isFolder)
    .flatMap((path) => (existsSync(join(path, SKILL_FILE)) ? [path] : searchBelow(path, seen, depth + 1)));
}

/** Throws if a skill is a link, because a link in a project could make any file on this machine a skill. */
function requireNoLink(folder: string): void {
  if (statsOf(folder)?.isSymbolicLink()) throw new Error("it is a symbolic link");
  if (statsOf(join(folder, SKILL_FILE))?.isSymbolicLink()) throw new Error("its SKILL.md is a symbolic link");
}

function readSkillFolder(folder: string): Skill {
  const { fields } = parseFrontMatter(readSkillFile(folder, SKILL_FILE));
  const field = (name: string) => (fields.get(name) ?? "").trim();
  const description = field("description").slice(0, MAX_DESCRIPTION);
  if (description === "") throw new Error("its SKILL.md has no description");
  const allowed = field("allowed-tools");
  const fork = {
    ...(field("model") ? { model: field("model") } : {}),
    ...(allowed ? { allowedTools: parseList(allowed) } : {}),
    toolsets: parseList(field("toolsets")),
  };
  return {
    name: field("name") || basename(folder),
    description,
    text: { kind: "local", folder },
    ...(field("context") === "fork" ? { fork } : {}),
    files: listFiles(folder),
  };
}

/** Returns a folder relative to the working directory, if it is inside it. */
export function displayedFolder(folder: string, workingDir: string): string {
  const path = relative(workingDir, folder);
  return path === "" || path.startsWith("..") ? folder : path.split(sep).join("/");
}
