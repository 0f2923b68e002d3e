import { dialectProblem } from "../../dialects/script-events.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import { nearestName } from "../../lib/text/nearest.ts";
import { contractOf, EVENT_NAMES, type EventName, isEventName, type Lane } from "../../protocol/events.ts";
import type { Document, Path, Problem } from "../yaml/document.ts";
import type { EvaluatorUse } from "./evaluator-policy.ts";
import { examplesProblems } from "./hook-examples.ts";
import { conditionProblem } from "./hook-filter.ts";
import { emptyKeys, GROUP_KEYS, HOOK_KEYS, readKeys } from "./hook-keys.ts";
import {
  asksForVerdict,
  checkType,
  type HookChecks,
  type HookDefinition,
  hookType,
  type NamedHook,
} from "./hook-types.ts";

export { asksForVerdict, type HookChecks, type HookDefinition, isHookFile, isOwnHook } from "./hook-types.ts";

/** What the failure of a hook does if its event does not decide that. */
export const ERROR_POLICIES = ["warn", "ignore", "block"] as const;

/** The modes of a hook: enforced by default; a hook that only observes runs, and its verdict has no effect. */
export const HOOK_MODES = ["enforce", "observe"] as const;

/** A configured hook with its event, the matcher and lane of its group, and where it is written. */
export interface HookEntry {
  event: EventName;
  /** The pattern on the tool name. Empty if every tool matches, and on events without matchers. */
  matcher: string;
  lane: Lane;
  hook: HookDefinition;
  /** The path of the hook in its document: `hooks.pre_tool_use[0].hooks[1]`. */
  path: Path;
  /** What an evaluator hook asks, and what follows from the answer. */
  evaluator?: EvaluatorUse;
  /** Set if hooksh itself added the hook. Runs do not report dispatches to such hooks alone. */
  implicit?: true;
  /** The absolute folder of the declaring file. Absent for a flag, a program and an agent from elsewhere. */
  directory?: string;
  /** The document in which `path` leads to the hook. Absent if no file declares the hook. */
  document?: Document;
  /** Where the hook is written: `hooks.yaml:4`, `--hook-stop`, `add_date: true`. Loads the parser that knows lines. */
  source: () => Promise<string>;
}

/** True if the hook is not asked about a call that an allow rule covers. */
export function yieldsToRules({ event, lane, hook }: Pick<HookEntry, "event" | "lane" | "hook">): boolean {
  return event === "pre_tool_use" && lane === "default" && asksForVerdict(hook);
}

/** The valid entries of a hooks block, and its problems. */
export interface HooksBlock {
  entries: Omit<HookEntry, "source" | "directory" | "document">[];
  problems: Problem[];
}

/** The name of a hook in messages: its `name`, else its command, else its type. */
export function displayName(hook: NamedHook & Pick<HookDefinition, "name">): string {
  return hook.name || hookType(hook.type)?.describe(hook) || hook.command || hook.type;
}

/** A hook definition with the given keys and the defaults of all others. */
export function defineHook(keys: Partial<HookDefinition> & { type: string }): HookDefinition {
  return { ...(emptyKeys(HOOK_KEYS) as HookDefinition), ...keys };
}

/**
 * Reads a hooks block: `{event: hooks or matcher groups}`. Never throws; lists every problem it finds. `path` is the
 * place of the block in its document.
 */
export function readHooks(value: unknown, path: Path, checks: HookChecks = {}): HooksBlock {
  const block: HooksBlock = { entries: [], problems: [] };
  if (value === null || value === undefined) return block;
  if (!isObject(value)) {
    block.problems.push({ path, message: "hooks must be a mapping of events" });
    return block;
  }
  const other = otherFile(value);
  for (const [event, configured] of Object.entries(other === undefined ? value : { [other]: value[other] })) {
    const at = [...path, event];
    if (event === UNKNOWN_TOOLS && path.length === 0) readUnknownTools(block, configured, at);
    else if (!isEventName(event))
      block.problems.push({ path: at, message: unknownEvent(event, configured), at: "key" });
    else if (configured !== null) readEvent(block, event, configured, at, checks);
  }
  return block;
}

