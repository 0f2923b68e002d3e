import * as v from "valibot";
import { firstTime } from "../lib/once.ts";
import { checkedTool } from "./checked-tool.ts";
import { type Access, openAccess } from "./filesystem/access.ts";
import { directoryTree, listDirectory } from "./filesystem/list-directory.ts";
import { loadPatternParser } from "./filesystem/load-pattern-parser.ts";
import type { ParsePatterns } from "./filesystem/patterns.ts";
import { type PostEdit, runPostEdits } from "./filesystem/post-edit.ts";
import { readMany, readOne } from "./filesystem/read-files.ts";
import { searchContent } from "./filesystem/search-content.ts";
import { type HiddenByVcs, hiddenByVcs } from "./filesystem/vcs.ts";
import { createDirectories, editFile, removeDirectories, writeWhole } from "./filesystem/write-files.ts";
import { flag, integer, list, optional, text } from "./parameters.ts";
import type { Tool, Toolset, ToolsetContext } from "./tool.ts";
import { NAMED_TOOLS } from "./tool-names.ts";

/** State that the tools of one toolset share. */
interface Scope {
  /** Returns the access rules for a call in this working directory. */
  access(workingDir: string): Access;
  /** Returns what version control hides; reads the ignore files again for every call. */
  hidden(): HiddenByVcs;
  parsePatterns: ParsePatterns;
  postEdits: readonly PostEdit[];
}

/** The keys of an entry. */
interface Options {
  ignore_vcs?: boolean;
  allow_list?: readonly string[];
  deny_list?: readonly string[];
  post_edit?: readonly PostEdit[];
}

/** `filesystem`: reads, lists, searches and changes files. Throws a `ConfigError` if its access rules are invalid. */
export async function create(options: Options, context: ToolsetContext): Promise<Toolset> {
  const parsePatterns = await loadPatternParser();
  const rules = {
    ...(options.allow_list ? { allow: options.allow_list } : {}),
    ...(options.deny_list ? { deny: options.deny_list } : {}),
  };
  const open = (workingDir: string) => openAccess({ workingDir, env: context.env, rules, parsePatterns });
  const opened = new Map([[context.workingDir, open(context.workingDir)]]);
  const access = (workingDir: string) => {
    const known = opened.get(workingDir) ?? open(workingDir);
    opened.set(workingDir, known);
    return known;
  };
  const isNew = firstTime<string>();
  const warn = (message: string) => void (isNew(message) && context.warn(message));
  const hidden: Scope["hidden"] = () => ((options.ignore_vcs ?? true) ? hiddenByVcs(parsePatterns, warn) : () => false);
  const scope: Scope = { access, hidden, parsePatterns, postEdits: options.post_edit ?? [] };
  const tools = [...listingTools(scope), ...readingTools(scope), ...changingTools(scope)]
    .sort(byOrder)
    .map((tool) => ({ ...tool, mayRead: (path: string, workingDir: string) => isAdmitted(scope, path, workingDir) }));
  return { tools, instructions: INSTRUCTIONS };
}

function isAdmitted({ access }: Scope, path: string, workingDir: string): boolean {
  try {
    access(workingDir).locate(path);
    return true;
  } catch {
    return false;
  }
}

/** The instructions that hold for the tools of single files. */
export const FILE_INSTRUCTIONS = [
  "Paths may be absolute, start with `~`, or be relative to the session's working directory.",
  "Read a file before you edit it: `edit_file` replaces the first exact occurrence of the old text.",
].join("\n");

const INSTRUCTIONS = [FILE_INSTRUCTIONS, "Read several files with one call of `read_multiple_files`."].join("\n");

/** The order in which the model sees the tools. */
const ORDER: readonly string[] = NAMED_TOOLS.filesystem.tools;

function byOrder(a: Tool, b: Tool): number {
  return ORDER.indexOf(a.name) - ORDER.indexOf(b.name);
}

