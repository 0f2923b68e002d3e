import { ConfigError } from "../../lib/errors.ts";
import { contractOf, EVENT_NAMES, type EventName } from "../../protocol/events.ts";
import { type Path, renderProblems } from "../yaml/document.ts";
import type { HookEntry } from "./read-hooks.ts";
import { hookIdentity } from "./read-hooks.ts";

/** The events whose hooks, called selectors, may route to another agent. */
export const ROUTING_EVENTS: readonly EventName[] = EVENT_NAMES.filter((event) =>
  contractOf(event).accepts.includes("transition"),
);

/** True for a selector: a hook that may route to another agent. */
export function isSelector({ event }: Pick<HookEntry, "event">): boolean {
  return ROUTING_EVENTS.includes(event);
}

/** A problem that the merged hooks of an agent have; `entry` is the hook at whose place it is reported. */
export interface MergedProblem {
  entry: HookEntry;
  message: string;
}

/** Returns a problem for each event with two distinct selectors, whose routes could contradict each other. */
export function repeatedSelectors(entries: readonly HookEntry[]): MergedProblem[] {
  return ROUTING_EVENTS.flatMap((event) => {
    const distinct = new Map(entries.filter((entry) => entry.event === event).map((one) => [hookIdentity(one), one]));
    const entry = [...distinct.values()][1];
    if (!entry) return [];
    const message = `hooks.${event}: at most one selector is allowed after merging, found ${distinct.size} distinct definitions`;
    return [{ entry, message }];
  });
}

/** Formats a problem with the place of its hook; `printedPath` is what it concerns. */
export async function renderMerged({ entry, message }: MergedProblem, printedPath: Path): Promise<string> {
  const { document, path, source } = entry;
  if (!document) return [await source(), printedPath.join("."), message].filter((part) => part !== "").join(": ");
  const [line = message] = await renderProblems({ ...document, root: [] }, [{ path, printedPath, message }]);
  return line;
}

/** Throws a {@link ConfigError} if hooks that belong to no agent have two selectors on an event. */
export async function checkSelectors(entries: readonly HookEntry[]): Promise<void> {
  const problems = await Promise.all(repeatedSelectors(entries).map((problem) => renderMerged(problem, [])));
  if (problems.length > 0) throw new ConfigError(problems);
}
