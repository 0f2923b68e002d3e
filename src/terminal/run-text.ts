/**
 * A run on a terminal: draws it, reads the prompt, asks the questions. It starts no run.
 *
 * @packageDocumentation
 */
import { stripVTControlCharacters } from "node:util";
import type { Writer } from "../cli/output-writer.ts";
import { painter } from "../cli/paint.ts";
import { filtered } from "../cli/print.ts";
import { canonicalJson } from "../lib/json.ts";
import { counted } from "../lib/text/counted.ts";
import { roundedDuration } from "../lib/text/duration.ts";
import { escapeControls, escapeControlsInLines } from "../lib/text/escape-controls.ts";
import type { DecidingHook } from "../protocol/fields.ts";
import { withoutPlace } from "../protocol/result.ts";
import type { ShownMessage } from "../runtime/conversation/slash-commands.ts";
import type { CallRewrite } from "../runtime/events/front-end.ts";
import type { CallOutcome, RunEvent } from "../runtime/events/run-events.ts";
import { routeText } from "../runtime/session/routing-decision.ts";
import { warningText } from "./warning-text.ts";

export interface TextOptions {
  output: Writer;
  /** Receives warnings and errors, and escapes control characters if it writes to a terminal. */
  diagnostics: (line: string) => void;
  /** True if standard output is a terminal: agents get headers, and control characters are escaped. */
  terminal: boolean;
  colors: boolean;
  hideToolCalls: boolean;
  hideToolResults: boolean;
  /** True if tool calls are shown with the diagnostics. */
  callsOnDiagnostics?: boolean;
  /** The session whose answers are shown if tool calls are hidden. Default: every session. */
  answersOf?: string;
}

/** Outcomes of calls that did not run, in words. Other outcomes have their own event, or the user caused them. */
const NOT_RUN: Readonly<Partial<Record<CallOutcome, string>>> = {
  denied: "Denied",
  refused: "Denied",
  unknown_tool: "Not run:",
  malformed_arguments: "Not run:",
  canceled: "Canceled",
  skipped: "Skipped",
};

type Hooks = readonly DecidingHook[] | undefined;

/**
 * Returns a function that shows the events of a run as text: answers, tool calls and their results, calls that did not
 * run and why, warnings and errors. Each answer starts on a new line. On a terminal, an answer appears as it arrives. A
 * pipe or file gets it once it is complete, because it may still be cut off and restarted; a cut-off answer is never
 * written there. If tool calls are hidden and there is no terminal, standard output contains only answers; calls that
 * did not run are then reported as diagnostics.
 */
