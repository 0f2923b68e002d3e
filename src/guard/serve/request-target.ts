import { errorText } from "../../lib/errors.ts";
import { parseDuration } from "../../lib/text/duration.ts";
import { namedDialect, type RouteFlags } from "../dispatch/find-dialect.ts";

/** What the address of a request says. */
export interface RequestTarget extends RouteFlags {
  /** From `?deadline=28s`. */
  deadlineMs?: number;
  /** Why the address is invalid. */
  problem?: string;
}

/**
 * Reads the target of a request: `/`, `/DIALECT` or `/DIALECT/EVENT`, with `?deadline=DURATION`. An invalid part is a
 * problem, never ignored.
 */
export function targetOf(target: string): RequestTarget {
  const [, pathname = "", query = ""] = /^(?:https?:\/\/[^/?]*)?([^?]*)\??(.*)$/is.exec(target) ?? [];
  const searchParams = new URLSearchParams(query);
  const [dialect, event, ...rest] = pathname.split("/").filter(Boolean).map(decoded);
  const problems = [
    ...(rest.length > 0 ? [`unknown path ${pathname}: expected /, /DIALECT or /DIALECT/EVENT`] : []),
    ...dialectProblem(dialect),
    ...[...searchParams.keys()]
      .filter((key) => key !== "deadline")
      .map((key) => `unknown parameter ${JSON.stringify(key)} in the address: only deadline is known`),
  ];
  const duration = searchParams.get("deadline");
  const deadlineMs = duration === null ? undefined : parseDuration(duration);
  if (duration !== null && !deadlineMs)
    problems.push(`deadline takes a duration such as 2s or 500ms, not ${JSON.stringify(duration)}`);
  return {
    dialect: problems.length === 0 ? dialect : undefined,
    event,
    ...(deadlineMs ? { deadlineMs } : {}),
    ...(problems.length === 0 ? {} : { problem: problems.join("; ") }),
  };
}

function dialectProblem(dialect: string | undefined): string[] {
  try {
    namedDialect(dialect);
    return [];
  } catch (error) {
    return [errorText(error)];
  }
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return part; // no event or dialect has a percent sign, so this is unknown
  }
}
