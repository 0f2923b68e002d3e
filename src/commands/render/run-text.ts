import { stripVTControlCharacters } from "node:util";
import type { RunEvent } from "../../runtime/events.ts";
import type { Writer } from "../writer.ts";

/** How a run is shown as text. */
export interface TextOptions {
  output: Writer;
  /** Where warnings and errors go. */
  diagnostics: (line: string) => void;
  /** Standard output is a terminal: headers and colours. */
  terminal: boolean;
  colors: boolean;
  hideToolCalls: boolean;
  hideToolResults: boolean;
}

/**
 * Shows a run as text: what the agent says as it says it, tool calls and their results, warnings and errors apart. With
 * tool calls hidden and no terminal, standard output is exactly what the agent said and a newline.
 *
 * Source: config-and-cli 9.6.
 */
export function textRenderer(options: TextOptions): (event: RunEvent) => void {
  const { output, diagnostics, terminal, hideToolCalls, hideToolResults } = options;
  const paint = (code: number, text: string) => (options.colors ? `\x1b[${code}m${text}\x1b[0m` : text);
  let atLineStart = true;
  let speaker: string | undefined;
  const say = (text: string) => {
    if (text === "") return;
    output.write(text);
    atLineStart = text.endsWith("\n");
  };
  const line = (text: string) => say(`${atLineStart ? "" : "\n"}${text}\n`);
  return (event) => {
    switch (event.type) {
      case "agent_info":
        if (terminal && speaker !== undefined && speaker !== event.agent_name) line(paint(2, `--- Agent: ${event.agent_name ?? ""} ---`));
        speaker = event.agent_name;
        break;
      case "agent_choice":
        say(clean(event.content, terminal));
        break;
      case "tool_call":
        if (!hideToolCalls) line(paint(36, `Calling ${callText(event.tool_call.function)}`));
        break;
      case "hook_blocked":
        if (!hideToolCalls) line(paint(31, `Blocked ${callText(event.tool_call.function)}: ${clean(event.message, terminal)}`));
        break;
      case "tool_call_response":
        if (!hideToolCalls && !hideToolResults && !event.result.is_error) line(paint(2, `${event.tool_definition.name} response → ${clean(event.response, terminal)}`));
        break;
      case "warning":
        diagnostics(`⚠️  ${event.hook_event ? `${event.hook_event}: ` : ""}${event.message}`);
        break;
      case "error":
        diagnostics(`error: ${event.error}`);
        break;
      case "model_fallback":
        diagnostics(`⚠️  ${event.failed_model} failed (${event.reason}), trying ${event.fallback_model}`);
        break;
      case "max_iterations_reached":
        diagnostics(`⚠️  Maximum iterations reached (${event.max_iterations})`);
        break;
      case "stream_stopped":
        if (!atLineStart) say("\n");
        break;
      default:
        break;
    }
  };
}

/** Text of a model, a tool or a hook: in a terminal without the control sequences that could forge what is shown. */
function clean(text: string, terminal: boolean): string {
  return terminal ? stripVTControlCharacters(text) : text;
}

/** `shell(cmd: ls -la)`: the tool with its arguments, each cut at `limit` characters. */
export function callText({ name, arguments: json }: { name: string; arguments: string }, limit = 200): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return `${name}(${json})`; // shown as the model wrote it
  }
  if (typeof parsed !== "object" || parsed === null) return `${name}(${json})`;
  return `${name}(${Object.entries(parsed).map(([key, value]) => `${key}: ${shorten(typeof value === "string" ? value : JSON.stringify(value), limit)}`).join(", ")})`;
}

function shorten(text: string, limit: number): string {
  const single = stripVTControlCharacters(text).replaceAll("\n", "\\n");
  return single.length > limit ? `${single.slice(0, limit)}…` : single;
}
