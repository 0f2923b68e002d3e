import type { HostCall } from "../dialects/dialect.ts";
import { resultText } from "../dialects/values.ts";
import { once } from "../lib/once.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { callFacts } from "./call-facts.ts";
import { exitCodeOf } from "./exit-code.ts";
import type { CallFacts, EventFacts } from "./facts.ts";
import { currentBranch, isDirty } from "./git-state.ts";
import type { Place } from "./place.ts";

/** What a run knows and no payload has. */
export type SessionFacts = Partial<Pick<EventFacts, "depth" | "source" | "cost" | "calls">>;

/** What is known about an event beside its payload. */
export interface EventFactsOptions {
  /** Further names of the tool that matchers are tried against. */
  toolNames: readonly string[];
  /** The event as another agent sent it. */
  host: HostCall | undefined;
  place: Place;
  session?: SessionFacts;
  /** Milliseconds since the epoch; by default the clock's. */
  now?: number;
}

/** What drives a turn. */
const SOURCES: readonly unknown[] = ["user", "schedule", "agent", "api"];

/** Returns the facts of an event. Each that takes work is computed when it is asked for, once. */
export function eventFacts(event: EventName, payload: Payload, options: EventFactsOptions): EventFacts {
  const { toolNames, host, place, session = {}, now = Date.now() } = options;
  const call = contractOf(event).matcher ? callFacts(payload, { toolNames, tool: host?.tool, place }) : undefined;
  const text = once(() => textOf(event, payload));
  const ok = once(() => (event === "post_tool_use" ? isOk(payload, { host, call, text: text() }) : undefined));
  return {
    event,
    call,
    branch: once(() => currentBranch(place.cwd, place.env)),
    dirty: once(() => isDirty(place.cwd, place.env)),
    agent: agentOf(payload, host),
    depth: session.depth ?? numberIn(payload, "depth") ?? depthOf(payload, host),
    source: session.source ?? (SOURCES.includes(payload["source"]) ? String(payload["source"]) : undefined),
    cost: session.cost ?? (event === "after_llm_call" ? undefined : numberIn(payload, "cost")),
    calls: session.calls ?? numberIn(payload, "calls"),
    get text() {
      return text();
    },
    get ok() {
      return ok();
    },
    now,
    payload,
  };
}

/** What the user wrote, what the tool answered, or what the agent did. */
function textOf(event: EventName, payload: Payload): string | undefined {
  switch (event) {
    case "user_prompt_submit":
    case "user_followup_submit":
      return textIn(payload, "prompt");
    case "user_steering_messages_submit": {
      const { steering_messages: messages } = payload;
      return Array.isArray(messages) ? messages.filter((each) => typeof each === "string").join("\n") : undefined;
    }
    case "post_tool_use":
      return resultText(payload["tool_response"]);
    case "stop":
    case "subagent_stop":
      return textIn(payload, "stop_response");
    default:
      return undefined;
  }
}

/** False if the tool failed, or its command ended with another exit code than 0. */
function isOk(
  payload: Payload,
  { host, call, text }: { host: HostCall | undefined; call: CallFacts | undefined; text: string | undefined },
): boolean {
  if (payload["tool_error"] === true) return false;
  const code = call?.class === "runs-commands" ? exitCodeOf(payload, host, text) : undefined;
  return code === undefined || code === 0;
}

/** Where agents name the agent that acts. */
const AGENT_FIELDS = ["agent_name", "agentName", "agent_type", "agentType"] as const;

function agentOf(payload: Payload, host: HostCall | undefined): string | undefined {
  const named = AGENT_FIELDS.map((field) => (host ? textIn(host.payload, field) : undefined));
  return textIn(payload, "agent_name") ?? named.find((name) => name !== undefined);
}

const PARENT_FIELDS = ["parent_session_id", "parent_agent_id", "parentAgentId"] as const;

/**
 * 1 for a sub-agent, as far as agents say it: none tells how deep it is. 0 for the main agent of hooksh and of those that
 * name sub-agents alone; undefined if nothing is known.
 */
function depthOf(payload: Payload, host: HostCall | undefined): number | undefined {
  const given = host?.payload ?? payload;
  if (PARENT_FIELDS.some((field) => textIn(given, field) !== undefined)) return 1;
  if (!host) return 0;
  if (PARENT_FIELDS.some((field) => given[field] === null)) return 0;
  const fields = host.dialect.sends.split(" ");
  if (!fields.includes("agent_id") || PARENT_FIELDS.some((field) => fields.includes(field))) return undefined;
  return textIn(given, "agent_id") === undefined ? 0 : 1;
}

function textIn(payload: Payload, field: string): string | undefined {
  const value = payload[field];
  return typeof value === "string" && value !== "" ? value : undefined;
}

function numberIn(payload: Payload, field: string): number | undefined {
  const value = payload[field];
  return typeof value === "number" ? value : undefined;
}
