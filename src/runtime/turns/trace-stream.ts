import { traced } from "../../trace/active.ts";
import { ATTRIBUTES } from "../../trace/names.ts";
import type { Span, SpanStart } from "../../trace/span.ts";
import type { Agent } from "../agent/agent.ts";
import type { Stream } from "../stream/stream-state.ts";

/** Runs a stream, in a span `invoke_agent NAME` if tracing is on. */
export function traceStream(stream: Stream, agent: Agent, work: () => Promise<void>): Promise<void> {
  return traced(
    () => agentSpan(stream, agent),
    async (span) => {
      await work();
      if (span) describeEnd(span, stream);
    },
  );
}

function agentSpan({ session }: Stream, { name, description }: Agent): SpanStart {
  return {
    name: `invoke_agent ${name}`,
    attributes: {
      [ATTRIBUTES.operation]: "invoke_agent",
      [ATTRIBUTES.agentName]: name,
      [ATTRIBUTES.agentDescription]: description,
      [ATTRIBUTES.conversation]: session.id,
    },
  };
}

function describeEnd(span: Span, { signal, error, lastReason }: Stream): void {
  span.set(ATTRIBUTES.outcome, lastReason);
  if (signal.aborted) span.fail("canceled");
  else if (error) span.fail(error.code ?? "_OTHER", error.message);
}
