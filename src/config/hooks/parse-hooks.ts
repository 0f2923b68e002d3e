import { isAbsolute } from "node:path";
import { ConfigError, errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { contractOf, type EventName, isEventName, type Lane, unknownEvent } from "../../protocol/events.ts";
import { checkModelHook, type ShapeRegistry } from "../../protocol/reply-schemas.ts";
import { checkRules, holdsRules, loadRules, type PlacedRule } from "../rules/load-rules.ts";
import { type Document, parseDocument, pathText, renderProblems, sourceOf } from "../yaml/document.ts";
import { HOOK_CHECKS } from "./hook-checks.ts";
import { checkOptions, type OptionTable, PLACE_KEYS, readKeys } from "./hook-keys.ts";
import { type AgentDefaults, asHooksDocument, impliedHooks, withoutRules } from "./hook-sources.ts";
import { type HookChecks, type HookDefinition, type HookEntry, readHooks, readOneHook } from "./read-hooks.ts";

/** Options of {@link parseHooks} and {@link validateHooks}. */
export interface ParseHooksOptions {
  /** Knows further hook types and builtins; usually a `Registry`. */
  registry?: { lookup: (type: string) => unknown; lookupBuiltin: (name: string) => unknown };
  /** The response shapes that model hooks may name. */
  shapes?: ShapeRegistry;
  /** The name of the block in messages. Default: `hooks`. */
  file?: string;
  /** The absolute folder for `${hook_dir}` and `HOOKSH_HOOK_DIR`. Without it neither has a value. */
  directory?: string;
  /** `apart`: {@link parseRules} reads the rules of the same text. Without it, rules are an error: they would be lost. */
  rules?: "apart";
}

const PARSE_KEYS = {
  registry: "object",
  shapes: "object",
  file: "text",
  directory: "text",
  rules: "text",
} as const satisfies Record<keyof ParseHooksOptions, OptionTable[string]>;

const AGENT_KEYS = {
  add_date: "flag",
  add_environment_info: "flag",
  add_prompt_files: "texts",
  add_prompt_files_depth: "whole",
  redact_secrets: "any",
} as const satisfies Record<keyof AgentDefaults, OptionTable[string]>;

/** A problem with a hooks block. */
export interface HookProblem {
  /** The place: `hooks.pre_tool_use[0].hooks[1]`. Empty if the text is not valid YAML. */
  path: string;
  message: string;
}

/**
 * Reads a hooks block, `{event: hooks or matcher groups}`, from YAML text, JSON text or a value, for an `Executor`.
 * Throws a {@link ConfigError} that lists every problem with its position, also for an empty text, and a `TypeError` on an
 * unknown option.
 */
export async function parseHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookEntry[]> {
  const document = await documentOf(yamlOrObject, options);
  if (holdsRules(document.value) && options.rules !== "apart")
    throw new ConfigError(
      `${document.file}: holds rules: read them with parseRules for the option rules of the Executor, and the hooks with { rules: "apart" }`,
    );
  const { entries, problems } = readHooks(withoutRules(document.value), [], checksOf(options));
  const isText = typeof yamlOrObject === "string";
  if (problems.length > 0) {
    const lines = isText
      ? await renderProblems(document, problems)
      : problems.map(({ path, printedPath = path, message }) => `${pathText(["hooks", ...printedPath])}: ${message}`);
    throw new ConfigError(lines);
  }
  const place = (entry: Pick<HookEntry, "path">) =>
    isText ? sourceOf(document, entry.path) : Promise.resolve(pathText(["hooks", ...entry.path]));
  const folder = options.directory === undefined ? {} : { directory: options.directory };
  return entries.map((entry) => ({ ...entry, ...folder, source: () => place(entry) }));
}

/**
 * Reads the `rules` and `sets` of a hooks file, from YAML text, JSON text or a value, for the option `rules` of an
 * `Executor`. Throws a {@link ConfigError} that lists every problem.
 */
export async function parseRules(
  yamlOrObject: unknown,
  options: Pick<ParseHooksOptions, "file" | "directory"> = {},
): Promise<PlacedRule[]> {
  const read = await documentOf(yamlOrObject, options);
  const document = options.directory === undefined ? read : { ...read, directory: options.directory };
  const rules = await loadRules({ document, path: [], value: document.value });
  if (typeof yamlOrObject === "string") return rules;
  return rules.map((rule) => ({ ...rule, source: async () => pathText(rule.path) }));
}

/** Returns the problems of a hooks block and its rules; empty if it is valid. Never throws. */
export async function validateHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookProblem[]> {
  let document: Document;
  try {
    document = await documentOf(yamlOrObject, options);
  } catch (error) {
    const messages = error instanceof ConfigError ? error.problems : [errorText(error)];
    return messages.map((message) => ({ path: "", message }));
  }
  const { problems } = readHooks(withoutRules(document.value), [], checksOf(options));
  const rules = await checkRules({ path: [], value: document.value });
  return [
    ...problems.map(({ path, printedPath = path, message }) => ({
      path: pathText(["hooks", ...printedPath]),
      message,
    })),
    ...rules.problems.map(({ path, printedPath = path, message }) => ({ path: pathText(printedPath), message })),
  ];
}

/** Joins several lists of hooks. No hook replaces another. */
export function mergeHooks(...sets: readonly (readonly HookEntry[])[]): HookEntry[] {
  return sets.flat();
}

/** Matcher, lane and origin of a hook that a program configures. */
export interface HookPlace extends Pick<ParseHooksOptions, "registry" | "shapes" | "directory"> {
  /** The pattern on the tool name; only for events about tool calls. */
  matcher?: string;
  lane?: Lane;
  /** The origin of the hook in messages. Default: `program`. */
  source?: string;
}

/**
 * Returns one hook, for programs that configure hooks without a file. Throws a {@link ConfigError} that lists every
 * problem with it, as {@link parseHooks} does.
 */
export function hookEntry(
  event: EventName,
  hook: Partial<HookDefinition> & { type: string },
  place: HookPlace = {},
): HookEntry {
  if (!isEventName(event)) throw new ConfigError(`hookEntry: ${unknownEvent(event)}`);
  const problems = placeProblems(event, place);
  const { matcher = "", lane = "default", source = "program", directory } = problems.length === 0 ? place : {};
  const target = { event, matcher, lane };
  const block = readOneHook(target, hook, checksOf(place));
  problems.push(...block.problems.map(({ message }) => message));
  const [entry] = block.entries;
  if (entry !== undefined && problems.length === 0)
    return { ...entry, ...(directory === undefined ? {} : { directory }), source: async () => source };
  const isOnlyUnknown = place.registry === undefined && readOneHook(target, hook, KNOWS_ALL).entries.length > 0;
  if (entry === undefined && isOnlyUnknown)
    problems.push("pass the registry of your own hook types and builtins as `registry`");
  throw new ConfigError(problems.map((problem) => `hookEntry ${event}: ${problem}`));
}

/** The checks under a registry that has every name. */
const KNOWS_ALL: HookChecks = { ...HOOK_CHECKS, knowsType: () => true, knowsBuiltin: () => true };

function placeProblems(event: EventName, place: HookPlace): string[] {
  if (!isObject(place)) return ["expected an object with `matcher`, `lane` or `source` as the third argument"];
  const problems: string[] = [];
  const keys = readKeys(PLACE_KEYS, place, (message) => problems.push(message));
  if (!keys) return problems;
  const { matcher, lane, directory } = keys;
  const contract = contractOf(event);
  const wrong = contract.matcher ? HOOK_CHECKS.matcher?.(matcher) : undefined;
  if (wrong !== undefined) problems.push(`invalid matcher: ${wrong}`);
  if (matcher !== "" && !contract.matcher) problems.push(`${event} takes no matcher: it is not about a tool call`);
  if (!["", "default", "preempt"].includes(lane)) problems.push("lane must be default or preempt");
  if (lane === "preempt" && !contract.preempt) problems.push("lane preempt is only valid on pre_tool_use");
  if (directory !== "" && !isAbsolute(directory)) problems.push("directory must be an absolute path");
  return problems;
}

/** Appends the hooks that an agent's keys and the settings imply. */
export function applyAgentDefaults(
  hooks: readonly HookEntry[],
  defaults: AgentDefaults,
  settings: { snapshot?: boolean } = {},
): HookEntry[] {
  checkOptions("applyAgentDefaults", AGENT_KEYS, defaults);
  checkOptions("applyAgentDefaults", { snapshot: "flag" }, settings);
  return [...hooks, ...impliedHooks(defaults, settings.snapshot ?? false)];
}

async function documentOf(yamlOrObject: unknown, options: ParseHooksOptions): Promise<Document> {
  checkOptions("hooks", PARSE_KEYS, options);
  const { file = "hooks" } = options;
  if (typeof yamlOrObject !== "string") return { file, text: "", value: yamlOrObject };
  return asHooksDocument(await parseDocument(yamlOrObject, file));
}

function checksOf({ registry, shapes }: ParseHooksOptions): HookChecks {
  return {
    ...HOOK_CHECKS,
    ...(shapes ? { model: (hook: HookDefinition) => checkModelHook(hook, shapes) } : {}),
    ...(registry
      ? {
          knowsType: (type: string) => registry.lookup(type) !== undefined,
          knowsBuiltin: (name: string) => registry.lookupBuiltin(name) !== undefined,
        }
      : {}),
  };
}
