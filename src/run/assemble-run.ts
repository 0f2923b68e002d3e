import { warn } from "../cli/print.ts";
import { loadUserHooks } from "../config/hooks/hook-sources.ts";
import { hookNotices } from "../config/notices/hook-notices.ts";
import { agentNotices } from "../config/rules/agent-rules.ts";
import { openObservers } from "../guard/watch/open-observers.ts";
import { hookSources } from "../hooks/hook-flags.ts";
import { processEnv } from "../lib/env.ts";
import { ConfigError, UsageError } from "../lib/errors.ts";
import type { Fetch } from "../model/calls/transport.ts";
import type { AssembledTeam, AssembleOptions } from "../runtime/team/assemble.ts";
import { type LastOutcomes, outcomeObserver } from "../terminal/front-end/last-outcomes.ts";
import { modelOptions, type RunPlan } from "./run-plan.ts";

/** Where and how the team of a plan is assembled. */
interface Assembly extends Pick<AssembleOptions, "beforeTools" | "onLeftOut"> {
  workingDir: string;
  outcomes: LastOutcomes;
}

/** Loads the hooks of a run and assembles its team. Throws a {@link UsageError} for a prompt file that cannot be used. */
export async function assemble(
  { flags, setup, cwd, directories, traffic, ledger, signal }: RunPlan,
  { workingDir, beforeTools, outcomes, onLeftOut }: Assembly,
): Promise<AssembledTeam> {
  const { file } = setup;
  const sources = { ...hookSources(flags, directories, warn, cwd), snapshot: setup.snapshot };
  await checkPromptFiles(flags["prompt-file"], workingDir);
  const userHooks = await loadUserHooks({ ...sources, refusesMisnamed: true });
  const scope = { file, user: userHooks.entries, config: setup.userConfig, workingDir, env: processEnv() };
  const notices = await hookNotices(scope);
  const fatal = notices.filter(({ level }) => level === "fatal");
  if (fatal.length > 0) throw new ConfigError(fatal.map(({ text }) => text));
  for (const { text } of notices) warn(text);
  for (const notice of await agentNotices(userHooks.rules, file.agents)) warn(notice);
  const { assembleTeam } = await import("../runtime/team/assemble.ts");
  return assembleTeam(file, {
    ...modelOptions({ setup, flags, directories }),
    models: { fetch: traffic.fetch as Fetch | undefined, offline: flags.replay !== undefined },
    signal,
    meter: ledger.meter,
    workingDir,
    directories,
    userHooks,
    userPermissions: setup.userPermissions,
    promptFiles: flags["prompt-file"],
    maxIterations: ledger.meter.limits.maxIterations,
    expandText: setup.expandText,
    configName: setup.configName,
    observers: [
      ...(await openObservers({ flags, settings: userHooks.watch, directories, source: "run", warn })),
      outcomeObserver(outcomes),
    ],
    warn,
    beforeTools,
    onLeftOut,
  });
}

async function checkPromptFiles(names: readonly string[], workingDir: string): Promise<void> {
  if (names.length === 0) return;
  const { promptFileProblem } = await import("../../builtins/add_prompt_files.ts");
  for (const name of names) {
    const problem = await promptFileProblem(name, workingDir, processEnv());
    if (problem !== undefined) throw new UsageError(`--prompt-file ${name}: ${problem}`);
  }
}
