import { rmSync } from "node:fs";
import { captureState } from "./capture.ts";
import {
  allHistories,
  type Checkpoint,
  type History,
  historyPath,
  loadHistory,
  type OpenState,
  saveHistory,
} from "./history.ts";
import { withoutUnseen } from "./newcomers.ts";
import { runInShadow, type Shadow } from "./shadow.ts";
import { type Change, diffTrees, overlayTree } from "./trees.ts";
import { findIgnored } from "./worktree.ts";

/** Tool calls that were begun and have not ended, as many as are remembered: a denied call never ends. */
const OPEN_CALLS = 16;

/** Histories that nobody has added to for so long are forgotten, and their states with them. */
const HISTORY_DAYS = 30;

/** A command line holds no more ids than this. */
const TREES_LIMIT = 10_000;

/** Remembers the state in which a turn begins. */
export async function beginTurn(shadow: Shadow, sessionId: string): Promise<void> {
  const turn = await openState(shadow);
  saveHistory(shadow, { ...loadHistory(shadow, sessionId), turn });
}

/** Adds a checkpoint when the turn has changed files beyond what its tool calls' checkpoints hold. */
export async function endTurn(shadow: Shadow, sessionId: string): Promise<void> {
  const { turn, ...history } = loadHistory(shadow, sessionId);
  if (!turn) return;
  const changes = await changesSince(shadow, turn);
  saveHistory(shadow, { ...history, checkpoints: [...history.checkpoints, ...checkpoint("turn", turn.tree, changes)] });
}

/** Remembers the state in which a tool call begins. */
export async function beginCall(shadow: Shadow, sessionId: string, callId: string): Promise<void> {
  if (!callId) return;
  const state = await openState(shadow);
  const history = loadHistory(shadow, sessionId);
  const others = history.calls.filter(({ id }) => id !== callId);
  saveHistory(shadow, { ...history, calls: [...others, { id: callId, state }].slice(-OPEN_CALLS) });
}

/**
 * Adds a checkpoint when the tool call has changed files. What it holds counts as the beginning of everything still
 * open, so that no second checkpoint holds the same change. Source: hooks 15 (W20).
 */
export async function endCall(shadow: Shadow, sessionId: string, callId: string): Promise<void> {
  const history = loadHistory(shadow, sessionId);
  const call = history.calls.find(({ id }) => id === callId);
  if (!call) return;
  const changes = await changesSince(shadow, call.state);
  const calls = history.calls.filter((other) => other !== call);
  const checkpoints = [...history.checkpoints];
  if (changes.length > 0) {
    if (history.turn) checkpoints.push(...(await earlierChanges(shadow, history.turn, call.state, changes)));
    checkpoints.push(...checkpoint("tool", call.state.tree, changes));
  }
  const absorbed = await absorb(shadow, { ...history, calls }, changes);
  saveHistory(shadow, { ...absorbed, checkpoints });
}

/**
 * Tidies the shadow: drops old histories, packs, and deletes states older than a week that no checkpoint needs. Plain
 * `git gc` would delete those too, as no ref leads to them. Source: hooks 11.5.
 */
export async function collectGarbage(shadow: Shadow): Promise<void> {
  const oldest = new Date(Date.now() - HISTORY_DAYS * 86_400_000).toISOString();
  const histories = allHistories(shadow);
  for (const { session_id } of histories.filter(({ updated_at }) => updated_at < oldest)) {
    rmSync(historyPath(shadow, session_id), { force: true });
  }
  const quiet = ["-c", "gc.autoDetach=false", "-c", "gc.cruftPacks=false"];
  await runInShadow(shadow, { args: [...quiet, "gc", "--quiet", "--force", "--prune=never"] });
  const needed = await existing(shadow, histories.filter(({ updated_at }) => updated_at >= oldest).flatMap(treesOf));
  if (needed.length > TREES_LIMIT) return;
  await runInShadow(shadow, { args: ["prune", "--expire=7.days", ...needed] });
}

async function openState(shadow: Shadow): Promise<OpenState> {
  const { scope, excludes } = shadow.worktree;
  return { ...(await captureState(shadow, scope)), scope, excludes };
}

/** What has changed since a state was recorded, without ignored files and files that only look new. */
async function changesSince(shadow: Shadow, open: OpenState): Promise<Change[]> {
  const { tree } = await captureState(shadow, open.scope);
  const changes = await diffTrees(shadow, open.tree, tree, open.scope);
  const ignored = await findIgnored(
    shadow.git,
    shadow.worktree.root,
    changes.map(({ path }) => path),
  );
  return withoutUnseen(
    shadow,
    open,
    changes.filter(({ path }) => !ignored.has(path)),
  );
}

function checkpoint(by: Checkpoint["by"], tree: string, changes: readonly Change[]): Checkpoint[] {
  const files = changes.map(({ path }) => path);
  return files.length > 0 ? [{ tree, files, by, at: new Date().toISOString() }] : [];
}

/** What happened in the turn to the call's files before the call: it has to be undone after the call. */
async function earlierChanges(
  shadow: Shadow,
  turn: OpenState,
  call: OpenState,
  changes: readonly Change[],
): Promise<Checkpoint[]> {
  const files = new Set(changes.map(({ path }) => path));
  const earlier = await diffTrees(shadow, turn.tree, call.tree, turn.scope);
  return checkpoint(
    "turn",
    turn.tree,
    earlier.filter(({ path }) => files.has(path)),
  );
}

async function absorb(shadow: Shadow, history: History, changes: readonly Change[]): Promise<History> {
  if (changes.length === 0) return history;
  const results = new Map<string, string>();
  const overlaid = async (state: OpenState): Promise<OpenState> => {
    const tree = results.get(state.tree) ?? (await overlayTree(shadow, state.tree, changes));
    results.set(state.tree, tree);
    return { ...state, tree };
  };
  const calls: History["calls"] = [];
  for (const { id, state } of history.calls) calls.push({ id, state: await overlaid(state) });
  return { ...history, calls, ...(history.turn && { turn: await overlaid(history.turn) }) };
}

function treesOf(history: History): string[] {
  const open = [history.turn, ...history.calls.map(({ state }) => state)];
  return [...history.checkpoints, ...open].flatMap((state) => (state ? [state.tree] : []));
}

async function existing(shadow: Shadow, trees: readonly string[]): Promise<string[]> {
  if (trees.length === 0) return [];
  const input = [...new Set(trees)].map((tree) => `${tree}\n`).join("");
  const lines = (await runInShadow(shadow, { args: ["cat-file", "--batch-check"], input })).split("\n");
  return lines.filter((line) => line.includes(" tree ")).map((line) => line.slice(0, line.indexOf(" ")));
}
