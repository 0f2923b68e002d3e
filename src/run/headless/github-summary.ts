import { appendFileSync, statSync } from "node:fs";
import { errorText } from "../../lib/errors.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { roundedCost } from "../../model/catalog/cost.ts";
import type { CallOutcome } from "../../runtime/events/run-events.ts";
import { knownCost } from "../../runtime/session/session-cost.ts";
import { DENIED } from "../run-ledger.ts";
import { adviceFor, groupDenied, reasonBeside } from "./denied-report.ts";
import type { RunAccount } from "./run-account.ts";

/** GitHub refuses a larger summary of a step; in bytes. */
const MAX_SUMMARY = 1024 * 1024;
/** Most calls that the table shows. */
const MAX_ROWS = 200;
const MAX_CELL = 300;

/**
 * Appends the account of a run to the summary of the workflow's step, as long as it fits with what other programs wrote
 * there. `redact` replaces secrets: GitHub would not recognise them in the text, because its punctuation is escaped.
 * Returns why that failed, or undefined. Never throws.
 */
export function writeStepSummary(file: string, account: RunAccount, redact: Redact): string | undefined {
  try {
    const room = MAX_SUMMARY - (statSync(file, { throwIfNoEntry: false })?.size ?? 0);
    const text = [MAX_ROWS, 20, 0]
      .map((rows) => summaryText(account, (text) => cellText(redact(text)), rows))
      .find((summary) => Buffer.byteLength(summary) <= room);
    if (text === undefined) return "the step summary of GITHUB_STEP_SUMMARY is full";
    appendFileSync(file, text);
    return undefined;
  } catch (error) {
    return `the step summary cannot be written: ${errorText(error)}`;
  }
}

type Redact = (text: string) => string;

/** Returns the account as Markdown, with up to `maxRows` calls. `cell` escapes untrusted text for a table. */
function summaryText(account: RunAccount, cell: Redact, maxRows: number): string {
  const { ledger, exitCode, reason, limit } = account;
  const { meter, errors } = ledger;
  const facts: [string, string | undefined][] = [
    ["Agent", ledger.agent],
    ["Model", ledger.model],
    ["Session", ledger.sessionId],
    ["Ended", `${limit ? `stopped by ${limit.flag}: ${limit.message}` : reason}, exit code ${exitCode}`],
    ["Error", errors[0]?.message],
    ["Model turns", String(meter.turns)],
    ["Tokens", `${meter.tokens.input_tokens} in, ${meter.tokens.output_tokens} out`],
    ["Cost", costText(account)],
  ];
  return [
    "## hooksh run",
    "",
    "| | |",
    "|---|---|",
    ...facts.flatMap(([name, value]) => (value ? [`| ${name} | ${cell(value)} |`] : [])),
    "",
    ...deniedLines(account, cell, maxRows),
    ...callLines(account, cell, maxRows),
  ].join("\n");
}

function costText({ ledger: { meter } }: RunAccount): string {
  const unpriced = [...meter.unpriced];
  const isUnknown = knownCost(meter.cost, unpriced.length > 0) === null;
  const note = unpriced.length > 0 ? ` (without ${unpriced.join(", ")}: no price or no token counts)` : "";
  return `${isUnknown ? "unknown" : `$${roundedCost(meter.cost)}`}${note}`;
}

function deniedLines({ ledger }: RunAccount, cell: Redact, maxRows: number): string[] {
  if (ledger.deniedCount === 0) return [];
  const rows = groupDenied(ledger.denied)
    .slice(0, maxRows)
    .map((call) => {
      const by = call.hooks.map(({ name, source }) => `${name} (${source})`).join(", ");
      const why = [reasonBeside(call), by && `by ${by}`].filter(Boolean).join(", ");
      return `| ${cell(call.text)} | ${cell(why)} | ${cell(adviceFor(call) ?? "")} |`;
    });
  const head = ["| call | why | to allow it |", "|---|---|---|"];
  return [`### ${ledger.deniedCount} denied`, "", ...(rows.length > 0 ? [...head, ...rows, ""] : [])];
}

function callLines({ ledger }: RunAccount, cell: Redact, maxRows: number): string[] {
  const total = [...ledger.counts.values()].reduce((sum, count) => sum + count, 0);
  if (total === 0) return [];
  const sums = new Map<string, number>();
  for (const [outcome, count] of ledger.counts) {
    const word = outcomeText(outcome);
    sums.set(word, (sums.get(word) ?? 0) + count);
  }
  const counts = [...sums].map(([word, count]) => `${count} ${word}`).join(", ");
  const shown = ledger.calls.slice(0, maxRows);
  const more = total > shown.length ? [`The first ${shown.length} of ${total} calls are listed.`, ""] : [];
  const rows = shown.map((call) => `| ${cell(call.agent ?? "")} | ${cell(call.text)} | ${outcomeText(call.outcome)} |`);
  const table = rows.length > 0 ? ["| agent | call | outcome |", "|---|---|---|", ...rows, ""] : [];
  return [`### Tool calls: ${counts}`, "", ...more, ...table];
}

function outcomeText(outcome: CallOutcome): string {
  return DENIED.has(outcome) || outcome === "rejected" ? "denied" : outcome.replaceAll("_", " ");
}

/**
 * Returns untrusted text for a cell of a table. Every character that could mean something in Markdown or HTML is a
 * character reference, which can stand for itself only: https://spec.commonmark.org/0.31.2/#entity-and-numeric-character-references
 */
function cellText(text: string): string {
  const line = text.length > MAX_CELL ? `${text.slice(0, MAX_CELL)}…` : text;
  return escapeControls(line.replace(/\s+/g, " ").trim()).replace(
    /[!-,.-/:-@[-`{-~]/g,
    (character) => `&#${character.charCodeAt(0)};`,
  );
}
