import * as v from "valibot";
import { errorText } from "../../lib/errors.ts";
import { optional, sinceVersion, textList } from "../../lib/schema/keys.ts";
import { compilePattern } from "../../pattern/pattern.ts";
import { commandArgumentOf } from "../../tools/tool-names.ts";
import type { Path } from "../yaml/document.ts";
import type { ProblemReport } from "../yaml/problem-report.ts";
import { commaList, foreignForm } from "./foreign-form.ts";

/** Rules on tool calls, as a file writes them. */
export const PermissionsSchema = v.strictObject({
  allow: optional(textList),
  ask: sinceVersion(4, textList),
  deny: optional(textList),
});

/** Rules on tool calls as a file has them, checked. */
export type PermissionsConfig = v.InferOutput<typeof PermissionsSchema>;

/** Rules on tool calls with every list present. Source: config-and-cli 4.7. */
export interface PermissionRules {
  allow: readonly string[];
  ask: readonly string[];
  deny: readonly string[];
}

/** The rules of the agent file and of the user's settings as one set; the order does not matter. */
export function mergePermissions(...sets: (PermissionsConfig | undefined)[]): PermissionRules {
  const lists = (key: keyof PermissionRules) => [...new Set(sets.flatMap((set) => set?.[key] ?? []))];
  return { allow: lists("allow"), ask: lists("ask"), deny: lists("deny") };
}

/** Reports every rule that could not match what it seems to. */
export function checkPermissions(permissions: PermissionsConfig | undefined, path: Path, report: ProblemReport): void {
  for (const key of ["allow", "ask", "deny"] as const) {
    permissions?.[key]?.forEach((rule, index) => {
      const problem = ruleProblem(rule) ?? (key === "allow" ? lineProblem(rule) : undefined);
      if (problem) report.problem([...path, key, index], problem);
    });
  }
}

/** The parts of a rule: its tool, then its conditions. */
const partsOf = (rule: string) => rule.split(/:(?=\w+~?=)/);

/** What is wrong with a rule `tool-glob[:arg=glob|:arg~=expression]...`. */
function ruleProblem(rule: string): string | undefined {
  if (rule.trim() === "" || rule.startsWith(":")) return "expected a tool name, then :argument=value conditions";
  const shown = JSON.stringify(rule);
  const form = foreignForm(rule);
  if (form) return `${shown}: a rule is tool:argument=pattern, so write ${form.rule}`;
  const [name = "", ...conditions] = partsOf(rule);
  if (name.includes("="))
    return `${shown}: expected a tool name, then :argument=value, with arguments of letters, digits and _`;
  const names = commaList(name) ?? (/^[\w*?:.-]+(?:\|[\w*?:.-]+)+$/.test(name) ? name.split("|") : undefined);
  if (names) {
    const rules = names.map((each) => foreignForm(each)?.rule ?? [each, ...conditions].join(":"));
    return `${shown}: a rule names one tool, so write a rule for each: ${rules.join(" and ")}`;
  }
  if (/[\s()]/.test(name)) return `${shown}: no tool has such a name; expected a tool name, then :argument=value`;
  return (
    globProblem(name, shown) ?? conditions.map((condition) => conditionProblem(name, condition, shown)).find(Boolean)
  );
}

/** What is wrong with the wildcards of a glob. */
function globProblem(glob: string, shown: string): string | undefined {
  const chars = [...glob];
  for (let at = 0; at < chars.length; at++) {
    if (chars[at] === "\\") {
      if (++at === chars.length) return `${shown} ends in a backslash`;
    } else if (chars[at] === "[") {
      const first = at + (chars[at + 1] === "^" || chars[at + 1] === "!" ? 2 : 1);
      const end = chars.indexOf("]", first + 1);
      if (end < 0) return `${shown} has a [ that is never closed; write \\[ for the character itself`;
      at = end;
    }
  }
  return undefined;
}

/** A condition on an argument that no call has would leave a deny rule without effect. */
function conditionProblem(name: string, condition: string, shown: string): string | undefined {
  if (commandArgumentOf(name) !== undefined && /^command~?=/.test(condition)) {
    return `${shown}: rules see the command line as cmd, also where a model calls it command`;
  }
  const expression = /^\w+~=([^]*)$/.exec(condition)?.[1];
  if (expression === undefined) return globProblem(condition.slice(condition.indexOf("=") + 1), shown);
  try {
    compilePattern(expression);
    return undefined;
  } catch (error) {
    return `${shown}: ${errorText(error)}`;
  }
}

/** A rule that allows covers single commands: one with a separator and wildcards would never cover anything. */
function lineProblem(rule: string): string | undefined {
  const [name = "", ...conditions] = partsOf(rule);
  const lines = conditions
    .filter((condition) => condition.startsWith("cmd="))
    .map((condition) => condition.slice("cmd=".length));
  const joins = (line: string) => /[;&|`\n]|\$\(/.test(line.replace(/\\[^]|'[^']*'|"[^"]*"/g, ""));
  const isLiteral = lines.every((line) => !/[*?[]/.test(line.replace(/\\[^]/g, "")));
  if (commandArgumentOf(name) === undefined || isLiteral || !lines.some(joins)) return undefined;
  return `${JSON.stringify(rule)}: a rule that allows covers single commands, so write a rule for each, or cmd~= and a regular expression for the whole line`;
}
