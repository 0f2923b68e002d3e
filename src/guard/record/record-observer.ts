import { afterAnswer } from "../../cli/print.ts";
import { displayName } from "../../config/hooks/read-hooks.ts";
import { eventNamed } from "../../dialects/decode.ts";
import type { HostCall } from "../../dialects/dialect.ts";
import type { DispatchObserver, DispatchRecord } from "../../engine/dispatch-record.ts";
import { errorText, type Help } from "../../lib/errors.ts";
import { type JudgedDispatch, originalsOf, summarizeVerdict } from "./verdict-summary.ts";
import type { Draft, Recording } from "./write-recording.ts";

const EVENT_NOT_RECORDED: Help = {
  cause: "The folder of `--record events:DIR` cannot be written. The verdict is not affected.",
  cure: "Free space, or correct the permissions of the folder.",
};

export interface RecordOptions extends Recording {
  warn: (message: string) => void;
  /** True if an answer is given first: the search for secrets takes longer than all else that a dispatch does. */
  afterAnswer: boolean;
}

/**
 * Returns an observer that appends each event with its verdict to `DIR/SESSION.jsonl`, without private parts. The event
 * of another agent is one line, in the agent's fields, even if it is several events of hooksh. An error is reported once
 * and changes no verdict.
 */
export function recordObserver(options: RecordOptions): DispatchObserver {
  const reported = new Set<string>();
  const report = (problem: string) => {
    if (reported.has(problem) || reported.size >= MAX_REPORTS) return;
    reported.add(problem);
    options.warn(`--record events: ${problem}`);
  };
  const reporting = async (work: () => Promise<void> | void) => {
    try {
      await work();
    } catch (error) {
      report(`events are not recorded: ${errorText(error)}`);
    }
  };
  const parts = new WeakMap<HostCall, JudgedDispatch[]>();
  const write = async (draft: Draft) => (await import("./write-recording.ts")).writeRecorded(draft, options, report);
  return () => ({
    settled: async (record) => {
      await reporting(async () => {
        const draft = draftOf(record, parts);
        if (draft === undefined) return;
        if (options.afterAnswer) afterAnswer(() => reporting(() => write(draft)));
        else await write(draft);
      });
      return undefined;
    },
  });
}

recordObserver.help = EVENT_NOT_RECORDED;

const MAX_REPORTS = 20;

/** Returns undefined for the first parts of a host's event: the last one records them all. */
function draftOf(record: DispatchRecord, parts: WeakMap<HostCall, JudgedDispatch[]>): Draft | undefined {
  const { event, payload, result, runs, host } = record;
  // A guard of hooksh about a file that the host's event loaded: the host's event shows its effect.
  if (host && !host.events.some((one) => one.event === event)) return undefined;
  const by = runs.filter(({ decided }) => decided).map(({ hook }) => displayName(hook.entry.hook));
  const judged: JudgedDispatch = { event, payload, result, by };
  const dispatches = host ? [...(parts.get(host) ?? []), judged] : [judged];
  if (host) parts.set(host, dispatches);
  if (host && result.allowed && event !== host.events.at(-1)?.event) return undefined;
  return {
    session: String(payload["session_id"] ?? ""),
    name: host ? `${host.dialect.name} ${host.event}` : event,
    line: { ...(host ? hostLine(host) : { event: payload }), verdict: summarizeVerdict(dispatches) },
    originals: originalsOf(dispatches),
  };
}

function hostLine({ dialect, payload, event }: HostCall): Omit<Draft["line"], "verdict"> {
  const isNamed = eventNamed(dialect, payload) === event;
  return { event: payload, dialect: dialect.name, ...(isNamed ? {} : { host_event: event }) };
}
