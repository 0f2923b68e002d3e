import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import { changesNothing } from "../../src/shell/changes-nothing.ts";

/** Tools that run the command line in their field `cmd`. */
export const COMMAND_TOOLS = new Set(["shell", "run_background_job"]);
/** Tools of hooksh that change no file that their input names. */
const OTHER_TOOLS =
  /^(?:directory_tree|list_directory|read_file|read_multiple_files|search_files_content|fetch|think|transfer_task|user_prompt|\w*_todos?|\w*_memor(?:y|ies)|\w*background_(?:agents?|jobs?))$/;

/** True if a look at the text of a call shows that it changes no guard: for most calls, nothing more is loaded. */
export function cannotTouchGuards({ tool_name: tool = "", tool_input: given }: BuiltinInput): boolean {
  if (OTHER_TOOLS.test(tool)) return true;
  const line = given?.["cmd"];
  return COMMAND_TOOLS.has(tool) && typeof line === "string" && changesNothing(line);
}
