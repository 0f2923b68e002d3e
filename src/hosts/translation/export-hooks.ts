import { dirname } from "node:path";
import type { HookDefinition, HookEntry } from "../../config/hooks/read-hooks.ts";
import { displayName } from "../../config/hooks/read-hooks.ts";
import { eventsOfRules, type PlacedRule } from "../../config/rules/load-rules.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { HOST_RULES } from "../../dialects/translate/host-rules.ts";
import { bridgePlugin } from "../registration/bridge-plugin.ts";
import { hostEntry } from "../registration/host-entry.ts";
import type { InstallTarget } from "../registration/host-plan.ts";
import { dialectOf } from "../registration/named-host.ts";
import type { DispatchCall } from "../registration/own-command.ts";
import { registrationFor } from "../registration/registration.ts";
import { wrapperScript } from "../registration/wrapper-script.ts";
import { type ExportTarget, type HostHook, hostEventsOf, hostHook } from "./export-entry.ts";
import { hostFileText } from "./export-text.ts";
import type { ReportRow } from "./import-hooks.ts";

/** The host's files as text, and a report on each hook. */
export interface ExportResult {
  /** With a name for each file only where the host has one for each event. */
  files: { name?: string; text: string }[];
  rows: ReportRow[];
  notes: string[];
}

/** Returns the command that is registered for an event of the host. */
export type CallOf = (event: string) => DispatchCall;

/**
 * Turns hooks into the configuration of a host: those that speak its dialect become its own entries, all others run
 * through `hooksh dispatch`. An event with both kinds runs through `hooksh dispatch` alone, which runs both.
 */
export async function exportHooks(
  entries: readonly HookEntry[],
  install: InstallTarget,
  place: HostPlace,
  callOf: CallOf,
  rules: readonly PlacedRule[] = [],
): Promise<ExportResult> {
  const { host } = install;
  const target = await exportTarget(host, install, place);
  const pascal = host === "copilot" ? await exportTarget("copilot-pascal", install, place) : target;
  const targetOf = ({ hook }: HookEntry) => (hook.dialect === "copilot-pascal" ? pascal : target);
  const others = entries.filter(({ hook }) => !isNative(hook, host));
  const { events: dispatched, gaps } = registrationFor(
    target.dialect,
    target.files,
    new Set([...others.map(({ event }) => event), ...eventsOfRules(rules)]),
  );
  const result: ExportResult = { files: [], rows: [], notes: [...gaps] };
  const planned = new Set(dispatched);
  const native = entries.filter(({ hook }) => isNative(hook, host));
  for (const event of crowded(native, target)) planned.add(event);
  const hooks: HostHook[] = [];
  for (const entry of entries) hooks.push(...(await exportEntry(result, entry, targetOf(entry), planned, host)));
  for (const rule of rules) result.rows.push(...(await ruleRows(rule, dispatched, target, host)));
  const calls = [...planned].map(callOf);
  result.files = textsOf(install, target, hooks, calls);
  return result;
}

async function exportTarget(host: HostId, { file, path }: InstallTarget, place: HostPlace): Promise<ExportTarget> {
  return {
    files: hostFiles(host),
    rules: HOST_RULES[host],
    dialect: await dialectOf(host),
    place,
    scope: file.scope,
    folder: dirname(path),
  };
}

/** Returns the report on a rule, which only `hooksh dispatch` can judge: a row for each of its events. */
async function ruleRows(
  { name, on, source }: PlacedRule,
  dispatched: readonly string[],
  { dialect }: ExportTarget,
  host: HostId,
): Promise<ReportRow[]> {
  const place = await source();
  return on.map((event): ReportRow => {
    const events = dispatched.filter((one) => dialect.events[one]?.is.includes(event));
    return {
      status: events.length === 0 ? "unmapped" : "mapped",
      host,
      place,
      host_event: events.join(", "),
      command: name,
      kind: "rule",
      event,
      remarks:
        events.length === 0 ? ["the host has no such event"] : events.map((one) => `through hooksh dispatch on ${one}`),
    };
  });
}

/** True if the hook is a script for this host. */
function isNative(hook: HookDefinition, host: HostId): boolean {
  return hook.dialect === host || (host === "copilot" && hook.dialect === "copilot-pascal");
}

/** Events with several hooks where the host runs one file for each event. */
function crowded(native: readonly HookEntry[], target: ExportTarget): string[] {
  if (target.files.files.every(({ nesting }) => nesting !== "file")) return [];
  const events = native.flatMap((entry) => hostEventsOf(entry, target));
  return events.filter((event, index) => events.indexOf(event) !== index);
}

async function exportEntry(
  result: ExportResult,
  entry: HookEntry,
  target: ExportTarget,
  planned: ReadonlySet<string>,
  host: HostId,
): Promise<HostHook[]> {
  const events = hostEventsOf(entry, target);
  const row = {
    host,
    place: await entry.source(),
    event: entry.event,
    matcher: entry.matcher,
    command: displayName(entry.hook),
  };
  const direct = isNative(entry.hook, host) ? events.filter((event) => !planned.has(event)) : [];
  const remarks: string[] = [];
  const hooks = direct.flatMap((event) => {
    const hook = hostHook(entry, event, target);
    if ("problem" in hook) remarks.push(hook.problem);
    else remarks.push(...hook.losses);
    return "problem" in hook ? [] : [hook];
  });
  const through = events.filter((event) => planned.has(event));
  const isLost = hooks.length === 0 && through.length === 0;
  if (isLost && remarks.length === 0) remarks.push("the host has no such event");
  const status = isLost ? "unmapped" : remarks.length > 0 ? "lossy" : "mapped";
  const notes = through.map((event) => `through hooksh dispatch on ${event}`);
  result.rows.push({ ...row, status, host_event: events.join(", "), remarks: [...remarks, ...notes] });
  return hooks;
}

function textsOf(
  { file, files, platform }: InstallTarget,
  { place }: ExportTarget,
  hooks: readonly HostHook[],
  calls: readonly DispatchCall[],
): ExportResult["files"] {
  if (file.nesting === "module") return calls.length === 0 ? [] : [{ text: bridgePlugin(calls) }];
  if (file.nesting === "file") {
    const nameOf = (event: string) => files.fileNames?.[event] ?? event;
    const scripts = hooks.map(({ event, entry }) => ({
      name: nameOf(event),
      text: `#!/bin/sh\nexec ${String(entry["command"])}\n`,
    }));
    const own = calls.map((call) => ({ name: nameOf(call.event), text: wrapperScript(call, platform) }));
    return [...scripts, ...own];
  }
  const registered = calls.map((call): HostHook => {
    const { event, entry } = hostEntry(files, call, place.platform);
    return { event, entry: { ...entry }, matcher: undefined, group: {}, name: "", losses: [] };
  });
  return [{ text: hostFileText(files, file, [...hooks, ...registered]) }];
}
