/**
 * The environment variable that identifies descendants, even if they have left the process group: each process that
 * hooksh starts gets its own mark in it, and its descendants inherit the variable.
 */
export const GROUP_VARIABLE = "HOOKSH_PROCESS_GROUP";

/** Returns the value of {@link GROUP_VARIABLE} for a process: its own mark after those of its ancestors. */
export function groupVariableValue(outer: string | undefined, mark: string): string {
  return `${outer ?? ""}/${mark}/`;
}

let counter = 0;

/** Returns a mark that no other process has, not even one with the same id at another time. */
export function nextMark(): string {
  return `${process.pid}.${process.hrtime.bigint().toString(36)}.${++counter}`;
}
