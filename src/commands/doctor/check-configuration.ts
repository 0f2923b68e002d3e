import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LoadedAgentHooks } from "../../config/agent/agent-hooks.ts";
import { hooksOfAgent, loadUserHooks } from "../../config/hooks/hook-sources.ts";
import { resolveModel } from "../../config/models/named-models.ts";
import { hookNotices, type NoticeScope } from "../../config/notices/hook-notices.ts";
import { toolsetNotices } from "../../config/notices/toolset-notices.ts";
import type { Lookup } from "../../config/user/secrets.ts";
import { loadUserConfig, type UserConfig } from "../../config/user/user-config.ts";
import { ignoredUserKeys } from "../../config/user/user-keys.ts";
import { pathText } from "../../config/yaml/document.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { missingVariables } from "../../model/catalog/resolve.ts";
import { rowOf } from "../../tools/index.ts";
import type { Findings } from "./doctor-report.ts";

/** The options of {@link checkConfiguration}. */
export interface ConfigurationScope {
  directories: Directories;
  cwd: string;
  reference: string | undefined;
  lookup: Lookup;
  env: Env;
}

/** Checks config.yaml, hooks.d and the agent, and counts the hooks that apply. */
export async function checkConfiguration(
  { directories, cwd, reference, lookup, env }: ConfigurationScope,
  findings: Findings,
): Promise<{ user: number; agent?: number }> {
  const user = await collectIssues(findings, () => loadUserConfig(directories));
  findings.warnings.push(...(user?.warnings ?? []));
  noteIgnoredKeys(user, findings);
  const warn = (message: string) => void findings.warnings.push(message);
  const own = (await collectIssues(findings, () => loadUserHooks({ directories, warn })))?.entries ?? [];
  if (reference === undefined) {
    await addNotices({ user: own, config: user?.document, workingDir: cwd, env }, findings);
    return { user: own.length };
  }
  const agent = await collectIssues(findings, async () => {
    const { loadAgentHooks } = await import("../../config/agent/agent-hooks.ts");
    return loadAgentHooks(reference, undefined, { directories, cwd, warn });
  });
  if (!agent) return { user: own.length };
  findings.issues.push(...agent.unenforced);
  await addNotices({ file: agent.file, user: own, config: user?.document, workingDir: cwd, env }, findings);
  findings.issues.push(...(await toolsetNotices(agent.file, { workingDir: cwd, env, lookup })));
  const entries = await hooksOfAgent(agent, { entries: [], snapshot: false });
  checkModels(agent, user, lookup, findings);
  checkFileRules(agent, cwd, findings);
  return { user: own.length, agent: entries.length };
}

/** Adds notices about hooks: a hook that cannot run is an issue, every other notice a warning. */
async function addNotices(scope: NoticeScope, findings: Findings): Promise<void> {
  for (const { text, isBroken } of await hookNotices(scope))
    (isBroken ? findings.issues : findings.warnings).push(text);
}

function noteIgnoredKeys(user: UserConfig | undefined, findings: Findings): void {
  const value = user?.document?.value;
  const keys = isObject(value) ? ignoredUserKeys(value).map(pathText) : [];
  if (keys.length > 0)
    findings.notes.push(`config.yaml: hooksh ignores these keys of docker-agent: ${keys.join(", ")}`);
}

/** Turns the problems of a configuration error into issues, without duplicates. */
async function collectIssues<T>(findings: Findings, check: () => Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.issues.push(...error.problems.filter((problem) => !findings.issues.includes(problem)));
    return undefined;
  }
}

/** Reports the variables that the agents' models need and that are not set. */
function checkModels(
  { file }: LoadedAgentHooks,
  user: UserConfig | undefined,
  lookup: Lookup,
  findings: Findings,
): void {
  const missing = (spec: Parameters<typeof missingVariables>[0][number]) =>
    missingVariables([spec], lookup, file.providers);
  const context = {
    file,
    lookup,
    missing,
    ...(user?.defaultModel === undefined ? {} : { userDefault: user.defaultModel }),
  };
  for (const agent of file.agents.filter(({ model }) => model !== "")) {
    try {
      const names = [...new Set(resolveModel(agent.model, context).flatMap(({ spec }) => missing(spec)))];
      if (names.length > 0)
        findings.issues.push(`agents.${agent.name}.model ${agent.model}: not set: ${names.join(", ")}`);
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      findings.issues.push(...error.problems.map((problem) => `agents.${agent.name}: ${problem}`));
    }
  }
}

/** Warns about rules for files that an agent with a shell can get around. */
function checkFileRules({ file }: LoadedAgentHooks, cwd: string, findings: Findings): void {
  const ignoring = existsSync(join(cwd, ".agentsignore"));
  for (const { name, toolsets } of file.agents) {
    const shell = toolsets.find((toolset) => rowOf(toolset).runsCommands);
    const guarded = ignoring || toolsets.some((toolset) => "deny_list" in toolset);
    if (!shell || !guarded) continue;
    findings.warnings.push(
      `agents.${name}: .agentsignore and deny_list restrict the file tools, not its ${shell.type} toolset: guard that with a hook`,
    );
  }
}
