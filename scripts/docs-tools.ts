/** Writes docs/tools.md from captured calls, and the guard of each tool. */
import { TOOLS_OF_AGENTS } from "../src/config/toolsets/built-in-tools.ts";
import { TOOLSETS } from "../src/tools/index.ts";
import { NAMED_TOOLS, type NamedTools } from "../src/tools/tool-names.ts";
import type { ToolsetRow } from "../src/tools/toolset-row.ts";
import captured from "./reference/captured.json";
import { EXAMPLE_CALLS, type ExampleCall } from "./reference/example-calls.ts";

type Tool = (typeof captured.tools)[number];
interface Parameter {
  type?: string;
  description?: string;
  enum?: readonly string[];
  minimum?: number;
  maximum?: number;
  minItems?: number;
  items?: Parameter;
  properties?: Record<string, Parameter>;
  required?: readonly string[];
}

/** A section of the page: where some tools come from. */
interface Group {
  title: string;
  summary: string;
  /** An example, if the section needs more than the name of a type. */
  yaml?: string;
  /** Sentences behind the YAML. */
  notes: readonly string[];
  tools: readonly string[];
}

/** Returns the page of all tools. */
export function toolsPage(): string {
  const groups = [...toolsetGroups(), ...agentGroups(), ...dynamicGroups()];
  return [
    "# Tools",
    "",
    "The tools that an agent can have: what a model may pass, and what hooks see. Matchers, rules and permission rules use the names by which the",
    "model calls them. An agent has the tools of a toolset if its `toolsets` name the type: `toolsets: [{ type: shell }]`. Besides its own keys,",
    "each toolset has [those of every toolset](configuration.md#agent-files).",
    "",
    "The JSON of each tool is what a hook reads of a call, as one run of the compiled program wrote it; ids, times and directories are",
    "replaced. [Events](events.md) shows the other fields of a payload. The label is what",
    "[safety modes](configuration.md#what-runs-without-asking) start from: `safe` calls run without asking in the mode `balanced`, `unknown`",
    "ones ask. The label of a command line depends on the command.",
    "",
    "With `add_description_parameter: true`, an agent's tools that run commands, or list, search or change files, also take a `description`,",
    "in which the model says why it calls.",
    "",
    "A few tools have a [rule](rules.md) as an example; [the cookbook](cookbook.md) has more.",
    "",
    ...groups.flatMap(({ title, tools }) => {
      const links = tools.map((name) => `[\`${name}\`](#${name.toLowerCase()})`);
      return links.length > 0 ? [`- ${title}: ${links.join(", ")}`] : [];
    }),
    "",
    ...groups.flatMap(groupLines),
    "## Toolsets that are not supported yet",
    "",
    "An agent file may contain these types, and `validate` says that they have no effect:",
    `${notSupported().join(", ")}.`,
    "",
  ].join("\n");
}

type Guard = NonNullable<ExampleCall["guard"]>;

/** Returns the hooks file with the rule that the page shows for a tool. */
export function guardFile(tool: string, guard: Guard): string {
  return ["rules:", `  - deny: ${guard.reason}`, `    when: { tool: ${tool}, ${guard.refuses} }`, ""].join("\n");
}

function toolsetGroups(): Group[] {
  return Object.entries<NamedTools>(NAMED_TOOLS).map(([type, { tools }]) => ({
    title: `toolset \`${type}\``,
    summary: rowOf(type).summary,
    notes: [...keysOf(type), ...othersNote(type, tools)],
    tools: toolsShown(tools.filter((tool) => firstTypeOf(tool) === type)),
  }));
}

/** Returns the first toolset type that has the tool; its section describes the tool. */
function firstTypeOf(tool: string): string | undefined {
  return Object.entries<NamedTools>(NAMED_TOOLS).find(([, { tools }]) => tools.includes(tool))?.[0];
}

