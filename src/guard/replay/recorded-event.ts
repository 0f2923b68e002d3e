import { DIALECTS, type DialectName, isDialectName } from "../../dialects/names.ts";
import { recognize } from "../../dialects/recognize.ts";
import type { Help } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { nearest } from "../../lib/text/nearest.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { readVerdict, type VerdictSummary } from "../record/verdict-summary.ts";

export const NOT_A_RECORDING: Help = {
  cause: "The line is not a recorded event, or no hooks were named to judge with.",
  cure: "Give `hooksh replay` a folder or a file that `--record events:DIR` wrote. A file of your own needs one JSON object in UTF-8 on each line, with `hook_event_name` or in the form of a known agent; [recording](recording.md) describes each key. Without recorded verdicts, name the old hooks with `--baseline FILE`.",
};

/** Where a recorded event is written. */
export interface EventPlace {
  /** The file as the user named it. */
  file: string;
  line: number;
}

/** One event of a recording, or a payload that was kept alone. */
export interface RecordedEvent extends EventPlace {
  /** What the agent sent, or the event of hooksh. */
  payload: Payload;
  /** The agent whose payload it is; absent for an event of hooksh itself. */
  dialect?: DialectName;
  /** The event in the agent's spelling, if the payload does not name it. */
  hostEvent?: string;
  /** The verdict at the time of recording; absent in a plain payload. */
  verdict?: VerdictSummary;
}

/** An event that was too large to be recorded. */
export interface OmittedEvent extends EventPlace {
  omitted: string;
}

/** A line that could not be read. `message` starts with `file:line:column: `. */
export interface BrokenLine {
  problem: string;
}

const LINE_KEYS: readonly string[] = ["event", "dialect", "host_event", "verdict", "omitted"];

/**
 * Reads one value of a recording: a line that `--record events:DIR` wrote, or a payload, whose agent is recognised. Returns
 * a message if it is neither.
 */
export function readRecordedEvent(value: unknown, place: EventPlace): RecordedEvent | OmittedEvent | string {
  if (!isObject(value)) return "expected a JSON object: a recorded event or a payload";
  const { event, dialect, host_event: hostEvent, verdict, omitted } = value;
  if (!isObject(event) || !Object.keys(value).every((key) => LINE_KEYS.includes(key)))
    return plainPayload(value, place);
  if (typeof omitted === "string") return { ...place, omitted };
  if (dialect !== undefined && !(typeof dialect === "string" && isDialectName(dialect))) return unknownDialect(dialect);
  if (hostEvent !== undefined && typeof hostEvent !== "string") return "host_event must be a text";
  const read = isObject(verdict)
    ? readVerdict(verdict)
    : verdict === undefined
      ? undefined
      : "verdict must be an object";
  if (typeof read === "string") return read;
  return {
    ...place,
    payload: event,
    ...(dialect === undefined ? {} : { dialect }),
    ...(hostEvent === undefined ? {} : { hostEvent }),
    ...(read === undefined ? {} : { verdict: read }),
  };
}

function plainPayload(payload: Payload, place: EventPlace): RecordedEvent | string {
  const found = recognize(payload, {})?.dialect;
  if (found !== undefined && found !== "hooksh") return { ...place, payload, dialect: found };
  if (typeof payload["hook_event_name"] === "string") return { ...place, payload };
  return "neither a recorded event nor a payload: it has no hook_event_name, and no known agent sends it";
}

plainPayload.help = NOT_A_RECORDING;

function unknownDialect(name: unknown): string {
  const close = typeof name === "string" ? nearest(name, Object.keys(DIALECTS)) : undefined;
  return `unknown dialect ${JSON.stringify(name)}${close === undefined ? "" : `, did you mean ${close}?`}`;
}
