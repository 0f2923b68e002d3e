import type { DecidingHook } from "../protocol/fields.ts";
import type { FrontEnd } from "../runtime/events/front-end.ts";
import type { CallOutcome, RunEvent } from "../runtime/events/run-events.ts";
import { RunMeter } from "../runtime/stream/run-meter.ts";
import { callText } from "../terminal/run-text.ts";

/** A tool call as the account of a run shows it. */
export interface CallEntry {
  tool: string;
  /** The call on one line, with long arguments cut and control characters escaped. */
  text: string;
  agent: string | undefined;
  outcome: CallOutcome;
  /** Why it did not run. */
  reason?: string | undefined;
  /** How the user can allow it. */
  hint?: string | undefined;
  hooks: readonly DecidingHook[];
}

/** The answer to the last message. */
export interface FinalAnswer {
  text: string;
  /** True if the agent answers in JSON by a schema. */
  isStructured: boolean;
}

/** The outcomes of calls that a hook, a rule, the safety mode or the lack of a user kept from running. */
export const DENIED: ReadonlySet<CallOutcome> = new Set(["blocked", "denied", "refused"]);

/** Maximum number of entries that are kept; all calls are counted. */
const MAX_ENTRIES = 1000;
/** Maximum length of an argument, a call and a reason, in characters. */
const MAX_ARGUMENT = 120;
const MAX_TEXT = 500;
const MAX_REASON = 1000;

/** Keeps the account of a run: its calls with their outcomes, its errors, and what it used. */
export class RunLedger {
  readonly meter: RunMeter;
  readonly startedAt = performance.now();
  sessionId: string | undefined;
  /** True if the session is stored, so that it can be resumed. */
  isStored = false;
  /** True if a user is at the terminal and sees what the run does. */
  isAttended = false;
  /** True if standard output could not be written to its end, because its reader does not read. */
  isOutputStuck = false;
  /** The final answer, if the run has ended with one. */
  answer: FinalAnswer | undefined;
  agent: string | undefined;
  model: string | undefined;
  readonly calls: CallEntry[] = [];
  readonly denied: CallEntry[] = [];
  readonly counts = new Map<CallOutcome, number>();
  /** The errors that ended work, in order. */
  readonly errors: { message: string; hooks: readonly DecidingHook[] }[] = [];
  readonly #running = new Map<string, string>();

  constructor(meter = new RunMeter()) {
    this.meter = meter;
  }

  /** The calls that were blocked, denied or refused, even those of which no entry is kept. */
  get deniedCount(): number {
    return [...DENIED].reduce((sum, outcome) => sum + (this.counts.get(outcome) ?? 0), 0);
  }

  see(event: RunEvent): void {
    switch (event.type) {
      case "agent_info":
        this.agent ??= event.agent_name;
        this.model ??= event.model;
        break;
      case "tool_call":
        this.#running.set(keyOf(event, event.tool_call.id), textOf(event.tool_call.function));
        break;
      case "tool_call_response":
        this.#addCall(event);
        break;
      case "error":
        if (this.errors.length < MAX_ENTRIES)
          this.errors.push({ message: event.error.slice(0, MAX_REASON), hooks: event.hooks ?? [] });
        break;
    }
  }

  #addCall(event: Extract<RunEvent, { type: "tool_call_response" }>): void {
    const { outcome, tool_call: call, tool_call_id: id, tool_definition: tool, reason, hint, hooks } = event;
    const key = keyOf(event, id);
    const entry: CallEntry = {
      tool: tool.name,
      text: call ? textOf(call.function) : (this.#running.get(key) ?? textOf({ name: tool.name, arguments: "{}" })),
      agent: event.agent_name,
      outcome,
      hooks: hooks ?? [],
      hint,
      reason: outcome === "completed" ? undefined : (reason ?? event.response).slice(0, MAX_REASON),
    };
    this.#running.delete(key);
    this.counts.set(outcome, (this.counts.get(outcome) ?? 0) + 1);
    if (this.calls.length < MAX_ENTRIES) this.calls.push(entry);
    if (DENIED.has(outcome) && this.denied.length < MAX_ENTRIES) this.denied.push(entry);
  }
}

/** Returns a front end whose events the ledger keeps account of. */
export function recordEvents(frontEnd: FrontEnd, ledger: RunLedger): FrontEnd {
  const { reportBackground } = frontEnd;
  return {
    ...frontEnd,
    report: (event) => {
      ledger.see(event);
      frontEnd.report(event);
    },
    reportBackground: (event) => {
      ledger.see(event);
      reportBackground?.(event);
    },
  };
}

/** Agents that work at the same time may use the same id. */
function keyOf({ background_task, agent_name }: RunEvent, id: string): string {
  return JSON.stringify([background_task, agent_name, id]);
}

function textOf(call: { name: string; arguments: string }): string {
  const text = callText(call, MAX_ARGUMENT);
  return text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text;
}
