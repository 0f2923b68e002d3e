import type { Env } from "../lib/env.ts";
import { isJsonObject, type JsonObject } from "../lib/json.ts";
import { repairArguments } from "./arguments.ts";
import { errorResult } from "./checked-tool.ts";
import { commandDirectory, MAX_TIMEOUT_MS, renderCommand, runCommand } from "./run-command.ts";
import { defineTool, type Tool, type ToolContext, type ToolResult, type Toolset, toolError } from "./tool.ts";

/** The keys of an entry. */
interface Options {
  shell: Readonly<
    Record<
      string,
      {
        cmd: string;
        description?: string;
        /** The JSON Schema of each argument, or null for a text. */
        args?: Readonly<Record<string, unknown>>;
        required?: readonly string[];
        env?: Env;
        working_dir?: string;
      }
    >
  >;
  env?: Env;
}

/** A tool of the `shell` map, with its defaults filled in. */
interface Script {
  name: string;
  cmd: string;
  description: string;
  properties: Readonly<Record<string, JsonObject>>;
  required: readonly string[];
  /** The toolset's variables, overridden by the tool's own. */
  env: Env;
  workingDir: string | undefined;
}

/** `script`: command texts of the agent file as tools. */
export function create({ shell, env = {} }: Options): Toolset {
  const scripts = Object.entries(shell).map(([name, entry]): Script => {
    const args = Object.entries(entry.args ?? {});
    return {
      name,
      cmd: entry.cmd,
      description: entry.description || `Execute shell command: ${entry.cmd}`,
      properties: Object.fromEntries(
        args.map(([arg, schema]) => [arg, { type: "string", ...(isJsonObject(schema) ? schema : {}) }]),
      ),
      required: entry.required ?? args.map(([arg]) => arg),
      env: { ...env, ...entry.env },
      workingDir: entry.working_dir,
    };
  });
  return { tools: scripts.map(scriptTool) };
}

function scriptTool(declared: Script): Tool {
  const { name, description, properties, required } = declared;
  const parameters: JsonObject = { type: "object", properties, required, additionalProperties: false };
  return defineTool({
    name,
    title: name,
    description,
    category: "script",
    readOnly: false,
    parameters,
    run: (input, context) => errorResult(() => run(declared, repairArguments(input, parameters), context)),
  });
}

type Input = Readonly<Record<string, unknown>>;

async function run(declared: Script, input: Input, context: ToolContext): Promise<ToolResult> {
  const missing = declared.required.filter((arg) => (input[arg] ?? null) === null);
  if (missing.length > 0) return toolError(`Invalid arguments: ${missing.join(", ")} missing`);
  const result = await runCommand({
    text: declared.cmd,
    cwd: commandDirectory(declared.workingDir, context.workingDir),
    env: variables(declared, input, context.env),
    deadlineMs: MAX_TIMEOUT_MS,
    signal: context.signal,
    onOutput: context.onOutput,
  });
  if (result.end.kind === "aborted") return toolError("Command cancelled");
  const text = renderCommand(result, MAX_TIMEOUT_MS);
  return result.end.kind === "exited" && result.end.code === 0 ? { text } : toolError(text);
}

/**
 * Returns the environment of a command. An argument that was left out must not get the value of an inherited variable.
 */
function variables({ properties, env }: Script, input: Input, processEnv: Env): Env {
  const inherited = Object.entries(processEnv).filter(([name]) => !Object.hasOwn(properties, name));
  const given = Object.keys(properties).flatMap((name) => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined || value === null) return [];
    return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
  });
  return { ...Object.fromEntries(inherited), ...env, ...Object.fromEntries(given) };
}
