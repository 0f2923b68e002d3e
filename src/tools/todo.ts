import * as v from "valibot";
import { checkedTool } from "./checked-tool.ts";
import { choice, list, text } from "./parameters.ts";
import type { Tool, ToolResult, Toolset } from "./tool.ts";

const STATUSES = ["pending", "in-progress", "completed"] as const;

interface Todo {
  id: string;
  description: string;
  status: (typeof STATUSES)[number];
}

/** The list that all toolsets with `shared: true` in this process share. */
const sharedTodos: Todo[] = [];

/** `todo`: a to-do list. */
export function create({ shared = false }: { shared?: boolean }): Toolset {
  const todos = shared ? sharedTodos : [];
  return {
    tools: [...creatingTools(todos), updateTool(todos), listTool(todos)],
    instructions: [
      "Split work with several steps into todos before you begin, and keep their status up to date:",
      "one of them in-progress at a time, completed as soon as it is done.",
      "Check the list before you say that the work is finished.",
    ].join("\n"),
  };
}

function creatingTools(todos: Todo[]): Tool[] {
  const add = (description: string): Todo => {
    const created: Todo = { id: `todo_${todos.length + 1}`, description, status: "pending" };
    todos.push(created);
    return created;
  };
  const one = checkedTool({
    name: "create_todo",
    title: "Create Todo",
    description: "Adds one todo to the list.",
    category: "todo",
    readOnly: true,
    parameters: { description: text("What to do.") },
    run: ({ description }) => render({ created: add(description), all_todos: todos }, todos),
  });
  const many = checkedTool({
    name: "create_todos",
    title: "Create Todos",
    description: "Adds several todos to the list, in the order given.",
    category: "todo",
    readOnly: true,
    parameters: { descriptions: list(v.string(), "What to do, one text for each todo.") },
    run: ({ descriptions }) => render({ created: descriptions.map(add), all_todos: todos }, todos),
  });
  return [one, many];
}

function updateTool(todos: Todo[]): Tool {
  return checkedTool({
    name: "update_todos",
    title: "Update Todos",
    description: "Changes the status of todos.",
    category: "todo",
    readOnly: true,
    parameters: {
      updates: list(
        v.object({ id: text("The id of the todo."), status: choice(STATUSES, "Its new status.") }),
        "The changes, one for each todo.",
      ),
    },
    run: ({ updates }) => {
      const known = updates.filter(({ id }) => todos.some((item) => item.id === id));
      const notFound = updates.filter((update) => !known.includes(update)).map(({ id }) => id);
      for (const item of todos) item.status = known.findLast(({ id }) => id === item.id)?.status ?? item.status;
      const report = { updated: known, ...(notFound.length > 0 ? { not_found: notFound } : {}), all_todos: todos };
      return { ...render(report, todos), ...(known.length === 0 ? { isError: true } : {}) };
    },
  });
}

function listTool(todos: Todo[]): Tool {
  return checkedTool({
    name: "list_todos",
    title: "List Todos",
    description: "Shows all todos and their status.",
    category: "todo",
    readOnly: true,
    parameters: {},
    run: () => render({ todos }, todos),
  });
}

function render(report: object, todos: readonly Todo[]): ToolResult {
  const open = todos.filter(({ status }) => status !== "completed");
  const names = open.map(({ id, status, description }) => `${id} (${status}): ${description}`);
  const reminder = open.length > 0 ? { reminder: `Not finished yet: ${names.join("; ")}` } : {};
  return { text: JSON.stringify({ ...report, ...reminder }) };
}
