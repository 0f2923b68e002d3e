import { type AuditEntry, TOOL_CALL_APPROVAL } from "../../audit/entry.ts";
import { auditEntries } from "../../audit/read-entries.ts";
import { isObject } from "../../lib/json.ts";

/** A command line that needed approval. */
export interface AskedLine {
  line: string;
  /** The directory in which it ran. */
  cwd: string | undefined;
  /** True for each time that it was approved, false for each denial. */
  answers: boolean[];
}

export interface AskedLines {
  lines: AskedLine[];
  /** How often something was approved. */
  approvals: number;
  /** Approvals of which the log does not hold the call. */
  withoutCall: number;
}

/**
 * Reads from the audit log what was asked about and then approved or denied: in `hooksh run`, the final approval says so;
 * in other agents, a call that ran after hooksh said ask was approved.
 */
export function askedLines(data: string, since: number): AskedLines {
  const found = new Map<string, AskedLine>();
  const calls = new Map<string, Call>();
  const result: AskedLines = { lines: [], approvals: 0, withoutCall: 0 };
  const answer = (call: Call | undefined, isApproved: boolean) => {
    if (isApproved) result.approvals++;
    if (call?.line === undefined) {
      if (isApproved && call?.isCommand !== false) result.withoutCall++;
      return;
    }
    const key = JSON.stringify([call.cwd, call.line]);
    const known = found.get(key) ?? { line: call.line, cwd: call.cwd, answers: [] };
    known.answers.push(isApproved);
    found.set(key, known);
  };
  for (const entry of auditEntries(data, { since })) {
    const key = entry.call === undefined ? undefined : `${entry.session} ${entry.call}`;
    const call = { ...(key === undefined ? undefined : calls.get(key)), ...callOf(entry) };
    if (entry.event === TOOL_CALL_APPROVAL) {
      const source = entry.approval_source ?? "";
      if (source.startsWith("user_approved")) answer(call, true);
      else if (entry.decision === "deny") answer(call, false);
    } else if (entry.event === "pre_tool_use" && key !== undefined)
      calls.set(key, { ...call, isAsked: entry.decision === "ask" && entry.source !== "run" });
    else if (entry.event === "post_tool_use" && key !== undefined && call.isAsked) {
      answer(call, true);
      calls.delete(key);
    }
  }
  result.lines = [...found.values()];
  return result;
}

interface Call {
  line?: string;
  cwd?: string;
  /** Undefined if the log does not hold the call. */
  isCommand?: boolean;
  isAsked?: boolean;
}

function callOf({ payload, payload_cut: cut, cwd }: AuditEntry): Call {
  const input = payload?.["tool_input"];
  const cmd = isObject(input) && cut === undefined ? input["cmd"] : undefined;
  return {
    ...(typeof cmd === "string" ? { line: cmd } : {}),
    ...(input === undefined ? {} : { isCommand: typeof cmd === "string" }),
    ...(cwd === undefined ? {} : { cwd }),
  };
}
