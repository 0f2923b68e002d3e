import { basename } from "node:path";
import { setImmediate } from "node:timers/promises";
import type { HostFiles } from "../../dialects/host-file.ts";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { dialectRow } from "../../dialects/names.ts";
import { type ForeignFile, type ForeignHook, readForeignHooks } from "../../dialects/translate/foreign-hook.ts";
import { HOST_RULES } from "../../dialects/translate/host-rules.ts";
import { isObject } from "../../lib/json.ts";
import type { EventName } from "../../protocol/events.ts";
import { RULE_VERDICTS } from "../../rules/rule.ts";
import { quoteWord } from "../../shell/quote-word.ts";
import { registeredCalls } from "../registration/host-plan.ts";
import { executableProblem, nameAndEnding } from "./host-sources.ts";
import type { HookYaml, ImportedHost } from "./imported-host.ts";
import { mapHook, OWN_ENTRY } from "./map-hook.ts";

/** The report on one hook of a host. */
export interface ReportRow {
  status: "mapped" | "lossy" | "unmapped" | "duplicate";
  host: HostId;
  /** `file:line:column` in the host's file. */
  place: string;
  /** In the host's spelling; empty if the entry names none. */
  host_event: string;
  /** The command of the hook, or of its script; empty if it has none. */
  command: string;
  /** A rule, which `command` names. */
  kind?: "rule";
  event?: EventName;
  matcher?: string;
  /** What is lost, what changes, or why the hook is not mapped. */
  remarks: string[];
}

/** A hook for the YAML, and its place in the host's file. */
export interface ImportedHook {
  event: EventName;
  matcher: string;
  hook: HookYaml;
  place: string;
}

/** One hook of a host before its translation. */
export interface OriginalHook {
  /** The host whose file has it. */
  host: HostId;
  foreign: ForeignHook;
  imported: ImportedHost;
}

/** The hooks of hosts as hooks of hooksh, with a report row for each original. */
export interface ImportResult {
  hooks: ImportedHook[];
  originals: OriginalHook[];
  rows: ReportRow[];
  /** Facts about whole files, one sentence each, with their place. */
  notes: string[];
}

export interface HostSources {
  host: HostId;
  files: readonly ForeignFile[];
}

/** An import on its way: what was found so far, by everything but its dialect and by what it runs. */
interface Importing {
  result: ImportResult;
  found: Map<string, ImportedHook>;
  signal: AbortSignal | undefined;
}

/** Turns the hooks of several hosts' files into hooks of hooksh. Reads no file. Ends early when the signal aborts. */
export async function importHooks(
  sources: readonly HostSources[],
  place: HostPlace,
  signal?: AbortSignal,
): Promise<ImportResult> {
  const result: ImportResult = { hooks: [], originals: [], rows: [], notes: [] };
  const importing = { result, found: new Map(), signal };
  for (const { host, files } of sources) {
    for (const file of files) await importFile(importing, host, file, place);
  }
  return result;
}

export async function importedHost(host: HostId, place: HostPlace): Promise<ImportedHost> {
  const { dialect } = await dialectRow(host).load();
  return { files: hostFiles(host), rules: HOST_RULES[host], dialect, place };
}

/** Copilot CLI has two dialects: a hook on an event in Pascal case gets payloads of the second one. */
const PASCAL: Partial<Record<HostId, HostId>> = { copilot: "copilot-pascal" };
const CAMEL: Partial<Record<HostId, HostId>> = { "copilot-pascal": "copilot" };

/** The dialect that a hook of this event speaks. */
function speakerOf(host: HostId, event: string): HostId {
  return (/^[A-Z]/.test(event) ? PASCAL : CAMEL)[host] ?? host;
}

/** Hooks between two looks at the signal, which is delivered only while nothing else runs. */
const HOOKS_AT_ONCE = 256;

async function importFile(importing: Importing, host: HostId, file: ForeignFile, place: HostPlace): Promise<void> {
  const { result, signal } = importing;
  const files = hostFiles(host);
  const { source, row } = file;
  const isProgram = row.nesting === "module" || row.nesting === "file";
  if (isProgram && isOwnProgram(host, file)) return void result.rows.push(unmapped(host, source.place([]), OWN_ENTRY));
  if (row.nesting === "module") {
    const reason = "a plugin is a program inside the host and cannot be imported";
    return void result.rows.push({ ...unmapped(host, source.place([]), reason), command: basename(file.path) });
  }
  result.notes.push(...mutes(file, files), ...wrapped(file), ...ownRules(file));
  const { hooks, problems } = row.nesting === "file" ? executable(host, file) : readForeignHooks(file, files);
  for (const problem of problems) result.rows.push(unmapped(host, problem.place, problem.message));
  for (const [index, hook] of hooks.entries()) {
    if (index % HOOKS_AT_ONCE === 0) await setImmediate();
    if (signal?.aborted) return;
    const speaker = speakerOf(host, hook.event);
    const imported = await importedHost(speaker, place);
    result.originals.push({ host, foreign: hook, imported });
    importHook(importing, speaker, imported, hook);
  }
}

