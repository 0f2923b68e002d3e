/** A span to put into a trace; times are in milliseconds. */
export interface SpanSpec {
  name: string;
  /** After the start of its parent, or of the trace. */
  at?: number;
  takes?: number;
  attributes?: Readonly<Record<string, string | number | boolean | readonly string[]>>;
  error?: string;
  /** An id of a parent that is not in the trace. */
  parentId?: string;
  events?: readonly { name: string; at: number }[];
  children?: readonly SpanSpec[];
}

/** When the traces of the tests begin, in milliseconds since 1970. */
export const START = Date.UTC(2026, 9, 21, 9, 30);

let count = 0;

/** Writes each tree as a line of OTLP/JSON; a child's line comes before its parent's, as spans end. */
export function otlpLines(roots: readonly SpanSpec[], trace = hexId(32)): string {
  return roots
    .flatMap((root) => spansOf(root, START, trace, root.parentId))
    .map((span) => `${JSON.stringify(exportOf([span]))}\n`)
    .join("");
}

/** An export request that holds these spans. */
export function exportOf(spans: readonly object[]): object {
  const resource = { attributes: [{ key: "service.name", value: { stringValue: "hooksh" } }] };
  return { resourceSpans: [{ resource, scopeSpans: [{ scope: { name: "hooksh" }, spans }] }] };
}

function spansOf(spec: SpanSpec, start: number, traceId: string, parentSpanId: string | undefined): object[] {
  const { name, at = 0, takes = 1, attributes = {}, error, children = [], events = [] } = spec;
  const begin = start + at;
  const spanId = hexId(16);
  const nested = children.flatMap((child) => spansOf(child, begin, traceId, spanId));
  const own = {
    traceId,
    spanId,
    ...(parentSpanId === undefined ? {} : { parentSpanId }),
    name,
    kind: 1,
    startTimeUnixNano: nanoseconds(begin),
    endTimeUnixNano: nanoseconds(begin + takes),
    attributes: Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) })),
    events: events.map((event) => ({ name: event.name, timeUnixNano: nanoseconds(start + event.at), attributes: [] })),
    status: error === undefined ? {} : { code: 2, message: error },
  };
  return [...nested, own];
}

function nanoseconds(milliseconds: number): string {
  return String(
    BigInt(Math.round(milliseconds * 1e6 - Math.floor(milliseconds) * 1e6)) +
      BigInt(Math.floor(milliseconds)) * 1_000_000n,
  );
}

function anyValue(value: string | number | boolean | readonly string[]): object {
  if (typeof value === "string") return { stringValue: value };
  if (typeof value === "boolean") return { boolValue: value };
  if (typeof value === "number") return Number.isInteger(value) ? { intValue: String(value) } : { doubleValue: value };
  return { arrayValue: { values: value.map(anyValue) } };
}

function hexId(digits: number): string {
  // The zeros keep 1 and a1 apart.
  return (++count).toString(16).padStart(8, "0").padStart(digits, "a0");
}

/** The dispatch of an event, with its hooks. */
export function dispatchSpan(event: string, hooks: readonly SpanSpec[], spec: Partial<SpanSpec> = {}): SpanSpec {
  const attributes = { "hooksh.event": event, "hooksh.decision": "none", ...spec.attributes };
  return { name: `hooksh.dispatch ${event}`, takes: 20, children: hooks, ...spec, attributes };
}

/** The run of a hook. */
export function hookSpan(name: string, spec: Partial<SpanSpec> = {}): SpanSpec {
  const attributes = {
    "gen_ai.operation.name": "apply_guardrail",
    "hooksh.hook.name": name,
    "hooksh.hook.type": "command",
    "hooksh.hook.source": "agent.yaml:12",
    "hooksh.hook.stage": "guard",
    "hooksh.hook.outcome": "silent",
    "hooksh.decision": "none",
    ...spec.attributes,
  };
  return { name: `apply_guardrail ${name}`, takes: 10, ...spec, attributes };
}

