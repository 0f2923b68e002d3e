import { lstat } from "node:fs/promises";
import { join } from "node:path";
import { type AutocompleteProvider, type AutocompleteSuggestions, fuzzyFilter } from "@earendil-works/pi-tui";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { mentionOf } from "../front-end/mentions.ts";
import type { Choice } from "../front-end/terminal.ts";
import { freshListing } from "./project-files.ts";

const MAX_SHOWN = 50;

/** Files whose letters are compared with those typed: a tenth of a second's work at most. */
const MAX_COMPARED = 20_000;

/** What the input line completes. */
export interface CompletionSources {
  /** The commands; after the name of one, the command with each argument it may have. */
  commands: (typed: string) => readonly Choice<string>[];
  directory: () => string;
}

/** Completes `/` commands at the start of the first line, and files of the session's directory after `@`. */
export function completions(sources: CompletionSources): AutocompleteProvider {
  const listFiles = freshListing();
  return {
    getSuggestions: async (lines, row, column, { signal }) => {
      const before = (lines[row] ?? "").slice(0, column);
      if (row === 0 && before.startsWith("/")) return commandsLike(before, sources.commands(before));
      const [, prefix] = /(?:^|[\s(])(@(?:"[^"]*|\S*))$/.exec(before) ?? [];
      if (prefix === undefined) return null;
      const files = await listFiles(sources.directory(), signal);
      return signal.aborted ? null : suggestFiles(prefix, files, sources.directory());
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

/** Suggests files for `@name` or `@"name`. Git also lists files that were deleted since the last commit. */
async function suggestFiles(
  prefix: string,
  files: readonly string[],
  directory: string,
): Promise<AutocompleteSuggestions | null> {
  const found = filesLike(prefix.replace(/^@"?/, ""), files);
  const exist = await Promise.all(found.map((file) => isThere(join(directory, file))));
  const items = found
    .filter((_file, index) => exist[index])
    .map((file) => ({ value: mentionOf(file), label: escapeControls(file) }));
  return items.length > 0 ? { items, prefix } : null;
}

/** Finds files: first those with a name or path that starts with the text, then those that contain it or its letters. */
function filesLike(typed: string, files: readonly string[]): string[] {
  if (typed === "") return files.slice(0, MAX_SHOWN);
  const text = typed.toLowerCase();
  const starting: string[] = [];
  const containing: string[] = [];
  for (const file of files) {
    const path = file.toLowerCase();
    const at = path.lastIndexOf(text);
    if (at >= 0) (at === 0 || path[at - 1] === "/" ? starting : containing).push(file);
  }
  const found = [starting, containing].flatMap((list) => list.sort((a, b) => a.length - b.length));
  if (found.length >= MAX_SHOWN) return found.slice(0, MAX_SHOWN);
  const similar = fuzzyFilter(files.slice(0, MAX_COMPARED), typed, (file) => file);
  return [...new Set([...found, ...similar])].slice(0, MAX_SHOWN);
}

async function isThere(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  );
}
