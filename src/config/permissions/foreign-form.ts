import { ruleArgumentOf } from "../../tools/tool-names.ts";
import { builtInToolFor } from "../toolsets/built-in-tools.ts";

/** A permission rule in the form of other agents: `Bash(rm:*)`, `Read(./secrets/**)`. */
export interface ForeignForm {
  /** The tool that it concerns, by the name it has here. */
  tool: string;
  /** The rule that means the same here. */
  rule: string;
}

/** Takes a text for a tool with a condition in brackets; undefined if it is not one. */
export function foreignForm(text: string): ForeignForm | undefined {
  const [, name = "", inside = ""] = /^\s*([A-Za-z_]\w*)\(([^]*)\)\s*$/.exec(text) ?? [];
  if (name === "") return undefined;
  const tool = builtInToolFor(name) ?? name;
  const condition = inside.replace(/:\*$/, " *").trim();
  if (condition === "" || condition === "*") return { tool, rule: tool };
  return { tool, rule: `${tool}:${ruleArgumentOf(tool) ?? "argument"}=${condition}` };
}

/** {@link foreignForm} for a matcher, where brackets can group parts of names. */
export function foreignMatcher(text: string): ForeignForm | undefined {
  const inside = /^\s*\w+\(([^]*)\)\s*$/.exec(text)?.[1];
  if (inside === undefined || inside.startsWith("?")) return undefined;
  const form = foreignForm(text);
  // No name of a tool holds these; a group such as read(_file|_lines) holds others.
  const isCondition = /[\s/:]|^\*|\*\*/.test(inside);
  const isProgram =
    /^[A-Za-z][\w.-]*$/.test(inside) && form !== undefined && builtInToolFor(/\w+/.exec(text)?.[0] ?? "") !== undefined;
  return isCondition || isProgram ? form : undefined;
}

/** The items of a list with commas; undefined for any other text. */
export function commaList(text: string): string[] | undefined {
  const items = text.split(/,(?![^(]*\))/).map((item) => item.trim());
  return items.length > 1 && items.every((item) => /^[\w*?:.-]+(?:\([^]*\))?$/.test(item)) ? items : undefined;
}
