// Adds the cost of each model call to a file for the day, and refuses the next call once the limit in `args` is reached.
import { appendFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { BLOCK, type Builtin } from "hooksh/hook";

const budget: Builtin = ({ hook_event_name, cost }, [limit], { directories, log }) => {
  const folder = join(directories.data, "budget");
  const file = join(folder, new Date().toISOString().slice(0, 10));
  if (hook_event_name === "after_llm_call") {
    if (cost === undefined) log("warn", "the price of this model is unknown: its calls do not count");
    mkdirSync(folder, { recursive: true });
    appendFileSync(file, `${cost ?? 0}\n`);
    return undefined;
  }
  const dollars = Number(limit);
  if (!(dollars > 0)) throw new Error("args must hold a limit in dollars");
  const costs = existsSync(file) ? readFileSync(file, "utf8").trim().split("\n").map(Number) : [];
  const spent = costs.reduce((sum, one) => sum + one, 0);
  if (spent < dollars) return undefined;
  return {
    decision: BLOCK,
    reason: `${spent.toFixed(2)} dollars of ${limit} are spent today: raise the limit or wait until tomorrow`,
  };
};

export default budget;
