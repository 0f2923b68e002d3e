import type { Env } from "../lib/env.ts";
import type { Json, JsonObject } from "../lib/json.ts";

/** What a tool call gets in addition to its arguments. */
export interface ToolContext {
  sessionId: string;
  /** The working directory of the session; relative paths are relative to it. */
  workingDir: string;
  /** The environment of the process, without the `env` of the toolset. */
  env: Env;
  /** Aborted when the run is cancelled. */
  signal: AbortSignal;
  /** Shows output to the user while the tool runs. */
  onOutput?: (text: string) => void;
  /** Sends a message into the session as steering, even after the call has ended; absent if that is impossible. */
  steer?: (text: string) => void;
  /** Redacts secrets in a text exactly as in what the model reads; absent if redaction is off. */
  redact?: (text: string) => Promise<string>;
  /** Asks the user a question and waits for the answer; absent if the run has no user. */
  askUser?: (question: UserQuestion, signal: AbortSignal) => Promise<UserAnswer>;
}

/** A question to the user. */
export interface UserQuestion {
  title?: string;
  message: string;
  /** JSON Schema of the answer; absent: a text. */
  schema?: JsonObject;
}

/** The user's answer to a question. */
export type UserAnswer = { action: "accept"; content?: Json } | { action: "decline" } | { action: "cancel" };

/** A file that is sent to the model with the text of a result. */
export interface Attachment {
  mimeType: string;
  /** base64 */
  data: string;
  name?: string;
}

/** The result of a tool call. A tool does not throw: a failure is a result with `isError`. */
export interface ToolResult {
  text: string;
  isError?: boolean;
  attachments?: Attachment[];
}

/** A tool that the model may call. */
export interface Tool {
  name: string;
  /** The second name of an MCP tool for matchers and permission patterns: `mcp:<server>:<tool>`. */
  qualifiedName?: string;
  /** The name of an MCP tool on its server, which the `tools` key of a toolset may also use. */
  bareName?: string;
  title: string;
  description: string;
  /** JSON Schema object, properties in documented order, `additionalProperties: false`. */
  parameters: JsonObject;
  /** `shell`, `filesystem`, `mcp` ... */
  category: string;
  readOnly: boolean;
  destructive?: boolean;
  /** The variables that its toolset adds to the environment of command lines; `SHELL` selects the shell. */
  commandEnv?: Env;
  /** True if `add_description_parameter` adds the optional `description` argument. */
  describable?: boolean;
  /** Other names of an argument, replaced before hooks and permission rules see the call: `{ command: "cmd" }`. */
  aliases?: Readonly<Record<string, string>>;
  /** True if the rules of its toolset let it read a file; absent for tools that read none. Never throws. */
  mayRead?(path: string, workingDir: string): boolean;
  /** Runs the call. `input` has the parsed arguments after all rewrites; the tool validates them itself. */
  run(input: Readonly<Record<string, unknown>>, context: ToolContext): Promise<ToolResult>;
}

/** Something that goes on in the background of a run, until it ends or is stopped. */
export interface BackgroundWork {
  readonly id: string;
  /** What it does: a command line, or an agent with its task. */
  readonly what: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  status(): "running" | "completed" | "failed" | "stopped";
  /** The end of its output so far, from the start of a line on. */
  tail(): string;
  /** Stops it with everything that it started, and waits for its end. Never throws. */
  stop(): Promise<void>;
}

/** A text that a server offers: the user fills in its arguments and sends it. */
export interface ServerPrompt {
  readonly name: string;
  readonly description: string;
  readonly arguments: readonly { readonly name: string; readonly isRequired: boolean }[];
}

/** The server behind a toolset. */
export interface ToolServer {
  readonly name: string;
  /** Why it cannot be used now; undefined if it is connected. */
  readonly problem: string | undefined;
  /** The prompts that it listed last. */
  readonly prompts: readonly ServerPrompt[];
  /** Reads its prompts, and reads them again whenever it says that they have changed. Never throws. */
  listPrompts(signal: AbortSignal): Promise<void>;
  /** Returns the text of a prompt. Throws a `UserError` if the server gives none. */
  getPrompt(name: string, input: Readonly<Record<string, string>>, signal: AbortSignal): Promise<string>;
  /** Ends the server and starts it again. Throws a `UserError` if it does not start. */
  restart(): Promise<void>;
}

/** Tools that are started and closed together. */
export interface Toolset {
  /** Read before every model call, because an MCP server may change its tools. */
  readonly tools: Tool[];
  /** Sent to the model in a system message of its own. */
  instructions?: string;
  /**
   * Tries again to start a toolset that failed to start, and waits for a short time. Absent if there is nothing to
   * start. Never throws.
   */
  retry?(signal: AbortSignal): Promise<void>;
  /** Set for the tools of an MCP server. */
  readonly server?: ToolServer;
  /** What its tools have started in the background, in this order; absent if they start nothing there. */
  work?(): readonly BackgroundWork[];
  /** Ends everything that the toolset started. Never throws. */
  close?(): Promise<void>;
}

/** What a toolset gets when it is created. */
export interface ToolsetContext {
  workingDir: string;
  env: Env;
  dataDir: string;
  /** The agent file's name without its extension. A toolset stores the agent's data under this name. */
  configName?: string;
  /** Expands `${...}` in the value of a header; absent: the value is sent unchanged. */
  expand?: (text: string) => string;
  log: (level: "debug" | "warn", message: string) => void;
  /** Warns the user, in every mode. */
  warn: (message: string) => void;
  /** Aborted if the toolset is no longer needed before it has started. */
  signal?: AbortSignal;
}

/** Type-checks the declaration of a tool. The tool's `run` validates the arguments of a call. */
export function defineTool(tool: Tool): Tool {
  return tool;
}

export function toolError(text: string): ToolResult {
  return { text, isError: true };
}