/** The key of a hooks file, and of `settings`, for calls of tools that hooksh does not know. */
export const UNKNOWN_TOOLS = "unknown_tools";

/**
 * Reads `unknown_tools: allow|ask|deny` as the builtin of this name, so that the strictest of several files wins, as among
 * all hooks.
 */
export function readUnknownTools({ entries, problems }: HooksBlock, value: unknown, path: Path): void {
  if (value === "ask" || value === "deny") {
    const hook = defineHook({ type: "builtin", command: UNKNOWN_TOOLS, args: [value] });
    entries.push({ event: "pre_tool_use", matcher: "", lane: "default", hook, path, implicit: true });
  } else if (value !== "allow" && value !== null)
    problems.push({ path, message: `expected allow, ask or deny but got ${JSON.stringify(value)}` });
}

/** Returns the key that shows that a value is another kind of file. Its other keys are no events either. */
function otherFile(value: Readonly<Record<string, unknown>>): string | undefined {
  if ("agents" in value) return "agents";
  return isObject(value["hooks"]) && Object.keys(value["hooks"]).some(isEventOfClaude) ? "hooks" : undefined;
}

function unknownEvent(event: string, configured: unknown): string {
  if (event === "agents")
    return "unknown event: this is an agent file, which is given as the agent, not as a hooks file";
  if (event === "hooks" && isObject(configured) && Object.keys(configured).some(isEventOfClaude))
    return "unknown event: these are settings of Claude Code; `hooksh import claude` translates their hooks";
  if (event === "rules" || event === "sets")
    return `unknown event: ${event} belong at the top level of the file, next to the hooks, or in settings`;
  if (event === "hooks")
    return "unknown event: the file is already a hooks block; move the events one level up and remove this key";
  const snakeCase = inSnakeCase(event);
  if (isEventName(snakeCase)) return `unknown event: write ${snakeCase}`;
  const close = nearestEvent(event);
  return close === undefined
    ? "unknown event; docs/events.md lists the events"
    : `unknown event, did you mean ${close}?`;
}

/** True for a name such as `PreToolUse`, which Claude Code and agents like it use. */
function isEventOfClaude(name: string): boolean {
  return /^[A-Z]/.test(name) && isEventName(inSnakeCase(name));
}

/** The event whose name is closest to a mistyped one, or to one of another agent; undefined if none is close. */
export function nearestEvent(name: string): string | undefined {
  const written = inSnakeCase(name)
    .replace(/^before_(?=tool)/, "pre_")
    .replace(/^after_(?=tool)/, "post_");
  const withoutOn = written.replace(/^on_/, "");
  if (isEventName(withoutOn)) return withoutOn;
  return nearestName(written, EVENT_NAMES) ?? EVENT_NAMES.find((event) => event.endsWith(`_${written}`));
}

/** Turns `PreToolUse` and `preToolUse`, which other agents' files contain, into `pre_tool_use`. */
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
    const where: Place = { path: single ? at : [...at, index], printedPath: [...at, index] };
    if (matcher) readGroup(block, event, item, where, checks);
    else readHook(block, { event, matcher: "", lane: "default" }, item, where, checks);
  });
}

/** The path of a node in the document, and the one that messages print, where a single hook is item 0 of a list. */
interface Place {
  path: Path;
  printedPath: Path;
}

function readGroup(
  block: HooksBlock,
  event: EventName,
  item: Record<string, unknown>,
  { path, printedPath }: Place,
  checks: HookChecks,
): void {
  const report = reporter(block, { path, printedPath });
  const group = readKeys(GROUP_KEYS, item, report);
  if (!group) return;
  const detail = checks.matcher?.(group.matcher);
  if (detail !== undefined) report(`invalid matcher: ${detail}`, "matcher");
  if (group.preempt_yolo && !contractOf(event).preempt)
    report("preempt_yolo is only valid on pre_tool_use", "preempt_yolo");
  const hasMode = isOneOf(HOOK_MODES, group.mode);
  if (group.mode !== "" && !hasMode) report("mode must be enforce or observe", "mode");
  const hooks = group.hooks ?? [];
  const list: unknown[] = Array.isArray(hooks) ? hooks : [hooks];
  if (list.length === 0) return report("at least one hook is required");
  const target = { event, matcher: group.matcher, lane: group.preempt_yolo ? "preempt" : "default" } as const;
  list.forEach((hook, index) => {
    const below = Array.isArray(hooks) ? ["hooks", index] : ["hooks"];
    const where = { path: [...path, ...below], printedPath: [...printedPath, "hooks", index] };
    readHook(block, target, hook, where, checks, hasMode ? group.mode : "");
  });
}

