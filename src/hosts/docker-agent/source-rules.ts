import * as v from "valibot";
import { checkPermissions } from "../../config/permissions/permission-rules.ts";
import { ProblemReport } from "../../config/yaml/problem-report.ts";
import type { Permissions } from "../../runtime/permissions/permissions.ts";

const rules = v.nullish(v.array(v.string()), []);
const RulesSchema = v.object({ allow: rules, ask: rules, deny: rules });

/** The permission rules of a session, and what is lost. */
export interface SourceRules {
  permissions: Permissions;
  /** The number of rules that let tools run without asking. They are not in `permissions`. */
  grants: number;
  losses: string[];
}

/**
 * Reads the `permissions` column of a session: JSON, or empty. Keeps what denies or asks; the user gives grants again, because
 * docker-agent's match the text of a command line and hooksh's match its commands. Throws an `Error` if it is no such
 * JSON.
 */
export function readSourceRules(json: unknown): SourceRules {
  const given: unknown = typeof json === "string" && json.trim() !== "" ? JSON.parse(json) : {};
  const { allow, ask, deny } = v.parse(RulesSchema, given);
  const losses = [...problemsOf("ask", ask), ...problemsOf("deny", deny)];
  const valid = (key: "ask" | "deny", list: readonly string[]) =>
    list.filter((rule) => problemsOf(key, [rule]).length === 0);
  return {
    permissions: { allow: [], ask: valid("ask", ask), deny: valid("deny", deny) },
    grants: allow.length,
    losses: losses.map((problem) => `a rule is not imported: ${problem}`),
  };
}

function problemsOf(key: "ask" | "deny", list: string[]): string[] {
  const report = new ProblemReport();
  checkPermissions({ [key]: list }, [], report);
  return report.problems.map(({ message }) => `${key} ${message}`);
}
