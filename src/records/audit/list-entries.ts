import { auditFolder } from "../../audit/files.ts";
import { type AuditLine, type AuditQuery, auditLines } from "../../audit/read-entries.ts";
import { directoriesOf } from "../../cli/global-flags.ts";
import { painter, shouldUseColors } from "../../cli/paint.ts";
import { isTerminalOutput, printError } from "../../cli/print.ts";
import { builtInToolFor } from "../../config/toolsets/built-in-tools.ts";
import { processEnv } from "../../lib/env.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { type AuditInput, limitFlag, queryOf } from "./audit-input.ts";
import { renderEntry } from "./audit-text.ts";
import { followLog } from "./follow-log.ts";
import { OutputLines } from "./output-lines.ts";

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
