import { readdirSync } from "node:fs";

/**
 * The folder of payloads that released agents sent to their hooks, one folder for each agent and version such as
 * `claude-2.1.330`. They are not part of the project: HOOKSH_TEST_RECORDINGS names the folder, and tests that need it
 * are skipped without it. `hooksh capture` makes such folders.
 */
export const RECORDINGS = process.env["HOOKSH_TEST_RECORDINGS"] ?? "";

/** The names of the agents' folders; empty without recordings. */
export const RECORDED_AGENTS: readonly string[] =
  RECORDINGS === "" ? [] : readdirSync(RECORDINGS).filter((name) => !name.endsWith(".md"));
