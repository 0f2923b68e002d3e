import { type FlagSpecs, parseFlags } from "../../src/cli/flags.ts";
import { BARE_FLAGS, GLOBAL_FLAGS } from "../../src/cli/global-flags.ts";
import { COMMANDS } from "../../src/commands/index.ts";
import { errorText } from "../../src/lib/errors.ts";
import { splitCommands } from "../../src/shell/split-commands.ts";

/** The flags of every verb. */
const FLAGS = new Map<string, FlagSpecs>();
for (const [verb, row] of Object.entries(COMMANDS))
  FLAGS.set(verb, { ...(await row.load()).command.flags, ...GLOBAL_FLAGS });

/** A word that stands for others: `VERB`, `[AGENT]`, `<name>`, `...`, `run|dispatch`. */
const PLACEHOLDER = /^[A-Z]+$|^[[<(…]|\.\.\./;

/** The problems of every `hooksh VERB --flag` in a text of commands: verbs and flags that hooksh does not have. */
export function usageProblems(text: string): string[] {
  const { commands } = splitCommands(text.replace(/(^|\s)#.*$/gm, ""));
  return commands.flatMap((words) => problemsOf(words.slice(startOf(words) + 1)));
}

/** The index of the word `hooksh` that starts hooksh: the first one behind assignments, or one that a verb follows. */
function startOf(words: readonly string[]): number {
  const first = words.findIndex((word) => !/^\w+=/.test(word));
  if (words[first] === "hooksh") return first;
  const inner = words.findIndex((word, index) => /(^|\/)hooksh$/.test(word) && FLAGS.has(words[index + 1] ?? ""));
  return inner < 0 ? words.length : inner;
}

function problemsOf(words: readonly string[]): string[] {
  const [verb = "", ...rest] = words;
  if (verb === "" || PLACEHOLDER.test(verb)) return [];
  if (verb.startsWith("-")) return flagProblems(words, BARE_FLAGS, "hooksh");
  const flags = FLAGS.get(verb);
  return flags === undefined ? [`hooksh has no command ${verb}`] : flagProblems(rest, flags, `hooksh ${verb}`);
}

function flagProblems(words: readonly string[], flags: FlagSpecs, of: string): string[] {
  const before = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  return before
    .filter((word) => /^--?[a-z]/.test(word))
    .map((word) => word.replace(/\[.*/, "")) // `--worktree[=NAME]`
    .flatMap((word) => {
      try {
        parseFlags(word.includes("=") ? [word] : [word, "0"], flags);
        return [];
      } catch (error) {
        return /^unknown flag/.test(errorText(error)) ? [`${of}: ${errorText(error)}`] : [];
      }
    });
}
