import { ruleArgumentOf } from "../../tools/tool-names.ts";
import { builtInToolFor } from "../toolsets/built-in-tools.ts";

/** A permission rule as other agents write it: `Bash(rm:*)`, `Read(./secrets/**)`. */
export interface ForeignForm {
  /** The tool, by its name in hooksh. */
  tool: string;
  /** The equivalent rule of hooksh. */
  rule: string;
}

/** Parses `Tool(condition)`. Returns undefined for any other text. */
export function foreignForm(text: string): ForeignForm | undefined {
  const [, name = "", inside = ""] = /^\s*([A-Za-z_]\w*)\(([^]*)\)\s*$/.exec(text) ?? [];
  if (name === "") return undefined;
  const tool = builtInToolFor(name) ?? name;
  const condition = inside.replace(/:\*$/, " *").trim();
  if (condition === "" || condition === "*") return { tool, rule: tool };
  return { tool, rule: `${tool}:${ruleArgumentOf(tool) ?? "argument"}=${condition}` };
}

/** {@link foreignForm} for a matcher, in which parentheses may also group parts of names. */
export function foreignMatcher(text: string): ForeignForm | undefined {
  const inside = /^\s*\w+\(([^]*)\)\s*$/.exec(text)?.[1];
  if (inside === undefined || inside.startsWith("?")) return undefined;
  const form = foreignForm(text);
  // These do not occur in tool names, unlike the characters in a group such as read(_file|_lines).
  const isCondition = /[\s/:]|^\*|\*\*/.test(inside);
  const isProgram =
    /^[A-Za-z][\w.-]*$/.test(inside) && form !== undefined && builtInToolFor(/\w+/.exec(text)?.[0] ?? "") !== undefined;
  return isCondition || isProgram ? form : undefined;
}

/** Splits a comma-separated list of tool names or rules. Returns undefined for any other text. */
export function commaList(text: string): string[] | undefined {
  const items = text.split(/,(?![^(]*\))/).map((item) => item.trim());
  return items.length > 1 && items.every((item) => /^[\w*?:.-]+(?:\([^]*\))?$/.test(item)) ? items : undefined;
}
