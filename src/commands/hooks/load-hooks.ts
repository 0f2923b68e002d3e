import type { LoadedAgentFile } from "../../config/agent/load-agent.ts";
import { hooksOfAgent, loadUserHooks } from "../../config/hooks/hook-sources.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import type { NoticeKind, NoticeScope } from "../../config/notices/hook-notices.ts";
import { type Directories, processEnv } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import type { FlagSpecs, Flags } from "../cli/flags.ts";
import { HOOK_FLAGS, hookSources } from "../cli/hook-flags.ts";
import { warn } from "../cli/print.ts";

/** The flags of verbs that work on the hooks of one agent, or on the user's alone. */
export const SOURCE_FLAGS = {
  ...HOOK_FLAGS,
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "The agent of the file whose hooks are meant (default: its first)",
  },
} as const satisfies FlagSpecs;

/** Which notices about hooks are printed. */
export type NoticeSelection = "all" | readonly NoticeKind[];

/** Whose hooks are loaded. */
export interface HooksRequest {
  /** The agent file or reference; without one, only the user's own hooks count. */
  reference: string | undefined;
  flags: Flags<typeof SOURCE_FLAGS>;
  directories: Directories;
  /** Where a relative reference begins; absolute. */
  cwd: string;
  /** The notices that are printed as warnings. */
  notices: NoticeSelection;
}

/** Hooks, and the agent file whose they are. */
export interface LoadedHookEntries {
  entries: HookEntry[];
  /** Absent where only the user's own hooks count. */
  file?: LoadedAgentFile;
  /** One line for every configured restriction that hooksh does not enforce. */
  unenforced: readonly string[];
}

/**
 * The hooks that the configuration and the flags name, in configuration order. What agent files need is loaded only for
 * one. Throws a `ConfigError` or a {@link UsageError}.
 */
export async function loadHookEntries({
  reference,
  flags,
  directories,
  cwd,
  notices,
}: HooksRequest): Promise<LoadedHookEntries> {
  const user = await loadUserHooks(hookSources(flags, directories, warn, cwd));
  if (reference === undefined) {
    if (flags.agent !== undefined) throw new UsageError("--agent needs an agent file: AGENT --agent NAME");
    await warnAboutHooks(notices, { user: user.entries, workingDir: cwd, env: processEnv() });
    return { entries: user.entries, unenforced: [] };
  }
  const [{ loadAgentHooks }, { sourceContext }] = await Promise.all([
    import("../../config/agent/agent-hooks.ts"),
    import("../cli/source-context.ts"),
  ]);
  const sources = sourceContext({ directories, cwd });
  const agent = await loadAgentHooks(reference, flags.agent, { directories, cwd, warn, sources });
  await warnAboutHooks(notices, {
    file: { ...agent.file, agents: [agent.agent] },
    user: user.entries,
    workingDir: cwd,
    env: processEnv(),
  });
  return { entries: await hooksOfAgent(agent, user), file: agent.file, unenforced: agent.unenforced };
}

/** Prints notices about hooks as warnings. */
export async function warnAboutHooks(shown: NoticeSelection, scope: NoticeScope): Promise<void> {
  if (shown.length === 0) return;
  const { hookNotices } = await import("../../config/notices/hook-notices.ts");
  for (const { kind, text } of await hookNotices(scope)) if (shown === "all" || shown.includes(kind)) warn(text);
}
