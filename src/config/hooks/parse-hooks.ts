import { ConfigError, errorText } from "../../lib/errors.ts";
import { contractOf, type EventName, type Lane } from "../../protocol/events.ts";
import { checkModelHook, type ShapeRegistry } from "../../protocol/reply-schemas.ts";
import { type Document, parseDocument, pathText, renderProblems, sourceOf } from "../yaml/document.ts";
import { HOOK_CHECKS } from "./hook-checks.ts";
import { type AgentDefaults, asHooksDocument, impliedHooks } from "./hook-sources.ts";
import { defineHook, type HookChecks, type HookDefinition, type HookEntry, readHooks } from "./read-hooks.ts";

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
}

/** A problem with a hooks block. */
export interface HookProblem {
  /** The place: `hooks.pre_tool_use[0].hooks[1]`. Empty if the text is not valid YAML. */
  path: string;
  message: string;
}

/**
 * Reads a hooks block, `{event: hooks or matcher groups}`, from YAML text, JSON text or a value, for an `Executor`.
 * Throws a {@link ConfigError} that lists every problem with its position, also for an empty text.
 */
export async function parseHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookEntry[]> {
  const document = await documentOf(yamlOrObject, options);
  const { entries, problems } = readHooks(document.value, [], checksOf(options));
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

/** Returns the problems of a hooks block; empty if it is valid. Never throws. */
export async function validateHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookProblem[]> {
  let document: Document;
  try {
    document = await documentOf(yamlOrObject, options);
  } catch (error) {
    const messages = error instanceof ConfigError ? error.problems : [errorText(error)];
    return messages.map((message) => ({ path: "", message }));
  }
  const { problems } = readHooks(document.value, [], checksOf(options));
  return problems.map(({ path, printedPath = path, message }) => ({
    path: pathText(["hooks", ...printedPath]),
    message,
  }));
}

/** Joins several lists of hooks. No hook replaces another. */
export function mergeHooks(...sets: readonly (readonly HookEntry[])[]): HookEntry[] {
  return sets.flat();
}

/** Matcher, lane and origin of a hook that a program configures. */
export interface HookPlace {
  /** The pattern on the tool name; only for events about tool calls. */
  matcher?: string;
  lane?: Lane;
  /** The origin of the hook in messages. Default: `program`. */
  source?: string;
  /** The absolute folder for `${hook_dir}` and `HOOKSH_HOOK_DIR`. */
  directory?: string;
}

/**
 * Returns one hook, for programs that configure hooks without a file. Throws a {@link ConfigError} for a useless
 * matcher.
 */
export function hookEntry(
  event: EventName,
  hook: Partial<HookDefinition> & { type: string },
  { matcher = "", lane = "default", source = "program", directory }: HookPlace = {},
): HookEntry {
  if (matcher !== "" && !contractOf(event).matcher)
    throw new ConfigError(`${event} takes no matcher: it is not about a tool call`);
  const folder = directory === undefined ? {} : { directory };
  return { event, matcher, lane, hook: defineHook(hook), path: [], ...folder, source: async () => source };
}

/** Appends the hooks that an agent's keys and the settings imply. */
export function applyAgentDefaults(
  hooks: readonly HookEntry[],
  defaults: AgentDefaults,
  settings: { snapshot?: boolean } = {},
): HookEntry[] {
  return [...hooks, ...impliedHooks(defaults, settings.snapshot ?? false)];
}

async function documentOf(yamlOrObject: unknown, { file = "hooks" }: ParseHooksOptions): Promise<Document> {
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
