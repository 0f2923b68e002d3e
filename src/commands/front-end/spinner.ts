import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { RunEvent } from "../../runtime/run-events.ts";
import type { Screen } from "./screen.ts";

const FRAMES = ["-", "\\", "|", "/"] as const;
const STEP_MS = 150;
/** The spinner appears after this long. */
const SHOW_AFTER_MS = 1_000;

/** Shows that the agent works while there is no other output. */
export interface Spinner {
  /** Starts or stops the spinner for an event, before the event is shown. */
  see(event: RunEvent): void;
  stop(): void;
}

/** Returns a spinner at the bottom of the screen. */
export function createSpinner(screen: Screen): Spinner {
  let timer: Timer | undefined;
  const stop = () => {
    clearInterval(timer);
    timer = undefined;
    screen.show("spinner", undefined);
  };
  const start = (label: string) => {
    stop();
    const since = Date.now();
    let frame = 0;
    timer = setInterval(() => {
      const waited = Date.now() - since;
      if (waited < SHOW_AFTER_MS || screen.isMidLine) return;
      const row = `${FRAMES[frame++ % FRAMES.length] ?? ""} ${label} ${Math.floor(waited / 1000)} s`;
      screen.show("spinner", { rows: [row.slice(0, screen.size.columns - 1)], cursor: { row: 0, column: 0 } });
    }, STEP_MS);
  };
  return {
    stop,
    see: (event) => {
      const label = labelOf(event);
      if (label !== undefined) start(label);
      else if (isShown(event)) stop();
    },
  };
}

function labelOf(event: RunEvent): string | undefined {
  switch (event.type) {
    case "stream_started":
    case "model_restarted":
    case "tool_call_response":
      return "thinking";
    case "model_waiting":
      return `waiting for ${escapeControls(event.model)}`;
    case "tool_call":
      return escapeControls(event.tool_call.function.name);
    case "session_compaction":
      return event.status === "started" ? "compacting" : undefined;
    default:
      return undefined;
  }
}

/** True for an event after which the wait is over, or something else shows it. */
function isShown({ type }: RunEvent): boolean {
  return (
    type === "agent_choice" ||
    type === "tool_call_confirmation" ||
    type === "stream_stopped" ||
    type === "error" ||
    type === "max_iterations_reached" ||
    type === "session_compaction"
  );
}
