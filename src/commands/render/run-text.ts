import { stripVTControlCharacters } from "node:util";
import type { RunEvent } from "../../runtime/events.ts";
import type { Writer } from "../writer.ts";
import { painter } from "./paint.ts";
import { visible, visibleLines } from "../../lib/visible.ts";

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
  const paint = painter(options.colors);
  const clean = terminal ? visibleLines : (text: string) => text;
  const line = (text: string) => {
    output.startLine();
    output.write(`${text}\n`);
  };
  const remark = (text: string) => diagnostics(clean(text));
  let speaker: string | undefined;
  return (event) => {
    switch (event.type) {
      case "agent_info":
        if (terminal && speaker !== undefined && speaker !== event.agent_name) {
          line(paint("dim", `--- Agent: ${visible(event.agent_name ?? "")} ---`));
        }
        speaker = event.agent_name;
        break;
      case "agent_choice":
        output.write(clean(event.content));
        break;
      case "tool_call":
        if (!hideToolCalls) line(paint("cyan", `Calling ${callText(event.tool_call.function)}`));
        break;
      case "hook_blocked":
        if (hideToolCalls) break;
        line(paint("red", `Blocked ${callText(event.tool_call.function)}: ${clean(event.message)}`));
        break;
      case "tool_call_response":
        if (!hideToolCalls && !hideToolResults && !event.result.is_error) {
          const response = clean(withoutColours(event.response, terminal));
          line(paint("dim", `${visible(event.tool_definition.name)} response → ${response}`));
        }
        break;
      case "warning":
        remark(`⚠️  ${event.hook_event ? `${event.hook_event}: ` : ""}${event.message}`);
        break;
      case "error":
        remark(`error: ${event.error}`);
        break;
      case "model_fallback":
        remark(`⚠️  ${event.failed_model} failed (${event.reason}), trying ${event.fallback_model}`);
        break;
      case "max_iterations_reached":
        remark(`⚠️  Maximum iterations reached (${event.max_iterations})`);
        break;
      case "stream_stopped":
        output.startLine();
        break;
      default:
        break;
    }
  };
}

/** What a program wrote, without the colours it chose. */
function withoutColours(text: string, terminal: boolean): string {
  return terminal ? stripVTControlCharacters(text) : text;
}

/** `shell(cmd: ls -la)`: the tool with its arguments, each cut at `limit` characters, in one line safe to show. */
export function callText({ name, arguments: json }: { name: string; arguments: string }, limit = 200): string {
  let parsed: unknown;
  try {
    parsed = JSON.parse(json);
  } catch {
    return visible(`${name}(${json})`); // shown as the model wrote it
  }
  if (typeof parsed !== "object" || parsed === null) return visible(`${name}(${json})`);
  const textOf = (value: unknown) => shorten(typeof value === "string" ? value : JSON.stringify(value), limit);
  const pairs = Object.entries(parsed).map(([key, value]) => `${key}: ${textOf(value)}`);
  return visible(`${name}(${pairs.join(", ")})`);
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}
