import { ConfigError, errorText } from "../../lib/errors.ts";
import { contractOf, type EventName, type Lane } from "../../protocol/events.ts";
import { checkModelHook, type ShapeRegistry } from "../../protocol/shapes.ts";
import { type Document, parseDocument, pathText, renderProblems, sourceOf } from "../yaml/document.ts";
import { HOOK_CHECKS } from "./hook-checks.ts";
import { type AgentDefaults, asHooksDocument, impliedHooks } from "./hook-sources.ts";
import { defineHook, type HookChecks, type HookDefinition, type HookEntry, readHooks } from "./read-hooks.ts";

/** What a hooks block is read against. */
export interface ParseHooksOptions {
  /** Knows hook types and builtins beyond those that hooksh ships; a `Registry` fits. */
  registry?: { lookup: (type: string) => unknown; lookupBuiltin: (name: string) => unknown };
  /** Knows the response shapes that model hooks may name. */
  shapes?: ShapeRegistry;
  /** What the block is called in messages; without it `hooks`. */
  file?: string;
  /** The folder that `${hook_dir}` and `HOOKSH_HOOK_DIR` name in these hooks; absolute. Without it they have none. */
  directory?: string;
}

/** Something wrong with a hooks block. */
export interface HookProblem {
  /** Where: `hooks.pre_tool_use[0].hooks[1]`; empty when the text is no YAML at all. */
  path: string;
  message: string;
}

/**
 * Reads a hooks block, `{event: hooks or matcher groups}`, as YAML or JSON text or as a value: what an executor is made
 * of. Throws a {@link ConfigError} with every problem in its place, and for a text without content.
 */
export async function parseHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookEntry[]> {
  const document = await documentOf(yamlOrObject, options);
  const { entries, problems } = readHooks(document.value, [], checksOf(options));
  const isText = typeof yamlOrObject === "string";
  if (problems.length > 0) {
    const lines = isText
      ? await renderProblems(document, problems)
      : problems.map(({ path, shown = path, message }) => `${pathText(["hooks", ...shown])}: ${message}`);
    throw new ConfigError(lines);
  }
  const place = (entry: Pick<HookEntry, "path">) =>
    isText ? sourceOf(document, entry.path) : Promise.resolve(pathText(["hooks", ...entry.path]));
  const folder = options.directory === undefined ? {} : { directory: options.directory };
  return entries.map((entry) => ({ ...entry, ...folder, source: () => place(entry) }));
}

/** Everything that is wrong with a hooks block; empty when it is sound. Never throws. */
export async function validateHooks(yamlOrObject: unknown, options: ParseHooksOptions = {}): Promise<HookProblem[]> {
  let document: Document;
  try {
    document = await documentOf(yamlOrObject, options);
  } catch (error) {
    const messages = error instanceof ConfigError ? error.problems : [errorText(error)];
    return messages.map((message) => ({ path: "", message }));
  }
  const { problems } = readHooks(document.value, [], checksOf(options));
  return problems.map(({ path, shown = path, message }) => ({ path: pathText(["hooks", ...shown]), message }));
}

/** Several sets of hooks as one, in the order given; nothing is replaced. */
export function mergeHooks(...sets: readonly (readonly HookEntry[])[]): HookEntry[] {
  return sets.flat();
}

/** Where a hook stands that a program configures. */
export interface HookPlace {
  /** The tool-name pattern; only for the events of a tool call. */
  matcher?: string;
  lane?: Lane;
  /** Where messages say that it comes from (`program`). */
  source?: string;
  /** The folder that `${hook_dir}` and `HOOKSH_HOOK_DIR` name; absolute. */
  directory?: string;
}

/** One hook in its place, for programs that configure hooks without a file. */
export function hookEntry(
  event: EventName,
  hook: Partial<HookDefinition> & { type: string },
  { matcher = "", lane = "default", source = "program", directory }: HookPlace = {},
): HookEntry {
  if (matcher !== "" && !contractOf(event).matcher)
    throw new ConfigError(`${event} takes no matcher: it concerns no tool`);
  const folder = directory === undefined ? {} : { directory };
  return { event, matcher, lane, hook: defineHook(hook), path: [], ...folder, source: async () => source };
}

/** The hooks of an agent with those that its keys and settings imply at the end. */
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
