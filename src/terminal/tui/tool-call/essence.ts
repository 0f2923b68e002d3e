import { isObject } from "../../../lib/json.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";

/** The arguments of a tool call; their types are those that the model chose. */
export type CallArguments = Readonly<Record<string, unknown>>;

/** Characters of an essence: more than the widest row has. */
const MAX_LENGTH = 400;

/** Returns what a call is about, from its arguments; empty if there is nothing to say. */
type Essence = (args: CallArguments) => string;

/**
 * The essence of each built-in tool's arguments. A tool without a row shows the argument that names its subject, or
 * else all arguments.
 */
const ESSENCES: Readonly<Record<string, Essence>> = {
  shell: command,
  run_background_job: command,
  view_background_job: of("job_id"),
  stop_background_job: of("job_id"),
  wait_background_job: of("job_id"),
  read_file: (args) => `${textOf(args["path"])}${lineRange(args)}`,
  read_multiple_files: of("paths"),
  write_file: of("path"),
  edit_file: of("path"),
  list_directory: of("path"),
  directory_tree: of("path"),
  search_files_content: (args) => `${JSON.stringify(textOf(args["query"]))} in ${textOf(args["path"])}`,
  create_directory: of("paths"),
  remove_directory: of("paths"),
  fetch: of("urls"),
  think: of("thought"),
  create_todo: of("description"),
  create_todos: of("descriptions"),
  update_todos: (args) => listOf(args["updates"]).map(todoUpdate).join(", "),
  list_todos: () => "",
  add_memory: of("memory"),
  get_memories: () => "",
  search_memories: of("query", "category"),
  update_memory: of("id", "memory"),
  delete_memory: of("id"),
  user_prompt: of("message"),
  transfer_task: of("agent", "task"),
  handoff: of("agent"),
  run_background_agent: of("agent", "task"),
  get_environment_info: () => "",
  list_background_agents: () => "",
  view_background_agent: of("task_id"),
  wait_background_agents: of("task_ids"),
  stop_background_agent: of("task_id"),
  run_skill: of("name", "task"),
  read_skill: of("name"),
  read_skill_file: of("skill_name", "path"),
};

/** Arguments that name the subject of a call, in order of preference; for tools that hooksh does not know. */
const SUBJECTS: readonly string[] = [
  ...["command", "cmd", "path", "file_path", "filePath", "filename", "file", "paths", "url", "urls", "uri"],
  ...["query", "pattern", "sql", "name", "title", "message", "text", "id"],
];

/**
 * Returns the essence of a call's arguments on one line, at most 400 characters, with control characters escaped: the
 * command of `shell`, the path and the lines of `read_file`, the URLs of `fetch`. Paths below `cwd` are shown relative
 * to it.
 */
export function essenceOf(toolName: string, args: CallArguments, cwd = ""): string {
  const essence = Object.hasOwn(ESSENCES, toolName) ? ESSENCES[toolName] : undefined;
  const local = cwd === "" ? args : withLocalPaths(args, cwd);
  return oneLine(essence?.(local) || unknownEssence(local));
}

/** Returns the arguments of a call; the text itself, under an empty name, if it is not a JSON object. */
export function argumentsOf(json: string): CallArguments {
  try {
    const value: unknown = JSON.parse(json.trim() || "{}");
    return isObject(value) ? value : { "": json };
  } catch {
    return { "": json }; // shown as the model wrote it
  }
}

/** Returns a value of an argument as text: a text as it is, a list with commas, anything else as JSON. */
export function textOf(value: unknown): string {
  if (typeof value === "string") return value;
  if (Array.isArray(value) && value.every((item) => typeof item === "string")) return value.join(", ");
  return value === undefined || value === null ? "" : JSON.stringify(value);
}

/** Returns the items of a list; none for any other value. */
export function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Makes an essence of arguments, in order: `a: b`. */
function of(...names: readonly string[]): Essence {
  return (args) =>
    names
      .map((name) => textOf(args[name]))
      .filter((text) => text !== "")
      .join(": ");
}

function command(args: CallArguments): string {
  const directory = textOf(args["cwd"]).trim();
  const text = textOf(args["cmd"]).trim();
  return directory === "" ? text : text.replace(/\r?\n|$/, (end) => ` (in ${directory})${end}`);
}

function lineRange({ line, limit }: CallArguments): string {
  if (typeof line !== "number" && typeof limit !== "number") return "";
  const first = typeof line === "number" ? line : 1;
  return typeof limit === "number" ? `:${first}-${first + limit - 1}` : `:${first}-`;
}

function todoUpdate(update: unknown): string {
  return isObject(update) ? `${textOf(update["id"])} → ${textOf(update["status"])}` : textOf(update);
}

function unknownEssence(args: CallArguments): string {
  const entries = Object.entries(args);
  const [first, ...others] = entries;
  if (first && others.length === 0) return textOf(first[1]);
  const subject = SUBJECTS.find((name) => Object.hasOwn(args, name));
  const ordered =
    subject === undefined ? entries : [...entries].sort(([a], [b]) => +(b === subject) - +(a === subject));
  return ordered.map(([name, value]) => (name === subject ? textOf(value) : `${name}: ${textOf(value)}`)).join(", ");
}

function withLocalPaths(args: CallArguments, cwd: string): CallArguments {
  const start = cwd.endsWith("/") ? cwd : `${cwd}/`;
  const local = (value: unknown) =>
    typeof value === "string" && value.length > start.length && value.startsWith(start)
      ? value.slice(start.length)
      : value;
  const entries = Object.entries(args).map(([name, value]) => [
    name,
    Array.isArray(value) ? value.map(local) : local(value),
  ]);
  return Object.fromEntries(entries);
}

/** Returns the first line of a text, cut; says how many lines follow. */
function oneLine(text: string): string {
  const [first = "", ...rest] = text.trim().split(/\r?\n/);
  const cut = first.length > MAX_LENGTH ? `${first.slice(0, MAX_LENGTH)}…` : first;
  return `${escapeControls(cut)}${rest.length > 0 ? ` … +${rest.length} line${rest.length > 1 ? "s" : ""}` : ""}`;
}
