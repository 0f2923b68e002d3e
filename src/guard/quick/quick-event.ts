import type { SystemCalls } from "../../lib/process/system-calls.ts";
import type { Env } from "../../lib/process-env.ts";
import { contractOf, type EventName, type EventPayload, isEventName } from "../../protocol/events.ts";
import { buildInput, parseInput } from "../../protocol/input.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { isPlainPath } from "./plain-path.ts";
import type { QuickLine } from "./quick-line.ts";

/** One event, as hooks and matchers see it. */
export interface QuickEvent {
  event: EventName;
  /** What hooks read. */
  input: Payload;
  /** The names of the tool. */
  names: readonly string[];
}

/** The event of another agent, as far as its log entry and the note of its call name it. */
export interface QuickHost {
  dialect: { name: string };
  event: string;
}

/** What a process of `dispatch` was asked. */
export interface Question {
  events: readonly QuickEvent[];
  /** Where hooks run. */
  cwd: string;
  /** Variables that name the agent. */
  env: Env;
  host: QuickHost | undefined;
  /** What is written if every hook is silent. */
  silence: string;
  /** Further events whose hooks would run. */
  beside: readonly EventName[];
}

/** What an event gets that does not say it. */
export interface Defaults {
  session_id: string;
  cwd: string;
}

/**
 * True if an event is one of hooksh's own for certain: its name is one that no agent has, and nothing says otherwise. See
 * `CERTAIN_MARKS` of src/dialects/marks.ts.
 */
export function isOwn({ hook_event_name: name }: Payload, { dialect, isProved }: QuickLine): boolean {
  const isNamed = dialect === undefined || dialect === "auto" || dialect === "hooksh";
  return isNamed && !isProved && typeof name === "string" && name.includes("_") && isEventName(name);
}

/** Reads an event of hooksh's own protocol. Undefined if it is not valid. */
export function readOwn(value: Payload, { event: given, format }: QuickLine, defaults: Defaults): Question | undefined {
  const said = value["hook_event_name"];
  if (given !== undefined && (!isEventName(given) || (said && said !== given))) return undefined;
  const parsed = parseInput(given === undefined ? value : { ...value, hook_event_name: given });
  if (typeof parsed === "string") return undefined;
  const event = parsed.hook_event_name;
  const payload = {
    ...parsed,
    session_id: parsed["session_id"] ?? defaults.session_id,
    cwd: parsed["cwd"] || defaults.cwd,
  };
  const answer = format === "hook" ? {} : { event, allowed: true };
  return {
    events: [quickEvent(event, payload, defaults.cwd)],
    cwd: defaults.cwd,
    env: {},
    host: undefined,
    beside: [],
    silence: `${JSON.stringify(answer)}\n`,
  };
}

/** Returns an event as hooks and matchers see it; `more` are further names of its tool. */
export function quickEvent(event: EventName, payload: Payload, cwd: string, more: readonly string[] = []): QuickEvent {
  const names: string[] = [];
  for (const name of [payload["tool_name"], payload["tool_qualified_name"], ...more])
    if (typeof name === "string") names.push(name);
  return {
    event,
    input: buildInput(event, payload as EventPayload<EventName>, cwd),
    names,
  };
}

/** True if silence about an event is a verdict, or something else than hooks answers it. */
export function isPeculiar({ event }: QuickEvent): boolean {
  const { reading, accepts } = contractOf(event);
  return reading !== undefined || accepts.includes("transition");
}

/** Returns the answer to another agent whose bytes are `stdout`. */
export function hostAnswer(stdout: string, { isProved }: QuickLine): string {
  return isProved ? `${stdout.replaceAll("\\", "\\\\").replaceAll("\n", "\\n")}\n\nhooksh:0\n` : stdout;
}

/** The directory that a payload names. Undefined if it is none, or not written plainly. */
export function projectOf(cwd: unknown, system: SystemCalls): string | undefined {
  if (typeof cwd !== "string" || !isPlainPath(cwd) || system.status(cwd)?.kind !== "folder") return undefined;
  return cwd;
}
