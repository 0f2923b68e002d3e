import { type Component, truncateToWidth } from "@earendil-works/pi-tui";
import { roundedDuration } from "../../lib/text/duration.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { RunEvent } from "../../runtime/events/run-events.ts";
import type { Theme } from "../theme.ts";

const FRAMES = ["⠋", "⠙", "⠹", "⠸", "⠼", "⠴", "⠦", "⠧", "⠇", "⠏"] as const;
const STEP_MS = 100;

/** The row appears after this long, so that short waits do not make the screen jump. */
const SHOW_AFTER_MS = 300;

/** The row that says what the run is doing, for how long, and how to cancel it. */
export class Activity implements Component {
  readonly #requestRender: () => void;
  readonly #theme: () => Theme;
  #label: string | undefined;
  #since = 0;
  /** What the row said before hooks began to run: nothing, if the run had not begun. Undefined while none run. */
  #before: { label: string | undefined } | undefined;
  /** Streams that have not ended. Without one, a compaction was a command of the user, and no answer follows it. */
  #streams = 0;
  #frame = 0;
  #timer: Timer | undefined;

  constructor(requestRender: () => void, theme: () => Theme) {
    this.#requestRender = requestRender;
    this.#theme = theme;
  }

  /** Starts or stops the row for an event. Returns true if the work that the row named has ended. */
  see(event: RunEvent): boolean {
    if (event.type === "stream_started") this.#streams++;
    if (event.type === "stream_stopped") this.#streams = Math.max(0, this.#streams - 1);
    const hasCompacted = event.type === "session_compaction" && event.status === "completed";
    if (event.type === "hook_finished") return this.#afterHooks();
    if (event.type !== "hook_started") this.#before = undefined;
    else if (event.hooks) this.#before ??= { label: this.#label };
    const label = labelOf(event);
    if (ENDS.has(event.type) || (hasCompacted && this.#streams === 0)) this.stop();
    else if (label !== undefined) this.#start(label);
    else return false;
    return true;
  }

  #afterHooks(): boolean {
    const before = this.#before;
    this.#before = undefined;
    if (before?.label !== undefined) this.#start(before.label);
    else if (before) this.stop();
    return before !== undefined;
  }

  stop(): void {
    clearInterval(this.#timer);
    this.#timer = undefined;
    this.#label = undefined;
    this.#requestRender();
  }

  render(columns: number): string[] {
    const waited = Date.now() - this.#since;
    if (this.#label === undefined || waited < SHOW_AFTER_MS) return [];
    const frame = FRAMES[this.#frame % FRAMES.length] ?? "";
    const row = `${frame} ${this.#label} ${Math.floor(waited / 1000)} s · Esc cancels`;
    return ["", truncateToWidth(this.#theme().style("accent", row), columns)];
  }

  invalidate(): void {}

  #start(label: string): void {
    if (label === this.#label) return;
    clearInterval(this.#timer);
    this.#label = label;
    this.#since = Date.now();
    this.#timer = setInterval(() => {
      this.#frame++;
      this.#requestRender();
    }, STEP_MS);
  }
}

/** Events after which the run waits for the user, or has ended. */
const ENDS: ReadonlySet<string> = new Set<RunEvent["type"]>([
  "tool_call_confirmation",
  "stream_stopped",
  "error",
  "budget_exceeded",
  "max_iterations_reached",
]);

/** Returns what the run does after an event; undefined if the event does not tell. */
function labelOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "stream_started":
    case "tool_call_response":
      return "thinking";
    case "agent_choice":
      return "writing";
    case "agent_choice_reasoning":
      return "reasoning";
    case "model_restarted":
      return `trying again with ${escapeControls(event.model)},`;
    case "model_fallback":
      return `${escapeControls(event.failed_model)} failed, trying ${escapeControls(event.fallback_model)},`;
    case "model_waiting":
      return `waiting ${roundedDuration(event.wait_ms)} for ${escapeControls(event.model)} (${escapeControls(event.reason.slice(0, 80))}),`;
    case "hook_started":
      return event.hooks && `running the hook${event.hooks.length === 1 ? "" : "s"} ${hookNames(event.hooks)},`;
    case "tool_call":
      return `running ${escapeControls(event.tool_call.function.name)}`;
    case "session_compaction":
      return event.status === "started" ? "compacting the conversation" : "thinking";
    default:
      return undefined;
  }
}

/** More names leave no room for the time. */
const MOST_NAMES = 3;

function hookNames(names: readonly string[]): string {
  const shown = names.slice(0, MOST_NAMES).map((name) => escapeControls(name.replace(/\s+/g, " ").slice(0, 40)));
  return names.length > MOST_NAMES ? `${shown.join(", ")} and ${names.length - MOST_NAMES} more` : shown.join(", ");
}
