import type { Payload } from "../../protocol/rewrite.ts";

/** Programs that write no file, start no program and read no commands, whatever their words say. */
export const READERS: readonly string[] =
  "basename cat cut df dirname du echo false grep head ls nl ps pwd readlink realpath stat tail true wc which".split(
    " ",
  );

/** One command of plain words: nothing that a shell expands, joins, redirects or runs. */
const PLAIN_LINE = /^[a-z]+(?: +[\w./,:@%+-]+)*$/;

/** Tools of hooksh that only read. */
export const READING_TOOLS: readonly string[] = [
  "directory_tree",
  "list_directory",
  "read_file",
  "read_multiple_files",
  "search_files_content",
];

/**
 * False only if the checks of hooksh itself, such as the builtin `guards_stay`, certainly have nothing to say about a
 * call of the tool that hooksh knows by this name. Cheap: the rest of them is asked by the engine.
 */
export function mayRefuse(tool: string, { cmd, command, tty }: Payload): boolean {
  if (READING_TOOLS.includes(tool)) return false;
  if (tool !== "shell" || typeof cmd !== "string" || command !== undefined || tty === true) return true;
  return !PLAIN_LINE.test(cmd) || !READERS.includes(cmd.split(" ", 1)[0] ?? "");
}
