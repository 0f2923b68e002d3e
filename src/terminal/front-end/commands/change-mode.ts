import { escapeControls } from "../../../lib/text/escape-controls.ts";
import type { Conversation } from "../prompt-session.ts";
import { DEFAULT_MODE } from "../run-status.ts";

/** What happens to a call on which no hook and no rule decides. */
export const MODE_EFFECTS: Readonly<Record<string, string>> = {
  [DEFAULT_MODE]: "tools that only read run, other calls ask",
  strict: "every call asks",
  plan: "tools that only read run, other calls are denied",
  "accept-edits": "edits of files in the project and tools that only read run, other calls ask",
  balanced: "calls that look safe run, other calls ask",
  restricted: "calls that look safe run, other calls are denied",
  autonomous: "every call runs; hooks and deny rules still apply",
};

/** `/yolo`: switches to autonomous mode, or back to the mode before. */
export function toggleAutonomous({ runtime, current: { session }, terminal, earlierModes }: Conversation): void {
  if (session.safetyMode === "autonomous") {
    const earlier = earlierModes.get(session);
    delete session.safetyMode;
    if (earlier !== undefined) session.safetyMode = earlier;
    terminal.note(`(tools ask again${earlier === undefined ? "" : `: safety mode ${escapeControls(earlier)}`})`);
  } else {
    earlierModes.set(session, session.safetyMode);
    session.safetyMode = "autonomous";
    terminal.note("(tools run without asking; hooks and deny rules still apply)");
  }
  if (session.items.length > 0) runtime.journal?.update(session);
}

/** The modes that Shift+Tab goes through, after the one that the session had before. */
const CYCLE: readonly (string | undefined)[] = ["accept-edits", "plan", "autonomous"];

/**
 * Shift+Tab: switches to the next safety mode. While the agent works it leaves out autonomous mode, which a call might
 * use while the user only wants to pass it; `/yolo` switches to it at any time.
 */
export function cycleMode({ runtime, current: { session }, terminal, control, earlierModes }: Conversation): void {
  const at = CYCLE.indexOf(session.safetyMode);
  if (at < 0) earlierModes.set(session, session.safetyMode);
  const following = CYCLE.slice(at + 1).find((mode) => mode !== "autonomous" || !control.isBusy);
  const next = following ?? earlierModes.get(session);
  delete session.safetyMode;
  if (next !== undefined) session.safetyMode = next;
  const mode = next ?? DEFAULT_MODE;
  terminal.hint(`safety: ${escapeControls(mode)}: ${MODE_EFFECTS[mode] ?? ""}`);
  if (session.items.length > 0) runtime.journal?.update(session);
}
