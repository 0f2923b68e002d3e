import { hooksOfAgent, loadUserHooks } from "../config/hook-sources.ts";
import type { HookEntry } from "../config/hooks.ts";
import type { LoadedAgentFile } from "../config/load-agent.ts";
import type { Directories } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import type { Flags, FlagSpecs } from "./flags.ts";
import { HOOK_FLAGS, hookSources } from "./hook-flags.ts";
import { warn } from "./output.ts";

/** The flags of verbs that work on the hooks of one agent, or on the user's alone. */
export const SOURCE_FLAGS = {
  ...HOOK_FLAGS,
  agent: { kind: "value", alias: "a", hint: "NAME", description: "The agent of the file whose hooks are meant (default: its first)" },
} as const satisfies FlagSpecs;

/** Whose hooks are loaded. */
export interface HooksRequest {
  /** The agent file or reference; without one, only the user's own hooks count. */
  reference: string | undefined;
  flags: Flags<typeof SOURCE_FLAGS>;
  directories: Directories;
  /** Where a relative reference begins; absolute. */
  cwd: string;
}

/** Hooks, and the agent file whose they are. */
export interface LoadedEntries {
  entries: HookEntry[];
  /** Absent where only the user's own hooks count. */
  file?: LoadedAgentFile;
}

/**
 * The hooks that the configuration and the flags name, in configuration order. What agent files need is loaded only for
 * one. Throws a `ConfigError` or a {@link UsageError}.
 */
export async function loadEntries({ reference, flags, directories, cwd }: HooksRequest): Promise<LoadedEntries> {
  const user = await loadUserHooks(hookSources(flags, directories, warn, cwd));
  if (reference === undefined) {
    if (flags.agent !== undefined) throw new UsageError("--agent needs an agent file: AGENT --agent NAME");
    return { entries: user.entries };
  }
  const [{ loadAgentHooks }, { sourceContext }] = await Promise.all([import("../config/agent-hooks.ts"), import("./sources.ts")]);
  const sources = sourceContext({ directories, cwd });
  const agent = await loadAgentHooks(reference, flags.agent, { directories, cwd, warn, sources });
  return { entries: await hooksOfAgent(agent, user), file: agent.file };
}
