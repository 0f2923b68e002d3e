import type { CommandInput } from "../cli/define-command.ts";
import { openLog } from "../cli/global-flags.ts";
import { warn } from "../cli/print.ts";
import type { AgentFile } from "../config/agent/agent-file.ts";
import { loadUserHooks } from "../config/hooks/hook-sources.ts";
import { hookNotices } from "../config/notices/hook-notices.ts";
import { openObservers } from "../guard/watch/open-observers.ts";
import { hookSources } from "../hooks/hook-flags.ts";
import type { ModelTraffic } from "../hooks/model-traffic.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { ConfigError, UsageError } from "../lib/errors.ts";
import type { Fetch } from "../model/calls/transport.ts";
import type { RunMeter } from "../runtime/stream/run-meter.ts";
import type { AssembledTeam, AssembleOptions } from "../runtime/team/assemble.ts";
import { type LastOutcomes, outcomeObserver } from "../terminal/front-end/last-outcomes.ts";
import type { RunSetup } from "./load-setup.ts";
import type { RUN_FLAGS, RunFlags } from "./run-flags.ts";

/** What a team is assembled from, for one run. */
interface Assembly extends CommandInput<typeof RUN_FLAGS> {
  setup: RunSetup;
  /** The directory in which `--hooks-file` and the like are found. */
  hooksDir: string;
  workingDir: string;
  directories: Directories;
  traffic: ModelTraffic;
  meter: RunMeter;
  beforeTools: AssembleOptions["beforeTools"];
  outcomes: LastOutcomes;
  onLeftOut: AssembleOptions["onLeftOut"];
}

/** The part of the options of a team that its models need. */
export function modelOptions(
  { lookup, userDefaultModel }: Assembly["setup"],
  flags: RunFlags,
  directories: Directories,
) {
  return { env: processEnv(), lookup, userDefaultModel, log: openLog(flags, directories) };
}

/** Loads the hooks of a run and assembles its team. Throws a {@link UsageError} for a prompt file that cannot be used. */
export async function assemble(
  file: AgentFile,
  {
    flags,
    setup,
    workingDir,
    hooksDir,
    directories,
    traffic,
    meter,
    beforeTools,
    outcomes,
    onLeftOut,
    signal,
  }: Assembly,
): Promise<AssembledTeam> {
  const sources = { ...hookSources(flags, directories, warn, hooksDir), snapshot: flags.snapshot };
  await checkPromptFiles(flags["prompt-file"], workingDir);
  const userHooks = await loadUserHooks({ ...sources, refusesMisnamed: true });
  const scope = { file, user: userHooks.entries, config: setup.userConfig, workingDir, env: processEnv() };
  const notices = await hookNotices(scope);
  const fatal = notices.filter(({ level }) => level === "fatal");
  if (fatal.length > 0) throw new ConfigError(fatal.map(({ text }) => text));
  for (const { text } of notices) warn(text);
  const { assembleTeam } = await import("../runtime/team/assemble.ts");
  return assembleTeam(file, {
    ...modelOptions(setup, flags, directories),
    models: { fetch: traffic.fetch as Fetch | undefined, offline: flags.fake !== undefined },
    signal,
    meter,
    workingDir,
    directories,
    userHooks,
    userPermissions: setup.userPermissions,
    promptFiles: flags["prompt-file"],
    maxIterations: flags["max-iterations"] === undefined ? undefined : Number(flags["max-iterations"]),
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
