import type { AuditLine } from "../../audit/read-entries.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { type AuditInput, limitFlag, queryOf } from "./audit-input.ts";
import { newest } from "./list-entries.ts";
import { OutputLines } from "./output-lines.ts";

/** How a format is written: a first line, if it has one, and each entry. */
interface Format {
  header?: string;
  line: (line: AuditLine) => string;
}

const FORMATS: Readonly<Record<string, () => Promise<Format>>> = {
  jsonl: async () => ({ line: ({ text }) => text }),
  csv: async () => (await import("./csv.ts")).CSV,
  ocsf: async () => (await import("./ocsf.ts")).OCSF,
};

/** `hooksh audit export`: prints entries in another format, newest last. */
export async function exportEntries(input: AuditInput): Promise<number> {
  const { flags, signal } = input;
  const format = await (FORMATS[flags.format ?? "jsonl"] ?? FORMATS["jsonl"])?.();
  const query = queryOf(input, Date.now());
  const limit = limitFlag(flags.limit) ?? Number.POSITIVE_INFINITY;
  const output = new OutputLines(false);
  if (format?.header !== undefined) await output.add(format.header);
  for (const line of newest(directoriesOf(flags).data, query, limit).lines) {
    if (signal.aborted || !format || !(await output.add(format.line(line)))) break;
  }
  await output.flush();
  return signal.aborted ? EXIT_CODES.interrupted : EXIT_CODES.ok;
}
