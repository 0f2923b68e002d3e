import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry, AuditHook } from "../../src/audit/entry.ts";
import { digestOf, NO_LINE } from "../../src/audit/entry.ts";

/** The fields of an entry that a test chooses; the others are as usual. */
export type EntryFields = Partial<Omit<AuditEntry, "hooks">> & { hooks?: readonly Partial<AuditHook>[] };

/** Writes an audit log into a data directory, with one file for each month and a valid chain. The entries are in order of time. */
export function writeAuditLog(dataDir: string, entries: Iterable<EntryFields>): void {
  const folder = join(dataDir, "audit");
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  let prev = NO_LINE;
  let open: { month: string; descriptor: number; lines: string[] } | undefined;
  const flush = () => {
    if (open) writeSync(open.descriptor, open.lines.join(""));
    if (open) open.lines = [];
  };
  for (const fields of entries) {
    const line = JSON.stringify(entryOf(fields, prev));
    prev = digestOf(line);
    const month = JSON.parse(line).time.slice(0, 7);
    if (open?.month !== month) {
      flush();
      if (open) closeSync(open.descriptor);
      open = { month, descriptor: openSync(join(folder, `${month}.jsonl`), "w", 0o600), lines: [] };
    }
    if (open && open.lines.push(`${line}\n`) === 2000) flush();
  }
  flush();
  if (open) closeSync(open.descriptor);
}

/** An entry with the keys in the order in which hooksh writes them. */
function entryOf({ hooks = [{}], ...fields }: EntryFields, prev: string): AuditEntry {
  const { decision = "none", reason, approval_source, ms = 5, trace_id, payload, ...head } = fields;
  const usual = { time: new Date().toISOString(), source: "dispatch", session: "s1", event: "pre_tool_use" } as const;
  const { time, source, session, agent, host, host_event, event, ...subject } = { ...usual, ...head };
  return JSON.parse(
    JSON.stringify({
      v: 1,
      time,
      prev,
      source,
      session,
      agent,
      host,
      host_event,
      event,
      ...subject,
      hooks: hooks.map(hookOf),
      decision,
      reason,
      approval_source,
      ms,
      trace_id,
      payload,
    }),
  );
}

function hookOf(fields: Partial<AuditHook>): AuditHook {
  const usual = { name: "guard.sh", source: "hooks.yaml:4", type: "command", stage: "concurrent" };
  const { name, source, type, stage, outcome = "silent", ms = 4.2, ...rest } = { ...usual, ...fields };
  return { name, source, type, stage, outcome, ms, ...rest };
}
