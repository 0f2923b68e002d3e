import { existsSync } from "node:fs";
import { join } from "node:path";
import { parseFlags } from "../../cli/flags.ts";
import { GLOBAL_FLAGS } from "../../cli/global-flags.ts";
import type { AgentFile } from "../../config/agent/agent-file.ts";
import { hooksOf } from "../../config/agent/agent-hooks.ts";
import { checkRouting } from "../../config/agent/check-routing.ts";
import { readConfigDirectory } from "../../config/hooks/config-directory.ts";
import { hooksOfAgent, loadUserHooks } from "../../config/hooks/hook-sources.ts";
import { missingEvaluatorKeys } from "../../config/notices/evaluator-keys.ts";
import { hookNotices, type NoticeScope } from "../../config/notices/hook-notices.ts";
import { routingNotices } from "../../config/notices/routing-notices.ts";
import { toolsetNotices } from "../../config/notices/toolset-notices.ts";
import { locateAgentFile } from "../../config/sources/agent-reference.ts";
import type { Lookup } from "../../config/user/secrets.ts";
import { loadUserConfig, type UserConfig, unenforcedFor } from "../../config/user/user-config.ts";
import { ignoredUserKeys } from "../../config/user/user-keys.ts";
import { pathText } from "../../config/yaml/document.ts";
import { NO_LOG } from "../../engine/handler.ts";
import { checkTrust } from "../../hooks/trust-check.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { ConfigError, UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { loadSetup } from "../../run/load-setup.ts";
import { RUN_FLAGS, type RunFlags } from "../../run/run-flags.ts";
import { skillNotices } from "../../runtime/skills/skill-notices.ts";
import { checkTeam } from "../../runtime/team/check-team.ts";
import { rowOf } from "../../tools/index.ts";
import type { Findings } from "./doctor-report.ts";

export interface ConfigurationScope {
  directories: Directories;
  cwd: string;
  reference: string | undefined;
  lookup: Lookup;
  env: Env;
}

/** The flags of a run that only warns about restrictions that hooksh does not enforce. */
const RUN_WITH_DEFAULTS: RunFlags = parseFlags(["--ignore-unsupported-restrictions", "--quiet"], {
  ...RUN_FLAGS,
  ...GLOBAL_FLAGS,
}).flags;

/** Checks config.yaml, hooks.d and the agent, and counts the hooks that apply. */
export async function checkConfiguration(
  { directories, cwd, reference, lookup, env }: ConfigurationScope,
  findings: Findings,
): Promise<{ user: number; agent?: number }> {
  const user = await collectIssues(findings, () => loadUserConfig(directories));
  findings.warnings.push(...(user?.warnings ?? []));
  noteIgnoredKeys(user, findings);
  findings.issues.push(
    ...((await collectIssues(findings, () => readConfigDirectory(directories.config).misnamed)) ?? []),
  );
  const warn = (message: string) => void findings.warnings.push(message);
  const own = (await collectIssues(findings, () => loadUserHooks({ directories, warn })))?.entries ?? [];
  const named = reference ?? projectFile(cwd);
  if (named === undefined || !user) {
    await addNotices({ user: own, config: user?.document, workingDir: cwd, env }, findings);
    if (user) await noteDefaultAgent({ directories, cwd, lookup, env }, findings);
    return { user: own.length };
  }
  if (reference === undefined) findings.notes.push(`checked ${named}, which hooksh run uses in this directory`);
  // What keeps a run from starting is found by the code of the run, so that both say the same.
  const setup = await collectIssues(findings, () =>
    loadSetup({ reference: named, flags: RUN_WITH_DEFAULTS, workingDir: cwd, directories, lookup }),
  );
  if (!setup) return { user: own.length };
  const { file } = setup;
  findings.warnings.push(...file.warnings);
  await collectIssues(findings, () => checkTrust(file, { flags: RUN_WITH_DEFAULTS, directories, interactive: false }));
  findings.issues.push(...(await unenforcedFor(user, named)), ...file.unenforced);
  await addNotices({ file, user: own, config: user.document, workingDir: cwd, env }, findings);
  findings.issues.push(...(await toolsetNotices(file, { workingDir: cwd, env, lookup })));
  findings.warnings.push(...(await skillNotices(file, { workingDir: cwd, env })));
  findings.warnings.push(...(await routingNotices(file)));
  await collectIssues(findings, () => checkRouting(file, own));
  await collectIssues(findings, () => checkTeam(file, { ...setup, env, models: {}, log: NO_LOG }));
  findings.issues.push(...((await collectIssues(findings, () => missingEvaluatorKeys(file, own, lookup))) ?? []));
  checkFileRules(file, cwd, findings);
  const agent = file.agents.find(({ name }) => name === setup.startAgent);
  const entries = agent && (await hooksOfAgent(hooksOf(file, agent), { entries: [], snapshot: false }));
  return { user: own.length, ...(entries ? { agent: entries.length } : {}) };
}

/**
 * Notes that the built-in agent has no model, or one that cannot work. That is not an issue: users who only guard other
 * agents need no model.
 */
async function noteDefaultAgent(
  { directories, cwd, lookup, env }: Omit<ConfigurationScope, "reference">,
  findings: Findings,
): Promise<void> {
  try {
    const setup = await loadSetup({
      reference: "default",
      flags: RUN_WITH_DEFAULTS,
      workingDir: cwd,
      directories,
      lookup,
    });
    await checkTeam(setup.file, { ...setup, env, models: {}, log: NO_LOG });
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error;
    findings.notes.push(`hooksh run without an agent cannot start: ${error.message}`);
  }
}

/** Returns the agent file that `hooksh run` uses in a directory; undefined if it uses the built-in agent. */
function projectFile(cwd: string): string | undefined {
  const found = locateAgentFile(undefined, { cwd });
  return found.kind === "file" ? found.displayName : undefined;
}

/** Adds notices about hooks: a hook that cannot run or can guard nothing is an issue, every other notice a warning. */
async function addNotices(scope: NoticeScope, findings: Findings): Promise<void> {
  for (const { text, level } of await hookNotices(scope))
    (level === "broken" || level === "fatal" ? findings.issues : findings.warnings).push(text);
}

function noteIgnoredKeys(user: UserConfig | undefined, findings: Findings): void {
  const value = user?.document?.value;
  const keys = isObject(value) ? ignoredUserKeys(value).map(pathText) : [];
  if (keys.length > 0)
    findings.notes.push(`config.yaml: hooksh ignores these keys of docker-agent: ${keys.join(", ")}`);
}

/** Turns the problems of a configuration error into issues, without duplicates. */
async function collectIssues<T>(findings: Findings, check: () => T | Promise<T>): Promise<T | undefined> {
  try {
    return await check();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const problems = error instanceof ConfigError ? error.problems : [error.message];
    findings.issues.push(...problems.filter((problem) => !findings.issues.includes(problem)));
    return undefined;
  }
}

/** Warns about rules for files that an agent with a shell can get around. */
function checkFileRules(file: Pick<AgentFile, "agents">, cwd: string, findings: Findings): void {
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
