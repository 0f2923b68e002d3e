import type { EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { HostTool } from "../dialect.ts";

/** A tool call in a host's words. */
export interface ComposedTool {
  name: string;
  row: HostTool | undefined;
  /** The input in the host's fields. */
  hostInput: Payload;
  id: unknown;
  server: { name: string; tool: string } | undefined;
}

/** A payload for a script that was written for a host. */
export interface Composed {
  /** The event in the host's spelling. */
  event: string;
  payload: Payload;
  tool: ComposedTool | undefined;
}

export interface Composing {
  event: EventName;
  /** The event in the host's spelling. */
  hostEvent: string;
  /** What hooks of hooksh would read. */
  input: Payload;
  tool: ComposedTool | undefined;
  now: Date;
}

/** An MCP server and one of its tools. */
export interface McpServer {
  name: string;
  tool: string;
}

/** Properties of payloads that are not in the row of the dialect. */
export interface PayloadShape {
  /** Fields that payloads always have, with neutral values. Fields of the event override them. */
  adds?: (composing: Composing) => Payload;
  /** The host's event, if it depends on the tool. */
  event?: (event: EventName, input: Payload) => string | undefined;
  /** The visible name of an MCP tool. */
  mcp?: (server: McpServer) => string;
  /** Returns tool input that no field table describes; undefined for all other tools. */
  input?: (tool: string, own: Payload, row: HostTool) => Payload | undefined;
  /** The result of a tool in the host's shape. */
  result?: (text: string, failed: boolean, tool: ComposedTool | undefined) => unknown;
  /** Changes the payload after all tables were applied. */
  finish?: (payload: Payload, composing: Composing) => Payload;
}

/** How a script of a host ended. */
export interface ScriptEnd {
  exitCode: number;
  stdout: string;
  stderr: string;
}

/**
 * How a host reads the answers of its scripts. Paths lead from the top of the answer; of several the first that is
 * present counts. Denials need no rule: they count in every shape.
 */
export interface AnswerRules {
  /** The keys at the top of an answer. */
  keys: readonly string[];
  /** The paths of approvals, and the words that approve. */
  approvals?: readonly (readonly [path: string, word: string])[];
  /** Approvals in a form that the host reads over; they are neither an approval nor a mistake. */
  ignored?: readonly (readonly [path: string, word: string])[];
  /** Changed input, completely or in part. */
  rewrites?: readonly string[];
  /** Text for the model. */
  contexts?: readonly string[];
  contextOf?: (value: Payload) => string | undefined;
  /** Text for the user. */
  notices?: readonly string[];
  /** A replacement for the result of a tool. */
  results?: readonly string[];
  /** Keys that keep the agent from stopping, in addition to a block. */
  keepsGoing?: readonly string[];
  /**
   * `grants`: an allow replaces the user's approval. `no_objection`: it is not an approval, only no objection.
   * `with_rewrite`: it is refused unless it accompanies a rewrite. Default: `grants`.
   */
  allow?: "grants" | "no_objection" | "with_rewrite";
  /** The nested part must name the event. */
  namesEvent?: true;
  /** A decision in JSON counts at every exit code. */
  anyCode?: true;
  /** The exit codes that refuse. Default: 2. */
  refusals?: readonly number[];
  /** `refuses`: text before a tool is a failure. */
  text?: "ignored" | "refuses";
  /** `{}` before a tool is a failure. */
  emptyRefuses?: true;
  /** The events whose plain text goes to the model. */
  context?: readonly EventName[];
  /** Returns the part of the output that is the answer. */
  pick?: (end: ScriptEnd) => string;
}