/** Returns where the tools of a type are described, if that is with another type. */
function othersNote(type: string, tools: readonly string[]): string[] {
  const others = tools.filter((tool) => firstTypeOf(tool) !== type);
  if (others.length === 0) return [];
  const links = others.map((tool) => `[\`${tool}\`](#${tool})`).join(", ");
  return [`Its tools are ${links} of toolset \`${firstTypeOf(others[0] ?? "")}\`.`];
}

function agentGroups(): Group[] {
  return Object.entries(TOOLS_OF_AGENTS).map(([key, tools]) => ({
    ...AGENT_GROUPS[key as keyof typeof TOOLS_OF_AGENTS],
    tools,
  }));
}

const AGENT_GROUPS = {
  sub_agents: {
    title: "agent key `sub_agents`",
    summary: "Hands a task to another agent and waits for its result.",
    yaml: "agents:\n  root:\n    sub_agents: [reviewer]",
    notes: [
      "`post_tool_use` hooks do not see it; [`subagent_stop`](events.md#subagent_stop) hooks see how the task ended.",
    ],
  },
  handoffs: {
    title: "agent key `handoffs`",
    summary: "Hands the conversation to another agent for good.",
    yaml: "agents:\n  root:\n    handoffs: [writer]",
    notes: ["`post_tool_use` hooks do not see it; [`on_agent_switch`](events.md#on_agent_switch) hooks do."],
  },
  skills: {
    title: "agent key `skills`",
    summary: "Reads and runs skills.",
    yaml: "agents:\n  root:\n    skills: true",
    notes: ["`run_skill` exists only if a skill has `context: fork`."],
  },
} as const;

function dynamicGroups(): Group[] {
  return [
    {
      title: "toolset `script`",
      summary: rowOf("script").summary,
      yaml: 'toolsets:\n  - type: script\n    shell:\n      count_lines:\n        cmd: wc -l "$file"\n        args: { file: { type: string } }',
      notes: keysOf("script"),
      tools: ["count_lines"],
    },
    {
      title: "toolset `api`",
      summary: rowOf("api").summary,
      yaml: "toolsets:\n  - type: api\n    api_config:\n      name: exchange_rate\n      endpoint: https://example.com/rate?currency=${currency}\n      method: GET\n      args: { currency: { type: string } }\n      required: [currency]",
      notes: keysOf("api"),
      tools: ["exchange_rate"],
    },
    {
      title: "toolset `openapi`",
      summary: rowOf("openapi").summary,
      yaml: "toolsets:\n  - type: openapi\n    url: https://example.com/openapi.json",
      notes: [...keysOf("openapi"), "A tool is named after the `operationId` of its operation."],
      tools: ["getPrice"],
    },
    {
      title: "toolset `mcp`",
      summary: rowOf("mcp").summary,
      yaml: "toolsets:\n  - type: mcp\n    name: notes\n    command: ./notes-server\n    tools: [echo]",
      notes: [...keysOf("mcp"), "Matchers and rules may also use the name `mcp:notes:echo`."],
      tools: ["notes_echo"],
    },
  ];
}

function groupLines({ title, summary, yaml, notes, tools }: Group): string[] {
  const heading = title[0]?.toUpperCase() + title.slice(1);
  return [
    `## ${heading}`,
    "",
    summary,
    "",
    ...(yaml ? fenced("yaml", yaml) : []),
    ...notes.flatMap((note) => [note, ""]),
    ...tools.flatMap((name) => toolLines(toolNamed(name))),
  ];
}

