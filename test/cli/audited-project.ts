import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../src/audit/entry.ts";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

export const MONTH = `${new Date().toISOString().slice(0, 7)}.jsonl`;
export const CALL = { hook_event_name: "pre_tool_use", session_id: "s1", tool_name: "shell", tool_use_id: "c1" };
export const EVENT = JSON.stringify({ ...CALL, tool_input: { cmd: "ls" } });

export const onShell = (...hooks: object[]) => JSON.stringify({ pre_tool_use: [{ matcher: "shell", hooks }] });

export const PASSING = onShell({ type: "command", command: "exit 0" });

/** A directory with hooks, and a function that runs hooksh there with `data` as its data directory. */
export function project(hooks: string, config?: object) {
  const files = { "hooks.yaml": hooks, "data/.keep": "", "config/.keep": "" };
  const cwd = tempDir(config ? { ...files, "config/config.yaml": JSON.stringify(config) } : files);
  // Absolute, so that the first part of a dispatch takes them.
  const directories = ["--data-dir", join(cwd, "data"), "--config-dir", join(cwd, "config")];
  const run = (args: string[], input = "") => hooksh([...args, ...directories], { cwd, input });
  const dispatch = (input = EVENT, ...args: string[]) =>
    run(["dispatch", "--hooks-file", "hooks.yaml", ...args], input);
  const log = join(cwd, "data", "audit", MONTH);
  const entries = (): AuditEntry[] =>
    existsSync(log)
      ? readFileSync(log, "utf8")
          .split("\n")
          .filter(Boolean)
          .map((line) => JSON.parse(line))
      : [];
  return { cwd, run, dispatch, log, entries };
}
