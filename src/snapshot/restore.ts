import { mkdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { applySteps, type Step, stateOf, temporaryName } from "./apply.ts";
import { absolutePath, ancestry, isMissing, lstatOrNothing, parseJson, writeAtomically } from "./files.ts";
import { type Checkpoint, type History, loadHistory, saveHistory, TreeSchema } from "./history.ts";
import { newWorkName, type Shadow } from "./shadow.ts";
import { type Entry, listTree, writeOut } from "./trees.ts";
import type { FileChange } from "./worktree.ts";

/** A file, and the state that holds its content. */
interface Target {
  path: string;
  /** Undefined if the file is to be deleted. */
  tree: string | undefined;
  executable: boolean;
}

/** A file to restore: where its content is, and the state that may be replaced. */
const JournalStepSchema = v.object({
  path: v.string(),
  /** The state that holds the content; absent if the file is to be deleted. */
  tree: v.optional(TreeSchema),
  executable: v.boolean(),
  before: v.string(),
  temporary: v.string(),
});

/**
 * A restoration in progress. It is written before the first file changes and removed after the last, so that an
 * interrupted one can be completed.
 */
const JournalSchema = v.object({
  version: v.literal(1),
  session_id: v.string(),
  /** The number of checkpoints that remain after it. */
  keep: v.number(),
  scope: v.string(),
  steps: v.array(JournalStepSchema),
});

type Journal = v.InferOutput<typeof JournalSchema>;

/** Plans the return to the state before the first of these checkpoints. Changes nothing. */
export async function planRestore(shadow: Shadow, reverted: readonly Checkpoint[]): Promise<Target[]> {
  // The oldest state of a file wins: it is set last.
  const newestFirst = reverted.toReversed();
  const trees = new Map(newestFirst.flatMap(({ tree, files }) => files.map((path): [string, string] => [path, tree])));
  const entries = new Map<string, Map<string, Entry>>();
  for (const tree of new Set(trees.values())) entries.set(tree, await listTree(shadow, tree));
  return [...trees].map(([path, tree]) => {
    const entry = entries.get(tree)?.get(path);
    return { path, tree: entry && tree, executable: entry?.mode === "100755" };
  });
}

/** The effect on each file; one without a state is deleted. */
export function changesOf(files: readonly { path: string; tree?: string | undefined }[]): FileChange[] {
  return files.map(({ path, tree }) => ({ path, action: tree === undefined ? "delete" : "restore" }));
}

/** A completed restoration. */
export interface Restored {
  sessionId: string;
  changes: FileChange[];
  /** One line for each file that could not be restored. */
  problems: string[];
}

/**
 * Carries out a plan, then drops the history's checkpoints from `keep` on. If a file cannot be restored, the
 * checkpoints stay. At every moment each file has either its old content or its new one.
 */
export async function restore(
  shadow: Shadow,
  history: History,
  keep: number,
  plan: readonly Target[],
): Promise<Restored> {
  const { root, scope } = shadow.worktree;
  const above = ancestry(root);
  const steps = plan.map((target) => ({
    ...target,
    before: above(target.path) === "link" ? "elsewhere" : stateOf(absolutePath(root, target.path)),
    temporary: temporaryName(),
  }));
  return carryOut(shadow, { version: 1, session_id: history.session_id, keep, scope, steps }, "begin");
}

/**
 * Completes a restoration that was interrupted, if there is one. A file that has changed since it was planned is left
 * alone.
 */
export async function finishRestore(shadow: Shadow): Promise<Restored | undefined> {
  const journal = readJournal(shadow);
  return journal && carryOut(shadow, journal, "resume");
}

async function carryOut(shadow: Shadow, journal: Journal, how: "begin" | "resume"): Promise<Restored> {
  const staging = join(shadow.state, newWorkName());
  mkdirSync(staging);
  try {
    // Fetch every content before changing the first file.
    const { steps, problems } = await stageFiles(shadow, staging, journal);
    if (shadow.git.signal?.aborted) throw new Error("canceled");
    if (how === "begin") writeAtomically(journalPath(shadow), JSON.stringify(journal));
    problems.push(...applySteps(shadow.worktree.root, journal.scope, steps));
    const history = loadHistory(shadow, journal.session_id);
    const checkpoints = history.checkpoints.slice(0, journal.keep);
    if (problems.length === 0) saveHistory(shadow, { ...history, checkpoints });
    rmSync(journalPath(shadow), { force: true });
    return { sessionId: journal.session_id, changes: changesOf(journal.steps), problems };
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

async function stageFiles(
  shadow: Shadow,
  staging: string,
  journal: Journal,
): Promise<{ steps: Step[]; problems: string[] }> {
  const groups = Map.groupBy(
    journal.steps.filter(({ tree }) => tree !== undefined),
    ({ tree = "" }) => tree,
  );
  for (const [tree, steps] of groups) {
    mkdirSync(join(staging, tree));
    await writeOut(
      shadow,
      tree,
      steps.map(({ path }) => path),
      join(staging, tree),
    );
  }
  const steps: Step[] = [];
  const problems: string[] = [];
  for (const { tree, ...step } of journal.steps) {
    const content = tree === undefined ? undefined : join(staging, tree, step.path);
    if (!content || lstatOrNothing(content)) steps.push({ ...step, content });
    else problems.push(`${JSON.stringify(step.path)}: its content is missing from the snapshot`);
  }
  return { steps, problems };
}

function journalPath(shadow: Shadow): string {
  return join(shadow.state, "restore.json");
}

/** Reads the journal. Renames an unreadable one, which would otherwise block every later snapshot. */
function readJournal(shadow: Shadow): Journal | undefined {
  let text: string;
  try {
    text = readFileSync(journalPath(shadow), "utf8");
  } catch (error) {
    if (isMissing(error)) return undefined;
    throw error;
  }
  const journal = parseJson(JournalSchema, text);
  if (!journal) renameSync(journalPath(shadow), `${journalPath(shadow)}.damaged`);
  return journal;
}
