import type { CompactionSettings } from "../team/agent.ts";

const DEFAULT_THRESHOLD = 0.9;

/** The part of the window that may fill before a compaction. Source: runtime 11.1. */
export function compactionThreshold({ threshold }: CompactionSettings): number {
  return threshold !== undefined && threshold > 0 && threshold <= 1 ? threshold : DEFAULT_THRESHOLD;
}
