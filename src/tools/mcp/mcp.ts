import { resolve } from "node:path";
import type { Env } from "../../lib/env.ts";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { firstTime } from "../../lib/once.ts";
import { untilAborted } from "../../lib/settle-within.ts";
import { errorResult } from "../checked-tool.ts";
import { commandDirectory } from "../run-command.ts";
import type { ServerPrompt, Tool, ToolServer, Toolset, ToolsetContext } from "../tool.ts";
import { type ServerMonitor, truncate } from "./bounds.ts";
import { Connection } from "./connection.ts";
import { type Declaration, isRepeatable, readDeclarations, toTools } from "./declaration.ts";
import { prepareGateway } from "./docker.ts";
import { type LifecycleKeys, lifecycleOf } from "./lifecycle.ts";
import type { CheckOutput } from "./output-schema.ts";
import { promptText, readPrompts } from "./prompts.ts";
import { openRemote, type RemoteServer } from "./remote.ts";
import { serverName } from "./server-name.ts";
import { openStdio } from "./stdio.ts";
import { toToolResult } from "./tool-result.ts";

const INSTRUCTIONS_LIMIT = 20_000;

/** The keys of an entry; times in milliseconds. */
interface Entry {
  /** The key under `mcps` that the entry comes from. */
  server?: string;
  name?: string;
  command?: string;
  args?: readonly string[];
  env?: Env;
  working_dir?: string;
  remote?: {
    url: string;
    transport_type?: "streamable" | "streamable-http" | "sse";
    headers?: Readonly<Record<string, string>>;
  };
  ref?: string;
  config?: Readonly<Record<string, unknown>>;
  allow_private_ips?: boolean;
  lifecycle?: LifecycleKeys;
}

/** `mcp`: the tools of an MCP server. Throws a {@link UserError} if the server does not start. */
export async function create(entry: Entry, context: ToolsetContext): Promise<Toolset> {
  const server = serverName(entry);
  const naming = { server, prefix: entry.name ? `${entry.name}_` : "" };
  const log: ToolsetContext["log"] = (level, message) => context.log(level, `mcp: ${message}`);
  const isNew = firstTime<string>(); // the list of tools can be read more than once
  const warn = (message: string) => void (isNew(message) && log("warn", `${server}: ${message}`));
  const transport = await transportFor(entry, context);
  let tools: Tool[] = [];
  const connection = new Connection({
    name: `MCP server ${server}`,
    open: transport.open,
    lifecycle: lifecycleOf(entry.lifecycle),
    log,
    warn: context.warn,
    ...(context.signal ? { signal: context.signal } : {}),
    onTools: (listed) => {
      const run = (declaration: Declaration) => runner(connection, declaration, warn);
      tools = toTools(readDeclarations(listed, warn), naming, { run, onProblem: warn });
    },
  });
  const close = async () => {
    await connection.close();
    await transport.cleanUp?.();
  };
  try {
    await connection.start();
  } catch (error) {
    await close();
    throw error;
  }
  const { instructions } = connection;
  return {
    get tools() {
      return tools;
    },
    ...(instructions ? { instructions: truncate(instructions, INSTRUCTIONS_LIMIT) } : {}),
    server: serverOf(connection, server, warn),
    close,
  };
}

function serverOf(connection: Connection, name: string, warn: (message: string) => void): ToolServer {
  let prompts: ServerPrompt[] = [];
  return {
    name,
    get problem() {
      return connection.problem;
    },
    get prompts() {
      return prompts;
    },
    listPrompts: async (signal) => {
      try {
        prompts = readPrompts((await untilAborted(connection.listPrompts(), signal)) ?? [], warn);
      } catch (error) {
        warn(`its prompts cannot be listed: ${truncate(errorText(error))}`);
      }
    },
    getPrompt: async (prompt, input, signal) => {
      const params = { name: prompt, arguments: { ...input } };
      // A prompt is only read, so the request can be repeated.
      const answer = await connection.call({ method: "prompts/get", params }, { signal }, true);
      return promptText(answer, `${connection.name}: the prompt ${JSON.stringify(prompt)}`, signal);
    },
    restart: () => connection.restart(),
  };
}

