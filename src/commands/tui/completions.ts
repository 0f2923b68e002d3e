import { type AutocompleteProvider, type AutocompleteSuggestions, fuzzyFilter } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { mentionOf } from "../front-end/mentions.ts";
import type { Choice } from "../front-end/terminal.ts";
import { projectFiles } from "./project-files.ts";

const MAX_SHOWN = 50;

/** What the input line completes. */
export interface CompletionSources {
  /** The commands; behind the name of one, the command with each argument it may have. */
  commands: (typed: string) => readonly Choice<string>[];
  directory: () => string;
}

/** Completes `/` commands at the start of the first line, and files of the session's directory after `@`. */
export function completions(sources: CompletionSources): AutocompleteProvider {
  return {
    getSuggestions: async (lines, row, column, { signal }) => {
      const before = (lines[row] ?? "").slice(0, column);
      if (row === 0 && before.startsWith("/")) return commandsLike(before, sources.commands(before));
      const [, prefix] = /(?:^|[\s(])(@(?:"[^"]*|\S*))$/.exec(before) ?? [];
      if (prefix === undefined) return null;
      const files = await projectFiles(sources.directory(), signal);
      return signal.aborted ? null : filesLike(prefix, files);
    },
    applyCompletion: (lines, row, column, item, prefix) => {
      const line = lines[row] ?? "";
      const start = column - prefix.length;
      // The list may lag behind keys that arrive together: it must not replace what was typed since.
      if (line.slice(start, column) !== prefix) return { lines, cursorLine: row, cursorCol: column };
      const completed = [...lines];
      completed[row] = `${line.slice(0, start)}${item.value} ${line.slice(column).trimStart()}`;
      return { lines: completed, cursorLine: row, cursorCol: start + item.value.length + 1 };
    },
  };
}

/** Suggests commands: by their start, also with a part of an argument; else by letters. */
function commandsLike(typed: string, commands: readonly Choice<string>[]): AutocompleteSuggestions | null {
  const starting = commands.filter(({ value }) => value.startsWith(typed));
  const isName = /^\/\S*$/.test(typed);
  const found =
    starting.length > 0 || !isName ? starting : fuzzyFilter([...commands], typed.slice(1), ({ value }) => value);
  const items = found
    .filter(({ value }) => (isName ? !value.includes(" ") : true))
    .slice(0, MAX_SHOWN)
    .map(({ value, label, description }) => ({ value, label, ...(description === undefined ? {} : { description }) }));
  return items.length > 0 ? { items, prefix: typed } : null;
}

/** Suggests files for `@name` or `@"name`. */
function filesLike(prefix: string, files: readonly string[]): AutocompleteSuggestions | null {
  const typed = prefix.replace(/^@"?/, "");
  const found = typed === "" ? files : fuzzyFilter([...files], typed, (file) => file);
  const items = found.slice(0, MAX_SHOWN).map((file) => ({ value: mentionOf(file), label: escapeControls(file) }));
  return items.length > 0 ? { items, prefix } : null;
}
