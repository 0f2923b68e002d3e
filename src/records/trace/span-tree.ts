import { ATTRIBUTES, DENIED, DISPATCH_SPAN } from "../../trace/names.ts";
import type { TraceSpan } from "./otlp-spans.ts";
import type { SpanKind, Tone } from "./page/page-data.ts";

/** A span in its tree, with what the views show of it. */
export interface SpanNode extends TraceSpan {
  kind: SpanKind;
  /** How it ended, in a word or two: a decision, `failed`, `would deny`; "" if there is nothing to say. */
  verdict: string;
  tone: Tone;
  /** The reason or message that belongs to the verdict. */
  reason: string;
  /** Its own, or that of the nearest span above that has one; "" without. */
  session: string;
  /** The name of the agent, found in the same way. */
  agent: string;
  parentNode: SpanNode | undefined;
  children: SpanNode[];
  /** 0 for a root. */
  depth: number;
}

/** The `gen_ai.operation.name` of each kind, those of other tools included. */
const KINDS: Readonly<Record<string, SpanKind>> = {
  invoke_agent: "agent",
  create_agent: "agent",
  chat: "model",
  generate_content: "model",
  text_completion: "model",
  embeddings: "model",
  execute_tool: "tool",
  apply_guardrail: "hook",
};

/** The colour of each verdict; a verdict that is not here has none. */
const TONES: Readonly<Record<string, Tone>> = {
  allow: "good",
  ask: "warn",
  deny: "bad",
  block: "bad",
  denied: "bad",
  blocked: "bad",
  failed: "bad",
  "timed out": "bad",
};

/** Outcomes of hooks, tool calls and turns that need no word beside the decision. */
const PLAIN_OUTCOMES: readonly string[] = ["", "answered", "said", "silent", "completed", "normal"];

/**
 * Builds the trees of a trace: the roots in order of time, each with its children in order of time. A span whose parent
 * is not there is a root. So is one of a cycle, which only a broken trace has.
 */
export function buildTrees(spans: readonly TraceSpan[]): SpanNode[] {
  const nodes = spans.map(nodeOf);
  const byId = new Map<string, SpanNode>();
  for (const node of nodes) if (!byId.has(keyOf(node.trace, node.id))) byId.set(keyOf(node.trace, node.id), node);
  for (const node of nodes) if (node.parent !== undefined) node.parentNode = byId.get(keyOf(node.trace, node.parent));
  cutCycles(nodes);
  for (const node of nodes) node.parentNode?.children.push(node);
  const roots = nodes.filter(({ parentNode }) => parentNode === undefined);
  sortByTime(roots);
  for (const node of walk(roots)) inherit(node);
  return roots;
}

/** Makes one span of each cycle a root. Linear: every span is passed once. */
function cutCycles(nodes: readonly SpanNode[]): void {
  const passes = new Map<SpanNode, number>();
  for (const [pass, node] of nodes.entries()) {
    let at: SpanNode | undefined = node;
    for (; at && !passes.has(at); at = at.parentNode) passes.set(at, pass);
    if (at && passes.get(at) === pass) at.parentNode = undefined;
  }
}

/** Takes over what the parent, which comes first, knows. */
function inherit(node: SpanNode): void {
  const { parentNode: parent } = node;
  node.depth = parent ? parent.depth + 1 : 0;
  node.session ||= parent?.session ?? "";
  node.agent ||= parent?.agent ?? "";
  sortByTime(node.children);
}

/** Yields every span below these, parents first, children in order. Not recursive: a trace may be a long chain. */
export function* walk(roots: readonly SpanNode[]): Generator<SpanNode> {
  const open = roots.toReversed();
  for (let node = open.pop(); node; node = open.pop()) {
    yield node;
    for (const child of node.children.toReversed()) open.push(child);
  }
}

/** The value of an attribute as text; "" if it is missing. */
export function attribute({ attributes }: TraceSpan, key: string): string {
  return String(attributes[key] ?? "");
}

/** Removes the word for the kind from a span's name, which the view shows by other means. */
export function shortName({ name, kind }: SpanNode): string {
  const [first = "", ...rest] = name.split(" ");
  const isKind = Object.hasOwn(KINDS, first) || first === DISPATCH_SPAN;
  return kind !== "other" && isKind && rest.length > 0 ? rest.join(" ") : name;
}

function nodeOf(span: TraceSpan): SpanNode {
  const kind = kindOf(span);
  const verdict = verdictOf(span);
  const tone: Tone = verdict.startsWith("would ") ? "observed" : (TONES[verdict] ?? (span.failed ? "bad" : "plain"));
  const reason = attribute(span, ATTRIBUTES.reason) || attribute(span, ATTRIBUTES.hookMessage) || span.message;
  const session = attribute(span, ATTRIBUTES.conversation);
  const agent = attribute(span, ATTRIBUTES.agentName);
  return { ...span, kind, verdict, tone, reason, session, agent, parentNode: undefined, children: [], depth: 0 };
}

function kindOf(span: TraceSpan): SpanKind {
  const operation = attribute(span, ATTRIBUTES.operation);
  if (Object.hasOwn(KINDS, operation)) return KINDS[operation] ?? "other";
  return attribute(span, ATTRIBUTES.event) !== "" || span.name.startsWith(`${DISPATCH_SPAN} `) ? "event" : "other";
}

function verdictOf(span: TraceSpan): string {
  const would = attribute(span, ATTRIBUTES.hookWould);
  if (would !== "" && would !== "none") return `would ${would}`;
  const outcome = (attribute(span, ATTRIBUTES.hookOutcome) || attribute(span, ATTRIBUTES.outcome)).replaceAll("_", " ");
  if (outcome === "failed" || outcome === "timed out") return outcome;
  const decision = attribute(span, ATTRIBUTES.decision);
  if (decision !== "" && decision !== "none") return decision;
  const route = attribute(span, ATTRIBUTES.route);
  if (route !== "") return `-> ${route}`;
  if (!PLAIN_OUTCOMES.includes(outcome)) return outcome;
  if (attribute(span, ATTRIBUTES.errorType) === DENIED) return DENIED;
  return span.failed ? "failed" : "";
}

function keyOf(trace: string, id: string): string {
  return `${trace}:${id}`;
}

function sortByTime(nodes: SpanNode[]): void {
  nodes.sort((a, b) => a.start - b.start);
}
