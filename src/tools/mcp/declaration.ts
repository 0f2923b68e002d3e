import * as v from "valibot";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { describeOutput } from "../describe-output.ts";
import { defineTool, type Tool } from "../tool.ts";
import { validToolName } from "../valid-name.ts";

/** How the tools of a server are named. */
export interface Naming {
  /** The server's name in qualified names: `mcp:<server>:<tool>`. */
  server: string;
  /** Precedes every name that the model sees; may be empty. */
  prefix: string;
}

const hint = v.fallback(v.optional(v.boolean()), undefined);
const text = v.fallback(v.optional(v.string()), undefined);

const declarationSchema = v.object({
  // A name with a line end would not match a matcher such as `mcp:server:.*`.
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

/** Parses the tools that a server lists. Calls `onProblem` for each invalid one and leaves it out. */
export function readDeclarations(listed: readonly unknown[], onProblem: (message: string) => void): Declaration[] {
  return listed.flatMap((entry) => {
    const parsed = v.safeParse(declarationSchema, entry);
    if (parsed.success) return [parsed.output];
    onProblem("a tool whose name is missing or holds control characters is left out");
    return [];
  });
}

/**
 * True if a call can safely be repeated: the server must declare the tool read-only or idempotent. In MCP a tool
 * without hints counts as destructive.
 */
export function isRepeatable({ annotations }: Declaration): boolean {
  if (annotations?.idempotentHint === true) return true;
  return annotations?.readOnlyHint === true && annotations.destructiveHint !== true;
}

/**
 * Makes the tools that the model sees from declarations. Of two tools with the same name only the first is offered;
 * calls `onProblem` for the other.
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
