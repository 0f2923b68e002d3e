import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, printError } from "../cli/print.ts";
import { notesFor } from "../dialects/host-file.ts";
import { type HostId, hostFiles } from "../dialects/host-files.ts";
import type { HostPlace } from "../dialects/host-paths.ts";
import { isInteractive } from "../hooks/trust-check.ts";
import { applyPlans } from "../hosts/registration/apply-plans.ts";
import { SCOPE_FLAGS, scopeOf, WRITE_FLAGS, writeOptions } from "../hosts/registration/host-flags.ts";
import {
  type FilePlan,
  type InstallTarget,
  installTarget,
  planFiles,
  recordUnchanged,
} from "../hosts/registration/host-plan.ts";
import { mutedBySettings, sharedRuns } from "../hosts/registration/host-status.ts";
import { serverAt, TOKEN_VARIABLE } from "../hosts/registration/http-entry.ts";
import { openInstallRecord } from "../hosts/registration/install-record.ts";
import {
  currentPlace,
  dialectOf,
  dialectsOf,
  HOST_IDS,
  namedHost,
  productOf,
} from "../hosts/registration/named-host.ts";
import { dispatchCall, longestWait, ownProgram } from "../hosts/registration/own-command.ts";
import { chosenDirectories, loadPolicy, type Policy } from "../hosts/registration/policy.ts";
import { sharedTarget } from "../hosts/registration/portable-call.ts";
import { forgetHeartbeats } from "../hosts/registration/read-heartbeats.ts";
import { deadMatchers, judgesTools, registrationFor } from "../hosts/registration/registration.ts";
import { installedFiles } from "../hosts/registration/registration-loss.ts";
import { repositoryRoot } from "../hosts/registration/repository-root.ts";
import { voidedEntries } from "../hosts/registration/voided-entries.ts";
import type { Directories } from "../lib/env.ts";
import { EXIT_CODES, type Help, UsageError, UserError } from "../lib/errors.ts";
import type { EventName } from "../protocol/events.ts";
import { quoteWord } from "../shell/quote-word.ts";

const OUTPUT_ONLY_PARTLY_REDACTED: Help = {
  cause:
    "The agent lets hooks replace the output of a command that succeeds, and not of one that fails, so a secret in such output would reach the model.",
  cure: "Add a `pre_tool_use` hook that refuses such commands, or accept the gap with `--partial-redaction`. See [capabilities](agents/capabilities.md).",
};

const GUARD_FLAGS = {
  file: {
    kind: "value",
    hint: "HOOKS",
    description: "Hooks file to run in addition to your own hooks in config.yaml and hooks.d (default: only those)",
  },
  rules: {
    kind: "list",
    hint: "SET,...",
    description: "Also put these ready-made sets of rules in force: adds them to HOOKS, else to hooks.d/rules.yaml",
  },
  "partial-redaction": {
    kind: "switch",
    description:
      "Register hooks that only redact also where the output of failing commands stays as it is (Claude Code)",
  },
  "without-guards-stay": {
    kind: "switch",
    description:
      "Let the agent change guards: hooks, settings of agents and hooksh's files (default: such calls are denied)",
  },
} as const satisfies FlagSpecs;

const RECORD_FLAGS = {
  capture: {
    kind: "value",
    hint: "DIR",
    description: "Also keep what the agent sends, as files without secrets",
  },
  record: {
    kind: "value",
    hint: "events:DIR",
    kinds: { events: "record-events" },
    description: "Also keep every event and its verdict, without secrets, for hooksh replay and hooksh test",
  },
  "record-events": {
    kind: "value",
    hint: "DIR",
    now: "--record events:DIR",
    description: "Also keep every event and its verdict, without secrets, for hooksh replay and hooksh test",
  },
} as const satisfies FlagSpecs;

const AGENT_FLAGS = {
  deadline: {
    kind: "value",
    hint: "SECONDS",
    description:
      "How long the agent's command waits for hooksh, then denies the call (default: a little less than the agent waits)",
  },
  serve: {
    kind: "optional",
    hint: "ADDRESS",
    description: "Claude Code only: post events to hooksh serve at this port of 127.0.0.1 (default: 4747)",
  },
  trust: { kind: "switch", description: "Codex only: make Codex trust these hooks; it skips untrusted ones" },
} as const satisfies FlagSpecs;

const FLAGS = { ...SCOPE_FLAGS, ...GUARD_FLAGS, ...RECORD_FLAGS, ...AGENT_FLAGS, ...WRITE_FLAGS } as const;

/** `hooksh install`: registers `hooksh dispatch` in the configuration of another agent. */
export const command = defineCommand({
  positionals: "HOST",
  description:
    "Registers hooksh in the configuration of another agent, so that your hooks guard it: one command for each event that\n" +
    "has hooks, in the agent's own file and format. Everything else in that file stays byte for byte. Shows the change and\n" +
    "asks before it writes; keeps a backup in the data directory. Run it again after you change your hooks; if nothing\n" +
    "changed, it writes nothing. With --project the file suits every copy of the project: it starts the hooksh on PATH, and\n" +
    "names files by their place in the project. If that is not possible, it uses the agent's file for this machine, or writes\n" +
    "nothing. Prints what the agent cannot do for the events of your hooks.\n" +
    `Hosts: ${HOST_IDS.join(", ")}.`,
  flags: FLAGS,
  flagGroups: {
    "Where to register": SCOPE_FLAGS,
    "What guards": GUARD_FLAGS,
    Records: RECORD_FLAGS,
    "The agent": AGENT_FLAGS,
    Writing: WRITE_FLAGS,
  },
  run: runInstall,
});

