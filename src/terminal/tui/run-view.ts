import type { Component } from "@earendil-works/pi-tui";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import { routeText } from "../../runtime/session/routing-decision.ts";
import type { StatusSource } from "../front-end/run-status.ts";
import { blockText, compactionText } from "../run-text.ts";
import type { Theme } from "../theme.ts";
import { warningText } from "../warning-text.ts";
import { Activity } from "./activity.ts";
import type { InlineScreen } from "./inline-screen.ts";
import { AnswerStream } from "./markdown/answer-stream.ts";
import { NoteBlock } from "./note-block.ts";
import { StatusLine } from "./status-line.ts";
import { ThoughtBlock } from "./thought-block.ts";
import { TodoPanel } from "./todo-panel.ts";
import { ToolCallBlock } from "./tool-call/tool-call-block.ts";

export interface RunViewOptions {
  screen: InlineScreen;
  theme: () => Theme;
  status: StatusSource;
  /** The git branch of the working directory. */
  branch: () => string | undefined;
  /** The directory that paths are shown relative to. */
  cwd: () => string;
  /** True if a tool of an agent may read a file, so that a diff may show it. */
  mayRead: (agent: string, tool: string, path: string) => boolean;
  hideToolCalls: boolean;
  hideToolResults: boolean;
}

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;

/** Shows the events of a run as blocks of the transcript. */
export class RunView {
  readonly activity: Activity;
  readonly statusLine: StatusLine;
  readonly todos: TodoPanel;
  readonly #options: RunViewOptions;
  /** The answers that are being written, by session. */
  readonly #answers = new Map<string, AnswerStream>();
  /** The thoughts that are being written, by session. */
  readonly #thoughts = new Map<string, ThoughtBlock>();
  /** The calls without a result, by id. */
  readonly #calls = new Map<string, ToolCallBlock>();
  /** The ids of calls about which the user is asked. */
  readonly #asked = new Set<string>();
  /** A notice of work that the activity row names: shown once the row has changed. */
  #delayed: string | undefined;
  #speaker: string | undefined;
  #hintTimer: Timer | undefined;

  constructor(options: RunViewOptions) {
    this.#options = options;
    const { screen, theme } = options;
    this.activity = new Activity(() => screen.requestRender(), theme);
    this.statusLine = new StatusLine(options);
    this.todos = new TodoPanel({
      theme,
      screenRows: () => screen.terminal.rows,
      isHidden: options.hideToolCalls || options.hideToolResults,
    });
  }

  /** Adds a block at the end of the transcript. */
  add(block: Component): void {
    this.#options.screen.transcript.add(block);
    this.#options.screen.requestRender();
  }

  /** Shows a line that the user has sent. */
  showSent(text: string): void {
    const [first = "", ...rest] = text.split("\n");
    const rows = [`> ${first}`, ...rest.map((row) => `  ${row}`)].map((row) => this.#style("userMessage", row));
    this.add(new NoteBlock(`\n${rows.join("\n")}`));
  }

  /** Shows a hint in the status line until the next key. */
  hint(text: string): void {
    this.statusLine.hint = text;
    clearTimeout(this.#hintTimer);
    this.#hintTimer = setTimeout(() => this.clearHint(), HINT_MS);
    this.#options.screen.requestRender();
  }

  clearHint(): void {
    clearTimeout(this.#hintTimer);
    this.statusLine.hint = undefined;
    this.#options.screen.requestRender();
  }

  /** Opens or folds the last result that is folded or was opened. Shows it again below if it has scrolled away. */
  toggleLast(): void {
    const block = this.#lastBlock((each) => each instanceof ToolCallBlock && each.isFoldable);
    if (block instanceof ToolCallBlock) this.#toggle(block);
    else this.hint("no result is folded");
  }

  /** Opens or folds the last thoughts, in the same way. */
  toggleThoughts(): void {
    const block = this.#lastBlock((each) => each instanceof ThoughtBlock);
    if (block instanceof ThoughtBlock) this.#toggle(block);
    else this.hint("the model has shown no thoughts");
  }

  #lastBlock(isWanted: (block: Component) => boolean): Component | undefined {
    return this.#options.screen.transcript.blocks.findLast(isWanted);
  }

  #toggle(block: ToolCallBlock | ThoughtBlock): void {
    const { screen } = this.#options;
    block.toggle();
    if (screen.isReachable(block)) screen.requestRender();
    else screen.transcript.moveToEnd(block);
  }

  /** Ends what moves. */
  stop(): void {
    clearTimeout(this.#hintTimer);
    this.activity.stop();
  }

  show(event: RunEvent): void {
    if (this.activity.see(event)) this.#showDelayed();
    this.#options.status.see(event);
    this.todos.see(event);
    switch (event.type) {
      case "agent_info":
        return this.#showSpeaker(event);
      case "agent_choice_reasoning":
        return this.#think(event);
      case "agent_choice":
        this.#endThoughts(event.session_id);
        return this.#answer(event.session_id).append(event.content);
      case "message_added":
        return this.#endAnswer(event.session_id);
      case "tool_call_confirmation":
        this.#asked.add(event.tool_call.id);
        return;
      case "tool_call":
        return this.#showCall(event);
      case "tool_call_output":
        return this.#calls.get(event.tool_call_id)?.output(event.output);
      case "hook_blocked":
        return this.#blocked(event);
      case "tool_call_response":
        return this.#respond(event);
      case "warning":
        return this.#notice("warning", `⚠️  ${warningText(event)}`);
      case "error":
        this.#endAnswer(event.session_id);
        return this.#notice("error", blockText("error", event.error, event.hooks));
      case "agent_route":
        return this.#notice("dim", routeText(event));
      case "model_fallback":
        this.#delayed = `⚠️  ${event.failed_model} failed (${event.reason}), trying ${event.fallback_model}`;
        return;
      case "model_restarted":
        this.#endAnswer(event.session_id);
        this.#delayed = `⚠️  the answer was cut off and starts again with ${event.model}`;
        return;
      case "session_compaction":
        if (event.status === "completed" && event.outcome === "applied") this.#notice("dim", compactionText(event));
        return;
      case "stream_stopped":
        return this.#endAnswer(event.session_id);
      default:
        return;
    }
  }

  #style(role: Parameters<Theme["style"]>[0], text: string): string {
    return this.#options.theme().style(role, text);
  }

  #showDelayed(): void {
    const text = this.#delayed;
    this.#delayed = undefined;
    if (text !== undefined) this.#notice("warning", text);
  }

