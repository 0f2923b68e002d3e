import type { Paint } from "../../cli/paint.ts";
import { counted } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import type { CoverageReport, HookCoverage } from "./coverage.ts";

/** Formats the coverage: the percentage and the minimum in percent, then a line for each hook, and one for what no test showed. */
export function renderCoverage(
  { percent, covered, total, hooks }: CoverageReport,
  minimum: number,
  paint: Paint,
): string {
  const style = percent < minimum ? "red" : percent === 100 ? "green" : "yellow";
  const below = percent < minimum ? `, below the minimum of ${minimum} %` : "";
  const head = `coverage: ${paint(style, `${percent} %`)} (${covered} of ${total})${below}`;
  return [head, ...hooks.flatMap((hook) => lines(hook, paint))].join("\n");
}

function lines(
  { name, source, event, matcher, runs, stubbed, answers, missing }: HookCoverage,
  paint: Paint,
): string[] {
  const seen = Object.entries(answers).map(([answer, count]) => `${count} ${answer}`);
  const facts = [
    runs === 0 ? "never ran" : `ran ${counted(runs, "time")}${seen.length > 0 ? ` (${seen.join(", ")})` : ""}`,
    ...(stubbed > 0 ? [`stubbed ${counted(stubbed, "time")}`] : []),
  ];
  const on = matcher === undefined ? event : `${event} ${matcher}`;
  const head = `  ${source} ${escapeControls(name)} on ${escapeControls(on)}: ${facts.join(", ")}`;
  return missing.length === 0 ? [head] : [head, paint("yellow", `    missing: ${escapeControls(missing.join(", "))}`)];
}
