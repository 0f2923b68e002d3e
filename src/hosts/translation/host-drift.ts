import { existsSync } from "node:fs";
import { type HookScript, scriptOfHook, scriptProblem } from "../../config/hooks/hook-script.ts";
import { loadUserHooks } from "../../config/hooks/hook-sources.ts";
import { defineHook, type HookEntry } from "../../config/hooks/read-hooks.ts";
import { eventsOfRules } from "../../config/rules/load-rules.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { readForeignHooks } from "../../dialects/translate/foreign-hook.ts";
import type { Directories } from "../../lib/env.ts";
import { type Help, UserError } from "../../lib/errors.ts";
import { isDeepEqual } from "../../lib/platform.ts";
import type { EventName } from "../../protocol/events.ts";
import { hostEntry } from "../registration/host-entry.ts";
import { registeredCalls } from "../registration/host-plan.ts";
import { callOf } from "../registration/json-entries.ts";
import { dialectOf } from "../registration/named-host.ts";
import { type DispatchCall, dispatchCall, hasGuardsStay, registeredPath } from "../registration/own-command.ts";
import { judgesTools, registrationFor } from "../registration/registration.ts";
import { registrationLosses } from "../registration/registration-loss.ts";
import { existingFiles, readForeignFile } from "./host-sources.ts";
import { type HostSources, type ImportedHook, importHooks, type ReportRow } from "./import-hooks.ts";
import { OWN_ENTRY } from "./map-hook.ts";

const REGISTRATION_DIFFERS: Help = {
  cause: "Someone changed the file of the agent or your hooks since `hooksh install`.",
  cure: "Run `hooksh install HOST` again; `hooksh diff HOST` shows the differences.",
};

/**
 * One difference. `lost`: what `install` registered was removed or changed since; `missing`: an event that hooks need is not registered; `changed`: a registration is not what install
 * writes; `unneeded`: no hook needs a registration; `broken`: an entry cannot work; `unknown`: a hook of the host that
 * the policy does not have; `twice`: the host runs a hook that the policy runs too.
 */
export interface Drift {
  kind: "lost" | "missing" | "changed" | "unneeded" | "broken" | "unknown" | "twice";
  /** `file:line:column`, or the host. */
  place: string;
  message: string;
}

/** The differences between the hooks and what one host has. */
export interface HostDrift {
  host: HostId;
  /** The hooks file that is compared; absent for the user's own hooks alone. */
  hooks_file?: string;
  /** The host has an entry of hooksh, or had one that `uninstall` did not remove. */
  registered: boolean;
  drift: Drift[];
}

export interface DriftContext {
  place: HostPlace;
  directories: Directories;
  /** The hooks file, absolute. Default: the one that the host's entries name. */
  hooksFile: string | undefined;
  warn: (message: string) => void;
}

/** An entry of hooksh in a host's file. */
interface Registered {
  place: string;
  event: string;
  call: DispatchCall;
  /** The keys of the entry; empty for an executable or a plugin. */
  entry: Readonly<Record<string, unknown>>;
  matcher: string | undefined;
}

/** Compares a host's files with the hooks. Reads only. */
export async function hostDrift(host: HostId, context: DriftContext): Promise<HostDrift> {
  const { sources, drift } = await readSources(host, context.place);
  const registered = sources.files
    .flatMap((file) => registrations(host, file))
    .map(({ call, ...rest }): Registered => {
      if (call.hooksFile === undefined) return { ...rest, call };
      return { ...rest, call: { ...call, hooksFile: registeredPath(call.hooksFile, context.place.project) } };
    });
  const hooksFile = context.hooksFile ?? registered.find(({ call }) => call.hooksFile !== undefined)?.call.hooksFile;
  const losses = registrationLosses(host, [context.place.project], context.directories);
  drift.push(
    ...losses.map(
      ({ path, message }): Drift => ({ kind: "lost", place: path, message: message.slice(path.length + 2) }),
    ),
  );
  const head = {
    host,
    ...(hooksFile === undefined ? {} : { hooks_file: hooksFile }),
    registered: registered.length > 0 || losses.length > 0,
  };
  drift.push(...registered.flatMap(brokenCall));
  const isGone = registered.length === 0 && losses.length > 0;
  if (isGone || (hooksFile !== undefined && !existsSync(hooksFile))) return { ...head, drift };
  const { entries, rules } = await loadUserHooks({
    directories: context.directories,
    warn: context.warn,
    hooksFiles: hooksFile === undefined ? [] : [hooksFile],
    cwd: context.place.project,
  });
  const used = new Set([...entries.map(({ event }) => event), ...eventsOfRules(rules)]);
  drift.push(...(await registrationDrift(host, registered, used, hooksFile)));
  drift.push(...(await foreignDrift(sources, entries, registered.length > 0, context.place)));
  return { ...head, drift };
}

