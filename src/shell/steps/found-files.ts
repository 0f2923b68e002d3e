import { HOLE, type Invocation } from "./invocation.ts";

/** Programs that pass names of files on as they are. */
const FILTERS = new Set("grep egrep fgrep rg head tail sort uniq".split(" "));

/**
 * The directories below which the files are whose names the commands print: of `find D | grep x`, D. Undefined if another
 * program decides which names these are.
 */
export function filesOf(printed: readonly Invocation[]): readonly string[] | undefined {
  const [first, ...others] = printed;
  if (!first || others.length > 0) return undefined;
  const [name = ""] = first.programs;
  const operands = first.words.flatMap(({ text }) => (/^-/.test(text) ? [] : [text]));
  const options = first.words.flatMap(({ text }) => (/^-/.test(text) ? [text] : []));
  const below = (named: readonly string[]) =>
    named.some((text) => text.includes(HOLE)) ? undefined : named.length > 0 ? named : ["."];
  switch (name) {
    case "find":
    case "gfind": {
      const end = first.words.findIndex(({ text }) => /^[-(!]/.test(text) && !/^-[HLPDO]/.test(text));
      return below(
        first.words.slice(0, end < 0 ? undefined : end).flatMap(({ text }) => (text.startsWith("-") ? [] : [text])),
      );
    }
    case "fd":
    case "fdfind":
      return below(operands.slice(1));
    case "ls":
      return below(operands);
    case "git": {
      const [verb, ...rest] = operands;
      const lists = verb === "ls-files" || (verb === "diff" && options.includes("--name-only"));
      return lists ? below(verb === "ls-files" ? rest : []) : undefined;
    }
    default:
  }
  const lists = options.some((text) => /^-\w*l|^--files/.test(text));
  if (/^(?:rg|[ef]?grep)$/.test(name) && lists) return below(operands.slice(options.includes("--files") ? 0 : 1));
  return FILTERS.has(name) && first.fedBy.length > 0 ? filesOf(first.fedBy) : undefined;
}
