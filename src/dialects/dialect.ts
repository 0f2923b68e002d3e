/**
 * The hooks of other agents: a row and a codec for each. It recognises, decodes and encodes, and does no I/O.
 *
 * @packageDocumentation
 */
import type { EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { ToolClass } from "../protocol/tool-class.ts";

/**
 * A part of a verdict that a host can take on an event. `block` refuses what the event is about: the tool call, the
 * prompt, the compaction; on `stop` and `subagent_stop` it keeps the agent going, after a tool it gives the model
 * feedback. `ask` and `allow` decide on the user's approval, `rewrite` replaces tool input, `replace` replaces a tool's
 * result, `context` is text for the model, `notice` text for the user.
 */
export type Channel = "block" | "ask" | "allow" | "rewrite" | "replace" | "context" | "notice";

/** The combined verdict of all hooks, reduced to what the host can take. */
export interface Verdict {
  /** Why the event is refused; never empty. */
  block?: string;
  /** Why the user has to approve; never empty. */
  ask?: string;
  /** Why the call is approved; may be empty. */
  allow?: string;
  /** The tool input in the host's fields: complete, and only what differs. */
  rewrite?: { complete: Payload; changes: Payload };
  replace?: string;
  context?: string;
  notice?: string;
}

/** What the host reads: JSON or text on standard output, and the exit code. */
export interface Answer {
  json?: object;
  text?: string;
  /** The reason, for hosts that read it on standard error. */
  stderr?: string;
  exitCode?: 0 | 2;
}

/** Writes a verdict in the shape of a host. Undefined if the host cannot express it: the answer is then silence. */
export type Say = (verdict: Verdict, call: HostCall) => Answer | undefined;

export interface HostEvent {
  /** The events of hooksh that it maps to, in order. Empty for an event without a counterpart: no hook runs. */
  is: readonly EventName[];
  /** What the host takes as an answer. A function if that depends on the payload. */
  takes: readonly Channel[] | ((payload: Payload) => readonly Channel[]);
  say?: Say;
  /** The events of `is` to which this payload maps. Default: all. */
  only?: (payload: Payload) => readonly EventName[];
  /**
   * Where the payload holds the fields of the event: a field of hooksh, and a path such as `tool_info.response`. Of
   * several paths the first that is present counts.
   */
  fields?: Readonly<Record<string, string | readonly string[]>>;
  /** Fields of hooksh that have no path in the payload. */
  derive?: (payload: Payload) => Payload;
  /** Fields of hooksh with the same value in every payload. */
  fixed?: Payload;
  /**
   * The further fields that the host sends on this event, with blanks between them: those that hooksh does not read, and
   * those that only code reads. `*` stands for fields that are not documented. hooksh logs a field that is in no table.
   */
  sends?: string;
  /** The bytes that mean no opinion on this event, if not those of the dialect. */
  silence?: string;
  /**
   * A rewrite is sent together with an allow, which approves the call: `required` if the host demands it, `usual` if it
   * is unknown whether the host takes a rewrite alone.
   */
  rewriteGrants?: "required" | "usual";
  /** A block after a tool is given to the model as context, because the host ignores it. */
  blockIsContext?: true;
  /**
   * The rewrites, of input and of results, that the released program was seen to act on in the form that hooksh writes. A
   * function if that depends on the payload. test/hosts repeats the runs.
   */
  obeys?: readonly Channel[] | ((payload: Payload) => readonly Channel[]);
  /** Puts a replaced result into the shape that the host demands; undefined if the text does not fit. */
  replacement?: (text: string, payload: Payload) => unknown;
  /** How long the host waits for a hook of this event, in seconds, if not as long as for others. */
  timeoutSeconds?: number;
  /**
   * The host asks whether it may load changed settings. No hook runs; hooksh refuses a change that takes its own
   * registration out of force.
   */
  guardsRegistration?: true;
  /** True for a payload on which no hook runs, although the event usually runs hooks. */
  ignores?: (payload: Payload) => boolean;
}

/** One way in which the input of a host's tool maps to hooksh's fields. */
export type FieldRow =
  /** The same value under two names. */
  | readonly [host: string, own: string]
  /** Milliseconds for the host, seconds for hooksh. */
  | readonly [host: string, own: string, unit: "ms"]
  /** A list of texts for the host, its lines for hooksh. */
  | readonly [host: string, own: string, unit: "lines"];

/** A tool of a host that has a counterpart in hooksh. */
export interface HostTool {
  /** Its name in hooksh. */
  is: string;
  /** Its names in the host; the first is used for payloads that hooksh writes. */
  names: readonly string[];
  /** Further tools of hooksh whose names match it, because it does their work too. */
  also?: readonly string[];
  fields?: readonly FieldRow[];
  /** The host's fields for the old and the new text of one edit; `list` is its field that holds several of them. */
  edit?: readonly [before: string, after: string, list?: string];
  /** Input fields that hooksh adds for the host, such as the one that {@link when} reads. */
  adds?: Payload;
  /** The program that reads the text in `cmd`, if that is code in another language than a shell's: `node`. */
  interpreter?: string;
  /** It runs more than `cmd` shows: the text is typed into a program, or names something to run. */
  runsHidden?: true;
  /** It removes the file. */
  deletes?: true;
  /** Tells apart tools that share a name. */
  when?: (input: Payload) => boolean;
  /** Translates input that no field table describes, in both directions. `write` returns undefined if there is no inverse. */
  read?: (input: Payload) => Payload;
  write?: (input: Payload, original: Payload) => Payload | undefined;
}

/** The names of tools that do nothing that a tool of hooksh does, by class, with blanks between them. */
export type OtherTools = Readonly<Partial<Record<ToolClass, string>>>;

export interface ToolCall {
  /** The name as hooks see it under `host`. */
  name: string;
  /** The input as an object. */
  input: Payload;
  /** The input untouched: an object or JSON text. */
  original: unknown;
  id?: string | undefined;
  /** Set for a tool of an MCP server. */
  server?: { name: string; tool: string } | undefined;
  /** The name that hooks see, if it is neither in the table of tools nor `name`. */
  shownAs?: string | undefined;
  /** Puts changed input back into the input of the host's tool, if `input` is only a part of it. */
  wrap?: ((input: Payload) => Payload) | undefined;
}

/**
 * The parts around the name of an MCP server in the name of its tool, `mcp__SERVER__TOOL`. Without a separator the name
 * holds no server.
 */
export interface McpNames {
  prefix: string;
  separator: string;
  /** Tools of other kinds have such names too. */
  isShared?: true;
}

/** The paths of the fields that most events have; the first that is present counts. */
export interface PayloadKeys {
  event: readonly string[];
  session: readonly string[];
  cwd: readonly string[];
  toolName: readonly string[];
  toolInput: readonly string[];
  toolUseId: readonly string[];
}

/** Everything that hooksh knows about the hooks of one host. Pure: reads no clock, file or environment. */
export interface Dialect {
  /** The name that `--dialect` takes. */
  name: string;
  /** Every known event by the host's spelling. Two spellings of one event have the same row, two events never. */
  events: Readonly<Record<string, HostEvent>>;
  /** The host takes the names of events in any case, with or without `_` and `-`. */
  eventsInAnyCase?: true;
  keys: PayloadKeys;
  /** The further fields that the host sends on every event, as {@link HostEvent.sends}. */
  sends: string;
  tools: readonly HostTool[];
  /** All further tools of the host. A tool that is in neither is unknown. */
  others: OtherTools;
  /** Reads a tool call that {@link keys} do not describe. */
  toolCall?: (payload: Payload, event: string) => ToolCall | undefined;
  /** How the host makes one name from the name of an MCP server and that of its tool. */
  mcpNames?: readonly McpNames[];
  /** The names of MCP servers that the host always has. */
  ownServers?: readonly string[];
  /** The server of an MCP tool, where the payload names it or the name can be split in one way only. */
  serverOf?: (name: string, payload: Payload) => { name: string; tool: string } | undefined;
  /** The event of a payload that names none; `keys.event` is tried first. */
  eventOf?: (payload: Payload) => string | undefined;
  /** The bytes that mean no opinion. */
  silence: string;
  /** The answer to a payload whose event is unknown. By default exit code 2 with the reason on standard error. */
  refusal?: (reason: string) => Answer;
  /** The host reads standard error as the answer if standard output is empty. */
  readsStandardError?: true;
  /** The model can type into a program that runs, and the host runs no hook for it. */
  typesUnseen?: true;
  /** The host does not limit continuations in a row, so hooksh counts them. */
  countsContinuations?: true;
  /** How long the host waits for a hook by default, in seconds; absent if unknown. */
  timeoutSeconds?: number;
}

/** One event of a host, decoded. */
export interface HostCall {
  dialect: Dialect;
  /** In the host's spelling. */
  event: string;
  row: HostEvent;
  payload: Payload;
  tool?: DecodedTool | undefined;
  /** The events of hooksh that it maps to, in order, with their payloads. */
  events: readonly { event: EventName; payload: Payload }[];
}

/** A tool call as the host made it, and as hooks see it. */
export interface DecodedTool extends ToolCall {
  row: HostTool | undefined;
  /** What the tool does; undefined if hooksh does not know the tool. */
  class?: ToolClass | undefined;
  /** The input in hooksh's fields. */
  input: Payload;
  hostInput: Payload;
  /** The name could be split in several ways, or be no name of an MCP tool; the host's servers tell. */
  isAmbiguous?: boolean;
  /** Every name that a matcher is tried against. */
  names: readonly string[];
}

/** Events of hooksh that other agents do not have. Their hooks run with the event they are listed under. */
export const EVENTS_RUN_WITH: Partial<Record<EventName, readonly EventName[]>> = {
  pre_tool_use: ["tool_input_transform", "tool_guard", "pre_tool_use"],
  stop: ["response_guard", "stop_guard", "stop"],
};
