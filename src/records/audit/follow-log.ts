import { auditMonths, monthFile, withOpenFile } from "../../audit/files.ts";
import { readBlocks } from "../../audit/read-blocks.ts";
import { type AuditLine, type AuditQuery, lineFilter, linesIn } from "../../audit/read-entries.ts";
import { sleep } from "../../lib/platform.ts";

const PAUSE_MS = 200;
const LINE_END = 0x0a;

/** Returns the entries that are written from now on, until the signal aborts. */
export function followLog(folder: string, query: AuditQuery, signal: AbortSignal): AsyncGenerator<AuditLine> {
  const sizes = new Map(auditMonths(folder).map((month) => [month, sizeOf(monthFile(folder, month))]));
  return follow(folder, { query, signal, sizes });
}

interface Following {
  query: AuditQuery;
  signal: AbortSignal;
  /** How much of each file was read. */
  sizes: Map<string, number>;
}

async function* follow(folder: string, { query, signal, sizes }: Following): AsyncGenerator<AuditLine> {
  const select = lineFilter(query);
  while (!signal.aborted) {
    for (const month of auditMonths(folder)) {
      const file = monthFile(folder, month);
      const from = sizes.get(month) ?? 0;
      if (sizeOf(file) <= from) continue;
      for (const { bytes, offset } of readBlocks(file, { from })) {
        const whole = bytes.subarray(0, bytes.lastIndexOf(LINE_END) + 1);
        sizes.set(month, offset + whole.length);
        yield* linesIn(file, { bytes: whole, offset }, select, query);
      }
    }
    await sleep(PAUSE_MS);
  }
}

function sizeOf(file: string): number {
  return withOpenFile(file, ({ size }) => size);
}
