import { conditionProblem, matcherProblem } from "../../config/hooks/hook-filter.ts";
import { foreignForm } from "../../config/permissions/foreign-form.ts";
import { builtInToolFor } from "../../config/toolsets/built-in-tools.ts";
import { isSameEvent } from "../../dialects/decode.ts";
import type { HostEvent } from "../../dialects/dialect.ts";
import type { HostFiles } from "../../dialects/host-file.ts";
import type { HostId } from "../../dialects/host-files.ts";
import type { ForeignHook } from "../../dialects/translate/foreign-hook.ts";
import { translateMatcher } from "../../dialects/translate/matcher.ts";
import type { Help } from "../../lib/errors.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import { readHttpEntry } from "../registration/http-entry.ts";
import { COMMAND_KEYS, commandOf, flatEntry } from "./hook-command.ts";
import { environmentOf, folderOf } from "./hook-surroundings.ts";
import { timeoutOf } from "./hook-timeout.ts";
import type { HookYaml, ImportedHost } from "./imported-host.ts";

const KEY_NOT_KEPT: Help = {
  cause: "hooksh has no such key.",
  cure: "Decide for each key whether the hook is still right without it. If a condition is lost (`if`, `commandRegex`, `patterns`, `once`), the hook now runs more often than before: test the condition at the start of its script. All other keys only changed when it ran or what was shown.",
};

const always =
  (text: string): Loss =>
  (value) =>
    value === false || value === null || value === "" ? undefined : text;
const nothing: Loss = () => undefined;

/** Keys of hosts' hooks that have no counterpart in hooksh. */
const LOST_KEYS: Readonly<Record<string, Loss>> = {
  if: (value) => `if ${JSON.stringify(value)} is not kept: the hook runs for every call that the matcher names`,
  commandRegex: (value) => `commandRegex ${JSON.stringify(value)} is not kept: the hook runs for every command`,
  patterns: (value) => `patterns ${JSON.stringify(value)} is not kept: the hook runs for every file`,
  once: always("once is not kept: the hook runs every time"),
  async: always("async is not kept: hooksh waits for the hook, and its answer counts"),
  asyncRewake: always("asyncRewake is not kept: hooksh waits for the hook"),
  statusMessage: always("statusMessage is not kept: hooksh shows none"),
  description: always("description is not kept: hooksh has only a name"),
  show_output: always("show_output is not kept: hooksh does not show what hooks print"),
  loop_limit: () => "loop_limit is not kept: hooksh ends a row of continuations itself",
  cache_ttl_seconds: (value) =>
    value === 0 ? undefined : "cache_ttl_seconds is not kept: hooksh runs the hook every time",
  only_when_turn_complete: always("only_when_turn_complete is not kept: the hook runs after each tool"),
  additionalContextLimit: () => "additionalContextLimit is not kept: hooksh has its own limit",
  confirm: always("confirm is not kept: hooksh does not ask before it runs a hook"),
  continueOnBlock: always("continueOnBlock is not kept"),
  max_output_size: () => "max_output_size is not kept: hooksh has its own limit",
  version: nothing,
  id: nothing,
};

/** A host's hook as a hook of hooksh, with losses and notes; or the reason why it cannot be mapped. */
export type Mapping =
  | { event: EventName; matcher: string; hook: HookYaml; losses: string[]; notes: string[] }
  | { problem: string };

interface MappedMatcher {
  matcher: string;
  losses: string[];
  notes: string[];
}

