import { isObject } from "../../lib/json.ts";
import { nearest } from "../../lib/text/nearest.ts";
import { contractOf, EVENT_NAMES, type EventName, isEventName, type Lane } from "../../protocol/events.ts";
import type { Document, Path, Problem } from "../yaml/document.ts";
import { emptyKeys, GROUP_KEYS, HOOK_KEYS, readKeys } from "./hook-keys.ts";
import { checkType, type HookChecks, type HookDefinition, hookType, judgesToolCalls } from "./hook-types.ts";

export { type HookChecks, type HookDefinition, isHookFile, isOwnHook, judgesToolCalls } from "./hook-types.ts";

/** What a failure of a hook leads to where its event does not decide. */
export const ERROR_POLICIES = ["warn", "ignore", "block"] as const;

/** A hook in its place: its event, its group's matcher and lane, and where it was written. */
export interface HookEntry {
  event: EventName;
  /** The tool-name pattern; empty on flat events and where every tool matches. */
  matcher: string;
  lane: Lane;
  hook: HookDefinition;
  /** Its path in the hooks block: `hooks.pre_tool_use[0].hooks[1]`. */
  path: Path;
  /** hooksh itself added it, for every agent or for what another hook remembers: a run does not report its dispatches. */
  implicit?: true;
  /** The folder of the file that declares it, absolute; absent where no file does (a flag, a program, an agent from elsewhere). */
  directory?: string;
  /** The document that declares it, in which `path` leads to it; absent where no file does. */
  document?: Document;
  /** Where it was written: `hooks.yaml:4`, `--hook-stop`, `add_date: true`. Reading a line loads a parser. */
  source: () => Promise<string>;
}

/** A hooks block read: the entries that are sound, and every problem. */
export interface HooksBlock {
  entries: Omit<HookEntry, "source" | "directory" | "document">[];
  problems: Problem[];
}

/** The display name of a hook, used in every message about it. */
export function displayName(hook: Pick<HookDefinition, "name" | "command" | "type">): string {
  return hook.name || hookType(hook.type)?.describe(hook) || hook.command || hook.type;
}

/** A hook definition from the keys that matter, with every other key at its default. */
export function defineHook(keys: Partial<HookDefinition> & { type: string }): HookDefinition {
  return { ...emptyKeys(HOOK_KEYS), ...keys };
}

/**
 * Reads a hooks block: `{event: hooks or matcher groups}`. Never throws; every problem found is listed. `path` is where
 * the block stands in its document.
 */
export function readHooks(value: unknown, path: Path, checks: HookChecks = {}): HooksBlock {
  const block: HooksBlock = { entries: [], problems: [] };
  if (value === null || value === undefined) return block;
  if (!isObject(value)) {
    block.problems.push({ path, message: "hooks must be a mapping of events" });
    return block;
  }
  for (const [event, configured] of Object.entries(value)) {
    const at = [...path, event];
    if (!isEventName(event)) block.problems.push({ path: at, message: unknownEvent(event), at: "key" });
    else if (configured !== null) readEvent(block, event, configured, at, checks);
  }
  return block;
}

/** Events of newer versions of the reference: a guard must never be ignored, so they are refused by name. */
const UNSUPPORTED = ["before_agent_run", "after_agent_complete", "skill_content_guard", "prompt_file_guard"];

function unknownEvent(event: string): string {
  if (UNSUPPORTED.includes(event)) return "unknown event: not supported by hooksh";
  if (event === "hooks")
    return "unknown event: this is a hooks block already; move the events under this key one level up";
  const snakeCase = inSnakeCase(event);
  if (isEventName(snakeCase)) return `unknown event: hooksh writes it ${snakeCase}`;
  const close = nearestEvent(event);
  return close === undefined ? "unknown event" : `unknown event, did you mean ${close}?`;
}

/** The event that a mistyped name most likely means. */
export function nearestEvent(name: string): string | undefined {
  return nearest(inSnakeCase(name), EVENT_NAMES);
}

/** As `PreToolUse` and `preToolUse` are written in other agents' files. */
function inSnakeCase(name: string): string {
  return name.replace(/(?<=[a-z])[A-Z]/g, "_$&").toLowerCase();
}

