import * as v from "valibot";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeOutput } from "../describe-output.ts";
import { defineTool, type Tool } from "../tool.ts";
import { validToolName } from "../valid-name.ts";

/** How the tools of a server are called. */
export interface Naming {
  /** Stands between the colons of the qualified name. */
  server: string;
  /** Stands before every visible name; empty for none. */
  prefix: string;
}

const hint = v.fallback(v.optional(v.boolean()), undefined);
const text = v.fallback(v.optional(v.string()), undefined);

const declarationSchema = v.object({
  // A line end in a name would lead it past a matcher such as `mcp:server:.*`.
  name: v.pipe(v.string(), v.nonEmpty(), v.regex(/^\P{Cc}*$/u)),
  title: text,
  description: text,
  inputSchema: v.fallback(v.optional(v.custom<JsonObject>(isObject)), undefined),
  outputSchema: v.fallback(v.optional(v.custom<JsonObject>(isObject)), undefined),
  annotations: v.fallback(
    v.optional(v.object({ title: text, readOnlyHint: hint, destructiveHint: hint, idempotentHint: hint })),
    undefined,
  ),
});

/** A tool as its server declares it. */
export type Declaration = v.InferOutput<typeof declarationSchema>;

/** The declarations among what a server lists; `onProblem` is told of each that is none. */
export function readDeclarations(listed: readonly unknown[], onProblem: (message: string) => void): Declaration[] {
  return listed.flatMap((entry) => {
    const parsed = v.safeParse(declarationSchema, entry);
    if (parsed.success) return [parsed.output];
    onProblem("a tool whose name is missing or holds control characters is left out");
    return [];
  });
}

/**
 * True if a second call does no harm: only if the server says that the tool reads, or that a repetition changes
 * nothing. A tool without hints counts as destructive in MCP.
 */
export function isRepeatable({ annotations }: Declaration): boolean {
  if (annotations?.idempotentHint === true) return true;
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}

/**
 * The tools of a server as the model sees them. Of two with one visible name the first is offered; `onProblem` is told.
 */
export function toTools(
  declarations: readonly Declaration[],
  { server, prefix }: Naming,
  { run, onProblem }: { run: (declaration: Declaration) => Tool["run"]; onProblem: (message: string) => void },
): Tool[] {
  const names = new Set<string>();
  return declarations.flatMap((declaration) => {
    const { name, description = "", annotations } = declaration;
    const visible = validToolName(`${prefix}${name}`);
    if (visible !== `${prefix}${name}`) onProblem(`${JSON.stringify(name)} is offered as ${JSON.stringify(visible)}`);
    if (names.has(visible)) {
      onProblem(`${JSON.stringify(visible)} is offered once, for the first tool of that name`);
      return [];
    }
    names.add(visible);
    const destructive = annotations?.destructiveHint === true;
    return [
      defineTool({
        name: visible,
        bareName: name,
        qualifiedName: `mcp:${server}:${name}`,
        title: declaration.title || annotations?.title || name,
        description: describeOutput(description, declaration.outputSchema),
        parameters: completeSchema(declaration.inputSchema ?? {}),
        category: "mcp",
        readOnly: annotations?.readOnlyHint === true && !destructive,
        ...(destructive ? { destructive } : {}),
        run: run(declaration),
      }),
    ];
  });
}

function completeSchema(schema: JsonObject): JsonObject {
  const properties = isObject(schema["properties"]) ? {} : { properties: {} };
  return { ...schema, ...properties, ...(schema["type"] === "object" ? {} : { type: "object" }) };
}
