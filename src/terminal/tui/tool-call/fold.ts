import { isObject } from "../../../lib/json.ts";
import { listOf, textOf } from "./essence.ts";

/** The lines of a result that are shown folded, from its start or its end. */
export interface Fold {
  lines: number;
  from: "start" | "end";
}

const DEFAULT: Fold = { lines: 4, from: "start" };
/** The end of a command's output says how it went. */
const COMMAND: Fold = { lines: 5, from: "end" };
/** Shows nothing of a result. */
export const NOTHING: Fold = { lines: 0, from: "start" };
const LIST: Fold = { lines: 12, from: "start" };

/** By tool, where the default does not fit. The model reads files and its own notes; the user rarely does. */
const FOLDS: Readonly<Record<string, Fold>> = {
  shell: COMMAND,
  view_background_job: COMMAND,
  wait_background_job: COMMAND,
  read_file: NOTHING,
  read_multiple_files: NOTHING,
  write_file: NOTHING,
  edit_file: NOTHING,
  think: NOTHING,
  read_skill: NOTHING,
  read_skill_file: NOTHING,
  create_todo: LIST,
  create_todos: LIST,
  update_todos: LIST,
  list_todos: LIST,
};

/** Returns what the folded result of a tool shows. */
export function foldOf(toolName: string, category: string | undefined): Fold {
  if (Object.hasOwn(FOLDS, toolName)) return FOLDS[toolName] ?? DEFAULT;
  return category === "script" ? COMMAND : DEFAULT;
}

const CHECK_BOXES: Readonly<Record<string, string>> = { completed: "[x]", "in-progress": "[>]", pending: "[ ]" };

/** Returns a result as the user reads it: todos as a list with check boxes, anything else unchanged. */
export function readableResult(category: string | undefined, text: string): string {
  const todos = category === "todo" ? todosIn(text) : [];
  return todos.length === 0 ? text : todos.map(todoLine).join("\n");
}

/** Returns the todos in a result of our toolset `todo`; nothing for any other text. */
export function todosIn(text: string): readonly unknown[] {
  try {
    const value: unknown = JSON.parse(text);
    return isObject(value) ? listOf(value["all_todos"] ?? value["todos"]) : [];
  } catch {
    return []; // not from our tool: shown as it is
  }
}

/** Returns a todo on one line, with its check box. */
export function todoLine(todo: unknown): string {
  if (!isObject(todo)) return textOf(todo);
  const status = textOf(todo["status"]);
  return `${CHECK_BOXES[status] ?? `[${status}]`} ${textOf(todo["description"])}`;
}
