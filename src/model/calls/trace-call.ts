import { errorText } from "../../lib/errors.ts";
import { currentSpan, traced } from "../../trace/active.ts";
import { ATTRIBUTES } from "../../trace/names.ts";
import type { Span, SpanStart } from "../../trace/span.ts";
import { computeCost } from "../catalog/cost.ts";
import type { ResolvedModel } from "../catalog/resolve.ts";
import type { Usage } from "../messages/message.ts";
import { type ModelDelta, ModelError, type ModelRequest, type Reply } from "../model.ts";
import { toTraceMessages, toTraceReply } from "./trace-messages.ts";

/** One request to a model, which is to be traced. */
export interface TracedCall {
  model: ResolvedModel;
  request: ModelRequest;
  onDelta: (delta: ModelDelta) => void;
}

/** Makes a request to a model, in a span `chat MODEL` if tracing is on. */
export function tracedCall(
  traceable: TracedCall,
  call: (onDelta: TracedCall["onDelta"]) => Promise<Reply>,
): Promise<Reply> {
  const { model, request, onDelta } = traceable;
  return traced(
    () => chatSpan(model, request),
    async (span) => {
      if (!span) return call(onDelta);
      nameModel(agentSpan(), span);
      span.content(ATTRIBUTES.inputMessages, () => toTraceMessages(request.messages));
      try {
        const reply = await call(timingFirst(span, onDelta));
        describeReply(span, model, reply);
        return reply;
      } catch (error) {
        span.fail(request.signal.aborted ? "canceled" : errorType(error), errorText(error));
        throw error;
      }
    },
  );
}

function chatSpan({ model, row, rowName, baseUrl, spec }: ResolvedModel, request: ModelRequest): SpanStart {
  const url = URL.canParse(baseUrl) ? new URL(baseUrl) : undefined;
  return {
    name: `chat ${model}`,
    kind: "client",
    attributes: {
      [ATTRIBUTES.operation]: "chat",
      [ATTRIBUTES.provider]: row.telemetryName ?? rowName,
      [ATTRIBUTES.requestModel]: model,
      [ATTRIBUTES.maxTokens]: request.maxTokens ?? spec.max_tokens,
      [ATTRIBUTES.temperature]: spec.temperature,
      [ATTRIBUTES.topP]: spec.top_p,
      [ATTRIBUTES.frequencyPenalty]: spec.frequency_penalty,
      [ATTRIBUTES.presencePenalty]: spec.presence_penalty,
      [ATTRIBUTES.stream]: true,
      [ATTRIBUTES.outputType]: request.structuredOutput ? "json" : undefined,
      [ATTRIBUTES.serverAddress]: url?.hostname,
      [ATTRIBUTES.serverPort]: url && Number(url.port || (url.protocol === "https:" ? 443 : 80)),
    },
  };
}

/** Notes the time from the beginning of the span to the first piece of the reply. */
function timingFirst(span: Span, onDelta: TracedCall["onDelta"]): TracedCall["onDelta"] {
  const started = performance.now();
  return (delta) => {
    if (!span.attributes.has(ATTRIBUTES.timeToFirstChunk))
      span.set(ATTRIBUTES.timeToFirstChunk, (performance.now() - started) / 1000);
    onDelta(delta);
  };
}

function describeReply(span: Span, { spec }: ResolvedModel, reply: Reply): void {
  const cost = spec.track_usage === false ? undefined : computeCost(reply.usage, spec.cost);
  for (const each of [span, agentSpan()]) {
    addUsage(each, reply.usage);
    each?.add(ATTRIBUTES.cost, cost);
  }
  span.set(ATTRIBUTES.finishReasons, [reply.finishReason]);
  span.content(ATTRIBUTES.outputMessages, () => [toTraceReply(reply)]);
}

/** The first model of an agent's stream stands for the stream. */
function nameModel(agent: Span | undefined, { attributes }: Span): void {
  if (agent?.attributes.has(ATTRIBUTES.provider)) return;
  for (const name of [ATTRIBUTES.provider, ATTRIBUTES.requestModel]) agent?.set(name, attributes.get(name));
}

/** The span of the agent that the call is made for. */
function agentSpan(): Span | undefined {
  let span = currentSpan();
  while (span && span.attributes.get(ATTRIBUTES.operation) !== "invoke_agent") span = span.place.parent;
  return span;
}

/** The conventions count cached tokens as input, unlike the usage that hooks see. */
function addUsage(span: Span | undefined, usage: Usage | undefined): void {
  if (!span || !usage) return;
  const { cached_input_tokens: read, cached_write_tokens: written } = usage;
  const { input_tokens: sent } = usage;
  span.add(ATTRIBUTES.inputTokens, sent === undefined ? undefined : sent + (read ?? 0) + (written ?? 0));
  span.add(ATTRIBUTES.outputTokens, usage.output_tokens);
  span.add(ATTRIBUTES.cacheReadTokens, read);
  span.add(ATTRIBUTES.cacheCreationTokens, written);
  span.add(ATTRIBUTES.reasoningTokens, usage.reasoning_tokens);
}

/** The HTTP status, else hooksh's own code of the failure. */
function errorType(error: unknown): string {
  if (!(error instanceof ModelError)) return "_OTHER";
  return error.status > 0 ? String(error.status) : error.code;
}
