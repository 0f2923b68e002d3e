import { type AgentFile, loadAgentFile } from "../config/agent-file.ts";
import type { ModelContext } from "../config/models.ts";
import type { PermissionRules } from "../config/permissions.ts";
import { type Directories, processEnv } from "../lib/env.ts";
import { UsageError } from "../lib/errors.ts";
import { warn } from "./output.ts";
import type { RunFlags } from "./run.ts";

/** What a run takes from configuration. */
export interface Setup {
  file: AgentFile;
  startAgent: string;
  /** The value of a variable that configuration names. */
  lookup: (name: string) => string | undefined;
  userPermissions: Partial<PermissionRules> | undefined;
  userDefaultModel: ModelContext["userDefault"];
  safetyMode: string | undefined;
  expandText: (text: string, where: string) => string;
}

/** Where a run is set up from. */
export interface SetupOptions {
  reference: string | undefined;
  flags: RunFlags;
  workingDir: string;
  directories: Directories;
}

/** Loads the agent file and the user's settings. Throws a `ConfigError` or a `UsageError`. */
export async function loadSetup({ reference, flags, workingDir }: SetupOptions): Promise<Setup> {
  const inform = (message: string) => (flags.quiet ? undefined : warn(message));
  const file = await loadAgentFile(reference, {
    cwd: workingDir, inform, modelOverrides: flags.model, strictVersion: flags["strict-version"] ?? false,
  });
  const startAgent = flags.agent ?? file.defaultAgent;
  if (!file.agents.some(({ name }) => name === startAgent)) {
    throw new UsageError(`--agent ${startAgent}: no such agent; there are ${file.agents.map(({ name }) => name).join(", ")}`);
  }
  const env = processEnv();
  return {
    file,
    startAgent,
    lookup: (name) => env[name],
    userPermissions: undefined,
    userDefaultModel: undefined,
    safetyMode: flags.safety ?? (flags.yolo === undefined ? undefined : flags.yolo ? "autonomous" : undefined) ?? file.agents.find(({ name }) => name === startAgent)?.safety ?? file.safety,
    expandText: (text) => text,
  };
}
