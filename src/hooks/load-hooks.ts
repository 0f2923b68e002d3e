/**
 * The hooks of a command line: loads them from files and flags, explains them, asks for trust, and connects hooks that
 * ask models.
 *
 * @packageDocumentation
 */
import type { FlagSpecs, Flags } from "../cli/flags.ts";
import { warn } from "../cli/print.ts";
import type { LoadedAgentFile } from "../config/agent/load-agent.ts";
import type { Routes } from "../config/agent/routes.ts";
import { guardPolicy } from "../config/hooks/guard-policy.ts";
import {
  hooksOfAgent,
  loadUserHooks,
  observedIf,
  observedRulesIf,
  rulesOfAgent,
  withEvaluators,
} from "../config/hooks/hook-sources.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import type { NoticeKind, NoticeScope } from "../config/notices/hook-notices.ts";
import { documentsOf, type PlacedRule } from "../config/rules/load-rules.ts";
import { BUILT_IN_TOOLS, LIKE_MCP } from "../config/toolsets/built-in-tools.ts";
import type { WatchSettings } from "../config/user/watch-settings.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import { compileMatcher } from "../pattern/pattern.ts";
import { contractOf } from "../protocol/events.ts";
import { HOOK_FLAGS, hookSources } from "./hook-flags.ts";

/** The flags of verbs that work on the hooks of one agent, or on the user's own hooks only. */
export const SOURCE_FLAGS = {
  ...HOOK_FLAGS,
  agent: {
    kind: "value",
    alias: "a",
    hint: "NAME",
    description: "The agent in the file whose hooks to use (default: the first)",
  },
} as const satisfies FlagSpecs;

export interface HooksRequest {
  /** The agent file or reference. If undefined, only the user's own hooks are loaded. */
  reference: string | undefined;
  flags: Flags<typeof SOURCE_FLAGS>;
  directories: Directories;
  /** The absolute directory that relative references are resolved against. */
  cwd: string;
  /**
   * The notices to print as warnings; `fatal` are those of any kind that say that a hook can guard nothing, not even a call
   * of another agent.
   */
  notices: readonly (NoticeKind | "fatal")[];
  /** The user's own hooks and rules are of no interest. */
  withoutUser?: boolean;
}

/** Hooks, and the agent file they come from. */
export interface LoadedHookEntries {
  entries: HookEntry[];
  /** The rules beside the hooks, in the order of their sources. */
  rules: PlacedRule[];
  /** The agent whose hooks these are; absent if only the user's own hooks are loaded. */
  agent?: string;
  /** What is recorded about their dispatches. */
  watch: WatchSettings;
  /** Absent if only the user's own hooks are loaded. */
  file?: LoadedAgentFile;
  /** Where the hooks of each agent of the file may route to. */
  routes?: Routes;
  /** A message for each configured restriction that hooksh does not enforce. */
  unenforced: readonly string[];
}

/**
 * Returns the hooks that the configuration and the flags name, in configuration order. The code for agent files is
 * loaded only if there is one. Throws a `ConfigError` or a {@link UsageError}.
 */
export async function loadHookEntries({
  reference,
  flags,
  directories,
  cwd,
  notices,
  withoutUser = false,
}: HooksRequest): Promise<LoadedHookEntries> {
  const sources = hookSources(flags, directories, warn, cwd);
  const user = await loadUserHooks(withoutUser ? { ...sources, noUserHooks: true } : sources);
  if (reference === undefined) {
    if (flags.agent !== undefined) throw new UsageError("--agent needs an agent file: AGENT --agent NAME");
    await warnAboutHooks(notices, { user: user.entries, workingDir: cwd, env: processEnv() });
    if (user.entries.some(({ event }) => contractOf(event).accepts.includes("transition")))
      await (await import("../config/hooks/selectors.ts")).checkSelectors(user.entries);
    const entries = observedIf(user.observe, await withEvaluators(user.entries));
    const rules = observedRulesIf(user.observe, user.rules);
    const guarded = await guardPolicy(entries, documentsOf(rules), { workingDir: cwd, env: processEnv() });
    return { entries: guarded, rules, watch: user.watch, unenforced: [] };
  }
  const [{ loadAgentHooks }, { checkRouting }, { sourceContext }] = await Promise.all([
    import("../config/agent/agent-hooks.ts"),
    import("../config/agent/check-routing.ts"),
    import("../cli/source-context.ts"),
  ]);
  const context = sourceContext({ directories, cwd });
  const agent = await loadAgentHooks(reference, flags.agent, { directories, cwd, warn, sources: context });
  await checkRouting(agent.file, user.entries);
  await warnAboutHooks(notices, {
    file: { ...agent.file, agents: [agent.agent] },
    team: agent.file.agents,
    user: user.entries,
    workingDir: cwd,
    env: processEnv(),
  });
  const { agentNotices } = await import("../config/rules/agent-rules.ts");
  for (const notice of await agentNotices(user.rules, agent.file.agents)) warn(notice);
  return {
    entries: await hooksOfAgent(agent, user),
    rules: await rulesOfAgent(agent, user),
    agent: agent.agent.name,
    watch: user.watch,
    file: agent.file,
    routes: agent.routes,
    unenforced: agent.unenforced,
  };
}

/** Prints notices about hooks as warnings. */
export async function warnAboutHooks(shown: HooksRequest["notices"], scope: NoticeScope): Promise<void> {
  if (shown.length === 0) return;
  // Loading the checks would take a part of the time of one event.
  const isSure = shown.every((kind) => kind === "fatal") && !scope.file && scope.user.every(namesKnownTools);
  if (isSure) return;
  const { hookNotices } = await import("../config/notices/hook-notices.ts");
  const { fitsOtherAgents } = await import("../config/notices/unmatched-names.ts");
  for (const { kind, level, matcher, text } of await hookNotices(scope)) {
    const isDead = level === "fatal" && shown.includes("fatal") && !(matcher && (await fitsOtherAgents(matcher)));
    if (isDead || shown.includes(kind)) warn(text);
  }
}

/** True if it needs no check that a matcher can name a tool: it does, or may name one of an MCP server. */
function namesKnownTools({ matcher }: HookEntry): boolean {
  return LIKE_MCP.test(matcher) || compileMatcher(matcher)(BUILT_IN_TOOLS);
}
