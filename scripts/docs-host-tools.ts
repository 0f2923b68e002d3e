import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Dialect, McpNames } from "../src/dialects/dialect.ts";
import { DIALECTS } from "../src/dialects/names.ts";
import { ownToolClass, TOOL_CLASSES, type ToolClass } from "../src/protocol/tool-class.ts";

/** Returns the page on the tools of each host, what they do, and which matcher reaches them. */
export async function hostToolsPage(): Promise<string> {
  const rows = await Promise.all(
    Object.entries(DIALECTS).map(async ([name, { product, load }]) => ({ name, product, ...(await load()) })),
  );
  return [
    "# The tools of each agent",
    "",
    "What each tool does, and behind an arrow the name of hooksh under which a matcher reaches it. A tool without such a name is reached by its",
    "own name, and by `*`. A matcher also matches the agent's own names. Tools that neither run commands, touch files, use the network nor",
    "delegate are known too, and left out here. Any other tool is [unknown](../hooks.md#tools-that-hooksh-does-not-know). Where a released program",
    "was asked for its tools, its version is named, and a test fails if the program offers a tool that hooksh does not know.",
    "",
    ...rows.flatMap(({ name, product, dialect }, at) => {
      const first = rows.slice(0, at).find((row) => setOf(toolLines(row.dialect)) === setOf(toolLines(dialect)));
      return section(name, product, dialect, first?.name);
    }),
  ].join("\n");
}

/** The section of a host; `same` is an earlier host with the same tools. */
function section(name: string, product: string, dialect: Dialect, same?: string): string[] {
  const version = recordedVersion(name);
  return [
    `## ${name}`,
    "",
    `${product}${version === undefined ? "" : ` ${version}`}. ${mcpTools(dialect)}`,
    "",
    ...(same === undefined ? toolLines(dialect) : [`Its tools are those of [${same}](#${same}).`]),
    "",
  ];
}

function toolLines(dialect: Dialect): string[] {
  return TOOL_CLASSES.filter((each) => each !== "other").flatMap((each) => linesOf(dialect, each));
}

/** The names in some lines, whatever their order in a line. */
function setOf(lines: readonly string[]): string {
  return lines
    .map(
      (line) =>
        line
          .match(/`[^`]+`/g)
          ?.sort()
          .join() ?? "",
    )
    .join("\n");
}

function linesOf({ tools, others }: Dialect, each: ToolClass): string[] {
  const byMatcher = new Map<string, Set<string>>();
  for (const { is, also = [], names, when } of tools) {
    if (ownToolClass(is) !== each) continue;
    const matcher = `${[is, ...also].map(code).join(", ")}${when ? ", as the input says" : ""}`;
    byMatcher.set(matcher, new Set([...(byMatcher.get(matcher) ?? []), ...names]));
  }
  const unnamed = others[each]?.split(" ") ?? [];
  const lists = [
    ...[...byMatcher].map(([matcher, names]) => `${[...names].map(code).join(", ")} → ${matcher}`),
    ...(unnamed.length > 0 ? [unnamed.map(code).join(", ")] : []),
  ];
  return lists.length > 0 ? [`- ${each}: ${lists.join("; ")}`] : [];
}

function mcpTools({ mcpNames = [], serverOf, toolCall }: Dialect): string {
  if (mcpNames.length > 0)
    return `Tools of MCP servers, \`mcp:SERVER:TOOL\`, come as ${mcpNames.map(visible).join(" or ")}.`;
  return serverOf || toolCall
    ? "Payloads name the MCP server of a tool, so that `mcp:SERVER:TOOL` matches."
    : "Payloads do not tell which tools belong to an MCP server.";
}

function visible({ prefix, separator }: McpNames): string {
  return code(separator === "" ? `${prefix}TOOL` : `${prefix}SERVER${separator}TOOL`);
}

function recordedVersion(host: string): string | undefined {
  const path = join(import.meta.dir, "../test/hosts/tools", `${host}.json`);
  return existsSync(path) ? JSON.parse(readFileSync(path, "utf8")).version : undefined;
}

const code = (text: string) => `\`${text}\``;
