import type { PermissionsConfig } from "./agent-schema.ts";
import type { Path } from "./document.ts";
import type { Report } from "./report.ts";

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

/** Reports every rule that could not match what it seems to. Source: config-and-cli 2.5. */
export function checkPermissions(permissions: PermissionsConfig | undefined, path: Path, report: Report): void {
  for (const key of ["allow", "ask", "deny"] as const) {
    permissions?.[key]?.forEach((rule, index) => {
      const problem = ruleProblem(rule);
      if (problem) report.problem([...path, key, index], problem);
    });
  }
}

/** What is wrong with a rule `tool-glob[:arg=value-glob]...`. */
function ruleProblem(rule: string): string | undefined {
  if (rule.trim() === "" || rule.startsWith(":")) return "expected a tool name, then :argument=value conditions";
  const chars = [...rule];
  for (let at = 0; at < chars.length; at++) {
    if (chars[at] === "\\") {
      if (++at === chars.length) return `${JSON.stringify(rule)} ends in a backslash`;
    } else if (chars[at] === "[") {
      const first = at + (chars[at + 1] === "^" || chars[at + 1] === "!" ? 2 : 1);
      const end = chars.indexOf("]", first + 1);
      if (end < 0) return `${JSON.stringify(rule)} has a [ that is never closed; write \\[ for the character itself`;
      at = end;
    }
  }
  return conditionProblem(rule);
}

/** A condition that is not read as one, or on an argument that no call has, would leave a deny rule without effect. */
function conditionProblem(rule: string): string | undefined {
  const [name = "", ...conditions] = rule.split(/:(?=\w+=)/);
  if (name.includes("=")) {
    return `${JSON.stringify(rule)}: expected a tool name, then :argument=value, with arguments of letters, digits and _`;
  }
  const isShell = name === "shell" || name === "run_background_job";
  if (isShell && conditions.some((condition) => condition.startsWith("command="))) {
    return `${JSON.stringify(rule)}: rules see the command line as cmd, also where a model calls it command`;
  }
  return undefined;
}