function readEvent(block: HooksBlock, event: EventName, configured: unknown, at: Path, checks: HookChecks): void {
  const { matcher } = contractOf(event);
  const list: unknown[] = Array.isArray(configured) ? configured : [configured];
  const single = !Array.isArray(configured);
  if (!list.every(isObject)) {
    const kind = matcher ? "a matcher or a list of matchers" : "a hook or a list of hooks";
    block.problems.push({ path: at, message: `hook event must be ${kind}` });
    return;
  }
  list.forEach((item, index) => {
    const place = single ? at : [...at, index];
    const shown = [...at, index];
    if (matcher) readGroup(block, event, item, { place, shown }, checks);
    else readHook(block, { event, matcher: "", lane: "default" }, item, { place, shown }, checks);
  });
}

/** Where a node really stands, and where messages say it stands: a single mapping is shown as a list of one. */
interface Place {
  place: Path;
  shown: Path;
}

function readGroup(
  block: HooksBlock,
  event: EventName,
  item: Record<string, unknown>,
  { place, shown }: Place,
  checks: HookChecks,
): void {
  const report = reporter(block, { place, shown });
  const group = readKeys(GROUP_KEYS, item, report);
  if (!group) return;
  const detail = checks.matcher?.(group.matcher);
  if (detail !== undefined) report(`invalid matcher: ${detail}`, "matcher");
  if (group.preempt_yolo && !contractOf(event).preempt)
    report("preempt_yolo is only valid on pre_tool_use", "preempt_yolo");
  const hooks = group.hooks ?? [];
  const list: unknown[] = Array.isArray(hooks) ? hooks : [hooks];
  if (list.length === 0) return report("at least one hook is required");
  const target = { event, matcher: group.matcher, lane: group.preempt_yolo ? "preempt" : "default" } as const;
  list.forEach((hook, index) => {
    const below = Array.isArray(hooks) ? ["hooks", index] : ["hooks"];
    readHook(block, target, hook, { place: [...place, ...below], shown: [...shown, "hooks", index] }, checks);
  });
}

type Target = Pick<HookEntry, "event" | "matcher" | "lane">;

function readHook(block: HooksBlock, target: Target, item: unknown, where: Place, checks: HookChecks): void {
  const report = reporter(block, where);
  if (!isObject(item)) return report("expected a hook: a mapping with a type");
  const hook = readKeys(HOOK_KEYS, item, report);
  if (!hook) return;
  const before = block.problems.length;
  checkHook(hook, target.event, report, checks);
  if (block.problems.length === before) block.entries.push({ ...target, hook, path: where.place });
}

/** Adds a problem at a key of the hook or group at hand; with `shown: "event"` it is shown as the event's. */
type Report = (message: string, key?: string | number, shown?: "event") => void;

function checkHook(hook: HookDefinition, event: EventName, report: Report, checks: HookChecks): void {
  const contract = contractOf(event);
  for (const { message, key } of checkType(hook, checks)) report(message, key);
  if (judgesToolCalls(hook) && contract.verdict === undefined) {
    report(
      `schema ${JSON.stringify(hook.schema)} requires an approval event, and ${event} gives no verdicts`,
      "schema",
    );
  }
  if (hook.on_error !== "" && !isOneOf(ERROR_POLICIES, hook.on_error)) {
    report("on_error must be warn, ignore, or block", "on_error");
  }
  if (hook.on_error === "block" && !contract.canBlock)
    report("on_error block is not supported by this event", "on_error", "event");
  if (hook.timeout < 0) report("timeout must not be negative", "timeout");
  if (hook.rewrite && contract.rewrites === undefined)
    report(`rewrite is not supported by ${event}: it rewrites nothing`, "rewrite");
}

function reporter(block: HooksBlock, { place, shown }: Place): Report {
  return (message, key, level) => {
    const event = shown.findIndex((part) => typeof part === "string" && isEventName(part));
    const path = key === undefined ? place : [...place, key];
    block.problems.push({ path, message, shown: level === "event" ? shown.slice(0, event + 1) : shown });
  };
}

function isOneOf<const T extends readonly string[]>(list: T, value: string): value is T[number] {
  return list.includes(value);
}
