import type { Component } from "@earendil-works/pi-tui";
import { processEnv } from "../../../lib/env.ts";
import { roundedDuration } from "../../../lib/text/duration.ts";
import { escapeControls, escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import type { DecidingHook } from "../../../protocol/fields.ts";
import { withoutPlace } from "../../../protocol/result.ts";
import type { CallRewrite } from "../../../runtime/events/front-end.ts";
import type { CallOutcome, RunEvent } from "../../../runtime/events/run-events.ts";
import { hookText, rewriteText } from "../../run-text.ts";
import type { Role, Theme } from "../../theme.ts";
import { type ChangeLine, changeLines, countChanges } from "./change-lines.ts";
import { changeRows, foldedChangeRows } from "./diff-rows.ts";
import { argumentsOf, essenceOf } from "./essence.ts";
import { type FileChange, fileChangeOf } from "./file-change.ts";
import { type Fold, foldOf, NOTHING, readableResult } from "./fold.ts";
import { looksBinary, OutputTail } from "./program-output.ts";
import { cutRows, foldedRows, linesOf, openChange, openRows } from "./result-rows.ts";
import { fitSpans, paintRow, remarkRows, type SpanRow, span, widthOfRow } from "./spans.ts";

/** How far a call has come. */
type CallState = "running" | CallOutcome;

interface CallVerdict {
  reason: string;
  /** The hooks that decided, or that wanted the user asked. */
  hooks: readonly DecidingHook[];
  /** How the user can allow such a call. */
  hint?: string | undefined;
}

/** How a state is shown: a mark, the role that styles it, and a word unless the mark says enough. */
interface StateStyle {
  mark: string;
  role: Role;
  word: string;
}

/** How each state is shown. The word says what the colour says, for terminals without colours. */
const CALL_STATES: Readonly<Record<CallState, StateStyle>> = {
  running: { mark: "●", role: "accent", word: "" },
  completed: { mark: "✓", role: "success", word: "" },
  failed: { mark: "✗", role: "error", word: "failed" },
  blocked: { mark: "✗", role: "error", word: "denied" },
  denied: { mark: "✗", role: "error", word: "denied" },
  refused: { mark: "✗", role: "warning", word: "denied" },
  rejected: { mark: "✗", role: "warning", word: "denied by you" },
  unknown_tool: { mark: "✗", role: "error", word: "no such tool" },
  malformed_arguments: { mark: "✗", role: "error", word: "malformed arguments" },
  canceled: { mark: "○", role: "warning", word: "canceled" },
  skipped: { mark: "○", role: "dim", word: "skipped" },
};

type EventOf<T extends RunEvent["type"]> = Extract<RunEvent, { type: T }>;
type ToolCall = EventOf<"tool_call">["tool_call"];
type ToolDefinition = EventOf<"tool_call">["tool_definition"];
type ToolCallResponse = EventOf<"tool_call_response">;

export interface ToolCallBlockOptions {
  call: ToolCall;
  definition: ToolDefinition;
  /** What the model wrote, if hooks changed it. */
  rewritten?: CallRewrite | undefined;
  /** The agent that calls the tool; shown if given. */
  agent?: string | undefined;
  theme: Theme;
  /** The working directory of the session. */
  cwd: string;
  /** True if the question about the call has shown its diff, so that only the open block shows it again. */
  hasShownChange?: boolean;
  /** True if the tool may read a file; any file may be read if absent. */
  mayRead?: (path: string) => boolean;
  /** True for a call of the past, whose files are no longer as they were before it. */
  hasRun?: boolean;
  /** True if only an open block shows output and result; of an error the first line is always shown. */
  hideResult?: boolean;
}

/** Lines of output that a running call shows. */
const TAIL_LINES = 5;
/** Shorter times are not shown. */
const SHOWN_MS = 1000;
/** Precedes the output, if any, of a command that failed in a tool call that did not. The first row shows it. */
const COMMAND_FAILURE = /^(?:Error executing command: (.*)|(Command timed out after .*))\nOutput:(?: |$)/;
const FAILED_COMMAND: Fold = { lines: 50, from: "end" };

/**
 * A tool call on the screen: one line with the essence of its arguments and its state; below it the end of its output
 * while it runs, and then its result, folded or open, or why it did not run. While a call runs, its elapsed time changes
 * once a second: render again then.
 */
export class ToolCallBlock implements Component {
  readonly #options: ToolCallBlockOptions;
  readonly #essence: string;
  readonly #started = performance.now();
  #milliseconds = 0;
  #state: CallState = "running";
  #tail: OutputTail | undefined = new OutputTail(TAIL_LINES);
  /** How many lines the call printed, if they were shown while it ran. */
  #printed = 0;
  #verdict: CallVerdict | undefined;
  /** What the call changes in a file; undefined for other calls. */
  readonly #change: readonly ChangeLine[] | undefined;
  /** The lines of the response; undefined until it arrives, and for a call that did not run. */
  #lines: string[] | undefined;
  #fold: Fold;
  #failure = "";
  #isBinary = false;
  #isOpen = false;
  #isFoldable = false;
  #rows: { key: string; rows: string[] } | undefined;

  constructor(options: ToolCallBlockOptions) {
    const { call, definition, cwd, hasRun, mayRead } = options;
    this.#options = options;
    const { name } = call.function;
    const args = argumentsOf(call.function.arguments);
    this.#essence = essenceOf(name, args, cwd);
    this.#fold = options.hideResult ? NOTHING : foldOf(name, definition.category);
    const surroundings = hasRun ? undefined : { cwd, env: processEnv(), mayRead };
    this.#change = linesOfChange(fileChangeOf({ name, category: definition.category, args }, surroundings));
  }

  get isDone(): boolean {
    return this.#state !== "running";
  }

  /** True if the folded block leaves something out at the width of the last rendering. */
  get isFoldable(): boolean {
    return this.#isFoldable;
  }

  /** Adds output of the running call. */
  output(text: string): void {
    this.#tail?.append(text);
    this.invalidate();
  }

  /** Shows which hooks blocked the call, and why. */
  blocked({ message, hooks = [] }: EventOf<"hook_blocked">): void {
    this.#end("blocked");
    this.#verdict = { reason: message, hooks };
  }

  /** Shows how the call ended. */
  respond(event: ToolCallResponse): void {
    const { outcome, reason, response, hooks = [], hint } = event;
    if (outcome === "completed" || outcome === "failed") this.#show(event);
    else this.#verdict = { reason: reason ?? response, hooks, hint, ...this.#verdict };
    this.#end(outcome);
  }

  /** Opens the folded block, or folds the open one. */
  toggle(): void {
    this.#isOpen = !this.#isOpen;
    this.invalidate();
  }

  invalidate(): void {
    this.#rows = undefined;
  }

  /** Returns the rows of the block, each at most `width` columns wide. */
  render(width: number): string[] {
    const key = `${width} ${this.isDone ? "" : Math.floor(this.#elapsed() / 1000)}`;
    if (this.#rows?.key !== key) {
      this.#isFoldable = false;
      const { call, rewritten } = this.#options;
      const changed = rewritten ? prose(rewriteText(rewritten, call.function.arguments), width, "dim") : [];
      const body = this.#bodyRows(width);
      const rows = [this.#headRow(width), ...changed, ...body].map((row) =>
        paintRow(fitSpans(row, width), this.#options.theme),
      );
      this.#rows = { key, rows };
    }
    return this.#rows.rows;
  }

  #elapsed(): number {
    return this.isDone ? this.#milliseconds : performance.now() - this.#started;
  }

  #end(state: CallState): void {
    if (!this.isDone) this.#milliseconds = this.#elapsed();
    this.#state = state;
    this.#printed = Math.max(this.#printed, this.#tail?.count ?? 0);
    this.#tail = undefined;
    this.invalidate();
  }

  #show({ response, tool_definition: { category } }: ToolCallResponse): void {
    const failure = category === "shell" ? COMMAND_FAILURE.exec(response) : null;
    this.#failure = (failure?.[1] ?? failure?.[2] ?? "").replace(/^exit status /, "exit ");
    if (failure && !this.#options.hideResult) this.#fold = FAILED_COMMAND;
    this.#isBinary = looksBinary(response);
    this.#lines = linesOf(readableResult(category, response.slice(failure?.[0].length ?? 0)));
  }

  /** Returns the first row. Its end, with the state and the time, stays however long the essence is. */
  #headRow(width: number): SpanRow {
    const { agent, call } = this.#options;
    const { mark, word, role } = this.#style();
    const end = this.#endOfHead(word);
    const suffix = end === "" ? [] : fitSpans([span(` (${end})`, role === "success" ? "dim" : role)], width / 2);
    const start = [
      span(`${mark} `, role),
      ...(agent ? [span(`${escapeControls(agent)}: `, "dim")] : []),
      span(escapeControls(call.function.name), "toolName"),
      span(this.#essence === "" ? "" : ` ${this.#essence}`),
    ];
    return [...fitSpans(start, width - widthOfRow(suffix)), ...suffix];
  }

  /** A failed command is a warning, not an error: the call itself succeeded, and the model reads the output. */
  #style(): StateStyle {
    const style = CALL_STATES[this.#state];
    return this.#failure === "" ? style : { ...style, mark: "✗", role: "warning" };
  }

  #endOfHead(word: string): string {
    const time = this.#elapsed() >= SHOWN_MS ? roundedDuration(this.#elapsed()) : "";
    return [word, escapeControls(this.#failure), this.#size(), time].filter((part) => part !== "").join(", ");
  }

  /** Returns how many lines a file changes by, or how many lines a result has that is not shown folded. */
  #size(): string {
    if (this.#change && !this.#verdict) {
      const { added, removed } = countChanges(this.#change);
      return `+${added} -${removed}`;
    }
    return this.#fold.lines === 0 && this.#lines && this.#lines.length > 1 ? `${this.#lines.length} lines` : "";
  }

  #bodyRows(width: number): SpanRow[] {
    if (this.#verdict) return [...verdictRows(this.#verdict, width), ...this.#changeRows(width, false)];
    if (this.#state === "failed") return this.#errorRows(this.#lines ?? [], width);
    const change = this.#changeRows(width, !this.#options.hasShownChange);
    return [...change, ...(this.#lines ? this.#resultRows(this.#lines, width) : this.#tailRows(width))];
  }

  /** Returns the diff of a call that changes a file; only of an open block, unless `isShown` is true. */
  #changeRows(width: number, isShown: boolean): readonly SpanRow[] {
    if (!this.#change) return [];
    const folded = foldedChangeRows(this.#change, width);
    this.#isFoldable = !isShown || !folded.isComplete;
    if (this.#isOpen) return openChange(changeRows(this.#change, width));
    return isShown ? folded.rows : [];
  }

  #errorRows(lines: readonly string[], width: number): SpanRow[] {
    if (!this.#options.hideResult || this.#isOpen) return openRows(lines, width, ["error"]);
    this.#isFoldable = lines.length > 1;
    return cutRows(lines.slice(0, 1), width, "error");
  }

  #tailRows(width: number): SpanRow[] {
    if (this.#options.hideResult) return [];
    const lines = this.#tail?.lines() ?? [];
    const earlier = (this.#tail?.count ?? 0) - lines.length;
    return cutRows(earlier > 0 ? [`… ${earlier} earlier lines`, ...lines] : lines, width, "dim");
  }

  #resultRows(lines: readonly string[], width: number): SpanRow[] {
    const folded =
      this.#isBinary && !this.#options.hideResult
        ? { rows: cutRows(["binary output (Ctrl+O opens)"], width, "dim"), isComplete: false }
        : foldedRows(lines, this.#fold, width, ["dim"], this.#printed);
    this.#isFoldable ||= !folded.isComplete;
    return this.#isOpen ? openRows(lines, width, ["dim"]) : folded.rows;
  }
}

function linesOfChange(change: FileChange | undefined): ChangeLine[] | undefined {
  const notes = change?.notes.map((text): ChangeLine => ({ kind: "note", text: escapeControls(text) }));
  return change && [...(notes ?? []), ...change.changes.flatMap(changeLines)];
}

/**
 * Returns rows that say why a call did not run: the reason, each hook with its event, where it is configured and how
 * long it took, and how to allow such a call. If several hooks decided, each gives its own reason.
 */
function verdictRows({ reason, hooks, hint }: CallVerdict, columns: number): SpanRow[] {
  const several = hooks.filter(({ message }) => message).length > 1;
  return [
    ...(several ? [] : prose((hooks.length === 1 ? withoutPlace(reason, "") : reason).trim(), columns)),
    ...hooks.flatMap((hook) => prose(decider(hook, several), columns, "dim")),
    ...(hint ? prose(`to allow it: ${hint}`, columns, "accent") : []),
  ];
}

function decider(hook: DecidingHook, withReason: boolean): string {
  const reason = withReason && hook.message ? `: ${withoutPlace(hook.message, "").trim()}` : "";
  return `by ${hookText(hook)}, on ${escapeControls(hook.event)}${reason}`;
}

function prose(text: string, columns: number, ...roles: readonly Role[]): SpanRow[] {
  return text === "" ? [] : remarkRows(escapeControlsInLines(text), columns, ...roles);
}