export function textRenderer(options: TextOptions): (event: RunEvent) => void {
  const { output, diagnostics, terminal, hideToolCalls, hideToolResults } = options;
  const paint = painter(options.colors);
  const clean = terminal ? escapeControlsInLines : filtered;
  const isOnlyAnswers = hideToolCalls && !terminal && options.answersOf !== undefined;
  /** The last message, if only answers are shown: it is an answer unless a call follows. */
  let held: string | undefined;
  const line = (text: string) => {
    if (options.callsOnDiagnostics) return diagnostics(text);
    output.startLine();
    output.write(`${terminal ? text : filtered(text)}\n`);
  };
  const verdict = (text: string, isFromHidden = true) => {
    if (!hideToolCalls) line(paint("red", clean(text)));
    else if (isFromHidden) diagnostics(`⚠️  ${text}`);
  };
  const showResponse = (event: Extract<RunEvent, { type: "tool_call_response" }>) => {
    const { outcome, tool_call: call, tool_definition: tool, hooks, hint } = event;
    const name = `${workerOf(event)}${escapeControls(tool.name)}`;
    const response = clean(withoutColours(event.response, terminal));
    if (outcome === "completed") {
      if (!hideToolCalls && !hideToolResults) line(paint("dim", `${name} response → ${response}`));
    } else if (outcome === "failed") {
      const shown = hideToolResults ? shorten(response.split("\n", 1)[0] ?? "", 200) : response;
      verdict(`${name} failed → ${shown}`, false);
    } else if (NOT_RUN[outcome] && call) {
      const head = `${workerOf(event)}${NOT_RUN[outcome]} ${callText(call.function)}: ${indented(event.reason ?? event.response)}`;
      const lines = outcome === "skipped" ? hookLines(hooks, "by") : hookLines(hooks, "asked for by", true);
      verdict([head, ...rewriteLines(event, call), ...lines, ...(hint ? [`  to allow it: ${hint}`] : [])].join("\n"));
    }
  };
  let speaker: string | undefined;
  const answers = answerWriter((text) => output.write(clean(text)), { output, terminal });
  return (event) => {
    switch (event.type) {
      case "agent_info":
        if (terminal && speaker !== undefined && speaker !== event.agent_name) {
          line(paint("dim", `--- Agent: ${escapeControls(event.agent_name ?? "")} ---`));
        }
        speaker = event.agent_name;
        break;
      case "agent_choice":
        answers.add(event.session_id, event.content);
        break;
      case "message_added":
        if (!isOnlyAnswers) answers.complete(event.session_id);
        else if (event.session_id === options.answersOf) held = answers.take(event.session_id);
        else answers.drop(event.session_id);
        break;
      case "tool_call":
        if (event.background_task === undefined) held = undefined;
        if (!hideToolCalls) {
          line(paint("cyan", `${workerOf(event)}Calling ${callText(event.tool_call.function)}`));
          for (const change of rewriteLines(event, event.tool_call)) line(paint("dim", change));
        }
        break;
      case "hook_blocked":
        verdict(
          [
            blockText(`${workerOf(event)}Denied ${callText(event.tool_call.function)}`, event.message, event.hooks),
            ...rewriteLines(event, event.tool_call),
          ].join("\n"),
        );
        break;
      case "tool_call_response":
        if (event.background_task === undefined) held = undefined;
        showResponse(event);
        break;
      case "warning":
        diagnostics(`⚠️  ${workerOf(event)}${warningText(event)}`);
        break;
      case "error":
        answers.drop(event.session_id);
        diagnostics(blockText(`${workerOf(event)}error`, event.error, event.hooks));
        break;
      case "agent_route":
        diagnostics(escapeControls(routeText(event)));
        break;
      case "model_fallback":
        diagnostics(`⚠️  ${event.failed_model} failed (${event.reason}), trying ${event.fallback_model}`);
        break;
      case "model_waiting": {
        const wait = roundedDuration(event.wait_ms);
        diagnostics(
          `⚠️  waiting ${wait} for ${event.model} (${shorten(event.reason.replace(/\s+/g, " "), 300)}), Ctrl+C to stop`,
        );
        break;
      }
      case "model_restarted": {
        const notice = `⚠️  the answer was cut off and starts again with ${event.model}`;
        // The notice belongs below the cut-off answer on the terminal, even if standard error is redirected.
        if (answers.isShowing(event.session_id)) line(paint("dim", clean(notice)));
        else diagnostics(notice);
        answers.drop(event.session_id);
        break;
      }
      case "session_compaction":
        if (terminal && event.outcome === "applied") line(paint("dim", compactionText(event)));
        break;
      case "stream_stopped":
        answers.drop(event.session_id);
        output.startLine();
        if (held !== undefined && event.session_id === options.answersOf) output.write(withNewline(clean(held)));
        held = undefined;
        break;
      default:
        break;
    }
  };
}

/** Returns the name of the agent, in brackets and followed by a space, if it works in the background. */
function workerOf({ background_task, agent_name = "" }: RunEvent): string {
  return background_task === undefined ? "" : `[${escapeControls(agent_name)}] `;
}

/** Returns a writer of answers: it writes to a terminal as they arrive, to anything else once they are complete. */
function answerWriter(write: (text: string) => void, { output, terminal }: Pick<TextOptions, "output" | "terminal">) {
  /** The session whose answer is being shown. */
  let shown: string | undefined;
  /** The incomplete answers by session, if there is no terminal. */
  const incomplete = new Map<string, string>();
  const show = (sessionId: string, text: string) => {
    if (shown !== sessionId) output.startLine();
    shown = sessionId;
    write(text);
  };
  const drop = (sessionId: string) => {
    incomplete.delete(sessionId);
    shown = undefined;
  };
  return {
    add(sessionId: string, text: string) {
      if (terminal) show(sessionId, text);
      else incomplete.set(sessionId, (incomplete.get(sessionId) ?? "") + text);
    },
    complete(sessionId: string) {
      const text = incomplete.get(sessionId);
      if (text !== undefined) {
        // One write, so that readers that wait for whole lines get it, and nothing comes between text and line end.
        show(sessionId, withNewline(text));
      }
      drop(sessionId);
    },
    /** Returns a complete answer instead of showing it. */
    take(sessionId: string): string | undefined {
      const text = incomplete.get(sessionId);
      drop(sessionId);
      return text;
    },
    /** Forgets an answer that was cut off. */
    drop,
    isShowing: (sessionId: string) => shown === sessionId,
  };
}

