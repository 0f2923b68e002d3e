import { joinNames } from "../lib/process/git.ts";
import { runInShadow, type Shadow, withIndex } from "./shadow.ts";

/** A file in a recorded state: its mode as git writes it, and the id of its content. */
export interface Entry {
  mode: string;
  id: string;
}

/** A file that differs between two states; undefined on a side where it does not exist. */
export interface Change {
  path: string;
  before: Entry | undefined;
  after: Entry | undefined;
}

const NO_ID = "0".repeat(40);

/** The files below a path that differ between two recorded states. */
export async function diffTrees(shadow: Shadow, from: string, to: string, scope: string): Promise<Change[]> {
  if (from === to) return [];
  const args = ["diff-tree", "-r", "-z", "--raw", "--no-renames", from, to, "--", scope];
  const output = await runInShadow(shadow, { args });
  const fields = output.split("\0");
  const changes: Change[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const [modeBefore = "", modeAfter = "", idBefore = "", idAfter = ""] = (fields[at] ?? "").slice(1).split(" ");
    changes.push({ path: fields[at + 1] ?? "", before: entry(modeBefore, idBefore), after: entry(modeAfter, idAfter) });
  }
  return changes;
}

/** The state `base` with the changed files as they are after the changes. */
export async function overlayTree(shadow: Shadow, base: string, changes: readonly Change[]): Promise<string> {
  const input = changes.map(({ path, after }) => `${after?.mode ?? "0"} ${after?.id ?? NO_ID}\t${path}\0`).join("");
  return withIndex(shadow, "empty", async (index) => {
    const env = { GIT_INDEX_FILE: index };
    await runInShadow(shadow, { args: ["read-tree", base], env });
    await runInShadow(shadow, { args: ["update-index", "--replace", "-z", "--index-info"], env, input });
    return (await runInShadow(shadow, { args: ["write-tree"], env })).trim();
  });
}

/** The files of a recorded state by path. */
export async function listTree(shadow: Shadow, tree: string): Promise<Map<string, Entry>> {
  const output = await runInShadow(shadow, { args: ["ls-tree", "-r", "-z", "--full-tree", tree] });
  const entries = new Map<string, Entry>();
  for (const line of output.split("\0")) {
    const tab = line.indexOf("\t");
    const [mode = "", , id = ""] = line.slice(0, Math.max(tab, 0)).split(" ");
    if (tab > 0) entries.set(line.slice(tab + 1), { mode, id });
  }
  return entries;
}

/**
 * Writes files of a recorded state below a directory, byte for byte. Skips files whose content is missing or damaged.
 */
export async function writeOut(
  shadow: Shadow,
  tree: string,
  paths: readonly string[],
  directory: string,
): Promise<void> {
  await withIndex(shadow, "empty", async (index) => {
    const env = { GIT_INDEX_FILE: index };
    await runInShadow(shadow, { args: ["read-tree", tree], env });
    await runInShadow(shadow, {
      args: ["checkout-index", "--quiet", "-z", "--stdin"],
      env,
      files: directory,
      input: joinNames(paths),
      accept: [0, 1, 128],
    });
  });
}

function entry(mode: string, id: string): Entry | undefined {
  return /^0+$/.test(mode) ? undefined : { mode, id };
}
