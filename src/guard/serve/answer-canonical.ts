import { settleWithin } from "../../lib/settle-within.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { type EventName, type EventPayload, isEventName } from "../../protocol/events.ts";
import type { ParsedInput } from "../../protocol/input.ts";
import { type HostDispatch, problemOf } from "../dispatch/judge-host.ts";
import { eventsIn, type Incoming, isRefused } from "../dispatch/read-events.ts";
import { renderVerdict } from "../dispatch/verdicts.ts";
import { recordFailure } from "../watch/record-failure.ts";

/** A request with an event of hooksh's own protocol. */
export interface Canonical {
  incoming: Incoming;
  /** The event for an object that names none. */
  event: string | undefined;
  /** Why the request is refused. */
  problem: string | undefined;
  /** Whether a refusal leaves an entry in the audit log; those without access must not fill the disk. */
  isRecorded: boolean;
}

/** Judges one event. Returns the JSON that a hook would print; a denial if anything is wrong. Never rejects. */
export async function judgeCanonical(request: Canonical, dispatch: HostDispatch): Promise<string> {
  const stop = new AbortController();
  const verdict = verdictOf(request, dispatch, AbortSignal.any([dispatch.signal, stop.signal]));
  const { deadlineMs, startedAt } = dispatch;
  const waited = () => performance.now() - startedAt;
  const ms = deadlineMs === undefined ? undefined : Math.max(0, deadlineMs - waited());
  const settled = await settleWithin(verdict, { ms });
  if (settled.kind === "done") return settled.value;
  stop.abort();
  return deny(`no verdict within ${formatDuration(Math.round(waited()))}`, request, dispatch);
}

async function verdictOf(request: Canonical, dispatch: HostDispatch, signal: AbortSignal): Promise<string> {
  try {
    const event = await eventOf(request);
    if (typeof event === "string") return await deny(event, request, dispatch);
    const { executor, log } = await dispatch.load();
    const { defaults, workingDir } = dispatch;
    const payload = {
      ...event,
      session_id: event["session_id"] ?? defaults.session_id,
      cwd: event["cwd"] || defaults.cwd,
    };
    const result = await executor({ workingDir: workingDir ?? defaults.cwd }).dispatch(
      event.hook_event_name,
      payload as EventPayload<EventName>,
      { signal, warn: (message) => log("warn", message) },
    );
    return renderVerdict(event.hook_event_name, result, { format: "hook" });
  } catch (error) {
    return deny(problemOf(error), request, dispatch);
  }
}

async function deny(problem: string, { isRecorded, event }: Canonical, { directories }: HostDispatch): Promise<string> {
  const named = event !== undefined && isEventName(event) ? event : undefined;
  if (isRecorded) await recordFailure({ source: "serve", problem, event: named }, directories);
  return denial(problem);
}

async function eventOf({ incoming, event, problem }: Canonical): Promise<ParsedInput | string> {
  if (problem !== undefined) return problem;
  const events = await Array.fromAsync(eventsIn(incoming.all(), event));
  const [first] = events;
  if (first === undefined) return "the request holds no event";
  if (isRefused(first)) return first.problem;
  return events.length === 1 ? first : "one event at a time: the request holds several";
}

function denial(problem: string): string {
  return JSON.stringify({ decision: "block", reason: `hooksh: ${problem}` });
}