async function readSources(host: HostId, place: HostPlace): Promise<{ sources: HostSources; drift: Drift[] }> {
  const files = [];
  const drift: Drift[] = [];
  for (const { row, path } of existingFiles(host, place)) {
    try {
      files.push(await readForeignFile(row, path, place));
    } catch (error) {
      if (!(error instanceof UserError)) throw error;
      const [, at = path, message = ""] = /^(.*?(?::\d+:\d+)?): (.*)$/s.exec(error.message) ?? [];
      drift.push({ kind: "broken", place: at, message });
    }
  }
  return { sources: { host, files }, drift };
}

function registrations(host: HostId, file: HostSources["files"][number]): Registered[] {
  const { row, path, source } = file;
  if (row.nesting === "module" || row.nesting === "file") {
    const place = source.place([]);
    return registeredCalls(host, row, path).map(({ event, call }) => ({
      place,
      event,
      call,
      entry: {},
      matcher: undefined,
    }));
  }
  return readForeignHooks(file, hostFiles(host)).hooks.flatMap(({ event, entry, matcher, place }) => {
    const call = callOf(entry, hostFiles(host).entry, host);
    return call ? [{ place, event, call, entry, matcher }] : [];
  });
}

function brokenCall({ place, event, call }: Registered): Drift[] {
  const [program = ""] = call.program;
  const missing = [
    ...(/[/\\]/.test(program) ? [program] : []),
    ...((call.hooksFile ?? "") ? [call.hooksFile ?? ""] : []),
  ];
  return missing
    .filter((path) => !existsSync(path))
    .map((path) => ({ kind: "broken", place, message: `${event}: ${path} does not exist` }));
}

async function registrationDrift(
  host: HostId,
  registered: readonly Registered[],
  configured: ReadonlySet<EventName>,
  hooksFile: string | undefined,
): Promise<Drift[]> {
  const files = hostFiles(host);
  const dialect = await dialectOf(host);
  const guardsStay = registered.some(({ call }) => hasGuardsStay(call));
  const used = new Set([...configured, ...(guardsStay ? (["pre_tool_use"] as const) : [])]);
  const { events } = registrationFor(dialect, files, used);
  const names = new Set(registered.map(({ event }) => event));
  const missing = events
    .filter((event) => !names.has(event))
    .map((event): Drift => ({ kind: "missing", place: host, message: `${event} is not registered` }));
  const others = registered.flatMap((one): Drift[] => {
    if (!events.includes(one.event))
      return [{ kind: "unneeded", place: one.place, message: `${one.event}: no hook or rule needs it` }];
    const bare = guardsStay && judgesTools(dialect, one.event) && !hasGuardsStay(one.call);
    return [...(bare ? ["--guards-stay is missing"] : []), ...changes(one, hooksFile, host, dialect)].map((change) => ({
      kind: "changed",
      place: one.place,
      message: `${one.event}: ${change}`,
    }));
  });
  return [...missing, ...others];
}

