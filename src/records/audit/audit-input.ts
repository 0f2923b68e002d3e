import { basename } from "node:path";
import { type AuditEntry, TOOL_CALL_APPROVAL } from "../../audit/entry.ts";
import type { AuditQuery } from "../../audit/read-entries.ts";
import type { CommandInput } from "../../cli/define-command.ts";
import { printError } from "../../cli/print.ts";
import { timeFlag } from "../../cli/time-flag.ts";
import { UsageError } from "../../lib/errors.ts";
import { isEventName, unknownEvent } from "../../protocol/events.ts";
import type { AUDIT_FLAGS } from "./audit-flags.ts";

export type AuditInput = CommandInput<typeof AUDIT_FLAGS>;

/** Returns the query that the flags make. Throws a {@link UsageError} if a time or an event is not valid. */
export function queryOf({ flags }: Pick<AuditInput, "flags">, now: number): AuditQuery {
  const { event, hook } = flags;
  if (event !== undefined && event !== TOOL_CALL_APPROVAL && !isEventName(event))
    throw new UsageError(unknownEvent(event));
  if (flags.denied && flags.decision !== undefined) throw new UsageError("--denied and --decision exclude each other");
  const fields = { session: flags.session, tool: flags.tool, event, agent: flags.agent, host: flags.host };
  const wanted = Object.entries(fields).filter((pair): pair is [keyof typeof fields, string] => pair[1] !== undefined);
  const decisions = flags.denied ? ["deny", "block"] : flags.decision === undefined ? [] : [flags.decision];
  return {
    since: flags.since === undefined ? undefined : timeFlag("since", flags.since, now),
    until: flags.until === undefined ? undefined : timeFlag("until", flags.until, now),
    contains: [
      ...wanted.map(([field, value]) => `"${field}":${JSON.stringify(value)}`),
      ...(decisions.length > 0 ? [decisions.map((decision) => `"decision":"${decision}"`)] : []),
      ...(hook === undefined ? [] : [JSON.stringify(hook).slice(1, -1)]),
    ],
    accepts: (entry) =>
      wanted.every(([field, value]) => entry[field] === value) &&
      (decisions.length === 0 || decisions.includes(entry.decision)) &&
      (hook === undefined || ranHook(entry, hook)),
    onProblem: problemPrinter(),
  };
}

/** True if a hook with this name ran, or one whose command starts a script with this file name. */
function ranHook({ hooks }: AuditEntry, wanted: string): boolean {
  return hooks.some(({ name }) => name === wanted || basename(name.trim().split(/\s/)[0] ?? "") === wanted);
}

const MOST_PROBLEMS = 20;

/** Returns a function that prints the first problems, and says once that there are more. */
function problemPrinter(): NonNullable<AuditQuery["onProblem"]> {
  let count = 0;
  return ({ file, line, message }) => {
    if (++count <= MOST_PROBLEMS) printError(`${file}:${line}: ${message}`);
    else if (count === MOST_PROBLEMS + 1) printError("more lines are not entries: hooksh audit verify lists them");
  };
}

/** Returns the number of entries that `--limit` names; undefined without it, infinite if it is 0. */
export function limitFlag(text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  if (!/^\d{1,9}$/.test(text)) throw new UsageError(`--limit ${text}: not a number`);
  return Number(text) || Number.POSITIVE_INFINITY;
}
