import type { Directories } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import type { AgentHooks } from "../hooks/hook-sources.ts";
import type { SourceContext } from "../sources/source-context.ts";
import { aliasPath, loadUserConfig, unenforcedFor } from "../user/user-config.ts";
import { type LoadedAgentFile, loadAgentFile } from "./load-agent.ts";
import type { Agent } from "./resolve-agent.ts";

/** The hooks of one agent, and the file they stand in. */
export interface LoadedAgentHooks extends AgentHooks {
  file: LoadedAgentFile;
  agent: Agent;
  /** One line for every configured restriction that hooksh does not enforce. */
  unenforced: readonly string[];
}

/** What loading the hooks of an agent depends on. */
export interface AgentHooksOptions {
  directories: Directories;
  cwd: string;
  warn: (message: string) => void;
  /** How an agent from elsewhere is fetched. */
  sources?: SourceContext;
}

/**
 * The hooks block and shorthands of one agent of an agent file; the default agent when no name is given. Throws a
 * {@link ConfigError} for a file that is wrong anywhere, and for a name it does not define.
 */
export async function loadAgentHooks(
  reference: string,
  name: string | undefined,
  { directories, cwd, warn, sources }: AgentHooksOptions,
): Promise<LoadedAgentHooks> {
  const user = await loadUserConfig(directories);
  const file = await loadAgentFile(aliasPath(user, reference) ?? reference, {
    cwd,
    userProviders: user.providers,
    ...(sources ? { sources } : {}),
  });
  for (const warning of [...user.warnings, ...file.warnings]) warn(warning);
  const unenforced = [...(await unenforcedFor(user, reference)), ...file.unenforced];
  const chosen = name ?? file.defaultAgent;
  const agent = file.agents.find((candidate) => candidate.name === chosen);
  if (!agent) {
    throw new ConfigError(
      `${reference}: no agent ${JSON.stringify(chosen)}; there are ${file.agents.map((one) => one.name).join(", ")}`,
    );
  }
  return {
    document: file.document,
    path: [...agent.path, "hooks"],
    value: agent.hooks,
    defaults: agent,
    file,
    agent,
    unenforced,
  };
}
