/**
 * The names of spans and attributes. Those that start with `gen_ai.`, `server.` or `error.` are of the OpenTelemetry
 * semantic conventions for generative AI, schema 1.42.0
 * (https://github.com/open-telemetry/semantic-conventions-genai), which have no span for a guardrail yet: it and
 * everything under `hooksh.` is named here. See docs/trace.md.
 */

/** The schema whose names the spans use, as `schemaUrl` of each scope. */
export const SCHEMA_URL = "https://opentelemetry.io/schemas/gen-ai/1.42.0";

/** The prefix of the name of a dispatch's span, before the event. It has no `gen_ai.operation.name`. */
export const DISPATCH_SPAN = "hooksh.dispatch";

/** Every attribute that a span may have, with its key. */
export const ATTRIBUTES = {
  operation: "gen_ai.operation.name",
  conversation: "gen_ai.conversation.id",
  errorType: "error.type",
  provider: "gen_ai.provider.name",
  requestModel: "gen_ai.request.model",
  maxTokens: "gen_ai.request.max_tokens",
  temperature: "gen_ai.request.temperature",
  topP: "gen_ai.request.top_p",
  frequencyPenalty: "gen_ai.request.frequency_penalty",
  presencePenalty: "gen_ai.request.presence_penalty",
  stream: "gen_ai.request.stream",
  outputType: "gen_ai.output.type",
  /** A list with one text: `stop`, `length`, `tool_calls` or `refusal`. */
  finishReasons: "gen_ai.response.finish_reasons",
  /** Seconds from the request to the first piece of the reply. */
  timeToFirstChunk: "gen_ai.response.time_to_first_chunk",
  /** With cached tokens. On `invoke_agent`: the sum of its own model calls, without those of its sub-agents. */
  inputTokens: "gen_ai.usage.input_tokens",
  outputTokens: "gen_ai.usage.output_tokens",
  cacheReadTokens: "gen_ai.usage.cache_read.input_tokens",
  cacheCreationTokens: "gen_ai.usage.cache_creation.input_tokens",
  reasoningTokens: "gen_ai.usage.reasoning.output_tokens",
  serverAddress: "server.address",
  serverPort: "server.port",
  agentName: "gen_ai.agent.name",
  agentDescription: "gen_ai.agent.description",
  toolName: "gen_ai.tool.name",
  toolCallId: "gen_ai.tool.call.id",
  /** Always `function`: hooksh runs the tool, not the provider. */
  toolType: "gen_ai.tool.type",

  /** US dollars; on `invoke_agent` the sum of its own model calls. */
  cost: "hooksh.cost",
  /**
   * How a tool call ended: `completed`, `failed`, `blocked`, `denied` ..., as `outcome` of `run --json`; on
   * `invoke_agent` why its last turn ended: `normal`, `loop_detected` ...
   */
  outcome: "hooksh.outcome",
  approvalSource: "hooksh.approval.source",
  reason: "hooksh.reason",
  event: "hooksh.event",
  /** `none`, `allow`, `ask`, `deny` or `block`; on a dispatch and on each of its hooks. */
  decision: "hooksh.decision",
  /** The agent that a hook routed to, and the JSON text of what the hooks said about their choice. */
  route: "hooksh.route",
  routeMetadata: "hooksh.route.metadata",
  /** True on the hook that gave the verdict of its dispatch. */
  decided: "hooksh.hook.decided",
  /** The dialect of the agent whose event this was, and its name of the event. */
  host: "hooksh.host",
  hostEvent: "hooksh.host.event",
  hookName: "hooksh.hook.name",
  hookType: "hooksh.hook.type",
  hookSource: "hooksh.hook.source",
  hookStage: "hooksh.hook.stage",
  hookOutcome: "hooksh.hook.outcome",
  hookExitCode: "hooksh.hook.exit_code",
  hookMatcher: "hooksh.hook.matcher",
  hookMode: "hooksh.hook.mode",
  hookWould: "hooksh.hook.would",
  hookTimeout: "hooksh.hook.timeout_s",
  hookMessage: "hooksh.hook.message",
  /** JSON texts, redacted. */
  hookInput: "hooksh.hook.input",
  hookOutput: "hooksh.hook.output",
  inputMessages: "gen_ai.input.messages",
  outputMessages: "gen_ai.output.messages",
  toolArguments: "gen_ai.tool.call.arguments",
  toolResult: "gen_ai.tool.call.result",
} as const;

export type AttributeName = (typeof ATTRIBUTES)[keyof typeof ATTRIBUTES];

/** The value of `error.type` on a tool call that a hook, a permission or the user refused. */
export const DENIED = "denied";

/** The folder of the data directory that holds a file of OTLP/JSON lines for each day (UTC), `YYYY-MM-DD.jsonl`. */
export const TRACE_FOLDER = "traces";

/** The attributes whose value is a double even if it is a whole number. */
export const DOUBLES: readonly AttributeName[] = [
  ATTRIBUTES.temperature,
  ATTRIBUTES.topP,
  ATTRIBUTES.frequencyPenalty,
  ATTRIBUTES.presencePenalty,
  ATTRIBUTES.timeToFirstChunk,
  ATTRIBUTES.cost,
  ATTRIBUTES.hookTimeout,
];
