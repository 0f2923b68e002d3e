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
import { runInShadow, type Shadow } from "./shadow.ts";
import { type Change, diffTrees, overlayTree } from "./trees.ts";
import { withoutUnseen } from "./without-unseen.ts";
import { findIgnored } from "./worktree.ts";

/** Maximum tool calls without an end that are remembered: a denied call never ends. */
const OPEN_CALLS = 16;

/** Days after its last change until a history is forgotten, with its states. */
const HISTORY_DAYS = 30;

/** The most ids that fit into a command line. */
const TREES_LIMIT = 10_000;

/** Records the state in which a turn starts. */
export async function beginTurn(shadow: Shadow, sessionId: string): Promise<void> {
  const turn = await openState(shadow);
  saveHistory(shadow, { ...loadHistory(shadow, sessionId), turn });
}

/** Adds a checkpoint if the turn has changed files besides those in the checkpoints of its tool calls. */
export async function endTurn(shadow: Shadow, sessionId: string): Promise<void> {
  const { turn, ...history } = loadHistory(shadow, sessionId);
  if (!turn) return;
  const changes = await changesSince(shadow, turn);
  saveHistory(shadow, { ...history, checkpoints: [...history.checkpoints, ...checkpoint("turn", turn, changes)] });
}

/** Records the state in which a tool call starts. */
export async function beginCall(shadow: Shadow, sessionId: string, callId: string): Promise<void> {
  if (!callId) return;
  const state = await openState(shadow);
  const history = loadHistory(shadow, sessionId);
  const others = history.calls.filter(({ id }) => id !== callId);
  saveHistory(shadow, { ...history, calls: [...others, { id: callId, state }].slice(-OPEN_CALLS) });
}

/**
 * Adds a checkpoint if the tool call has changed files. The state it ends with becomes the start of everything that is
 * still open, so that no second checkpoint holds the same change.
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
    checkpoints.push(...checkpoint("tool", call.state, changes));
  }
  const absorbed = await absorb(shadow, { ...history, calls }, changes);
  saveHistory(shadow, { ...absorbed, checkpoints });
}

/**
 * Cleans up the shadow: drops old histories, packs objects, and deletes states older than a week that no checkpoint
 * needs. Plain `git gc` would delete needed ones too, because no ref leads to them.
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
  return { ...(await captureState(shadow, scope)), since: new Date().toISOString(), scope, excludes };
}

/** The changes since a state was recorded, without ignored files and files that only seem to be new. */
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

function checkpoint(by: Checkpoint["by"], { tree, since }: OpenState, changes: readonly Change[]): Checkpoint[] {
  const files = changes.map(({ path }) => path);
  return files.length > 0 ? [{ tree, files, by, since, at: new Date().toISOString() }] : [];
}

/** Changes that the turn made to the call's files before the call; they have to be undone after the call's. */
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
    turn,
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
