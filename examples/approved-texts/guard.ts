import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { BLOCK, type Builtin } from "hooksh/hook";

/** Approves a text whose SHA-256 digest is in the file that `args` names. Without an answer, a text is not approved. */
const guard: Builtin = ({ skill, prompt_file: file }, [list = ""]) => {
  const content = (skill ?? file)?.content;
  if (content === undefined) throw new Error("there is no text to judge");
  const digest = createHash("sha256").update(content).digest("hex");
  const lines = readFileSync(list, "utf8").split("\n");
  return lines.some((line) => line.startsWith(digest)) ? { continue: true } : { decision: BLOCK };
};

export default guard;
