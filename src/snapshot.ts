/**
 * The module `hooksh/snapshot`: lists and undoes what an agent did to files, as the builtin `snapshot` recorded it.
 *
 * @packageDocumentation
 */
export {
  type CheckpointSummary,
  latestSession,
  listCheckpoints,
  resetTo,
  type SnapshotOptions,
  type UndoResult,
  undoLast,
} from "./snapshot/controller.ts";