type Target = Pick<HookEntry, "event" | "matcher" | "lane">;

/** Reads a hook that no document has, under the checks of one that a file declares. */
export function readOneHook(target: Target, item: unknown, checks: HookChecks): HooksBlock {
  const block: HooksBlock = { entries: [], problems: [] };
  readHook(block, target, item, { path: [], printedPath: [] }, checks);
  return block;
}

function readHook(
  block: HooksBlock,
  target: Target,
  item: unknown,
  where: Place,
  checks: HookChecks,
  groupMode = "",
): void {
  const report = reporter(block, where);
  if (!isObject(item)) return report("expected a hook, which is a mapping with a type");
  const read = readKeys(HOOK_KEYS, item, report);
  if (!read) return;
  for (const { message, path } of examplesProblems(read.examples, target.event)) {
    block.problems.push({ path: [...where.path, "examples", ...path], message, printedPath: where.printedPath });
  }
  const hook = { ...read, mode: read.mode || groupMode } as HookDefinition;
  const before = block.problems.length;
  checkHook(hook, target.event, report, checks);
  if (block.problems.length === before) block.entries.push({ ...target, hook, path: where.path });
}

/** Adds a problem at a key of a hook or group. With `level: "event"` the message names the event, not the hook. */
type ReportProblem = (message: string, key?: string | number, level?: "event") => void;

function checkHook(hook: HookDefinition, event: EventName, report: ReportProblem, checks: HookChecks): void {
  const contract = contractOf(event);
  for (const { message, key } of checkType(hook, checks, event)) report(message, key);
  const misplaced = hookType(hook.type)?.eventProblem?.(hook, event);
  if (misplaced !== undefined) report(misplaced, undefined, "event");
  if (hook.on_error !== "" && !isOneOf(ERROR_POLICIES, hook.on_error)) {
    report("on_error must be warn, ignore, or block", "on_error");
  }
  if (hook.on_error === "block" && !contract.canBlock)
    report("on_error block is not supported by this event", "on_error", "event");
  if (hook.other_exit_codes !== "" && hook.other_exit_codes !== "allow")
    report("other_exit_codes takes only allow", "other_exit_codes");
  const wrongIf = hook.if === "" ? undefined : conditionProblem(hook.if, event);
  if (wrongIf !== undefined) report(wrongIf, "if");
  const wrongDialect = hook.type === "command" ? dialectProblem(hook.dialect, event) : undefined;
  if (wrongDialect !== undefined) report(wrongDialect, "dialect");
  if (hook.mode !== "" && !isOneOf(HOOK_MODES, hook.mode)) report("mode must be enforce or observe", "mode");
  if (hook.timeout < 0) report("timeout must not be negative", "timeout");
  if (hook.rewrite && contract.rewrites === undefined)
    report(`rewrite is not supported by ${event}, whose input cannot be rewritten`, "rewrite");
}

function reporter(block: HooksBlock, { path, printedPath }: Place): ReportProblem {
  return (message, key, level) => {
    const event = printedPath.findIndex((part) => typeof part === "string" && isEventName(part));
    const at = key === undefined ? path : [...path, key];
    block.problems.push({
      path: at,
      message,
      printedPath: level === "event" ? printedPath.slice(0, event + 1) : printedPath,
    });
  };
}

function isOneOf<const T extends readonly string[]>(list: T, value: string): value is T[number] {
  return list.includes(value);
}

/**
 * Returns the same text for two hooks that are duplicates. Equal hooks of two files are, unless they depend on the folder
 * of their file or its evaluators. Examples do not count.
 */
export function hookIdentity({ hook, directory, evaluator }: HookEntry): string {
  const text = canonicalJson({ ...hook, examples: undefined, asks: evaluator });
  return /hook_dir/i.test(text) ? `${directory ?? ""}\0${text}` : text;
}
