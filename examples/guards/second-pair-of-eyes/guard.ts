// Asks about the commands of `args`. The question names the pattern and the directory.
import { ask, type Builtin, mayRun } from "hooksh/hook";

const guard: Builtin = (input, patterns) => {
  const { cmd, cwd } = input.tool_input ?? {};
  if (typeof cmd !== "string") throw new Error("no command line to judge");
  const hit = patterns.find((pattern) => mayRun(cmd, [pattern]));
  if (hit === undefined) return undefined;
  return ask(
    input,
    `Two people: let a colleague read this before you approve (${hit}, in ${String(cwd ?? input.cwd)})`,
  );
};

export default guard;