function withNewline(text: string): string {
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Describes what hooks blocked, why, and which hooks; if there are several, each with its own reason. */
export function blockText(head: string, message: string, hooks: Hooks): string {
  const lines = hookLines(hooks, "by", (hooks?.length ?? 0) > 1);
  const why = lines.length === 1 ? withoutPlace(message, "event") : message;
  return [`${head}: ${lines.length > 1 ? `${lines.length} hooks say no` : indented(why)}`, ...lines].join("\n");
}

/** Returns a line per hook, `  by NAME (SOURCE), 12 ms`, followed by its reason if `withReason` is true. */
function hookLines(hooks: Hooks = [], by: string, withReason = false): string[] {
  return hooks.map((hook) => {
    const reason = withReason && hook.message ? `: ${indented(withoutPlace(hook.message, "event"))}` : "";
    return `  ${by} ${hookText(hook)}${reason}`;
  });
}

/** `NAME (SOURCE), 12 ms`: a hook, where it is configured, and how long it took. */
export function hookText({ name, source, duration_ms }: DecidingHook): string {
  return `${escapeControls(shorten(name, 100))} (${escapeControls(source)}), ${Math.round(duration_ms)} ms`;
}

/** Returns a line about the hooks that changed a call, if any did. */
function rewriteLines(
  { rewritten }: { rewritten?: CallRewrite | undefined },
  call: { function: { arguments: string } },
): string[] {
  return rewritten ? [`  ${rewriteText(rewritten, call.function.arguments)}`] : [];
}

/**
 * `changed by NAME (SOURCE), 12 ms: was cmd: ls`: which hooks changed a call, and each argument that differs as the model
 * wrote it, cut to 200 characters. Controls are escaped.
 */
export function rewriteText({ arguments: before, hooks }: CallRewrite, after: string): string {
  const [old, now] = [argumentsIn(before) ?? {}, argumentsIn(after) ?? {}];
  const changed = [...new Set([...Object.keys(old), ...Object.keys(now)])].filter(
    (key) => canonicalJson(old[key] ?? null) !== canonicalJson(now[key] ?? null),
  );
  const was = changed.map((key) => (Object.hasOwn(old, key) ? argumentText([key, old[key]]) : `without ${key}`));
  return `changed by ${hooks.map(hookText).join(" and ")}: was ${escapeControls(was.join(", "))}`;
}

/** Indents all lines but the first, so that they cannot imitate hooksh's own lines. */
function indented(text: string): string {
  return text.trimEnd().replaceAll("\n", "\n    ");
}

/** Strips escape sequences from the output of a program if it goes to a terminal. */
function withoutColours(text: string, terminal: boolean): string {
  return terminal ? stripVTControlCharacters(text) : text;
}

/**
 * Formats a tool call on one line, `shell(cmd: ls -la)`: each argument is cut to `limit` characters, and controls are
 * escaped.
 */
export function callText({ name, arguments: json }: { name: string; arguments: string }, limit = 200): string {
  const args = argumentsIn(json);
  const text = args && Object.entries(args).map((argument) => argumentText(argument, limit));
  return escapeControls(`${name}(${text?.join(", ") ?? shorten(json, limit)})`);
}

/** Returns the arguments of a call; undefined if they are no JSON object, and so are shown as the model wrote them. */
function argumentsIn(json: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = JSON.parse(json);
    return typeof parsed === "object" && parsed !== null ? { ...parsed } : undefined;
  } catch {
    return undefined;
  }
}

function argumentText([key, value]: readonly [string, unknown], limit = 200): string {
  return `${key}: ${shorten(typeof value === "string" ? value : JSON.stringify(value), limit)}`;
}

function shorten(text: string, limit: number): string {
  return text.length > limit ? `${text.slice(0, limit)}…` : text;
}

/**
 * Returns the text for the user after a command that sent nothing to the model: a URL to open, or the agent that now
 * answers.
 */
export function commandResultText(result: ShownMessage): string {
  switch (result.kind) {
    case "url":
      return result.url;
    case "switched":
      return `(${result.agent} answers from now on)`;
    case "prompt":
      return `(the prompt ${result.prompt} of the MCP server ${result.server} is sent as your message:)\n${result.text}`;
  }
}

/** Says what a compaction has replaced, and how large the summary is. */
export function compactionText(event: Extract<RunEvent, { type: "session_compaction" }>): string {
  const { replaced_messages: messages, replaced_tokens: tokens = 0, summary_tokens: summary = 0 } = event;
  if (messages === undefined) return "(compacted: long tool results are cut)";
  const what = `${counted(messages, "message")} of about ${counted(tokens, "token")}`;
  return `(compacted: a summary of about ${counted(summary, "token")} replaces ${what})`;
}
