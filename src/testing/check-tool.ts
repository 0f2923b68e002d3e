import { toolsOfAgent } from "../config/notices/known-tools.ts";
import { BUILT_IN_TOOLS, builtInToolFor } from "../config/toolsets/built-in-tools.ts";
import type { ProblemReport } from "../config/yaml/problem-report.ts";
import type { CompiledHook } from "../engine/match.ts";
import { nearest } from "../lib/text/nearest.ts";
import { literalNames } from "../pattern/matcher.ts";
import type { TestStep } from "./test-case.ts";
import type { TestHooks } from "./test-hooks.ts";

/**
 * Reports a tool name that looks mistyped: it is not a tool of hooksh or of the agent, nor one that a matcher names, and
 * close to one of those, or the name of such a tool in another agent.
 */
export function checkTool(
  { payload, path }: TestStep,
  { agent }: TestHooks,
  hooks: readonly CompiledHook[],
  report: ProblemReport,
): void {
  const tool = payload["tool_name"];
  if (typeof tool !== "string") return;
  const known = new Set([
    ...BUILT_IN_TOOLS,
    ...(agent ? toolsOfAgent(agent.agent, agent.file).names : []),
    ...hooks.flatMap(({ entry }) => literalNames(entry.matcher) ?? []),
  ]);
  if (known.has(tool)) return;
  const close = builtInToolFor(tool) ?? nearest(tool, known);
  if (close !== undefined)
    report.problem([...path, "tool"], `unknown tool ${JSON.stringify(tool)}, did you mean ${close}?`);
}