/** True for an executable or a plugin that `hooksh install` wrote. */
function isOwnProgram(host: HostId, { row, path }: ForeignFile): boolean {
  try {
    return registeredCalls(host, row, path).length > 0;
  } catch {
    return false; // not a text: another program
  }
}

function importHook({ result, found }: Importing, host: HostId, imported: ImportedHost, foreign: ForeignHook): void {
  const mapping = mapHook(foreign, imported);
  const { place, event: hostEvent } = foreign;
  const command = commandText(foreign);
  if ("problem" in mapping) {
    result.rows.push({ ...unmapped(host, place, mapping.problem), host_event: hostEvent, command });
    return;
  }
  const { event, matcher, hook, losses, notes } = mapping;
  const row = { host, place, host_event: hostEvent, command, event, matcher };
  // Hooks that differ in nothing but the dialect: one of them is enough, because hooksh runs it for every agent.
  const identity = JSON.stringify([event, matcher, { ...hook, dialect: "" }]);
  const same = found.get(identity);
  if (same) return void result.rows.push({ ...row, status: "duplicate", remarks: [duplicateOf(same, hook)] });
  const program = JSON.stringify([event, hook.command, hook.args, hook.working_dir]);
  const twin = found.get(program);
  if (twin) losses.push(`${twin.place} has the same command: both may run for one event`);
  const own = { event, matcher, hook, place };
  found.set(identity, own);
  if (!twin) found.set(program, own);
  result.hooks.push(own);
  result.rows.push({ ...row, status: losses.length > 0 ? "lossy" : "mapped", remarks: [...losses, ...notes] });
}

function duplicateOf({ place, hook: { dialect } }: ImportedHook, hook: HookYaml): string {
  const text = `the same hook as ${place}`;
  return dialect === hook.dialect ? text : `${text}, which speaks ${dialect}; hooksh runs it for every agent`;
}

function unmapped(host: HostId, place: string, remark: string): ReportRow {
  return { status: "unmapped", host, place, host_event: "", command: "", remarks: [remark] };
}

/** The command as the host has it, for the report. */
function commandText({ entry }: ForeignHook): string {
  const action = isObject(entry["action"]) ? entry["action"] : entry;
  const keys = ["command", "bash", "linux", "osx", "exec", "powershell", "windows", "url", "prompt", "tool"];
  const text = keys.map((key) => action[key]).find((value) => typeof value === "string");
  return typeof text === "string" ? text : "";
}

/** The program that starts a script, by file extension, for the host that decides by extension. */
const STARTERS: Readonly<Record<string, string>> = {
  ".py": "python3",
  ".ts": "bun",
  ".js": "node",
  ".sh": "sh",
  ".ps1": "pwsh -NoProfile -File",
};

/** An executable that is named after its event. */
function executable(
  host: HostId,
  { path, row, source }: ForeignFile,
): { hooks: ForeignHook[]; problems: { place: string; message: string }[] } {
  const [event, ending] = nameAndEnding(path);
  const starter = host === "cline-sdk" && Object.hasOwn(STARTERS, ending) ? STARTERS[ending] : undefined;
  const place = source.place([]);
  const problem = starter === undefined ? executableProblem(path) : undefined;
  if (problem !== undefined) return { hooks: [], problems: [{ place, message: problem }] };
  const command = [starter, quoteWord(path)].filter((word) => word !== undefined).join(" ");
  return {
    hooks: [{ event, matcher: undefined, entry: { command }, group: {}, scope: row.scope, path, place, at: [] }],
    problems: [],
  };
}

/** Warns about settings that keep the host from running its hooks, because the imported hooks do run. */
function mutes({ source, path }: ForeignFile, { mutes: settings }: HostFiles): string[] {
  const name = path.split(/[/\\]/).at(-1);
  return settings.flatMap(({ files: paths, key, value, effect }) => {
    const counts = paths.some((template) => template.endsWith(`/${name}`));
    const found = key.reduce<unknown>((inner, step) => (isObject(inner) ? inner[step] : undefined), source.value);
    if (!counts || value === undefined || found !== value) return [];
    return [
      `${source.place(key)}: ${key.join(".")} is ${JSON.stringify(value)}: ${effect} in the host, but the imported ones do`,
    ];
  });
}

/** Names rules of hooksh in a file of a host, which ignores them. */
function ownRules({ source }: ForeignFile): string[] {
  const rules = isObject(source.value) ? source.value["rules"] : undefined;
  const isOwn = (rule: unknown) =>
    isObject(rule) && ["include", ...RULE_VERDICTS].some((key) => Object.hasOwn(rule, key));
  return Array.isArray(rules) && rules.some(isOwn)
    ? [`${source.place(["rules"])}: rules of hooksh, which the host ignores: not imported; copy them to the hooks file`]
    : [];
}

function wrapped({ source, row }: ForeignFile): string[] {
  const isWrapped =
    row.at.length === 0 && row.nesting === "groups" && isObject(source.value) && isObject(source.value["hooks"]);
  return isWrapped
    ? [`${source.place(["hooks"])}: the host ignores events below "hooks" in this file, so these hooks never ran`]
    : [];
}