/** How an entry differs from what `install` writes. */
function changes(
  { event, call, entry, matcher }: Registered,
  hooksFile: string | undefined,
  host: HostId,
  dialect: Dialect,
): string[] {
  const files = hostFiles(host);
  const { program, directories, refusal, server } = call;
  const wanted = dispatchCall(dialect, files, {
    program,
    dialect: host,
    event,
    hooksFile,
    seconds: refusal?.seconds,
    server,
    ...(directories ? { directories } : {}),
    ...(hasGuardsStay(call) ? { switches: ["guards-stay"] as const } : {}),
  });
  const list: string[] = [];
  if (matcher !== undefined) list.push(`the matcher ${JSON.stringify(matcher)} keeps it from running for other calls`);
  if (call.event !== event) list.push(`it says --event ${call.event || "(none)"}`);
  if (server === undefined && call.hooksFile !== hooksFile)
    list.push(`it runs the hooks of ${call.hooksFile ?? "the user alone"}`);
  if (wanted.refusal && !refusal && process.platform !== "win32")
    list.push("it does not refuse if hooksh gives no answer; run hooksh install again");
  else if (call.deadline !== wanted.deadline)
    list.push(`--deadline is ${call.deadline ?? "missing"}, and install writes ${wanted.deadline ?? "none"}`);
  if (Object.keys(entry).length === 0) return list;
  const expected = hostEntry(files, wanted, process.platform).entry;
  for (const key of new Set([...Object.keys(expected), ...Object.keys(entry)])) {
    if (isCommandKey(key, host) || key === files.entry.matcher || isDeepEqual(entry[key], expected[key])) continue;
    list.push(`${key} is ${shown(entry[key])}, and install writes ${shown(expected[key])}`);
  }
  return list;
}

changes.help = REGISTRATION_DIFFERS;

function isCommandKey(key: string, host: HostId): boolean {
  const { command, commandOnWindows = [], otherCommands = [] } = hostFiles(host).entry;
  return [command, commandOnWindows, ...otherCommands].some(([first]) => first === key);
}

function shown(value: unknown): string {
  return value === undefined ? "nothing" : JSON.stringify(value);
}

/** Hooks of the host that are not hooksh's: those that the policy does not have, and those that it has too. */
async function foreignDrift(
  sources: HostSources,
  entries: readonly HookEntry[],
  isRegistered: boolean,
  place: HostPlace,
): Promise<Drift[]> {
  const { hooks, rows } = await importHooks([sources], place);
  const drift = hooks.flatMap((hook): Drift[] => {
    const text = JSON.stringify(hook.hook.command);
    const problem = missingScript(hook, place);
    const broken: Drift[] = problem === undefined ? [] : [{ kind: "broken", place: hook.place, message: problem }];
    if (!entries.some((entry) => isSameHook(entry, hook)))
      return [
        ...broken,
        { kind: "unknown", place: hook.place, message: `${hook.event} ${text}: hooksh does not have it` },
      ];
    if (!isRegistered) return broken;
    return [...broken, { kind: "twice", place: hook.place, message: `${hook.event} ${text}: hooksh runs it too` }];
  });
  const others = rows.filter(({ status, remarks }) => status === "unmapped" && !remarks.includes(OWN_ENTRY));
  return [...drift, ...others.map(unmappedDrift)];
}

function unmappedDrift({ place, host_event: event, command, remarks }: ReportRow): Drift {
  if (command === "") return { kind: "broken", place, message: remarks.join("; ") };
  const subject = [event, JSON.stringify(command)].filter(Boolean).join(" ");
  return { kind: "unknown", place, message: `${subject}: hooksh does not have it` };
}

function isSameHook({ event, hook }: HookEntry, other: ImportedHook): boolean {
  const { command, args = [], dialect } = other.hook;
  return event === other.event && hook.dialect === dialect && hook.command === command && isDeepEqual(hook.args, args);
}

function missingScript({ event, hook }: ImportedHook, { project, env }: HostPlace): string | undefined {
  const entry = {
    event,
    matcher: "",
    lane: "default",
    hook: defineHook(hook),
    path: [],
    source: async () => "",
  } as const;
  const script: HookScript | undefined = scriptOfHook(entry, { workingDir: project, env });
  return script && scriptProblem(script, env);
}
