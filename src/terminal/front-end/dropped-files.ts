import { statSync } from "node:fs";
import { extname, relative } from "node:path";
import { fileURLToPath } from "node:url";
import { processEnv } from "../../lib/env.ts";
import { isInside } from "../../lib/files/paths.ts";
import { absolutePath } from "../../tools/filesystem/paths.ts";
import { mentionOf, unescape } from "./mentions.ts";

const MAX_CHARACTERS = 8_192;
const MAX_FILES = 20;

/** Files that a model looks at; other files stay paths, which the agent reads with its tools. */
const SHOWN_TYPES: ReadonlySet<string> = new Set([".png", ".jpg", ".jpeg", ".gif", ".webp", ".pdf"]);

/**
 * Returns mentions of the files, `@FILE @FILE`, if a pasted text consists only of paths of images and PDF files that
 * exist, as a terminal pastes when files are dragged into it: bare, quoted, with backslashes, or as `file://` URLs.
 * Returns undefined for any other text.
 */
export function nameDropped(pasted: string, directory: string): string | undefined {
  const text = pasted.trim();
  if (text === "" || text.length > MAX_CHARACTERS || !/[/\\]/.test(text)) return undefined;
  // Some terminals paste a path with spaces as it is.
  const paths = isShown(text, directory) ? [text] : wordsOf(text);
  if (paths.length === 0 || paths.length > MAX_FILES || !paths.every((path) => isShown(path, directory)))
    return undefined;
  return paths.map((path) => mentionOf(isInside(path, directory) ? relative(directory, path) : path)).join(" ");
}

function wordsOf(text: string): string[] {
  const words = text.matchAll(/"([^"]*)"|'([^']*)'|((?:\\[^]|[^\s"'\\])+)/g);
  return [...words].map(([, double, single, bare = ""]) => pathIn(double ?? single ?? unescape(bare)));
}

function pathIn(word: string): string {
  if (!word.startsWith("file://")) return word;
  try {
    return fileURLToPath(word);
  } catch {
    return word; // a file on another host, or an invalid URL: not a path of this machine
  }
}

function isShown(path: string, directory: string): boolean {
  if (!SHOWN_TYPES.has(extname(path).toLowerCase()) || !/[/\\]/.test(path) || /\p{Cc}/u.test(path)) return false;
  try {
    return statSync(absolutePath(path, directory, processEnv()), { throwIfNoEntry: false })?.isFile() ?? false;
  } catch {
    return false; // it cannot be looked at, so it stays text
  }
}
