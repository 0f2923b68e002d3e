import type { DispatchObserver, DispatchRecord } from "../engine/dispatch-record.ts";
import { errorText } from "../lib/errors.ts";
import { entryOf } from "./entry-of-record.ts";
import type { AuditLog } from "./log.ts";

/** Returns an observer that appends an entry for each dispatch. */
export function auditObserver(log: AuditLog): DispatchObserver {
  const settled = async (record: DispatchRecord): Promise<string | undefined> => {
    try {
      return await log.append(await entryOf(record, log.holdsPayload));
    } catch (error) {
      return log.failed(`cannot describe ${record.event} for the audit log: ${errorText(error)}`);
    }
  };
  const watch = { settled };
  return () => watch;
}