function toolLines(tool: Tool): string[] {
  const example = EXAMPLE_CALLS.find(({ tool: name }) => name === tool.name);
  if (!example) throw new Error(`EXAMPLE_CALLS has no call of ${tool.name}`);
  const { hasPostToolUse, readOnly, category } = tool;
  return [
    `### ${tool.name}`,
    "",
    tool.description.replaceAll("\n", " "),
    "",
    `Category \`${category}\`; ${readOnly ? "reads only" : "changes something"}; label ${labelOf(tool)}.`,
    "",
    ...argumentLines(tool.parameters as Parameter),
    ...fenced("json", JSON.stringify(seen(tool), undefined, 2)),
    ...(hasPostToolUse ? [] : ["`tool_response` is what the model reads; `post_tool_use` hooks do not run.", ""]),
    ...(example.guard ? guardLines(tool.name, example.guard) : []),
  ];
}

function guardLines(tool: string, guard: Guard): string[] {
  return [`A rule that denies \`${shorten(guard.denied)}\`:`, "", ...fenced("yaml", guardFile(tool, guard).trimEnd())];
}

function labelOf({ category, readOnly }: Tool): string {
  if (category === "shell" || category === "background_jobs")
    return readOnly ? "`safe`" : "of the command line, if it runs one";
  return readOnly ? "`safe`" : "`unknown`";
}

function seen({ input, response }: Tool): object {
  const shown = response.length > MAX_SHOWN ? `${response.slice(0, MAX_SHOWN)} ...` : response;
  return { ...(input ? { tool_input: input } : {}), tool_response: shown };
}

/** Characters of a response that the page shows. */
const MAX_SHOWN = 400;

function argumentLines({ properties = {}, required = [] }: Parameter): string[] {
  const rows = Object.entries(properties).flatMap(([name, parameter]) =>
    argumentRows(name, parameter, required.includes(name)),
  );
  if (rows.length === 0) return ["No arguments.", ""];
  return [...rows, ""];
}

function argumentRows(name: string, parameter: Parameter, isRequired: boolean): string[] {
  const { description = "", items } = parameter;
  const row = `- \`${name}\` (${typeText(parameter)}${isRequired ? ", required" : ""}): ${description.replaceAll("\n", " ")}`;
  const inner = Object.entries(items?.properties ?? {}).flatMap(([key, each]) =>
    argumentRows(`${name}[].${key}`, each, items?.required?.includes(key) ?? false),
  );
  return [row, ...inner];
}

function typeText({ type = "any", enum: words, minimum, maximum, minItems, items }: Parameter): string {
  const bounds = [
    ...(words ? [words.map((word) => `\`${word}\``).join(", ")] : []),
    ...(minimum === undefined ? [] : [`at least ${minimum}`]),
    ...(maximum === undefined ? [] : [`at most ${maximum}`]),
    ...(minItems === undefined ? [] : [`at least ${minItems}`]),
  ];
  const base = type === "array" ? `list of ${items?.type ?? "any"}` : type;
  return bounds.length > 0 ? `${base}: ${bounds.join(", ")}` : base;
}

function keysOf(type: string): string[] {
  const names = Object.keys(rowOf(type).keys);
  const list = names.map((name) => `\`${name}\``).join(", ");
  return names.length > 0 ? [`Keys: ${list}.`] : [];
}

function rowOf(type: string): ToolsetRow {
  return (TOOLSETS as Readonly<Record<string, ToolsetRow>>)[type] as ToolsetRow;
}

function notSupported(): string[] {
  const rows = Object.entries<ToolsetRow>(TOOLSETS).filter(([, { facts }]) => facts?.withoutEffect === "addition");
  return rows.map(([type]) => `\`${type}\``);
}

function toolsShown(names: readonly string[]): string[] {
  return names.filter((name) => captured.tools.some((tool) => tool.name === name));
}

function toolNamed(name: string): Tool {
  const tool = captured.tools.find((each) => each.name === name);
  if (!tool) throw new Error(`no call of ${name} was captured: run scripts/reference/capture.ts`);
  return tool;
}

function fenced(language: string, text: string): string[] {
  return [`\`\`\`${language}`, text, "```", ""];
}

function shorten(value: object): string {
  const text = JSON.stringify(value);
  return text.length > 120 ? `${text.slice(0, 100)} ...` : text;
}