function listingTools({ access, hidden, parsePatterns }: Scope): Tool[] {
  const tree = checkedTool({
    name: "directory_tree",
    title: "Directory Tree",
    description: "Shows a directory and everything below it as nested JSON: at most 100 files and directories.",
    category: "filesystem",
    readOnly: true,
    parameters: { path: text("The directory.") },
    run: async ({ path }, { workingDir, signal }) => {
      const place = access(workingDir).locate(path);
      return { text: await directoryTree(place, access(workingDir), hidden(), signal) };
    },
  });
  const listing = checkedTool({
    name: "list_directory",
    title: "List Directory",
    description: "Lists a directory, one entry per line: DIR or FILE, then the name. At most 100 entries.",
    category: "filesystem",
    readOnly: true,
    describable: true,
    parameters: { path: text("The directory.") },
    run: async ({ path }, { workingDir }) => {
      const place = access(workingDir).locate(path);
      return { text: await listDirectory(place, access(workingDir), hidden()) };
    },
  });
  const search = checkedTool({
    name: "search_files_content",
    title: "Search Files Content",
    description: "Finds lines in the text files below a directory. Each match is shown as file:line:column: text.",
    category: "filesystem",
    readOnly: true,
    describable: true,
    parameters: {
      path: text("The directory or file to search."),
      query: text("The text to find (case-sensitive), or a regular expression."),
      is_regex: optional(flag("True if the query is a regular expression.")),
      excludePatterns: optional(list(v.string(), "Paths to exclude, as gitignore patterns relative to `path`.")),
    },
    run: async ({ path, query, is_regex = false, excludePatterns = [] }, { workingDir, signal }) => {
      const place = access(workingDir).locate(path);
      const exclude = parsePatterns(excludePatterns.join("\n"));
      const scope = { access: access(workingDir), hiddenByVcs: hidden(), signal };
      return { text: await searchContent({ place, query, isRegex: is_regex, exclude, ...scope }) };
    },
  });
  return [tree, listing, search];
}

function readingTools({ access }: Scope): Tool[] {
  const one = checkedTool({
    name: "read_file",
    title: "Read File",
    description:
      "Reads a file: text, an image (png, jpg, gif, webp), a PDF or audio. A long text can be read in parts.",
    category: "filesystem",
    readOnly: true,
    parameters: {
      path: text("The file."),
      line: optional(integer("The first line to read, counted from 1.")),
      limit: optional(integer("Maximum number of lines to read.")),
    },
    run: ({ path, ...range }, { workingDir, signal }) => readOne(path, range, access(workingDir), signal),
  });
  const many = checkedTool({
    name: "read_multiple_files",
    title: "Read Multiple Files",
    description: "Reads several files at once. A file that cannot be read has an error in place of its content.",
    category: "filesystem",
    readOnly: true,
    parameters: {
      paths: list(v.string(), "The files."),
      json: optional(flag("Return a JSON array of objects with path and content.")),
    },
    run: ({ paths, json = false }, { workingDir, signal }) => readMany(paths, json, access(workingDir), signal),
  });
  return [one, many];
}

function changingTools({ access, postEdits }: Scope): Tool[] {
  const edit = checkedTool({
    name: "edit_file",
    title: "Edit File",
    description:
      "Replaces texts in a file, one edit after the other. If an old text is not found, the file stays unchanged.",
    category: "filesystem",
    readOnly: false,
    describable: true,
    parameters: {
      path: text("The file."),
      edits: list(
        v.object({
          oldText: text("The text to replace, exactly as in the file. Its first occurrence is replaced."),
          newText: text("The replacement."),
        }),
        "The edits, in order.",
      ),
    },
    run: async ({ path, edits }, context) => {
      const place = access(context.workingDir).locate(path);
      return runPostEdits(await editFile(edits, place, context), place, postEdits, context);
    },
  });
  const write = checkedTool({
    name: "write_file",
    title: "Write File",
    description: "Creates or overwrites a file, and creates missing parent directories.",
    category: "filesystem",
    readOnly: false,
    describable: true,
    parameters: { path: text("The file."), content: text("The whole content of the file.") },
    run: async ({ path, content }, context) => {
      const place = access(context.workingDir).locate(path);
      return runPostEdits(await writeWhole(path, content, place, context), place, postEdits, context);
    },
  });
  return [edit, write, ...directoryTools(access)];
}

function directoryTools(access: Scope["access"]): Tool[] {
  const paths = list(v.string(), "The directories.");
  const create = checkedTool({
    name: "create_directory",
    title: "Create Directory",
    description: "Creates directories and missing parent directories. A directory that already exists is not an error.",
    category: "filesystem",
    readOnly: false,
    parameters: { paths },
    run: (input, { workingDir }) => createDirectories(input.paths, access(workingDir)),
  });
  const remove = checkedTool({
    name: "remove_directory",
    title: "Remove Directory",
    description: "Removes empty directories.",
    category: "filesystem",
    readOnly: false,
    parameters: { paths },
    run: (input, { workingDir }) => removeDirectories(input.paths, access(workingDir)),
  });
  return [create, remove];
}
