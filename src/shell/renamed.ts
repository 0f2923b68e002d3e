import { isAssignment, MEANING, programName } from "./launchers.ts";
import type { SimpleCommand, Word } from "./word.ts";

/** Arrays whose elements are commands: `BASH_CMDS[q]=/usr/bin/git`, `functions[q]='git push'`. */
const COMMAND_TABLE = /^(?:BASH_CMDS|BASH_ALIASES|(?:dis_)?(?:functions|aliases|galiases|saliases|commands))[[$]/;

/**
 * Notes names to which commands give another meaning: an alias, an entry of the shell's table of programs. Undefined stands for
 * any name.
 */
export function noteRenamed(commands: readonly SimpleCommand[], names: Set<string | undefined>): void {
  for (const { words } of commands) {
    if (words.some(({ text }) => COMMAND_TABLE.test(text.slice(0, 64)))) names.add(undefined);
    const at = words.findIndex((word) => /^(?:alias|hash|enable|functions|abbr)$/.test(programName(word) ?? ""));
    const defined = at < 0 ? [] : words.slice(at + 1);
    // A global alias may stand anywhere in a command.
    if (defined.some(({ text }) => /^-\w*[gs]/.test(text))) names.add(undefined);
    for (const { text, dynamic } of defined) names.add(dynamic && !text.includes("=") ? undefined : nameIn(text));
  }
}

function nameIn(definition: string): string {
  return (definition.split("=", 1)[0] ?? "").toLowerCase();
}

/** True if a command starts a name to which the line gives another meaning. */
export function isRenamed({ words }: SimpleCommand, names: ReadonlySet<string | undefined>): boolean {
  if (names.size === 0) return false;
  const name = words.map(programName).find((_name, at) => !isAssignment(words[at] as Word));
  return words.length > 0 && !MEANING.has(name ?? "") && (names.has(undefined) || names.has(name));
}
