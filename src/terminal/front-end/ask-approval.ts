import type { ApprovalAnswer, ApprovalRequest } from "../../runtime/events/front-end.ts";
import type { Terminal } from "./terminal.ts";

const ANSWERS: Readonly<Record<string, ApprovalAnswer>> = {
  y: { kind: "once" },
  t: { kind: "tool" },
  b: { kind: "balanced" },
  a: { kind: "session" },
  n: { kind: "reject" },
};

const KEYS = "[y]es / [t]ool always / [b]alanced / [a]ll / [r]eject with a reason / [n]o: ";

/** Rows at the bottom of the screen that a question leaves to the keys and the status line. */
const BOTTOM_ROWS = 4;

/**
 * Asks the user to approve one tool call of a session in `cwd`. Shows all of the call, so that no part of it can imitate
 * other text on the screen, and what hooks say about it. Returns undefined after Ctrl+C, which also interrupts the run,
 * and if the signal aborts.
 */
export async function askApproval(
  terminal: Terminal,
  request: ApprovalRequest,
  { cwd, signal }: { cwd: string; signal: AbortSignal },
): Promise<ApprovalAnswer | undefined> {
  await terminal.beforeQuestion(signal);
  if (signal.aborted) return undefined;
  const { ApprovalBlock } = await import("../tui/tool-call/approval-rows.ts");
  const { theme, size } = terminal;
  terminal.note("");
  terminal.print(new ApprovalBlock(request, { theme, cwd, screenRows: size.rows - BOTTOM_ROWS }));
  return terminal.withTypeAhead(() => askKeys(terminal, signal));
}

async function askKeys(terminal: Terminal, signal: AbortSignal): Promise<ApprovalAnswer | undefined> {
  const key = await terminal.askKey(KEYS, [...Object.keys(ANSWERS), "r"], signal);
  if (key !== "r") return key === undefined ? undefined : (ANSWERS[key] ?? { kind: "reject" });
  const reason = (await terminal.askLine("Reason: ", signal))?.trim();
  return { kind: "reject", ...(reason ? { reason } : {}) };
}