function runner(connection: Connection, declaration: Declaration, warn: (message: string) => void): Tool["run"] {
  let check: Promise<CheckOutput | undefined> | undefined;
  return (input, context) =>
    errorResult(async () => {
      // Models send null for arguments that they leave out, which servers would take for a value.
      const given = Object.entries(input).filter(([, value]) => value !== null && value !== undefined);
      const params = { name: declaration.name, arguments: Object.fromEntries(given) };
      try {
        const answer = await connection.call({ method: "tools/call", params }, context, isRepeatable(declaration));
        check ??= outputCheck(declaration, warn);
        checkAnswer(answer, declaration.name, await check, { connection, warn });
        return await toToolResult(answer, context.signal);
      } catch (error) {
        if (context.signal.aborted) return { text: "Tool call cancelled", isError: true };
        throw error;
      }
    });
}

/** Returns the check of a tool's structured content; undefined if its server declares no schema, or an unusable one. */
async function outputCheck(
  { name, outputSchema }: Declaration,
  warn: (message: string) => void,
): Promise<CheckOutput | undefined> {
  if (outputSchema === undefined) return undefined;
  const { compileOutputSchema } = await import("./output-schema.ts");
  return compileOutputSchema(outputSchema).catch((error: unknown) => {
    warn(`the outputSchema of ${name} cannot be used, its results are not checked: ${truncate(errorText(error))}`);
    return undefined;
  });
}

/** Throws a {@link UserError} if the structured content does not match the tool's `outputSchema`. */
function checkAnswer(
  answer: unknown,
  tool: string,
  check: CheckOutput | undefined,
  { connection, warn }: { connection: Connection; warn: (message: string) => void },
): void {
  if (!check || !isObject(answer) || answer["isError"] === true) return;
  const content = answer["structuredContent"];
  // The protocol requires structured content, but a text alone is still an answer.
  if (content === undefined) return warn(`${tool} declares an outputSchema and answered without structured content`);
  const problem = check(content);
  if (problem === undefined) return;
  const reason = `answered ${tool} with content that does not satisfy its outputSchema: ${truncate(problem)}`;
  throw new UserError(`${connection.name} ${reason}; the call has run`);
}

/** How to reach a server. */
interface ServerTransport {
  open: (watch: ServerMonitor) => ReturnType<typeof openStdio>;
  cleanUp?: () => Promise<void>;
}

async function transportFor(entry: Entry, context: ToolsetContext): Promise<ServerTransport> {
  if (entry.remote) {
    const server = remoteServer(entry.remote, entry, context);
    return { open: (watch) => openRemote(server, watch) };
  }
  const cwd = commandDirectory(entry.working_dir, context.workingDir);
  const env: Env = { ...context.env, ...entry.env };
  const { command, args = [] } = entry;
  if (command !== undefined) {
    const program = command.includes("/") ? resolve(cwd, command) : command;
    return { open: (watch) => openStdio({ command: program, args, cwd, env }, watch) };
  }
  const name = (entry.ref ?? "").replace(/^docker:/, "");
  const gateway = await prepareGateway({ name, config: entry.config, cwd, env });
  return {
    open: (watch) => openStdio({ ...gateway, args: [...gateway.args, ...args], cwd, env }, watch),
    cleanUp: () => gateway.cleanUp(),
  };
}

function remoteServer(remote: NonNullable<Entry["remote"]>, entry: Entry, context: ToolsetContext): RemoteServer {
  const text = context.expand?.(remote.url) ?? remote.url;
  if (!URL.canParse(text)) throw new ConfigError(`remote.url: ${JSON.stringify(text)} is not a URL`);
  const url = new URL(text);
  if (url.protocol !== "http:" && url.protocol !== "https:") {
    throw new ConfigError(`remote.url: ${url.protocol}// is not supported: http or https`);
  }
  return {
    url,
    kind: remote.transport_type === "sse" ? "sse" : "streamable",
    headers: remote.headers ?? {},
    expand: context.expand ?? ((text) => text),
    allowPrivate: entry.allow_private_ips ?? false,
    env: context.env,
  };
}
