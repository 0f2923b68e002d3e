import { type Budget, LimitReached } from "./shortest-word.ts";

const MAX_STATES = 10_000;
const MAX_MILLISECONDS = 2000;

/** What one question may use. */
export function newBudget(now: () => number = () => performance.now()): Budget {
  const end = now() + MAX_MILLISECONDS;
  let states = 0;
  return {
    spend() {
      states++;
      if (states > MAX_STATES || now() > end) throw new LimitReached();
    },
  };
}

/** Returns what `task` returns, or `limit` if it needs more than it may use. */
export function within<T>(task: () => T): T | "limit" {
  try {
    return task();
  } catch (error) {
    if (error instanceof LimitReached) return "limit";
    throw error;
  }
}
