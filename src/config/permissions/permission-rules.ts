import * as v from "valibot";
import { errorText } from "../../lib/errors.ts";
import { optional, sinceVersion, textList } from "../../lib/schema/keys.ts";
import { compilePattern } from "../../pattern/pattern.ts";
import { commandArgumentOf, ruleArgumentOf } from "../../tools/tool-names.ts";
import type { Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import { commaList, foreignForm } from "./foreign-form.ts";

/** The `permissions` key: rules on tool calls. */
export const PermissionsSchema = v.strictObject({
  allow: optional(textList),
  ask: sinceVersion(4, textList),
  deny: optional(textList),
});

/** A checked `permissions` value. */
export type PermissionsConfig = v.InferOutput<typeof PermissionsSchema>;

/** Rules on tool calls; all lists are present. */
export interface PermissionRules {
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
}

/** Merges sets of rules, such as those of the agent file and the user's settings. Order does not matter. */
export function mergePermissions(...sets: (PermissionsConfig | undefined)[]): PermissionRules {
  const lists = (key: keyof PermissionRules) => [...new Set(sets.flatMap((set) => set?.[key] ?? []))];
  return { allow: lists("allow"), ask: lists("ask"), deny: lists("deny") };
}

/** Reports rules that are invalid or cannot match what they seem to. */
export function checkPermissions(permissions: PermissionsConfig | undefined, path: Path, report: ProblemReport): void {
  for (const key of ["allow", "ask", "deny"] as const) {
    permissions?.[key]?.forEach((rule, index) => {
      const problem = permissionProblem(key, rule);
      if (problem) report.problem([...path, key, index], problem);
    });
  }
}

/** Returns the problem with a rule of one of the lists; undefined if it is valid and can match. */
export function permissionProblem(key: keyof PermissionRules, rule: string): string | undefined {
  return ruleProblem(rule) ?? (key === "allow" ? lineProblem(rule) : undefined);
}

/** Returns the glob on tool names of a valid rule. */
export function toolGlobOf(rule: string): string {
  return partsOf(rule)[0] ?? "";
}

/** Splits a rule into its tool and its conditions. */
const partsOf = (rule: string) => rule.split(/:(?=\w+~?=)/);

/** Returns the problem with a rule `tool-glob[:arg=glob|:arg~=expression]...`. */
function ruleProblem(rule: string): string | undefined {
  if (rule.trim() === "" || rule.startsWith(":")) return "expected a tool name, then :argument=value conditions";
  const quoted = JSON.stringify(rule);
  const form = foreignForm(rule);
  if (form) return `${quoted}: a rule is tool:argument=pattern, so write ${form.rule}`;
  const [name = "", ...conditions] = partsOf(rule);
  if (name.includes("="))
    return `${quoted}: expected a tool name, then :argument=value, with arguments of letters, digits and _`;
  const names = commaList(name) ?? (/^[\w*?:.-]+(?:\|[\w*?:.-]+)+$/.test(name) ? name.split("|") : undefined);
  if (names) {
    const rules = names.map((each) => foreignForm(each)?.rule ?? [each, ...conditions].join(":"));
    return `${quoted}: a rule names one tool, so write a rule for each: ${rules.join(" and ")}`;
  }
  if (/[\s()]/.test(name)) {
    const [, tool = "shell", pattern] = /^(?:(\w+):\s*)?([^()]+)$/.exec(name) ?? [];
    const meant = pattern === undefined ? undefined : `${tool}:${ruleArgumentOf(tool) ?? "argument"}=${pattern}`;
    return `${quoted}: no tool has such a name; a rule is tool:argument=pattern${meant ? `, such as ${meant}` : ""}`;
  }
  return (
    globProblem(name, quoted) ?? conditions.map((condition) => conditionProblem(name, condition, quoted)).find(Boolean)
  );
}

/** Returns the problem with the wildcards of a glob. */
function globProblem(glob: string, quoted: string): string | undefined {
  const chars = [...glob];
  for (let at = 0; at < chars.length; at++) {
    if (chars[at] === "\\") {
      if (++at === chars.length) return `${quoted} ends in a backslash`;
    } else if (chars[at] === "[") {
      const first = at + (chars[at + 1] === "^" || chars[at + 1] === "!" ? 2 : 1);
      const end = chars.indexOf("]", first + 1);
      if (end < 0) return `${quoted} has a [ that is never closed; write \\[ for the character itself`;
      at = end;
    }
  }
  return undefined;
}

/** Returns the problem with a condition. One on an argument that no call has would make a deny rule ineffective. */
function conditionProblem(name: string, condition: string, quoted: string): string | undefined {
  if (commandArgumentOf(name) !== undefined && /^command~?=/.test(condition)) {
    return `${quoted}: write cmd instead of command; rules always see the command line as cmd`;
  }
  const expression = /^\w+~=([^]*)$/.exec(condition)?.[1];
  if (expression === undefined) return globProblem(condition.slice(condition.indexOf("=") + 1), quoted);
  try {
    compilePattern(expression);
    return undefined;
  } catch (error) {
    return `${quoted}: ${errorText(error)}`;
  }
}

/**
 * Reports an allow rule that matches nothing: such rules match single commands, so separators and wildcards exclude
 * each other.
 */
function lineProblem(rule: string): string | undefined {
  const [name = "", ...conditions] = partsOf(rule);
  const lines = conditions
    .filter((condition) => condition.startsWith("cmd="))
    .map((condition) => condition.slice("cmd=".length));
  const joins = (line: string) => /[;&|`\n]|\$\(/.test(line.replace(/\\[^]|'[^']*'|"[^"]*"/g, ""));
  const isLiteral = lines.every((line) => !/[*?[]/.test(line.replace(/\\[^]/g, "")));
  if (commandArgumentOf(name) === undefined || isLiteral || !lines.some(joins)) return undefined;
  return `${JSON.stringify(rule)}: an allow rule covers single commands; write one rule for each command, or cmd~= with a regular expression for the whole line`;
}