async function runInstall({ flags, positionals, signal }: CommandInput<typeof FLAGS>): Promise<number> {
  const [name, ...rest] = positionals;
  if (name === undefined || rest.length > 0) throw new UsageError(`install takes one host: ${HOST_IDS.join(", ")}`);
  const host = namedHost(name);
  if (flags.trust && host !== "codex") throw new UsageError(`--trust works only for codex, not for ${host}`);
  const server = flags.serve === undefined ? undefined : serverAt(flags.serve);
  const { http } = hostFiles(host);
  if (server !== undefined && flags.deadline !== undefined)
    throw new UsageError("--deadline and --serve cannot be used together: the agent waits for the server");
  if (server !== undefined && !http)
    throw new UsageError(`${host} cannot post events to hooksh serve: leave out --serve`);
  const scope = scopeOf(flags);
  const place = currentPlace();
  const first = installTarget(host, scope, place);
  const directories = directoriesOf(flags);
  const { policy, rulePlans, hint } = await policyWithSets(flags, {
    host,
    project: place.project,
    directories,
    signal,
  });
  if (policy.events.size === 0)
    throw new UserError(
      "no hooks to install: name a hooks file with --file HOOKS, put one into hooks.d, or add ready-made rules with --rules",
    );
  const dialect = await dialectOf(host);
  const guardsStay = !flags["without-guards-stay"];
  const used = new Set([...policy.events, ...(guardsStay ? (["pre_tool_use"] as const) : [])]);
  const { events, gaps } = registrationFor(dialect, first.files, used);
  const needed = registrationFor(dialect, first.files, policy.events).events;
  const { target, shared, note } = sharedTarget(
    first,
    {
      program: ownProgram(),
      dialect: host,
      hooksFile: policy.hooksFile,
      directories: {
        ...chosenDirectories(flags),
        ...keptIn(flags),
      },
    },
    place,
  );
  await print(`${productOf(host)}, ${target.file.scope}: ${target.path}`);
  for (const gap of [...gaps, ...deadMatchers(dialect, policy.matchers)]) await print(gap);
  if (needed.length === 0) throw new UserError(`${host}: none of these hooks can run there; nothing was written`);
  const seconds = flags.deadline === undefined ? undefined : deadlineFor(target, flags.deadline);
  if (target.files.redactsPartly && onlyRedacts(policy.events) && !flags["partial-redaction"])
    throw new UserError(
      `${host}: these hooks change results, but not the output of a command that fails, and none of them can refuse such a ` +
        "command; add a pre_tool_use hook, or accept that with --partial-redaction; nothing was written",
      { help: OUTPUT_ONLY_PARTLY_REDACTED },
    );
  const calls = events.map((event) => {
    if (server !== undefined && !http?.except.includes(event))
      return dispatchCall(dialect, target.files, { server, dialect: host, event, program: [] });
    const switches = guardsStay && judgesTools(dialect, event) ? (["guards-stay"] as const) : [];
    return dispatchCall(dialect, target.files, { ...shared, event, seconds, switches });
  });
  const hostPlans = planFiles(target, calls);
  const plans = [...rulePlans, ...hostPlans];
  if (plans.length === 0) await print("nothing to change");
  else if (!(await applyPlans(plans, { directories, ...writeOptions(flags), signal }))) {
    if (hint !== undefined) await print(hint);
    return EXIT_CODES.ok;
  }
  if (hostPlans.length === 0) recordUnchanged(target, calls, openInstallRecord(directories));
  else {
    for (const dialect of dialectsOf(host)) forgetHeartbeats(dialect, directories.data);
  }
  if (flags.trust) await trust(target, place);
  for (const line of remarks(target, events, flags.trust ?? false)) await print(line);
  for (const text of sharedRuns(host, place)) await print(`note: ${text}`);
  for (const line of server === undefined
    ? []
    : serverNotes(server, { hooksFile: policy.hooksFile, guardsStay }, directories))
    await print(line);
  if (note !== undefined) await print(`note: ${note}`);
  for (const line of scope === "project" ? repositoryNote(place.project) : []) await print(line);
  if (hint !== undefined && plans.length > 0) await print(hint);
  const muted = [
    ...mutedBySettings(target.files, place),
    ...voidedEntries(target.path, target.file, dialect, target.files),
  ];
  for (const reason of muted) printError(`${host}: registered, but the host runs no hook of hooksh: ${reason}`);
  return muted.length === 0 ? EXIT_CODES.ok : EXIT_CODES.failed;
}

interface PolicyContext {
  host: HostId;
  project: string;
  directories: Directories;
  signal: AbortSignal;
}

