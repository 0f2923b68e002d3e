import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { type HostId, isHostId } from "../dialects/host-files.ts";
import { SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { type HostStatus, hostStatus } from "../hosts/registration/host-status.ts";
import { openInstallRecord } from "../hosts/registration/install-record.ts";
import { currentPlace, HOST_IDS, namedHost } from "../hosts/registration/named-host.ts";
import { digestsNow, installedFiles, registrationLosses } from "../hosts/registration/registration-loss.ts";
import { type HooksReport, hooksReport } from "../hosts/status/hooks-report.ts";
import { renderHooksReport } from "../hosts/status/hooks-report-text.ts";
import { renderStatus } from "../hosts/status/status-text.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";

const REPORT_FLAGS = {
  hooks: { kind: "switch", description: "Only the hooks, not where hooksh is registered; with --json, as one object" },
  json: { kind: "switch", description: "Print JSON: the agents, or with --hooks or AGENT the hooks" },
} as const satisfies FlagSpecs;

const FORGET_FLAGS = {
  forget: {
    kind: "value",
    hint: "HOST",
    description: "Accept the files of this agent as they are: no longer report what install registered and is gone",
  },
} as const satisfies FlagSpecs;

const FLAGS = { ...REPORT_FLAGS, ...FORGET_FLAGS, ...SOURCE_FLAGS } as const satisfies FlagSpecs;

type StatusInput = CommandInput<typeof FLAGS>;

/** `hooksh status`: where hooksh is registered, which hooks apply, and when each ran last. */
export const command = defineCommand({
  positionals: "[HOST|AGENT]",
  description:
    "Prints where hooksh is registered, for one agent or for all: in which files, for which events, which of the agent's\n" +
    "settings keep hooks from running, and when the agent called hooksh last for each event. Then the hooks: the files,\n" +
    "settings and flags they come from, when each ran last and with which outcome (from the audit log), and which did not\n" +
    "run although their event happened; with an agent file, the hooks of that agent. Reads only, except --forget. Exits 1\n" +
    "if a registration is broken, muted, or gone without hooksh uninstall, if the agent ran tool calls that it did not ask about, if hooks cannot be loaded or\n" +
    "if the audit log does not work; for one coding agent also if hooksh is not registered there.",
  flags: FLAGS,
  flagGroups: { Report: REPORT_FLAGS, Registrations: FORGET_FLAGS, Hooks: SOURCE_FLAGS },
  async run(input: StatusInput) {
    const { flags, positionals } = input;
    if (flags.forget !== undefined) return forgetLosses(namedHost(flags.forget), input);
    if (positionals.length > 1) throw new UsageError(`status takes one host, not ${positionals.length}`);
    const [name] = positionals;
    if (name !== undefined && !(await isAgentReference(name, input))) return printHost(name, input);
    const onlyHooks = name !== undefined || flags.hooks === true;
    const hosts = name === undefined ? await statusOf(HOST_IDS, input) : [];
    const registered = hosts.filter(({ state }) => state !== "absent");
    if (flags.json && !onlyHooks) {
      await print(JSON.stringify(registered));
      return exitCode(registered.every(isInForce));
    }
    const report = await hooksReport({
      reference: name,
      flags,
      directories: directoriesOf(flags),
      hostFiles: hostFilesOf(registered),
    });
    if (flags.json) await print(JSON.stringify(report));
    else await print(textOf(onlyHooks ? undefined : registered, report));
    return exitCode((onlyHooks || registered.every(isInForce)) && isWorking(report));
  },
});

/** Makes the files of a host as they are what `install` registered. */
async function forgetLosses(host: HostId, { flags, positionals }: StatusInput): Promise<number> {
  if (positionals.length > 0) throw new UsageError("--forget takes the agent; leave out the other argument");
  const directories = directoriesOf(flags);
  const record = openInstallRecord(directories);
  const projects = [currentPlace().project];
  const lost = new Set(registrationLosses(host, projects, directories).map(({ path }) => path));
  for (const [path, file] of installedFiles(host, projects, directories).filter(([path]) => lost.has(path))) {
    const entries = digestsNow(host, path, file) ?? {};
    record.remove(path);
    if (Object.keys(entries).length > 0) record.set(path, { ...file, entries }, undefined);
    await print(`${path}: accepted as it is`);
  }
  if (lost.size === 0) await print(`${host}: nothing to forget`);
  return EXIT_CODES.ok;
}

/** True for a file that exists, the form of a path or of a reference to a registry, and an alias. A host comes first. */
async function isAgentReference(name: string, { flags }: StatusInput): Promise<boolean> {
  if (isHostId(name)) return false;
  if (/[./]/.test(name) || existsSync(name)) return true;
  const { aliasPath, loadUserConfig } = await import("../config/user/user-config.ts");
  return aliasPath(await loadUserConfig(directoriesOf(flags)), name) !== undefined;
}

/** Prints the status of one host. The flags for hooks are refused: they would have no effect. */
async function printHost(name: string, input: StatusInput): Promise<number> {
  const { flags } = input;
  const given = Object.keys({ ...SOURCE_FLAGS, hooks: true }).find((flag) => {
    const value = flags[flag as keyof typeof flags];
    return Array.isArray(value) ? value.length > 0 : value !== undefined;
  });
  const host = namedHost(name);
  if (given !== undefined) throw new UsageError(`--${given} is about hooks: leave out ${host}, or name an agent file`);
  const found = await statusOf([host], input);
  await print(flags.json ? JSON.stringify(found) : renderStatus(found, Date.now()));
  return exitCode(found.every(isInForce));
}

async function statusOf(hosts: readonly (typeof HOST_IDS)[number][], { flags }: StatusInput): Promise<HostStatus[]> {
  const [place, directories] = [currentPlace(), directoriesOf(flags)];
  const found = [];
  for (const host of hosts) found.push(await hostStatus(host, place, directories));
  return found;
}

function hostFilesOf(registered: readonly HostStatus[]) {
  const used = registered.flatMap(({ host, registered: files }) =>
    files.flatMap(({ hooks_file: file }) => (file === undefined ? [] : [{ host, path: resolve(file) }])),
  );
  const groups = Map.groupBy(used, ({ path }) => path);
  return [...groups].map(([path, users]) => ({ path, hosts: [...new Set(users.map(({ host }) => host))] }));
}

function textOf(hosts: readonly HostStatus[] | undefined, report: HooksReport): string {
  const now = Date.now();
  return [...(hosts ? [renderStatus(hosts, now)] : []), renderHooksReport(report, now)].join("\n\n");
}

function isInForce({ state, warnings }: HostStatus): boolean {
  return (state === "seen" || state === "unseen") && warnings.length === 0;
}

function isWorking({ problems, audit }: HooksReport): boolean {
  return problems.length === 0 && (!audit.on || audit.problems.length === 0);
}

function exitCode(isGood: boolean): number {
  return isGood ? EXIT_CODES.ok : EXIT_CODES.failed;
}
