import { relative, resolve } from "node:path";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import type { HostEvent } from "../../dialects/dialect.ts";
import type { HostScope } from "../../dialects/host-file.ts";
import { hostMatcher } from "../../dialects/translate/host-matcher.ts";
import { timeoutSeconds } from "../../engine/hook-policy.ts";
import { isInside } from "../../lib/files/paths.ts";
import { compileMatcher } from "../../pattern/pattern.ts";
import { contractOf } from "../../protocol/events.ts";
import { setAt } from "../registration/host-entry.ts";
import { shellLine } from "../registration/own-command.ts";
import { isRegistered } from "../registration/registration.ts";
import { commandEntry } from "./hook-command.ts";
import type { ImportedHost } from "./imported-host.ts";

/** A host for whose file hooks are written. */
export interface ExportTarget extends ImportedHost {
  scope: HostScope;
  /** The folder of the file. */
  folder: string;
}

/** A hook of hooksh in the keys of a host's file. */
export interface HostHook {
  /** In the host's spelling. */
  event: string;
  matcher: string | undefined;
  /** Keys of the group around it, where the host has groups. */
  group: Record<string, unknown>;
  entry: Record<string, unknown>;
  name: string;
  losses: string[];
}

/** Returns the events of the host on which a hook runs, in its spelling. */
export function hostEventsOf({ event, matcher }: HookEntry, { dialect, files, rules }: ExportTarget): string[] {
  const implied = Object.entries(rules.implied ?? {});
  const exact = implied.filter(([name, { matcher: own }]) => own === matcher && isEvent(dialect.events[name], event));
  if (exact.length > 0) return exact.map(([name]) => name);
  const rows = Object.entries(dialect.events).filter(
    ([name, row]) => isEvent(row, event) && row.fixed?.["tool_error"] !== true && isRegistered(name, files),
  );
  const general = rows.find(([name]) => !Object.hasOwn(rules.implied ?? {}, name));
  const about = rows.filter(([name]) => Object.hasOwn(rules.implied ?? {}, name));
  const matches = compileMatcher(matcher);
  const isAbout = (names: string) => matches(names.split("|").map((name) => name.replace(".*", "x:x")));
  const fitting = about.filter(([name]) => isAbout(rules.implied?.[name]?.matcher ?? ""));
  return [...(general ? [general] : []), ...fitting].map(([name]) => name);
}

function isEvent(row: HostEvent | undefined, event: HookEntry["event"]): boolean {
  return row?.is.includes(event) ?? false;
}

/** Writes a hook that speaks the host's dialect in the keys of its file. */
export function hostHook(entry: HookEntry, event: string, target: ExportTarget): HostHook | { problem: string } {
  const { rules, dialect, files } = target;
  const isAboutTools = contractOf(entry.event).matcher && !Object.hasOwn(rules.implied ?? {}, event);
  const matcher = isAboutTools ? hostMatcher(entry.matcher, rules.matcher, dialect.tools) : { matcher: undefined };
  if ("problem" in matcher) return matcher;
  const losses: string[] = [];
  const line = commandLine(entry, target, losses);
  const keys: Record<string, unknown> = { ...structuredClone(files.entry.fixed ?? {}) };
  if (files.entry.event !== undefined) keys[files.entry.event] = event;
  const nameKey = files.entry.name ?? rules.keeps?.name;
  const { name } = entry.hook;
  const isRequired = files.entry.event !== undefined;
  if (nameKey !== undefined) {
    if (name !== "" || isRequired) keys[nameKey] = name || `${event} hook`;
  } else if (name !== "" && !files.files.some(({ at }) => at.includes("*")))
    losses.push("name is not kept: the host has none");
  if ("program" in line) Object.assign(keys, { [rules.keeps?.program ?? "command"]: line.program, args: line.args });
  else {
    setAt(keys, commandPath(target), line.text);
    if (line.shell !== undefined) keys["shell"] = line.shell;
  }
  if (rules.keeps?.env && Object.keys(entry.hook.env).length > 0) keys["env"] = entry.hook.env;
  const folder = folderKey(entry, target);
  if (folder !== undefined && rules.keeps?.folder) keys[rules.keeps.folder] = folder;
  timeout(keys, entry, event, target, losses);
  failClosed(keys, entry, event, target, losses);
  if (entry.hook.if !== "") losses.push("if is not kept: the host runs the hook for every call that the matcher names");
  if (entry.hook.strict_output) losses.push("strict_output is not kept: the host decides how it reads answers");
  if (entry.hook.mode === "observe") losses.push("mode: observe is not kept: the host enforces the hook");
  if (entry.hook.examples) losses.push("examples are not kept: hooksh test runs them");
  const group = ordered(entry, target, losses);
  return { event, matcher: matcher.matcher, group, entry: keys, name, losses };
}

