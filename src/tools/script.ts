import * as v from "valibot";
import type { Env } from "../lib/env.ts";
import { ConfigError } from "../lib/errors.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { repairArguments } from "./arguments.ts";
import { commandDirectory, LONGEST_MS, renderCommand, runCommand } from "./command.ts";
import { errorResult } from "./checked-tool.ts";
import { defineToolset, defineTool, type Tool, type ToolContext, toolError, type ToolResult } from "./tool.ts";

const argumentSchema: v.GenericSchema<JsonObject> = v.custom<JsonObject>(isObject, "must be a JSON Schema");

const scriptSchema = v.strictObject({
  cmd: v.string(),
  description: v.exactOptional(v.string()),
  args: v.exactOptional(v.record(v.string(), v.nullable(argumentSchema))),
  required: v.exactOptional(v.array(v.string())),
  env: v.exactOptional(v.record(v.string(), v.string())),
  working_dir: v.exactOptional(v.string()),
});

/** One entry of the toolset's `shell` map, complete. */
interface Script {
  name: string;
  cmd: string;
  description: string;
  properties: Readonly<Record<string, JsonObject>>;
  required: readonly string[];
  /** The toolset's variables and the tool's own, which win. */
  env: Env;
  workingDir: string | undefined;
}

/** `script`: command texts of the agent file as tools of their own. Source: config-and-cli 5.4. */
export const script = defineToolset({
  summary: "Offers command lines of the agent file as tools.",
  options: {
    shell: v.record(v.string(), scriptSchema),
    env: v.exactOptional(v.record(v.string(), v.string())),
  },
  create: ({ shell, env = {} }) => {
    const scripts = Object.entries(shell).map(([name, entry]): Script => {
      const args = Object.entries(entry.args ?? {});
      return {
        name,
        cmd: entry.cmd,
        description: entry.description || `Execute shell command: ${entry.cmd}`,
        properties: Object.fromEntries(args.map(([arg, schema]) => [arg, { type: "string", ...schema }])),
        required: entry.required ?? args.map(([arg]) => arg),
        env: { ...env, ...entry.env },
        workingDir: entry.working_dir,
      };
    });
    const problems = scripts.flatMap(problemsOf);
    if (problems.length > 0) throw new ConfigError(problems);
    return { tools: scripts.map(scriptTool) };
  },
});

/** What would make a command run with something else than its author meant. */
function problemsOf({ name, cmd, properties, required, env }: Script): string[] {
  const at = `shell.${name}`;
  const known = (variable: string) => Object.hasOwn(properties, variable) || Object.hasOwn(env, variable);
  const used = new Set([...cmd.matchAll(/(?<!\\)\$\{?([A-Za-z_]\w*)(?![\w.])/g)].map((match) => match[1] ?? ""));
  const unknown = [...used].filter((variable) => !known(variable));
  const twice = Object.keys(properties).filter((arg) => Object.hasOwn(env, arg));
  const undeclared = required.filter((arg) => !Object.hasOwn(properties, arg));
  const expanded = `${at}.cmd: \${env.NAME} is not expanded here; put NAME into env and use $NAME`;
  return [
    ...(/\$\{\s*env\./.test(cmd) ? [expanded] : []),
    ...unknown.map((variable) => `${at}.cmd: $${variable} is neither an argument nor in env`),
    ...twice.map((arg) => `${at}.args.${arg}: is in env, too`),
    ...undeclared.map((arg) => `${at}.required: ${JSON.stringify(arg)} is no argument`),
  ];
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
    deadlineMs: LONGEST_MS,
    signal: context.signal,
    onOutput: context.onOutput,
  });
  if (result.end.kind === "aborted") return toolError("Command cancelled");
  const text = renderCommand(result, LONGEST_MS);
  return result.end.kind === "exited" && result.end.code === 0 ? { text } : toolError(text);
}

/** An argument that was left out must not take its value from a variable that happens to have its name. */
function variables({ properties, env }: Script, input: Input, processEnv: Env): Env {
  const inherited = Object.entries(processEnv).filter(([name]) => !Object.hasOwn(properties, name));
  const given = Object.keys(properties).flatMap((name) => {
    const value = Object.hasOwn(input, name) ? input[name] : undefined;
    if (value === undefined || value === null) return [];
    return [[name, typeof value === "string" ? value : JSON.stringify(value)]];
  });
  return { ...Object.fromEntries(inherited), ...env, ...Object.fromEntries(given) };
}
