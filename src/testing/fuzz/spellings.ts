import { commandArgumentOf, isToolOf } from "../../tools/tool-names.ts";
import { LOOK_ALIKES } from "./look-alikes.ts";
import { PATH_SPELLINGS } from "./path-spellings.ts";
import { OPTION_SPELLINGS } from "./shell-options.ts";
import { WORD_SPELLINGS } from "./shell-words.ts";
import { WRAPPER_SPELLINGS } from "./shell-wrappers.ts";
import type { Spelling, TextKind } from "./spelling.ts";
import { URL_SPELLINGS } from "./url-spellings.ts";

export const SPELLINGS: Readonly<Record<TextKind, readonly Spelling[]>> = {
  shell: [...WORD_SPELLINGS, ...OPTION_SPELLINGS, ...WRAPPER_SPELLINGS, ...LOOK_ALIKES],
  path: [...PATH_SPELLINGS, ...LOOK_ALIKES],
  url: [...URL_SPELLINGS, ...LOOK_ALIKES],
};

export const SPELLING_NAMES: readonly string[] = [
  ...new Set(
    Object.values(SPELLINGS)
      .flat()
      .map(({ name }) => name),
  ),
];

const PATHS = /^(?:.*_)?(?:path|paths|file|filename|directory|dir|cwd)$/i;
const URLS = /^(?:.*_)?(?:url|urls|uri|link)$/i;

/**
 * Returns the kind of a text in the input of a tool: a command line, a path or a URL; undefined if it is something else, such
 * as the content of a file. `key` is the key of the nearest mapping around the text.
 */
export function kindOfText(tool: string, key: string): TextKind | undefined {
  if (commandArgumentOf(tool) === key || (!isKnown(tool) && /^(?:cmd|command)$/.test(key))) return "shell";
  if (PATHS.test(key)) return "path";
  return URLS.test(key) ? "url" : undefined;
}

function isKnown(tool: string): boolean {
  return isToolOf("filesystem", tool) || isToolOf("fetch", tool);
}
