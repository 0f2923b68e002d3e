import { eventNamed, isUndecodable } from "../../dialects/decode.ts";
import { DIALECTS, type DialectName } from "../../dialects/names.ts";
import { isObject } from "../../lib/json.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { decodeFor } from "../dispatch/judge-host.ts";
import type { RecordedEvent } from "./recorded-event.ts";

/** A short description of a recorded event, for people. */
export interface EventLabel {
  /** The event, for another agent's with its dialect: `claude PreToolUse`. */
  event: string;
  /** The tool, as its agent names it. */
  tool?: string;
  /** The command, path, prompt or other text that describes the event best, on one line. */
  call?: string;
}

/** Fields that describe an event best, the most telling first. */
const TELLING = ["cmd", "command", "path", "file_path", "url", "query", "prompt", "notification_message", "source"];

/** Returns the label of a recorded event. `call` has at most `limit` characters. */
export async function labelOf(event: RecordedEvent, limit: number): Promise<EventLabel> {
  const label = event.dialect ? await hostLabel(event, event.dialect) : ownLabel(event.payload);
  const call = label.call === undefined ? "" : shortened(escapeControls(label.call), limit);
  return {
    event: escapeControls(label.event),
    ...(label.tool ? { tool: escapeControls(label.tool) } : {}),
    ...(call === "" ? {} : { call }),
  };
}

/** Describes an event on one line: `pre_tool_use shell: git push --force`. */
export function labelText({ event, tool, call }: EventLabel): string {
  const subject = tool === undefined ? event : `${event} ${tool}`;
  return call === undefined ? subject : `${subject}: ${call}`;
}

function ownLabel(payload: Payload): EventLabel {
  const { hook_event_name: event, tool_name: tool, tool_input: input } = payload;
  return labelled(textOf(event) ?? "event", textOf(tool), tool === undefined ? payload : input);
}

async function hostLabel({ payload, hostEvent }: RecordedEvent, name: DialectName): Promise<EventLabel> {
  const { dialect } = await DIALECTS[name].load();
  const event = hostEvent ?? eventNamed(dialect, payload);
  const title = event === undefined ? name : `${name} ${event}`;
  const call = await decodeFor(dialect, { payload, event });
  if (isUndecodable(call)) return { event: title };
  return labelled(title, call.tool?.name, call.tool ? call.tool.input : (call.events[0]?.payload ?? {}));
}

function labelled(event: string, tool: string | undefined, about: unknown): EventLabel {
  const call = callOf(about);
  return { event, ...(tool === undefined ? {} : { tool }), ...(call === undefined ? {} : { call }) };
}

function callOf(about: unknown): string | undefined {
  if (!isObject(about)) return textOf(about);
  for (const field of TELLING) {
    const value = about[field];
    const text = Array.isArray(value) ? value.map(String).join(" ") : textOf(value);
    if (text) return text;
  }
  return undefined;
}

function textOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" ? value : undefined;
}

function shortened(text: string, limit: number): string {
  const characters = [...text];
  return characters.length <= limit ? text : `${characters.slice(0, limit - 3).join("")}...`;
}
