import { auditFolder, auditMonths, monthFile, withOpenFile } from "../../audit/files.ts";
import { readBlocks } from "../../audit/read-blocks.ts";
import { type AuditLine, type AuditQuery, auditLines, lineFilter, linesIn } from "../../audit/read-entries.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { painter, shouldUseColors } from "../../cli/paint.ts";
import { isTerminalOutput, printError } from "../../cli/print.ts";
import { builtInToolFor } from "../../config/toolsets/built-in-tools.ts";
import { processEnv } from "../../lib/env.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { sleep } from "../../lib/platform.ts";
import { type AuditInput, limitFlag, queryOf } from "./audit-input.ts";
import { renderEntry } from "./audit-text.ts";
import { OutputLines } from "./output-lines.ts";

const PAUSE_MS = 200;
const LINE_END = 0x0a;

const DEFAULT_LIMIT = 100;

/** `hooksh audit`: prints the entries that the flags select, newest last. */
export async function listEntries(input: AuditInput): Promise<number> {
  const { flags, signal } = input;
  const query = queryOf(input, Date.now());
  const dataDir = directoriesOf(flags).data;
  const paint = painter(isTerminalOutput() && shouldUseColors(processEnv(), flags["no-color"]));
  const render = ({ entry, text }: AuditLine) =>
    flags.json ? text : renderEntry(entry, paint, { details: flags.details ?? false });
  const output = new OutputLines(!flags.json);
  const isAll = flags.json || flags.since !== undefined;
  const limit = limitFlag(flags.limit) ?? (isAll ? Number.POSITIVE_INFINITY : DEFAULT_LIMIT);
  const follower = flags.follow ? followLog(auditFolder(dataDir), query, signal) : undefined;
  const { lines, isCut } = newest(dataDir, query, limit);
  if (isCut && flags.limit === undefined && !flags.quiet)
    printError(`the newest ${DEFAULT_LIMIT} entries; --limit 0 prints all`);
  let count = 0;
  for (const line of lines) {
    count++;
    if (signal.aborted || !(await output.add(render(line)))) break;
  }
  let isRead = await output.flush();
  if (count === 0 && !follower && !flags.quiet)
    printError(`no matching entries in ${auditFolder(dataDir)}${toolHint(flags.tool)}`);
  for await (const line of follower ?? []) {
    await output.add(render(line));
    isRead = await output.flush();
    if (!isRead) break;
  }
  return signal.aborted && !flags.follow ? EXIT_CODES.interrupted : EXIT_CODES.ok;
}

/** Says under which name the log holds a tool of another agent, such as `Bash`. */
function toolHint(tool: string | undefined): string {
  const own = tool === undefined ? undefined : builtInToolFor(tool);
  return own === undefined || own === tool ? "" : `: ${tool} is called ${own} there`;
}

/** Returns the newest entries, oldest first. Without a limit, they are read while they are printed. */
export function newest(
  dataDir: string,
  query: AuditQuery,
  limit: number,
): { lines: Iterable<AuditLine>; isCut: boolean } {
  if (limit === Number.POSITIVE_INFINITY) return { lines: auditLines(dataDir, query), isCut: false };
  const lines: AuditLine[] = [];
  for (const line of auditLines(dataDir, { ...query, order: "newest" })) {
    if (lines.length === limit) return { lines: lines.reverse(), isCut: true };
    lines.push(line);
  }
  return { lines: lines.reverse(), isCut: false };
}

/** Returns the entries that are written from now on, until the signal aborts. */
function followLog(folder: string, query: AuditQuery, signal: AbortSignal): AsyncGenerator<AuditLine> {
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