/** Turns a host's hook into one of hooksh. Never throws. */
export function mapHook(foreign: ForeignHook, host: ImportedHost): Mapping {
  const entry = flatEntry(foreign.entry);
  if (entry["enabled"] === false) return { problem: "it is disabled (enabled: false)" };
  if (readHttpEntry(entry)) return { problem: OWN_ENTRY };
  const kind = typeProblem(entry["type"]);
  if (kind !== undefined) return { problem: kind };
  const command = commandOf(entry, host.place.platform);
  if (!("problem" in command) && isOwnCommand(command.text)) return { problem: OWN_ENTRY };
  const target = eventOf(foreign, host);
  if ("problem" in target) return target;
  if (entry["if"] !== undefined && !contractOf(target.event).matcher)
    return { problem: `with "if" the host never runs it on ${foreign.event}` };
  if ("problem" in command) return command;
  const matcher = matcherOf(foreign, target, host);
  if ("problem" in matcher) return matcher;
  const timeout = timeoutOf(entry, { ...host, event: target.hostEvent, row: target.row });
  const folder = folderOf(foreign, entry, command.text, host);
  const policy = failurePolicy(entry, target.event, host.files);
  const env = environmentOf(foreign, entry, command);
  const condition = conditionOf(entry["if"], target.event);
  const isLenient =
    contractOf(target.event).failClosed === true && !policy.blocks && OTHER_CODES_RUN.has(host.dialect.name);
  const isOrdered = foreign.group["sequential"] === true && contractOf(target.event).rewrites !== undefined;
  const name = [entry["name"], foreign.name].find((text) => typeof text === "string" && text !== "");
  const hook: HookYaml = {
    type: "command",
    ...(typeof name === "string" ? { name } : {}),
    command: env.command,
    ...(command.args.length > 0 ? { args: command.args } : {}),
    dialect: host.dialect.name,
    ...(timeout.seconds === undefined ? {} : { timeout: timeout.seconds }),
    ...(Object.keys(env.variables).length > 0 ? { env: env.variables } : {}),
    ...(folder === undefined ? {} : { working_dir: folder }),
    ...(condition === undefined ? {} : { if: condition }),
    ...(policy.blocks ? { on_error: "block" } : {}),
    ...(isLenient ? { other_exit_codes: "allow" } : {}),
    ...(isOrdered ? { rewrite: true } : {}),
  };
  const losses = [
    ...target.losses,
    ...matcher.losses,
    ...command.losses,
    ...timeout.losses,
    ...env.losses,
    ...policy.losses,
    ...lostKeys(foreign, condition === undefined ? entry : { ...entry, if: undefined }, host, isOrdered),
    ...widenedVerdict(target.event, condition === undefined ? entry : { ...entry, if: undefined }, foreign),
  ];
  return { event: target.event, matcher: matcher.matcher, hook, losses, notes: matcher.notes };
}

/** Why an entry of `hooksh install` is not imported: as a hook it would start itself again. */
export const OWN_ENTRY = "it starts hooksh itself";

