import type { Component } from "@earendil-works/pi-tui";
import { isObject } from "../../lib/json.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import type { Theme } from "../theme.ts";
import { todoLine, todosIn } from "./tool-call/fold.ts";
import { fitSpans, paintRow, type SpanRow, span } from "./tool-call/spans.ts";

/** Rows of todos; and the height of the window below which the panel is a single row. */
const MOST_ROWS = 5;
const LOW_WINDOW = 20;

/** Characters of a todo that are kept, and todos of a list: more than a panel can ever show. */
const LONGEST = 500;
const MOST_KEPT = 1_000;

interface Todo {
  text: string;
  status: unknown;
}

export interface TodoPanelOptions {
  theme: () => Theme;
  screenRows: () => number;
  isHidden: boolean;
}

/** The todos of the agent that changed its list last, while some of them are open. Agents with a list of their own take turns. */
export class TodoPanel implements Component {
  readonly #options: TodoPanelOptions;
  #agent: string | undefined;
  #todos: readonly Todo[] = [];
  isHidden: boolean;

  constructor(options: TodoPanelOptions) {
    this.#options = options;
    this.isHidden = options.isHidden;
  }

  /** Takes note of the list in the result of a todo tool. */
  see(event: RunEvent): void {
    if (event.type !== "tool_call_response" || event.tool_definition.category !== "todo") return;
    const todos = todosIn(event.response).slice(0, MOST_KEPT);
    if (todos.length === 0) return;
    this.#agent = event.agent_name;
    this.#todos = todos.map((todo) => ({
      text: escapeControls(todoLine(todo).slice(0, LONGEST)),
      status: isObject(todo) ? todo["status"] : undefined,
    }));
  }

  render(columns: number): string[] {
    const open = this.#todos.filter(isOpen);
    if (this.isHidden || open.length === 0) return [];
    const shown = this.#options.screenRows() < LOW_WINDOW ? [] : this.#chosen(open);
    const theme = this.#options.theme();
    const rows = [this.#headRow(open, shown), ...shown.map(todoRow)];
    return rows.map((row) => paintRow(fitSpans(row, columns), theme));
  }

  invalidate(): void {}

  /** Returns the todos to show, in the order of the list: those in progress first of all, then those that come next. */
  #chosen(open: readonly Todo[]): Todo[] {
    const byUrgency = [...open.filter(isInProgress), ...open.filter((todo) => !isInProgress(todo))];
    const done = this.#todos.filter((todo) => !isOpen(todo)).toReversed();
    const chosen = new Set([...byUrgency, ...done].slice(0, MOST_ROWS));
    return this.#todos.filter((todo) => chosen.has(todo));
  }

  #headRow(open: readonly Todo[], shown: readonly Todo[]): SpanRow {
    const done = this.#todos.length - open.length;
    const more = this.#todos.length - shown.length;
    const agent = this.#agent === undefined ? "" : ` of ${escapeControls(this.#agent)}`;
    const head = span(`todos${agent}: ${done} of ${this.#todos.length} done`, "dim");
    if (shown.length > 0) return more > 0 ? [head, span(` · ${more} more`, "dim")] : [head];
    const now = open.find(isInProgress) ?? open[0];
    return now ? [head, span("  "), ...todoRow(now)] : [head];
  }
}

function isOpen({ status }: Todo): boolean {
  return status !== "completed";
}

function isInProgress({ status }: Todo): boolean {
  return status === "in-progress";
}

function todoRow(todo: Todo): SpanRow {
  if (!isOpen(todo)) return [span(todo.text, "dim")];
  return isInProgress(todo) ? [span(todo.text, "accent")] : [span(todo.text)];
}
