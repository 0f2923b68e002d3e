import type { Paint } from "../cli/paint.ts";
import { printError, printStyled } from "../cli/print.ts";
import { isObject } from "../lib/json.ts";
import { escapeControls, escapeControlsInLines } from "../lib/text/escape-controls.ts";
import { unifiedDiff } from "../lib/text/unified-diff.ts";
import { ruleHits } from "./observed.ts";
import { type FailureReport, failureReports, type HookReport, hitText, hookReports } from "./report.ts";
import type { Reporter, Summary } from "./reporter.ts";
import type { CaseResult } from "./run-case.ts";

/** A value of more characters, or of several lines, is shown as a diff. A diff of two lines of text would say no more. */
const SHORT = { text: 300, value: 60 };

const MARKS = { passed: "ok  ", failed: "FAIL", skipped: "skip" } as const;

/** Prints a line for each test, details of those that fail, and the totals. */
export function textReporter(paint: Paint): Reporter {
  return {
    file: (name) => printStyled(paint("bold", name)),
    result: async (result) => printStyled(await renderCase(result, paint)),
    broken: async (_name, problems) => problems.forEach(printError),
    end: async (summary) => {
      const { passed, failed, skipped, broken } = summary;
      if (passed + failed + skipped + broken > 0) await printStyled(`\n${renderTotals(summary)}`);
    },
  };
}

/** Formats a case: a line, and for a failure what differs and what every hook did. */
async function renderCase(result: CaseResult, paint: Paint): Promise<string> {
  const { status, test, milliseconds, error } = result;
  const style = { passed: "dim", failed: "red", skipped: "yellow" } as const;
  const ending = status === "skipped" ? (test.skip ? ` (${test.skip})` : "") : `  ${shownDuration(milliseconds)}`;
  const head = `  ${paint(style[status], MARKS[status])} ${escapeControls(test.name)}${paint("dim", ending)}`;
  if (status !== "failed") return head;
  const failures = failureReports(result).flatMap(failureLines);
  const problem = error === undefined ? [] : [error];
  const steps = await Promise.all(
    result.observed.map(async (observed, index) => {
      const title = result.test.steps.length > 1 ? `step ${index + 1}, ${observed.event}` : observed.event;
      const lines = (await hookReports(observed)).flatMap(hookLines).map((line) => `  ${line}`);
      const hits = ruleHits(observed).map((hit) => `  ${escapeControls(hitText(hit))}`);
      const rules = hits.length > 0 ? [`rules that hit on ${title}:`, ...hits] : [];
      if (result.test.ruleExample) return rules;
      return [...rules, ...(lines.length === 0 ? [`no hooks on ${title}`] : [`hooks on ${title}:`, ...lines])];
    }),
  );
  const notes = (result.notes ?? []).map(escapeControls);
  const details = [...problem, ...failures, ...notes, ...steps.flat()].join("\n").split("\n");
  return [head, ...details.map((line) => `       ${line}`)].join("\n");
}

/** Formats the number of tests by how they ended: `12 passed, 1 failed in 0.4 s`. */
function renderTotals({ passed, failed, skipped, broken, milliseconds }: Summary): string {
  const files = broken === 1 ? "1 file" : `${broken} files`;
  const counts = [
    `${passed} passed`,
    ...(failed > 0 ? [`${failed} failed`] : []),
    ...(skipped > 0 ? [`${skipped} skipped`] : []),
    ...(broken > 0 ? [`${files} not valid`] : []),
  ];
  return `${counts.join(", ")} in ${(milliseconds / 1000).toFixed(1)} s`;
}

/** Formats an expectation that does not hold: both values, or a diff of long ones. */
export function failureLines({ step, key, expected, actual }: FailureReport): string[] {
  const title = step === undefined ? key : `step ${step}: ${key}`;
  const [wanted, found] = [shown(expected), shown(actual)];
  if (key === "within") return [`${title}: expected at most ${wanted}, took ${shownDuration(Number(actual))}`];
  const isShort = isShortValue(expected) && isShortValue(actual);
  if (isShort || isExpression(expected))
    return [`${title}: expected ${wanted}`, `${" ".repeat(title.length)}       got ${found}`];
  const diff = unifiedDiff(pretty(expected), pretty(actual)).split("\n");
  return [`${title}: expected (-), got (+)`, ...diff.map((line) => `  | ${escapeControlsInLines(line)}`)];
}

/** Formats how a hook took part: a line, and its output. */
export function hookLines(hook: HookReport): string[] {
  const place = `${escapeControls(hook.name)} (${hook.source}, ${hook.type})`;
  if (!hook.ran) return [`${place} did not run: ${hook.why}`];
  const facts = [
    hook.outcome,
    hook.decision === "none" ? undefined : hook.decision,
    hook.observes ? "only observes" : undefined,
    hook.exit_code === undefined ? undefined : `exit ${hook.exit_code}`,
    shownDuration(hook.duration_ms ?? 0),
  ].filter((fact) => fact !== undefined);
  const texts = (["message", "stdout", "stderr"] as const).flatMap((key) => {
    const text = hook[key]?.trimEnd();
    if (!text) return [];
    return escapeControlsInLines(text)
      .split("\n")
      .map((line) => `  ${key} | ${line}`);
  });
  return [`${place} ${facts.join(", ")}`, ...texts];
}

function shownDuration(milliseconds: number): string {
  return milliseconds < 1000 ? `${Math.round(milliseconds)} ms` : `${(milliseconds / 1000).toFixed(1)} s`;
}

function shown(value: unknown): string {
  if (value === null || value === undefined) return "nothing";
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ") || "none";
  return escapeControls(typeof value === "string" ? value : JSON.stringify(value));
}

function isShortValue(value: unknown): boolean {
  const limit = typeof value === "string" ? SHORT.text : SHORT.value;
  return !String(value).includes("\n") && shown(value).length <= limit;
}

function isExpression(value: unknown): boolean {
  return typeof value === "string" && /^\/.*\/[imsU]*$/s.test(value);
}

function pretty(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "string" ? value : JSON.stringify(isObject(value) ? sorted(value) : value, undefined, 2);
}

function sorted(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
