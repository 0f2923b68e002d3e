import type { Paint } from "../cli/paint.ts";
import { counted } from "../lib/text/counted.ts";
import { escapeControls } from "../lib/text/escape-controls.ts";
import type { HookDurations } from "./budget.ts";

/** Formats how long each hook took, and which ones took longer than they may. */
export function renderBudget(hooks: readonly HookDurations[], paint: Paint): string {
  const exceeded = hooks.filter((hook) => hook.exceeded).length;
  const head =
    exceeded === 0
      ? "budget: every hook is within it"
      : paint("red", `budget: exceeded by ${exceeded} of ${hooks.length} hooks`);
  return [head, ...hooks.map((hook) => line(hook, paint))].join("\n");
}

function line({ name, source, runs, p50, p95, max, limit, exceeded }: HookDurations, paint: Paint): string {
  const times = `p50 ${shown(p50)}, p95 ${shown(p95)}, max ${shown(max)}`;
  const text = `  ${source} ${escapeControls(name)}: ${times}, ${counted(runs, "run")}; limit ${shown(limit)}`;
  return exceeded ? paint("red", text) : text;
}

function shown(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds * 10) / 10} ms` : `${Math.round(milliseconds / 10) / 100} s`;
}
