import { columnsOf } from "../../lib/platform.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../runtime/front-end.ts";
import { hookText } from "../render/run-text.ts";
import { wrap } from "../render/wrap.ts";
import type { Terminal } from "./terminal.ts";

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  y: { kind: "once" },
  t: { kind: "tool" },
  b: { kind: "balanced" },
  a: { kind: "session" },
  n: { kind: "reject" },
};

const KEYS = "[y]es / [t]ool always / [b]alanced / [a]ll / [r]eject with a reason / [n]o: ";

/**
 * Asks the user to approve one tool call. Shows the complete arguments, formatted so that no part of them can imitate
 * other text on the screen, and what hooks say about the call. After Ctrl+C the promise never resolves: the run is
 * being cancelled.
 */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  signal: AbortSignal,
): Promise<ApprovalAnswer> {
  await terminal.beforeQuestion(signal);
  const [first = "", ...rest] = describeCall(request, terminal.size.columns - 1);
  terminal.note(`\n${[terminal.theme.style("bold", first), ...rest].join("\n")}`);
  const answer = await terminal.withTypeAhead(() => askKeys(terminal, signal));
  return answer ?? new Promise(() => {});
}

async function askKeys(terminal: Terminal, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const key = await terminal.askKey(KEYS, [...Object.keys(ANSWERS), "r"], signal);
  if (key !== "r") return key === undefined ? undefined : (ANSWERS[key] ?? { kind: "reject" });
  const reason = (await terminal.askLine("Reason: ", signal))?.trim();
  return { kind: "reject", ...(reason ? { reason } : {}) };
}

/**
 * Describes a tool call in rows of at most `columns` columns: one row if it fits, else a row per argument, with its
 * lines after a bar that the argument cannot imitate. Then come the remarks of hooks and of the safety label.
 */
export function describeCall(request: ApprovalRequest, columns: number): string[] {
  const { agentName, toolName, input, metadata, hooks } = request;
  const entries = Object.entries(input).map(
    ([key, value]) => [key, typeof value === "string" ? value : JSON.stringify(value)] as const,
  );
  const head = `${escapeControls(agentName)} wants to run ${escapeControls(toolName)}`;
  const single = `${head}(${entries.map(([key, value]) => `${escapeControls(key)}: ${escapeControls(value)}`).join(", ")})`;
  const isShort = columnsOf(single) <= columns && entries.every(([, value]) => !value.includes("\n"));
  const long = () => [...barred(head, "", columns), ...entries.flatMap((entry) => argument(entry, columns))];
  return [...(isShort ? [single] : long()), ...remarks(metadata, columns), ...askedBy(hooks, columns)];
}

function askedBy(hooks: ApprovalRequest["hooks"], columns: number): string[] {
  return hooks.flatMap((hook) => barred(`asked for by ${hookText(hook)}`, "  ", columns));
}

function argument([key, value]: readonly [string, string], columns: number): string[] {
  const name = `${escapeControls(key)}:`;
  const short = `  ${name} ${escapeControls(value)}`;
  if (!value.includes("\n") && columnsOf(short) <= columns) return [short];
  return [...barred(name, "  ", columns), ...barred(escapeControlsInLines(value), "  | ", columns)];
}

/** The remarks of hooks and of the safety label: known keys in words, all others as `key: value`. */
function remarks(metadata: ApprovalRequest["metadata"], columns: number): string[] {
  const { safety_label: label, blast_radius: radius, category, reason, ...others } = metadata;
  const safety = [label && `safety: ${label}`, radius && `blast radius ${radius}`, category].filter(Boolean).join(", ");
  const lines = [
    safety,
    reason ?? "",
    ...Object.entries(others).map(([key, value]) => `${escapeControls(key)}: ${value}`),
  ];
  return lines
    .filter((line) => line.trim() !== "")
    .flatMap((line) => barred(escapeControlsInLines(line), "  ", columns));
}

function barred(text: string, bar: string, columns: number): string[] {
  return wrap(text, columns - bar.length).map((row) => bar + row);
}
