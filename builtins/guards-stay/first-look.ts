import { quietLine } from "../../src/facts/quiet-line.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";

/** Tools that run the command line in their field `cmd`. */
export const COMMAND_TOOLS = new Set(["shell", "run_background_job"]);
/** Tools of hooksh that change no file that their input names. */
const OTHER_TOOLS =
  /^(?:directory_tree|list_directory|read_file|read_multiple_files|search_files_content|fetch|think|transfer_task|user_prompt|\w*_todos?|\w*_memor(?:y|ies)|\w*background_(?:agents?|jobs?))$/;

/** Quiet commands that change no file among their words; the others run code, which may. */
const READS = /^(?:cat|cd|date|df|du|echo|file|git|head|ls|ps|pwd|sort|stat|tail|tree|uniq|wc|which)$/;

/** True for a line of everyday commands whose words name no file that they may change. */
export function isHarmless(line: string): boolean {
  const commands = quietLine(line)?.commands;
  return commands?.every(({ program, text = "." }) => READS.test(program) || !/[./]/.test(text)) ?? false;
}

/** True if a look at the text of a call shows that it changes no guard: for most calls, nothing more is loaded. */
export function cannotTouchGuards({ tool_name: tool = "", tool_input: given }: BuiltinInput): boolean {
  if (OTHER_TOOLS.test(tool)) return true;
  const line = given?.["cmd"];
  return COMMAND_TOOLS.has(tool) && typeof line === "string" && isHarmless(line);
}
