import * as v from "valibot";
import { errorText } from "../lib/errors.ts";
import { repairArguments } from "./arguments.ts";
import { type Parameters, parametersSchema } from "./parameters.ts";
import { type Tool, type ToolContext, type ToolResult, toolError } from "./tool.ts";

/** A tool whose `run` gets arguments that match its parameters. */
export interface CheckedTool<P extends Parameters> extends Omit<Tool, "parameters" | "run"> {
  parameters: P;
  /** May throw: the error becomes an error result. */
  run(input: v.InferOutput<v.ObjectSchema<P, undefined>>, context: ToolContext): Promise<ToolResult> | ToolResult;
}

/**
 * Makes a tool from its parameters: both its JSON Schema and the check of its arguments are derived from them. The tool
 * ignores unknown arguments and never throws.
 */
export function checkedTool<const P extends Parameters>(declared: CheckedTool<P>): Tool {
  const schema = v.object(declared.parameters);
  const parameters = parametersSchema(declared.parameters);
  const run: Tool["run"] = async (input, context) => {
    const parsed = v.safeParse(schema, repairArguments(input, parameters));
    if (!parsed.success) return toolError(`Invalid arguments: ${problemText(parsed.issues[0])}`);
    return errorResult(() => declared.run(parsed.output, context));
  };
  return { ...declared, parameters, run };
}

/** Returns the result of a function, or an error result if it throws. */
export async function errorResult(run: () => Promise<ToolResult> | ToolResult): Promise<ToolResult> {
  try {
    return await run();
  } catch (error) {
    return toolError(`Error: ${errorText(error)}`);
  }
}

function problemText(issue: v.BaseIssue<unknown>): string {
  const path = v.getDotPath(issue) ?? "arguments";
  if (issue.received === "undefined") return `${path} is missing`;
  if (issue.kind !== "schema") return `${path}: ${issue.message}`;
  return `${path} must be ${issue.expected}, not ${issue.received}`;
}
