import { mkdirSync, readdirSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { sha256 } from "../lib/platform.ts";
import { isMissing, parseJson, writeAtomically } from "./files.ts";
import type { Shadow } from "./shadow.ts";

/** The id of a tree object. It is used as an argument of git and as a file name. */
export const TreeSchema = v.pipe(v.string(), v.regex(/^[0-9a-f]{40,64}$/));

/** A state that was recorded when a turn or tool call started and has not ended yet. */
const OpenStateSchema = v.object({
  tree: TreeSchema,
  /** When it was recorded, ISO 8601; absent in states of older versions. */
  since: v.optional(v.string()),
  scope: v.string(),
  /** See {@link Capture.unseen}. */
  unseen: v.array(v.string()),
  /** See {@link Worktree.excludes}. */
  excludes: v.string(),
});

/** The files that a turn or tool call changed, and the state that holds their earlier content. */
const CheckpointSchema = v.object({
  tree: TreeSchema,
  /** Relative to the worktree's root. */
  files: v.array(v.string()),
  by: v.picklist(["turn", "tool"]),
  /** When the earlier state was recorded, ISO 8601; absent in checkpoints of older versions. */
  since: v.optional(v.string()),
  /** ISO 8601. */
  at: v.string(),
});

const HistorySchema = v.object({
  version: v.literal(1),
  session_id: v.string(),
  updated_at: v.string(),
  turn: v.optional(OpenStateSchema),
  /** Oldest first. */
  calls: v.array(v.object({ id: v.string(), state: OpenStateSchema })),
  /** Oldest first. */
  checkpoints: v.array(CheckpointSchema),
});

export type OpenState = v.InferOutput<typeof OpenStateSchema>;

export type Checkpoint = v.InferOutput<typeof CheckpointSchema>;

/** The stored data of one session in one worktree, in a file that outlives the process. */
export type History = v.InferOutput<typeof HistorySchema>;

/** The stored history of a session, or an empty one. Renames a damaged file. */
export function loadHistory(shadow: Shadow, sessionId: string): History {
  const path = historyPath(shadow, sessionId);
  const found = readHistory(path);
  if (found === "damaged") renameSync(path, `${path}.damaged`);
  if (typeof found === "object" && found.session_id === sessionId) return found;
  return { version: 1, session_id: sessionId, updated_at: "", calls: [], checkpoints: [] };
}

/** Stores a history. After a crash the file holds either the earlier history or this one. */
export function saveHistory(shadow: Shadow, history: History): void {
  mkdirSync(historyDirectory(shadow), { recursive: true });
  const stored = { ...history, updated_at: new Date().toISOString() };
  writeAtomically(historyPath(shadow, history.session_id), JSON.stringify(stored));
}

/** Every readable history of the worktree, the most recently changed first. */
export function allHistories(shadow: Shadow): History[] {
  const names = listNames(historyDirectory(shadow)).filter((name) => name.endsWith(".json"));
  const found = names.map((name) => readHistory(join(historyDirectory(shadow), name)));
  return found
    .filter((history) => typeof history === "object")
    .sort((a, b) => (a.updated_at < b.updated_at ? 1 : a.updated_at > b.updated_at ? -1 : 0));
}

/** The file of a session's history. The name is a hash, because a session id may be any text. */
export function historyPath(shadow: Shadow, sessionId: string): string {
  const name = sha256(sessionId).slice(0, 32);
  return join(historyDirectory(shadow), `${name}.json`);
}

function historyDirectory(shadow: Shadow): string {
  return join(shadow.state, "sessions");
}

function readHistory(path: string): History | "damaged" | "missing" {
  try {
    return parseJson(HistorySchema, readFileSync(path, "utf8")) ?? "damaged";
  } catch (error) {
    if (isMissing(error)) return "missing";
    throw error;
  }
}

function listNames(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    if (isMissing(error)) return [];
    throw error;
  }
}
