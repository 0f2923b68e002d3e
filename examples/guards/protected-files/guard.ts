// Refuses to change the files and folders of `args`. A command that names one must only read it.
import { BLOCK, type Builtin, mayRun, runsOnly } from "hooksh/hook";

const READS = [
  "cat *",
  "head *",
  "tail *",
  "grep *",
  "wc *",
  "ls",
  "ls *",
  "jq *",
  "git diff*",
  "git log*",
  "git status*",
  "git add *",
  "git commit *",
];
/** Options that make a reading command write. */
const WRITES = ["git * --output*", "git * -o*"];

const guard: Builtin = ({ tool_input = {} }, names) => {
  const { cmd, path, paths } = tool_input;
  const reason = `${names.join(", ")} are generated or belong to the maintainers: leave them as they are`;
  if (typeof cmd === "string") {
    const named = names.map((name) => `*${name}*`);
    const reads = runsOnly(cmd, READS) && !mayRun(cmd, WRITES);
    return mayRun(cmd, named) && !reads ? { decision: BLOCK, reason } : undefined;
  }
  const targets = [path, paths].flat().filter((one) => typeof one === "string");
  if (targets.length === 0) throw new Error("no path to judge");
  const isProtected = (target: string) =>
    target
      .toLowerCase()
      .split(/[\\/]+/)
      .some((part) => lower.includes(part));
  const lower = names.map((name) => name.toLowerCase());
  return targets.some(isProtected) ? { decision: BLOCK, reason } : undefined;
};

export default guard;
