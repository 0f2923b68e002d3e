import { counted } from "../../lib/text/counted.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { withoutPlace } from "../../protocol/result.ts";
import type { CallEntry, RunLedger } from "../run-ledger.ts";

/** Most calls that a report names; it only counts the others. */
const MAX_NAMED = 20;

/** A call that did not run, and how often it was denied in the same way. */
export interface DeniedCall extends CallEntry {
  times: number;
}

/** Returns the calls that were denied, with equal ones combined. */
export function groupDenied(denied: readonly CallEntry[]): DeniedCall[] {
  const groups = new Map<string, DeniedCall>();
  for (const call of denied) {
    const key = JSON.stringify([call.agent, call.text, call.outcome, call.reason]);
    const known = groups.get(key);
    if (known) known.times++;
    else groups.set(key, { ...call, times: 1 });
  }
  return [...groups.values()];
}

/** Returns how the user can allow a call that was denied; undefined if that is unknown. */
export function adviceFor({ hint, hooks, outcome }: CallEntry): string | undefined {
  if (hint !== undefined || outcome !== "blocked" || hooks.length === 0) return hint;
  const names = hooks.map(({ name, source }) => `${escapeControls(name)} (${escapeControls(source)})`);
  return `change or remove the ${names.length === 1 ? "hook" : "hooks"} ${names.join(", ")}`;
}

/** Returns why a call was denied, for a place that names the hooks already. */
export function reasonBeside({ reason = "", outcome, hooks }: CallEntry): string {
  return outcome === "blocked" && hooks.length === 1 ? withoutPlace(reason, "event") : reason;
}

/** Returns `2 calls denied`, whoever denied them. */
export function deniedHeadline({ deniedCount }: RunLedger): string {
  return `${counted(deniedCount, "call")} denied`;
}

/** Returns the report of the denied calls: the headline and up to three lines for each. */
export function deniedReport(ledger: RunLedger): string {
  const groups = groupDenied(ledger.denied);
  const shown = groups.slice(0, MAX_NAMED);
  const left = ledger.deniedCount - shown.reduce((sum, { times }) => sum + times, 0);
  return [
    `${deniedHeadline(ledger)}:`,
    ...shown.flatMap(linesOf),
    ...(left > 0 ? [`  and ${counted(left, "other", "others")}`] : []),
  ].join("\n");
}

function linesOf(call: DeniedCall): string[] {
  const { text, outcome, hint, hooks, times } = call;
  const named = hooks.map(({ name, source }) => `${escapeControls(name)} (${escapeControls(source)})`);
  const by = named.join(", ");
  const head = `  ${text}${times > 1 ? ` (${times} times)` : ""}${reasonText(reasonBeside(call))}`;
  if (outcome === "blocked" && by) return [head, `    by ${by}; to allow it, change or remove the hook`];
  return [
    head,
    ...hooks.map(({ message = "" }, index) => `    asked for by ${named[index]}${reasonText(message)}`),
    ...(hint ? [`    to allow it: ${escapeControls(hint)}`] : []),
  ];
}

function reasonText(reason: string): string {
  const [first = "", ...rest] = reason.trim().split(/\r?\n/);
  const line = escapeControls(first);
  return line === "" ? "" : `: ${line}${rest.length > 0 ? " …" : ""}`;
}