  /** Shows a text of hooksh's own, with parts from outside. */
  #notice(role: Parameters<Theme["style"]>[0], text: string): void {
    const lines = escapeControlsInLines(text).split("\n");
    this.add(new NoteBlock(lines.map((line) => this.#style(role, line)).join("\n")));
  }

  #showSpeaker({ agent_name: name }: EventOf<"agent_info">): void {
    if (this.#speaker !== undefined && this.#speaker !== name)
      this.add(new NoteBlock(this.#style("dim", `\n--- Agent: ${escapeControls(name ?? "")} ---`)));
    this.#speaker = name;
  }

  #think({ session_id: id, content }: EventOf<"agent_choice_reasoning">): void {
    let block = this.#thoughts.get(id);
    if (!block && content.trim() === "") return;
    if (!block) {
      block = new ThoughtBlock(this.#options.theme());
      this.#thoughts.set(id, block);
      this.add(block);
    }
    block.append(content);
    this.#options.screen.requestRender();
  }

  #endThoughts(sessionId: string): void {
    this.#thoughts.get(sessionId)?.finish();
    this.#thoughts.delete(sessionId);
  }

  #answer(sessionId: string): AnswerStream {
    const existing = this.#answers.get(sessionId);
    if (existing) return existing;
    const { screen, theme } = this.#options;
    this.add(new NoteBlock(""));
    const answer = new AnswerStream({
      theme: theme(),
      addBlock: (block) => this.add(block),
      requestRender: () => screen.requestRender(),
    });
    this.#answers.set(sessionId, answer);
    return answer;
  }

  #endAnswer(sessionId: string): void {
    this.#endThoughts(sessionId);
    this.#answers.get(sessionId)?.finish();
    this.#answers.delete(sessionId);
    this.#options.screen.requestRender();
  }

  #callBlock(event: EventOf<"tool_call" | "hook_blocked">): ToolCallBlock {
    const { theme, cwd, hideToolResults, mayRead } = this.#options;
    const block = new ToolCallBlock({
      call: event.tool_call,
      rewritten: event.rewritten,
      definition: event.tool_definition,
      agent: event.agent_name === this.#speaker ? undefined : event.agent_name,
      theme: theme(),
      cwd: cwd(),
      mayRead: (path) => mayRead(event.agent_name ?? "", event.tool_call.function.name, path),
      hasShownChange: this.#asked.delete(event.tool_call.id),
      hideResult: hideToolResults,
    });
    this.#calls.set(event.tool_call.id, block);
    this.add(block);
    return block;
  }

  #showCall(event: EventOf<"tool_call">): void {
    if (!this.#options.hideToolCalls) this.#callBlock(event);
  }

  #blocked(event: EventOf<"hook_blocked">): void {
    const block = this.#calls.get(event.tool_call.id) ?? this.#callBlock(event);
    block.blocked(event);
    this.#options.screen.requestRender();
  }

  #respond(event: EventOf<"tool_call_response">): void {
    const call = event.tool_call;
    const existing = this.#calls.get(event.tool_call_id);
    const isRefusal = event.outcome !== "completed";
    if (!existing && (this.#options.hideToolCalls ? !isRefusal : !call)) return;
    const block = existing ?? (call && this.#callBlock({ ...event, type: "tool_call", tool_call: call }));
    block?.respond(event);
    this.#calls.delete(event.tool_call_id);
    this.#options.screen.requestRender();
  }
}

/** A hint disappears after this long if no key is pressed. */
const HINT_MS = 3_000;
