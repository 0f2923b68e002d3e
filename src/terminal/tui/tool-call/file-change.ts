import type { Env } from "../../../lib/env.ts";
import { errorText } from "../../../lib/errors.ts";
import { isInside } from "../../../lib/files/paths.ts";
import { readRegularFileSync, UnreadableFileError } from "../../../lib/files/read-file.ts";
import { isObject } from "../../../lib/json.ts";
import { openAccess } from "../../../tools/filesystem/access.ts";
import { parsePatterns } from "../../../tools/filesystem/patterns.ts";
import { type CallArguments, listOf } from "./essence.ts";

/** One text in place of another. */
export interface TextChange {
  /** Undefined if the file does not exist. */
  before: string | undefined;
  after: string;
  /** True if these are whole files, so that their lines have numbers. */
  isWhole: boolean;
}

/** What a call would change in a file. */
export interface FileChange {
  path: string;
  changes: readonly TextChange[];
  /** What the user must know to read them: a new file, a file that could not be read. */
  notes: readonly string[];
  /** The arguments that `path` and `changes` show in full. */
  shown: readonly string[];
}

/** The call of a tool. */
export interface CalledTool {
  name: string;
  category: string | undefined;
  args: CallArguments;
}

/** Where the files are. */
export interface Surroundings {
  cwd: string;
  env: Env;
  /** True if the tool may read a file; any file may be read if absent. */
  mayRead?: ((path: string) => boolean) | undefined;
}

/** The text of a file before a change, or why it is unknown. */
type Before = { kind: "text"; text: string } | { kind: "missing" } | { kind: "unread"; reason: string };

interface Edit {
  before: string;
  after: string;
}

/** Larger files are not compared. */
const MAX_FILE = 1024 * 1024;

/** Names of the arguments with the old and the new text of an edit, in tools of several makers. */
const EDIT_KEYS: readonly (readonly [before: string, after: string])[] = [
  ["oldText", "newText"],
  ["old_text", "new_text"],
  ["old_string", "new_string"],
  ["oldString", "newString"],
  ["old_str", "new_str"],
];
const PATH_KEYS: readonly string[] = ["path", "file_path", "filePath", "filename", "file"];

/**
 * Returns what a call would change in a file; undefined for calls that change none, or not surely. Reads the file as it
 * is now, so call it before the tool runs, or without surroundings after that. Reads no file for tools of MCP servers,
 * which may see other files.
 */
export function fileChangeOf(
  { name, category, args }: CalledTool,
  surroundings?: Surroundings,
): FileChange | undefined {
  const pathKey = PATH_KEYS.find((key) => typeof args[key] === "string");
  if (pathKey === undefined) return undefined;
  const path = String(args[pathKey]);
  const isOurs = category === "filesystem";
  if (isOurs && name === "write_file" && typeof args["content"] === "string") {
    const written = writtenFile(readBefore(path, surroundings), args["content"]);
    return { path, ...written, shown: [pathKey, "content"] };
  }
  const found = editsIn(args);
  if (!found) return undefined;
  const edited =
    isOurs && name === "edit_file" ? editedFile(readBefore(path, surroundings), found.edits) : apart(found.edits);
  return { path, ...edited, shown: [pathKey, ...found.keys] };
}

type Changed = Pick<FileChange, "changes" | "notes">;

function writtenFile(before: Before, content: string): Changed {
  if (before.kind === "text") return { changes: [{ before: before.text, after: content, isWhole: true }], notes: [] };
  const changes = [{ before: undefined, after: content, isWhole: true }];
  return before.kind === "missing"
    ? { changes, notes: ["new file"] }
    : { changes, notes: [`the file's present content is not shown: ${before.reason}`] };
}

/** Applies edits as `edit_file` does: each to the first occurrence of its old text. */
function editedFile(before: Before, edits: readonly Edit[]): Changed {
  if (before.kind === "missing") return apart(edits, "the file does not exist");
  if (before.kind === "unread") return apart(edits, `the rest of the file is not shown: ${before.reason}`);
  let text = before.text;
  for (const [index, edit] of edits.entries()) {
    const at = edit.before === "" ? -1 : text.indexOf(edit.before);
    if (at < 0) return apart(edits, `the old text of edit ${index + 1} is not in the file`);
    text = text.slice(0, at) + edit.after + text.slice(at + edit.before.length);
  }
  return { changes: [{ before: before.text, after: text, isWhole: true }], notes: [] };
}

/** Shows each edit by itself. */
function apart(edits: readonly Edit[], ...notes: readonly string[]): Changed {
  return { changes: edits.map((edit) => ({ ...edit, isWhole: false })), notes };
}

/** Returns the edits in arguments, and the names of these arguments; undefined if there are none or one is incomplete. */
function editsIn(args: CallArguments): { edits: Edit[]; keys: string[] } | undefined {
  const single = editOf(args);
  if (single) return { edits: [single.edit], keys: single.keys };
  const edits = listOf(args["edits"]).map((item) => (isObject(item) ? editOf(item) : undefined));
  const complete = edits.flatMap((found, index) => {
    const item = listOf(args["edits"])[index];
    return found && isObject(item) && Object.keys(item).length === found.keys.length ? found.edit : [];
  });
  return complete.length > 0 && complete.length === edits.length ? { edits: complete, keys: ["edits"] } : undefined;
}

function editOf(args: CallArguments): { edit: Edit; keys: string[] } | undefined {
  for (const keys of EDIT_KEYS) {
    const [before, after] = keys.map((key) => args[key]);
    if (typeof before === "string" && typeof after === "string") return { edit: { before, after }, keys: [...keys] };
  }
  return undefined;
}

/** Reads a text file that `read_file` could read, if it is a small regular one. */
function readBefore(path: string, surroundings: Surroundings | undefined): Before {
  if (!surroundings) return { kind: "unread", reason: "the call has run" };
  const { cwd, env, mayRead } = surroundings;
  if (mayRead && !mayRead(path)) return { kind: "unread", reason: "the tool may not read it" };
  try {
    const { real } = openAccess({ workingDir: cwd, env, rules: {}, parsePatterns }).locate(path);
    if (["/proc", "/sys", "/dev"].some((place) => isInside(real, place))) {
      return { kind: "unread", reason: "it belongs to the system" };
    }
    const bytes = readRegularFileSync(real, { limit: MAX_FILE });
    return bytes.includes(0) ? { kind: "unread", reason: "it is binary" } : { kind: "text", text: bytes.toString() };
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) return { kind: "unread", reason: errorText(error) };
    return error.kind === "missing" ? { kind: "missing" } : { kind: "unread", reason: error.reason };
  }
}