/** The path of the command in an entry; an executable named after its event is nothing but its command. */
function commandPath({ files, place }: ExportTarget): readonly string[] {
  const path = place.platform === "win32" ? (files.entry.commandOnWindows ?? files.entry.command) : files.entry.command;
  return path.length === 0 ? ["command"] : path;
}

type CommandLine = { text: string; shell?: unknown } | { program: string; args: unknown };

/** The command, including what the host has no keys for: variables, a directory, arguments, a shell. */
function commandLine(entry: HookEntry, target: ExportTarget, losses: string[]): CommandLine {
  const { hook, directory } = entry;
  const { keeps = {} } = target.rules;
  const expanded = (text: string) =>
    directory === undefined ? text : text.replace(/\$\{\s*hook_dir\s*\}/g, () => directory);
  const own = commandEntry(expanded(hook.command), hook.args.map(expanded));
  const program = String(own["command"]);
  const needsShell = setup(entry, target).length > 0;
  if (Array.isArray(own["args"])) {
    if (keeps.program && !needsShell) return { program, args: own["args"] };
    return {
      text: [...setup(entry, target), shellLine([program, ...own["args"].map(String)], target.place.platform)].join(""),
    };
  }
  if (own["shell"] !== undefined && keeps.shell)
    return { text: [...setup(entry, target), program].join(""), shell: own["shell"] };
  const text =
    own["shell"] !== undefined
      ? shellLine(hook.args, target.place.platform)
      : withArguments(expanded(hook.command), hook.args.map(expanded), target);
  if (needsShell && target.place.platform === "win32") losses.push("env and working_dir are written for a POSIX shell");
  return { text: [...setup(entry, target), text].join("") };
}

function withArguments(command: string, args: readonly string[], { place }: ExportTarget): string {
  return args.length === 0 ? command : shellLine(["sh", "-c", command, "sh", ...args], place.platform);
}

/** Shell commands that come first, for keys that the host does not have. */
function setup(entry: HookEntry, target: ExportTarget): string[] {
  const { keeps = {} } = target.rules;
  const variables = keeps.env ? [] : Object.entries(entry.hook.env);
  const folder = keeps.folder ? undefined : folderKey(entry, target);
  return [
    ...variables.map(([name, value]) => `export ${name}=${shellLine([value], "posix")}; `),
    ...(folder === undefined ? [] : [`cd ${/^[~$]/.test(folder) ? folder : shellLine([folder], "posix")} && `]),
  ];
}

/** The directory that the entry must name; none if the host starts its hooks there by default. */
function folderKey({ hook }: HookEntry, { rules, scope, place, folder }: ExportTarget): string | undefined {
  if (hook.working_dir === "") return undefined;
  const base = rules.startsIn?.[scope] === "file" ? folder : scope === "user" ? undefined : place.project;
  const path = /^[~$]/.test(hook.working_dir) ? hook.working_dir : resolve(place.project, hook.working_dir);
  if (path === base) return undefined;
  return rules.keeps?.folder && base !== undefined && isInside(path, base) ? relative(base, path) : path;
}

function timeout(
  keys: Record<string, unknown>,
  { hook }: HookEntry,
  event: string,
  { files, rules, dialect }: ExportTarget,
  losses: string[],
): void {
  const { key, unit, fixed, defaultSeconds } = files.timeout;
  const seconds = timeoutSeconds(hook);
  const usual = fixed?.[event] ?? dialect.events[event]?.timeoutSeconds ?? defaultSeconds;
  if (key === undefined || fixed?.[event] !== undefined) {
    if (hook.timeout !== 0 && seconds !== usual)
      losses.push(`timeout ${seconds} is not kept: the host waits ${usual} s`);
    return;
  }
  if (seconds === usual) return;
  const isMilliseconds = unit === "ms" || (rules.millisecondsFrom !== undefined && seconds >= rules.millisecondsFrom);
  keys[key] = isMilliseconds ? seconds * 1000 : seconds;
}

function failClosed(
  keys: Record<string, unknown>,
  { event, hook }: HookEntry,
  hostEvent: string,
  { files, rules }: ExportTarget,
  losses: string[],
): void {
  const blocks = hook.on_error === "block" || (contractOf(event).failClosed && hook.other_exit_codes !== "allow");
  if (!blocks) return;
  const own = files.failClosed;
  if (own?.events.includes(hostEvent)) keys[own.key] = own.value;
  else if (hook.on_error === "block" && rules.failClosed) keys[rules.failClosed.key] = rules.failClosed.value;
  else losses.push("a hook that fails lets the call run: the host has no switch for that");
}

function ordered({ hook }: HookEntry, { rules, files }: ExportTarget, losses: string[]): Record<string, unknown> {
  if (!hook.rewrite) return {};
  const isGrouped = files.files.some(({ nesting }) => nesting === "groups") && rules.keeps?.env === true;
  if (isGrouped) return { sequential: true };
  losses.push("rewrite is not kept: the host starts hooks at the same time");
  return {};
}
