import { auditHealth } from "../audit/health.ts";
import { buildDetails } from "../cli/build-details.ts";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { findDirectories } from "../cli/global-flags.ts";
import { print, redirectWarnings } from "../cli/print.ts";
import { loadUserHooks } from "../config/hooks/hook-sources.ts";
import { lookupFrom, openSecretFinder } from "../config/user/secrets.ts";
import type { HostId } from "../dialects/host-files.ts";
import { hostStatus } from "../hosts/registration/host-status.ts";
import { missingResults } from "../hosts/registration/missing-results.ts";
import { currentPlace, HOST_IDS } from "../hosts/registration/named-host.ts";
import { loadPolicy } from "../hosts/registration/policy.ts";
import { type Directories, type Env, processEnv } from "../lib/env.ts";
import { ConfigError, EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";
import { findLocalModels } from "../model/local/find-local-models.ts";
import { checkConfiguration } from "./doctor/check-configuration.ts";
import {
  addNotes,
  checkDirectories,
  checkJit,
  checkModelRunner,
  checkPrograms,
  checkVariables,
} from "./doctor/check-machine.ts";
import { type DoctorReport, Findings } from "./doctor/doctor-report.ts";
import { renderDoctor } from "./doctor/doctor-text.ts";

const FLAGS = {
  json: { kind: "switch", description: "Print JSON" },
  "env-from-file": {
    kind: "list",
    hint: "FILE",
    description: "Read keys from a file of NAME=VALUE lines; can be repeated",
  },
} as const satisfies FlagSpecs;

/** `hooksh doctor`: finds problems that would keep an agent from running, without running one. */
export const command = defineCommand({
  positionals: "[AGENT]",
  description:
    "Checks this machine and the configuration: directories, keys (where they are set, never their values), programs, local models,\n" +
    "config.yaml and hooks.d, the agents in which hooksh is registered, and the models, toolsets and hooks of an agent (default: the\n" +
    "agent file of the current directory). What would stop hooksh run AGENT is an issue, in the same words. Exits 1 if it finds one.",
  flags: FLAGS,
  async run({ flags, positionals }: CommandInput<typeof FLAGS>) {
    if (positionals.length > 1) throw new UsageError(`doctor takes one agent, not ${positionals.length}`);
    const report = await examine({
      reference: positionals[0],
      ...findDirectories(flags),
      envFiles: flags["env-from-file"],
      env: processEnv(),
      cwd: process.cwd(),
    });
    await print(flags.json ? JSON.stringify(report) : renderDoctor(report));
    return report.ok ? EXIT_CODES.ok : EXIT_CODES.failed;
  },
});

interface Scope {
  reference: string | undefined;
  directories: Directories;
  /** A message for each named directory that does not exist. */
  missing: readonly string[];
  envFiles: readonly string[];
  env: Env;
  cwd: string;
}

async function examine({ reference, directories, missing, envFiles, env, cwd }: Scope): Promise<DoctorReport> {
  const findings = new Findings();
  redirectWarnings((text) => void findings.warnings.push(text));
  findings.issues.push(...missing);
  const find = openSecretFinder({ envFiles, env, configDirectory: directories.config, cwd });
  const found = {
    directories: checkDirectories(directories, findings),
    variables: checkVariables(find, env, findings),
    programs: await checkPrograms(cwd, env, findings),
    modelRunner: await checkModelRunner(env),
    localModels: await findLocalModels({ lookup: lookupFrom(find), env }),
    hooks: await checkConfiguration({ directories, cwd, reference, lookup: lookupFrom(find), env }, findings),
  };
  const hosts = await checkHosts(directories, findings);
  await checkAudit(directories, findings);
  checkJit(env, findings);
  addNotes(cwd, findings);
  return {
    ok: findings.issues.length === 0,
    version: buildDetails(),
    directories: found.directories,
    variables: found.variables,
    programs: found.programs,
    ...(found.modelRunner ? { model_runner: found.modelRunner } : {}),
    local_models: found.localModels,
    hooks: found.hooks,
    hosts,
    issues: findings.issues,
    warnings: [...new Set(findings.warnings)].filter((text) => !findings.issues.includes(text)),
    notes: findings.notes,
  };
}

/**
 * Reports an audit log that cannot be written, or whose last line does not continue the line before it. Checks nothing if
 * `settings.audit` is false, or if the data directory already has an issue.
 */
async function checkAudit(directories: Directories, findings: Findings): Promise<void> {
  const { data } = directories;
  if (findings.issues.some((issue) => issue.startsWith(`${data}: `)) || !(await isOn(directories))) return;
  findings.issues.push(...auditHealth(data).problems);
}

async function isOn(directories: Directories): Promise<boolean> {
  try {
    return (await loadUserHooks({ directories, warn: () => {} })).watch.audit.on;
  } catch (error) {
    if (error instanceof ConfigError) return true; // checkConfiguration reports it
    throw error;
  }
}

/**
 * Checks the agents in which hooksh is registered. A registration that does not work is an issue: the user relies on a
 * guard that does not run.
 */
async function checkHosts(directories: Directories, findings: Findings): Promise<DoctorReport["hosts"]> {
  const all = [];
  for (const host of HOST_IDS) all.push(await hostStatus(host, currentPlace(), directories));
  const registered = all.filter(({ state }) => state !== "absent");
  for (const { host, problems, muted, warnings, registered: files } of registered) {
    findings.issues.push(...[...problems, ...muted].map((text) => `${host}: ${text}`));
    findings.warnings.push(...warnings.map((text) => `${host}: ${text}`));
    const policies = new Set(files.map(({ hooks_file: file }) => file));
    for (const file of policies) findings.warnings.push(...(await resultNotices(host, file, directories)));
  }
  return registered.map(({ host, state }) => ({ host, state }));
}

/** Warns about rules that ask for what a host does not say. Broken hooks are an issue of the host already. */
async function resultNotices(host: HostId, file: string | undefined, directories: Directories): Promise<string[]> {
  try {
    const { rules } = await loadPolicy(file, directories, currentPlace().project);
    return await missingResults(host, rules);
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}