/**
 * Loads the hooks and rules to register, with the ready-made sets that the user names, or chooses when a host gets hooksh
 * for the first time and no rules are in force. Without a terminal, `hint` names the sets.
 */
async function policyWithSets(
  flags: CommandInput<typeof FLAGS>["flags"],
  { host, project, directories, signal }: PolicyContext,
): Promise<{ policy: Policy; rulePlans: FilePlan[]; hint?: string }> {
  const { askForSets, namedSets, planRules, setsHint } = await import("../hosts/registration/rule-choice.ts");
  const named = namedSets(flags.rules);
  const file = flags.file === undefined ? undefined : resolve(project, flags.file);
  // Sets may be the first content of a hooks file.
  const isNew = named.length > 0 && file !== undefined && !existsSync(file);
  const loaded = await loadPolicy(isNew ? undefined : file, directories, project);
  const mayAsk = isInteractive() && !flags.yes && !flags["dry-run"];
  const isOpen = named.length === 0 && loaded.rules.length === 0;
  const isFirst = installedFiles(host, [project], directories).length === 0;
  const sets = isOpen && mayAsk && isFirst ? await askForSets(signal) : named;
  if (sets.length === 0) return { policy: loaded, rulePlans: [], ...(isOpen && !mayAsk ? { hint: setsHint() } : {}) };
  const { plans, events } = await planRules(sets, file, directories);
  const policy = { ...loaded, ...(file === undefined ? {} : { hooksFile: file }), events: loaded.events.union(events) };
  return { policy, rulePlans: plans };
}

/** Reads `--deadline`. Throws a {@link UsageError} for a time at which the host no longer waits. */
function deadlineFor({ host, files }: InstallTarget, text: string): number {
  const { seconds } = files.timeout;
  const longest = longestWait(seconds);
  if (/^\d{1,4}$/.test(text) && Number(text) >= 2 && Number(text) <= longest) return Number(text);
  throw new UsageError(
    `--deadline takes whole seconds from 2 to ${longest}, because ${host} waits ${seconds} s; not ${JSON.stringify(text)}`,
  );
}

/** True for hooks that keep secrets from the model by changing results alone. */
function onlyRedacts(events: ReadonlySet<EventName>): boolean {
  const guards = ["pre_tool_use", "tool_guard", "permission_request"] as const;
  return events.has("tool_response_transform") && !guards.some((event) => events.has(event));
}

/** Stores trust in the hooks as Codex's own /hooks does. Only what the user asked for with --trust is trusted. */
async function trust({ host }: InstallTarget, place: HostPlace): Promise<void> {
  const { findCodex, trustCodexHooks } = await import("../hosts/registration/codex-app-server.ts");
  const codex = findCodex();
  if (!codex) throw new UserError(`${host}: the hooks are not trusted: codex is not on PATH; type /hooks in Codex`);
  const trusted = await trustCodexHooks(codex, place.project);
  const [problem] = await (await import("../hosts/registration/codex-trust.ts")).codexTrustProblems(place);
  if (problem !== undefined) throw new UserError(problem);
  const events = trusted.map(({ event }) => event).join(", ");
  await print(events === "" ? "Codex trusts these hooks" : `Codex now trusts: ${events}`);
}

/** Returns what the user has to know or do before the host runs the hooks. */
function remarks({ files, file }: InstallTarget, events: readonly string[], isTrusted: boolean): string[] {
  // A project has to be trusted too, which only its user can do.
  const trust =
    isTrusted && file.scope === "user" ? undefined : files.trust?.[file.scope === "local" ? "project" : file.scope];
  return [...(trust === undefined ? [] : [trust]), ...notesFor(files, new Set(events))].map((text) => `note: ${text}`);
}

/** Says how to start what the entries ask. */
function serverNotes(
  server: string,
  { hooksFile, guardsStay }: { hooksFile: string | undefined; guardsStay: boolean },
  { data }: Directories,
): string[] {
  const serve = ["hooksh", "serve", "--port", new URL(server).port];
  if (guardsStay) serve.push("--guards-stay");
  if (hooksFile !== undefined) serve.push("--hooks-file", hooksFile);
  return [
    `note: keep this server running, or every guarded call is denied: ${serve.map(quoteWord).join(" ")}`,
    `note: start the agent with the server's token: ${TOKEN_VARIABLE}=$(cat ${quoteWord(join(data, "serve.token"))}) claude`,
  ];
}

/** Most agents are started at the root of a repository and read no configuration of its folders. */
function repositoryNote(project: string): string[] {
  const root = repositoryRoot(project);
  if (root === undefined || root === project) return [];
  return [
    `note: ${project} is a folder of the repository ${root}; an agent that is started there may not read this file`,
  ];
}

/** The folders in which `dispatch` is to keep what the agent sends; absolute, for it runs elsewhere. */
function keptIn(flags: CommandInput<typeof FLAGS>["flags"]): Record<string, string> {
  const given = (["capture", "record-events"] as const).flatMap((name) => {
    const dir = flags[name];
    return dir === undefined ? [] : [[name, resolve(dir)] as const];
  });
  return Object.fromEntries(given);
}
