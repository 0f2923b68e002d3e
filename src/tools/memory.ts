import { join, resolve } from "node:path";
import { UserError } from "../lib/errors.ts";
import { checkedTool } from "./checked-tool.ts";
import { type MemoryStore, openMemoryStore } from "./memory/memory-store.ts";
import { optional, text } from "./parameters.ts";
import type { Tool, Toolset, ToolsetContext } from "./tool.ts";
import { NAMED_TOOLS } from "./tool-names.ts";

/** Opens the store on first use. */
type OpenStore = () => Promise<MemoryStore>;

/** `memory`: notes that last from one session to the next. */
export function create({ path }: { path?: string }, context: ToolsetContext): Toolset {
  const { workingDir, dataDir, configName = "default" } = context;
  const file = path ? resolve(workingDir, path) : join(dataDir, "memory", configName, "memory.db");
  let opened: Promise<MemoryStore> | undefined;
  const store: OpenStore = () => (opened ??= openMemoryStore(file));
  return {
    tools: [...readingTools(store), ...writingTools(store)].sort(byOrder),
    instructions: [
      "Before you begin, look at your memories with `search_memories` or `get_memories`.",
      "Store what matters for later sessions with `add_memory`: facts about the user, decisions, preferences.",
    ].join("\n"),
    close: async () => {
      (await opened?.catch(() => undefined))?.close(); // a store that failed to open needs no closing
    },
  };
}

const ORDER: readonly string[] = NAMED_TOOLS.memory.tools;

function byOrder(a: Tool, b: Tool): number {
  return ORDER.indexOf(a.name) - ORDER.indexOf(b.name);
}

function readingTools(store: OpenStore): Tool[] {
  const all = checkedTool({
    name: "get_memories",
    title: "Get Memories",
    description: "Shows all memories.",
    category: "memory",
    readOnly: true,
    parameters: {},
    run: async () => ({ text: JSON.stringify((await store()).all()) }),
  });
  const search = checkedTool({
    name: "search_memories",
    title: "Search Memories",
    description: "Finds memories that contain all the given words, in any order and case.",
    category: "memory",
    readOnly: true,
    parameters: {
      query: optional(text("The words to find.")),
      category: optional(text("Only memories of this category.")),
    },
    run: async ({ query = "", category = "" }) => {
      const words = query.toLowerCase().split(/\s+/);
      const found = (await store()).all().filter((entry) => {
        if (category !== "" && entry.category.toLowerCase() !== category.toLowerCase()) return false;
        return words.every((word) => entry.memory.toLowerCase().includes(word));
      });
      return { text: JSON.stringify(found) };
    },
  });
  return [all, search];
}

function writingTools(store: OpenStore): Tool[] {
  const id = text("The id of the memory.");
  const category = optional(text("The category of the memory."));
  const add = checkedTool({
    name: "add_memory",
    title: "Add Memory",
    description: "Stores a memory.",
    category: "memory",
    readOnly: false,
    parameters: { memory: text("What to remember."), category },
    run: async (input) => ({
      text: `Memory added successfully with ID: ${(await store()).add(input.memory, input.category ?? "")}`,
    }),
  });
  const update = checkedTool({
    name: "update_memory",
    title: "Update Memory",
    description: "Replaces a memory.",
    category: "memory",
    readOnly: false,
    parameters: { id, memory: text("What to remember instead."), category },
    run: async (input) => {
      if (!(await store()).update(input.id, input.memory, input.category)) throw unknown(input.id);
      return { text: `Memory ${input.id} updated successfully` };
    },
  });
  const remove = checkedTool({
    name: "delete_memory",
    title: "Delete Memory",
    description: "Deletes a memory.",
    category: "memory",
    readOnly: false,
    parameters: { id },
    run: async (input) => {
      if (!(await store()).remove(input.id)) throw unknown(input.id);
      return { text: `Memory ${input.id} deleted successfully` };
    },
  });
  return [add, update, remove];
}

function unknown(id: string): UserError {
  return new UserError(`no memory has the id ${JSON.stringify(id)}`);
}
