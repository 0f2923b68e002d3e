import type { Tool, Toolset } from "./tool.ts";

/** The keys common to all toolsets that are applied after a toolset has been created. */
export interface ToolsetChoice {
  /** Keeps only these tools, by the name that the model sees or the name on their server. */
  tools?: readonly string[];
  /** Keeps only read-only tools. */
  readonly?: boolean;
  /** Replaces the toolset's instructions; its first `{ORIGINAL_INSTRUCTIONS}` is replaced by the original text. */
  instruction?: string;
}

const ORIGINAL = "{ORIGINAL_INSTRUCTIONS}";

/**
 * Applies the common keys of its entry to a toolset: keeps the chosen tools and replaces the instructions. Calls `warn`
 * for each name that is not a tool.
 */
export function applyToolsetOptions(toolset: Toolset, choice: ToolsetChoice, warn: (message: string) => void): Toolset {
  filterTools(toolset.tools, choice, warn);
  const { instructions, close, work, server } = toolset;
  // A function, because "$&" in a replacement text would have a special meaning.
  const text = choice.instruction?.replace(ORIGINAL, () => instructions ?? "") ?? instructions;
  return {
    get tools() {
      return filterTools(toolset.tools, choice, () => {}); // a server may have changed its tools
    },
    ...(text === undefined ? {} : { instructions: text }),
    ...(server ? { server } : {}),
    ...(work ? { work: () => work.call(toolset) } : {}),
    ...(close ? { close: () => close.call(toolset) } : {}),
  };
}

/** Returns the tools that the `tools` and `readonly` keys of an entry select. */
export function filterTools(tools: readonly Tool[], choice: ToolsetChoice, warn: (message: string) => void): Tool[] {
  const { tools: names, readonly = false } = choice;
  const isNamed = (tool: Tool, name: string) => tool.name === name || tool.bareName === name;
  for (const name of names ?? []) {
    if (tools.some((tool) => isNamed(tool, name))) continue;
    warn(`tools: ${JSON.stringify(name)} is not a tool of this toolset`);
  }
  const chosen = tools.filter((tool) => names?.some((name) => isNamed(tool, name)) ?? true);
  return chosen.filter((tool) => tool.readOnly || !readonly);
}
