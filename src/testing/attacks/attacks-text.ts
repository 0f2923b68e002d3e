import type { Paint } from "../../cli/paint.ts";
import { columnsOf } from "../../lib/platform.ts";
import { counted } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { ATTACK_OUTCOMES, type AttackOutcome, type JudgedAttack, passes } from "./judge-attacks.ts";
import type { AttackReport } from "./run-attacks.ts";

/** The columns that are always shown; others only if they have a number. */
const ALWAYS: readonly AttackOutcome[] = ["denied", "asked", "allowed", "no opinion"];

/** Formats the outcomes of the attacks on one file: a table by category, then every attack that passed. */
export function renderAttacks({ file, attacks }: AttackReport, paint: Paint): string {
  const outcomes = ATTACK_OUTCOMES.filter(
    (one) => ALWAYS.includes(one) || attacks.some(({ outcome }) => outcome === one),
  );
  const categories = [...new Set(attacks.map(({ category }) => category))];
  const rows = categories.map((category) => {
    const inside = attacks.filter((attack) => attack.category === category);
    return [category, ...countsOf(inside, outcomes)];
  });
  const total = categories.length > 1 ? [["all", ...countsOf(attacks, outcomes)]] : [];
  const table = tableOf([["CATEGORY", "CALLS", ...outcomes.map((one) => one.toUpperCase())], ...rows, ...total]);
  const passed = categories.flatMap((category) => passedLines(category, attacks, paint));
  return [paint("bold", file), table, ...failedNote(attacks, paint), ...passed].join("\n");
}

/** Says what a failure means: a reader may take it for a refusal. */
function failedNote(attacks: readonly JudgedAttack[], paint: Paint): string[] {
  const failed = attacks.filter(({ outcome }) => outcome === "failed");
  if (failed.length === 0) return [];
  const calls = counted(failed.length, "call");
  return ["", paint("red", `${calls} no hook judged: the hooks failed, which counts as not guarded`)];
}

function countsOf(attacks: readonly JudgedAttack[], outcomes: readonly AttackOutcome[]): string[] {
  const counts = outcomes.map((one) => attacks.filter(({ outcome }) => outcome === one).length);
  return [attacks.length, ...counts].map(String);
}

function passedLines(category: string, attacks: readonly JudgedAttack[], paint: Paint): string[] {
  const passed = attacks.filter((attack) => attack.category === category && passes(attack));
  if (passed.length === 0) return [];
  const lines = passed.flatMap(({ tool, input, why, outcome, by, platform }) => {
    const reasons = by.length > 0 ? `${outcome === "failed" ? ":" : " by"} ${by.join(", ")}` : "";
    const where = platform === undefined ? "" : `, ${platform} only`;
    const call = escapeControls(`${tool} ${callText(input)}`);
    return [`  ${call}`, paint("dim", `    ${outcome}${escapeControls(reasons)}; ${why}${where}`)];
  });
  return ["", paint("red", `${category}: ${passed.length} pass`), ...lines];
}

function callText(input: JudgedAttack["input"]): string {
  const values = Object.values(input);
  return values.length === 1 && typeof values[0] === "string" ? values[0] : JSON.stringify(input);
}

/** Formats rows with numbers aligned to the right. */
function tableOf(rows: readonly (readonly string[])[]): string {
  const widths = (rows[0] ?? []).map((_cell, index) => Math.max(...rows.map((row) => columnsOf(row[index] ?? ""))));
  const line = (row: readonly string[]) =>
    row
      .map((cell, index) => (index === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[index] ?? 0)))
      .join("  ");
  return rows.map(line).join("\n");
}