/** A tool call, with what happened in it. */
export function toolSpan(name: string, children: readonly SpanSpec[], spec: Partial<SpanSpec> = {}): SpanSpec {
  const attributes = { "gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": name, ...spec.attributes };
  return { name: `execute_tool ${name}`, takes: 100, children, ...spec, attributes };
}

/** A request to a model. */
export function modelSpan(model: string, spec: Partial<SpanSpec> = {}): SpanSpec {
  const attributes = {
    "gen_ai.operation.name": "chat",
    "gen_ai.request.model": model,
    "gen_ai.usage.input_tokens": 1200,
    "gen_ai.usage.output_tokens": 80,
    ...spec.attributes,
  };
  return { name: `chat ${model}`, takes: 900, ...spec, attributes };
}

/** A turn of an agent. */
export function agentSpan(name: string, children: readonly SpanSpec[], spec: Partial<SpanSpec> = {}): SpanSpec {
  const attributes = {
    "gen_ai.operation.name": "invoke_agent",
    "gen_ai.agent.name": name,
    "gen_ai.conversation.id": "0199-session-one",
    ...spec.attributes,
  };
  return { name: `invoke_agent ${name}`, takes: 5000, children, ...spec, attributes };
}

/** A run in which a guard denies a force push, a formatter observes, and another hook times out. */
export function exampleRun(): SpanSpec {
  const push = JSON.stringify({
    hook_event_name: "pre_tool_use",
    tool_name: "shell",
    tool_input: { cmd: "git push --force" },
  });
  const denied = {
    "hooksh.decision": "deny",
    "hooksh.hook.outcome": "answered",
    "hooksh.hook.decided": true,
    "hooksh.hook.matcher": "shell",
    "hooksh.hook.exit_code": 0,
    "hooksh.hook.timeout_s": 30,
    "hooksh.hook.message": "no force push: push a new branch",
    "hooksh.hook.input": push,
    "hooksh.hook.output": JSON.stringify({ hook_specific_output: { permission_decision: "deny" } }),
  };
  const late = { "hooksh.hook.outcome": "timed_out", "hooksh.hook.message": "timed out after 1 s" };
  return agentSpan("root", [
    dispatchSpan("session_start", [hookSpan("add_environment_info", { takes: 2 })], { takes: 3 }),
    modelSpan("gpt-5-mini", { at: 5, takes: 1800 }),
    toolSpan(
      "shell",
      [
        dispatchSpan(
          "pre_tool_use",
          [
            hookSpan("guard.sh", { at: 1, takes: 180, attributes: denied }),
            hookSpan("lint", {
              at: 1,
              takes: 40,
              attributes: {
                "hooksh.hook.mode": "observe",
                "hooksh.hook.would": "ask",
                "hooksh.hook.message": "unsure about main",
              },
            }),
          ],
          {
            takes: 182,
            attributes: { "hooksh.decision": "deny", "hooksh.reason": "no force push: push a new branch" },
          },
        ),
      ],
      {
        at: 1810,
        takes: 190,
        error: "denied",
        attributes: {
          "error.type": "denied",
          "gen_ai.tool.call.id": "call_1",
          "gen_ai.tool.call.arguments": '{"cmd":"git push --force"}',
        },
      },
    ),
    modelSpan("gpt-5-mini", { at: 2010, takes: 1500 }),
    toolSpan(
      "read_file",
      [
        dispatchSpan(
          "pre_tool_use",
          [hookSpan("guard.sh", { takes: 90, attributes: { "hooksh.decision": "allow" } })],
          { takes: 91, attributes: { "hooksh.decision": "allow" } },
        ),
        dispatchSpan(
          "post_tool_use",
          [hookSpan("format", { takes: 1000, attributes: late, error: "timed out after 1 s" })],
          { at: 100, takes: 1001 },
        ),
      ],
      { at: 3520, takes: 1110 },
    ),
    dispatchSpan("stop", [], { at: 4990, takes: 1 }),
  ]);
}
