import { isObject, withoutNulls } from "../../lib/json.ts";
import { rowOf } from "../../tools/index.ts";
import { lifecycleOf } from "../../tools/mcp/lifecycle.ts";
import type { EntryPath, Machine, Obstacle } from "../../tools/toolset-row.ts";
import type { AgentFile } from "../agent/agent-file.ts";
import { expandToolset } from "../toolsets/expand-toolset.ts";
import type { McpConfig, ToolsetConfig } from "../toolsets/toolset-schema.ts";
import { type Document, type Path, renderProblems } from "../yaml/document.ts";

/** The agent file whose toolsets are checked, without those of agents from other files. */
export type ToolsetScope = Pick<AgentFile, "agents" | "document" | "toolsets">;

/** A toolset entry and its path in the document. */
interface Entry {
  entry: ToolsetConfig;
  path: Path;
}

/**
 * Returns why toolsets of the file cannot start on this machine, and which tools they name but do not have, one line
 * each: `file:line:column: path: message`. Starts no process and does not use the network. Without `lookup` the
 * variables of `env` are not checked.
 */
export async function toolsetNotices(file: ToolsetScope, machine: Machine): Promise<string[]> {
  const lines: string[] = [];
  const { document } = file;
  for (const { entry, path } of entriesOf(file)) {
    const obstacles = (await obstaclesOf(entry, machine)).map((found) => ({
      ...found,
      message: `cannot start: ${found.message}`,
    }));
    const problems = [...obstacles, ...unknownTools(entry)].map(({ path: at, message }) => ({
      path: placeOf(at, { entry, path }, document),
      printedPath: [...path, ...at],
      message,
    }));
    lines.push(...(await renderProblems(document, problems)));
  }
  return [...new Set(lines)];
}

/** Every entry once: those of agents, merged with their server, the groups, and the servers that no agent refers to. */
function entriesOf({ agents, document, toolsets }: ToolsetScope): Entry[] {
  const own = agents
    .filter(({ origin }) => !origin)
    .flatMap((agent) => {
      const count = agent.toolsets.length - (agent.use_toolsets?.length ?? 0);
      return agent.toolsets
        .slice(0, count)
        .map((entry, index) => ({ entry, path: [...agent.path, "toolsets", index] }));
    });
  const groups = Object.entries(toolsets).map(([name, entry]) => ({ entry, path: ["toolsets", name] }));
  const used = new Set(agents.flatMap((agent) => agent.toolsets.map((entry) => entry["server"])));
  const servers = Object.entries(serversOf(document))
    .filter(([name]) => !used.has(name))
    .map(([name, server]): Entry => ({ entry: { ...server, type: "mcp" }, path: ["mcps", name] }));
  return [...own, ...groups, ...servers];
}

/** The entries of `mcps`, which the check of the file has validated. */
function serversOf({ value }: Document): Record<string, McpConfig> {
  const servers = isObject(value) ? value["mcps"] : undefined;
  return isObject(servers) ? (withoutNulls(servers) as Record<string, McpConfig>) : {};
}

async function obstaclesOf(given: ToolsetConfig, machine: Machine): Promise<readonly Obstacle[]> {
  const row = rowOf(given);
  if (!row.load && !row.isOfRuntime) {
    const { lifecycle } = given;
    const isRequired = lifecycleOf(isObject(lifecycle) ? lifecycle : {}).isRequired;
    return isRequired
      ? [{ path: ["type"], message: "is not supported yet, but its lifecycle says that the agent requires it" }]
      : [];
  }
  const { workingDir, env, lookup } = machine;
  const { entry, missing } = expandToolset(given, {
    workingDir,
    env,
    lookup: lookup ?? (() => undefined),
    warn: () => {},
  });
  const unset = lookup && missing.length > 0 ? [{ path: ["env"], message: `not set: ${missing.join(", ")}` }] : [];
  return [...unset, ...((await row.obstacles?.(entry, machine)) ?? [])];
}

/** Finds names under `tools` that the toolset does not have, if the entry alone determines its tools. */
function unknownTools(entry: ToolsetConfig): readonly Obstacle[] {
  const { tools } = rowOf(entry);
  const known = typeof tools === "function" ? tools(entry) : tools;
  const chosen = entry["tools"];
  if (!known || !Array.isArray(chosen)) return [];
  return chosen.flatMap((name: unknown, index): Obstacle[] => {
    if (typeof name !== "string" || known.includes(name)) return [];
    return [{ path: ["tools", index], message: `${JSON.stringify(name)} is not a tool of this toolset` }];
  });
}

/** The path of a key in the document: under `mcps` if the agent's entry takes it from there. */
function placeOf(at: EntryPath, { entry, path }: Entry, document: Document): Path {
  const [key] = at;
  const server = entry["server"];
  const own = path.reduce<unknown>((value, step) => valueAt(value, step), document.value);
  const isOwn = key === undefined || typeof server !== "string" || valueAt(own, key) !== undefined;
  return isOwn ? [...path, ...at] : ["mcps", server, ...at];
}

function valueAt(value: unknown, key: string | number): unknown {
  if (Array.isArray(value)) return typeof key === "number" ? (value[key] as unknown) : undefined;
  return isObject(value) && typeof key === "string" && Object.hasOwn(value, key) ? value[key] : undefined;
}
