const problems = new Set<string>();

/** Returns what this process could not trace or record, each problem once. */
export function watchProblems(): readonly string[] {
  return [...problems];
}

/** Returns a function that reports a problem as `warn` does, and keeps it for {@link watchProblems}. */
export function keepingProblems(warn: (message: string) => void): (message: string) => void {
  return (message) => {
    problems.add(message);
    warn(message);
  };
}