function isOwnCommand(text: string): boolean {
  return /\bhooksh(?:\.exe)?["']?\s+dispatch\b/.test(text);
}

/** The hosts in which a hook that ends with another exit code than 0 and 2 lets the call run. */
const OTHER_CODES_RUN: ReadonlySet<string> = new Set([
  "claude",
  "codex",
  "vscode",
  "cursor",
  "windsurf",
  "q",
  "droid",
  "qwen",
  "grok",
  "kimi",
  "goose",
  "crush",
  "openhands",
] satisfies HostId[]);

/**
 * The condition of a hook in hooksh's form. Undefined for one that has none: patterns of paths start at folders of the
 * host, and a guard must not miss a file for that.
 */
function conditionOf(written: unknown, event: EventName): string | undefined {
  if (typeof written !== "string") return undefined;
  const rule = foreignForm(written)?.rule ?? builtInToolFor(written.trim());
  const isKept = rule !== undefined && (!rule.includes(":") || rule.startsWith("shell:cmd="));
  return isKept && conditionProblem(rule, event) === undefined ? rule : undefined;
}

/** Conditions of hosts that keep a hook from seeing a call. */
const CONDITIONS = ["if", "commandRegex", "patterns"];

/** Without its condition, a hook may approve more than it did. */
function widenedVerdict(event: EventName, entry: ForeignHook["entry"], { group }: ForeignHook): string[] {
  const isLost = CONDITIONS.some((key) => entry[key] !== undefined || group[key] !== undefined);
  return isLost && contractOf(event).verdict !== undefined ? ["check that it approves no call that this excluded"] : [];
}

/** Why hooks of a type cannot be imported. */
const FOREIGN_TYPES: Readonly<Record<string, string>> = {
  http: "it posts to a URL; write a command that does this",
  mcp_tool: "it calls a tool of an MCP server; write a command that does this",
  prompt: "a model answers it; write a hook of type model",
  agent: "an agent answers it; write a hook of type model",
  askAgent: "an agent answers it; write a hook of type model",
  function: "it is a function inside the host, not a command",
};

function typeProblem(type: unknown): string | undefined {
  if (type === undefined || type === null || type === "command") return undefined;
  if (typeof type === "string" && !Object.hasOwn(FOREIGN_TYPES, type)) {
    // Vibe names the event so.
    return /^(pre|post|before|after)_/.test(type) ? undefined : `type ${JSON.stringify(type)} is unknown`;
  }
  return typeof type === "string" ? `type ${type}: ${FOREIGN_TYPES[type]}` : "its type is not a text";
}

/** An event of a host, and the one of hooksh that it becomes. */
interface Target {
  /** In the spelling of the payload. */
  hostEvent: string;
  row: HostEvent;
  event: EventName;
  losses: string[];
}

/** Maps a host's event to one of hooksh's, or returns why that is not possible. */
export function eventOf(
  { event: written }: ForeignHook,
  { dialect, rules, files }: ImportedHost,
): Target | { problem: string } {
  const renamed = rules.eventNames && Object.hasOwn(rules.eventNames, written) ? rules.eventNames[written] : undefined;
  const byFile = Object.entries(files.fileNames ?? {}).find(([, name]) => name === written)?.[0];
  const name = byFile ?? renamed ?? written;
  const isName = (known: string) => known === name || (rules.anyCase === true && isSameEvent(known, name));
  const hostEvent = Object.keys(dialect.events).find(isName);
  const row = hostEvent === undefined ? undefined : dialect.events[hostEvent];
  if (hostEvent === undefined || row === undefined)
    return { problem: `the host has no event ${JSON.stringify(written)}` };
  const event = row.is.at(-1);
  if (event === undefined) return { problem: `hooksh has no event like ${written}` };
  const losses = row.fixed?.["tool_error"] === true ? ["it now also runs after calls that succeeded"] : [];
  return { hostEvent, row, event, losses };
}

/** Events whose matcher the hosts ignore. */
const WITHOUT_MATCHER: ReadonlySet<EventName> = new Set(["user_prompt_submit", "stop"]);

function matcherOf(
  foreign: ForeignHook,
  target: Target,
  { dialect, rules }: ImportedHost,
): MappedMatcher | { problem: string } {
  const { matcher } = foreign;
  const quoted = JSON.stringify(matcher);
  const isFilter = matcher !== undefined && !rules.matcher.every.includes(matcher);
  if (!contractOf(target.event).matcher) {
    const lost = isFilter && !WITHOUT_MATCHER.has(target.event);
    return {
      matcher: "",
      notes: [],
      losses: lost ? [`matcher ${quoted} is not kept: the hook runs for every ${foreign.event}`] : [],
    };
  }
  const implied =
    rules.implied && Object.hasOwn(rules.implied, target.hostEvent) ? rules.implied[target.hostEvent] : undefined;
  if (!implied) {
    const translated = translateMatcher(matcher, rules.matcher, dialect.tools);
    if ("problem" in translated) return translated;
    const problem = matcherProblem(translated.matcher);
    if (problem !== undefined) return { problem: `matcher ${problem}` };
    const extra = isFilter && rules.matcherLoss !== undefined ? [rules.matcherLoss] : [];
    return { ...translated, losses: extra };
  }
  const losses = isFilter
    ? [
        `matcher ${quoted} filters ${implied.filters ?? "nothing"} and is not kept: the hook runs for every such call, so check what it approves`,
      ]
    : [];
  if (implied.sharedWith) losses.push(`hooksh runs it for ${implied.sharedWith} too, with the payload of that event`);
  return { matcher: implied.matcher, losses, notes: [] };
}

/** The values of fail-closed switches by key. */
const FAIL_CLOSED: Readonly<Record<string, unknown>> = {
  onFailure: "block",
  on_failure: "block",
  failClosed: true,
  failMode: "closed",
  strict: true,
};

function failurePolicy(
  entry: Readonly<Record<string, unknown>>,
  event: EventName,
  { failClosed }: HostFiles,
): { blocks: boolean; losses: string[] } {
  const key = Object.keys(FAIL_CLOSED).find((name) => entry[name] !== undefined && entry[name] === FAIL_CLOSED[name]);
  if (key === undefined) return { blocks: false, losses: [] };
  if (!contractOf(event).canBlock)
    return { blocks: false, losses: [`${key} is not kept: nothing can be blocked on ${event}`] };
  const isNew = key === "failMode" && failClosed === undefined;
  return { blocks: true, losses: isNew ? ["failMode now works: released versions of the host ignore it"] : [] };
}

/** Keys that the functions above read. */
const READ_KEYS: ReadonlySet<string> = new Set([
  ...COMMAND_KEYS,
  ...Object.keys(FAIL_CLOSED),
  "type",
  "name",
  "env",
  "cwd",
  "working_directory",
  "enabled",
  "action",
  "hooks",
]);

function lostKeys(
  foreign: ForeignHook,
  entry: Readonly<Record<string, unknown>>,
  { files, rules }: ImportedHost,
  isOrdered: boolean,
): string[] {
  const read = new Set([files.timeout.key, ...(rules.timeoutKeys ?? []), files.entry.event, files.entry.matcher]);
  const keys = { ...foreign.group, ...entry };
  return Object.entries(keys).flatMap(([key, value]) => {
    if (value === undefined || READ_KEYS.has(key) || read.has(key)) return [];
    if (key === "sequential")
      return value === true && !isOrdered ? ["sequential is not kept: hooksh starts these hooks at the same time"] : [];
    return lossOf(key, value) ?? [];
  });
}

/** Describes what is lost with a key of a host's hook; undefined if nothing is. */
type Loss = (value: unknown) => string | undefined;

/** Describes what is lost with a key that hooksh does not read. */
function lossOf(key: string, value: unknown): string | undefined {
  const loss = Object.hasOwn(LOST_KEYS, key) ? LOST_KEYS[key] : undefined;
  return loss ? loss(value) : `${key} is not kept: hooksh does not know it`;
}

lossOf.help = KEY_NOT_KEPT;
