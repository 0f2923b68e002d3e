/**
 * Writes the reference pages that follow from the tables of the source: `bun scripts/docs.ts`. A test fails when a page
 * is not what the tables say.
 */
import { join } from "node:path";
import { BUILTINS } from "../builtins/index.ts";
import type { Command } from "../src/commands/command.ts";
import { GLOBAL_FLAGS } from "../src/commands/command.ts";
import type { FlagSpec } from "../src/commands/flags.ts";
import { COMMANDS } from "../src/commands/index.ts";
import { agentFileJsonSchema, hooksJsonSchema, userConfigJsonSchema } from "../src/config/agent-json-schema.ts";
import type { BuiltinRow } from "../src/protocol/builtin.ts";
import { RUN_EVENTS } from "../src/runtime/events.ts";
import { allContracts, type EventContract } from "../src/protocol/events.ts";

const MADE = "<!-- Made by scripts/docs.ts from the tables of the source: change those. -->";

/** Every generated page: its path from the root, and its text. */
export async function pages(): Promise<Record<string, string>> {
  const schema = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "docs/events.md": eventsPage(),
    "docs/builtins.md": builtinsPage(),
    "docs/cli.md": await cliPage(),
    "docs/schema/agent.schema.json": schema(agentFileJsonSchema()),
    "docs/schema/hooks.schema.json": schema(hooksJsonSchema()),
    "docs/schema/config.schema.json": schema(userConfigJsonSchema()),
  };
}

function eventsPage(): string {
  const rows = allContracts().map(({ event, contract }) =>
    `| \`${event}\` | ${contract.summary} | ${contract.canBlock ? (contract.failClosed ? "yes, also by failing" : "yes") : "no"} | ${mayAnswer(contract)} |`);
  const details = allContracts().map(({ event, contract }) => [
    `## ${event}`,
    "",
    contract.summary + (contract.matcher ? " Hooks stand in matcher groups on the tool's name." : ""),
    "",
    `- Input beside \`session_id\`, \`cwd\`, \`hook_event_name\`, \`agent_name\`: ${contract.fields.length > 0 ? contract.fields.map((field) => `\`${field}\``).join(", ") : "nothing"}`,
    ...Object.entries(contract.values ?? {}).map(([field, values]) => `- \`${field}\` is one of ${(values ?? []).map((value) => `\`${value}\``).join(", ")}`),
    `- A block: ${contract.canBlock ? "has effect" : "has no effect, it is reported as a warning"}${contract.failClosed ? "; a hook that fails, hangs or answers nonsense blocks too, whatever its `on_error` says" : ""}`,
    `- Hooks run ${MODES[contract.mode]}`,
    ...(contract.context ? [`- Context: ${CONTEXTS[contract.context]}`] : []),
    "",
  ].join("\n"));
  return [
    MADE, "", "# Events", "",
    "A hook is configured under the event it is for. What each event gives a hook to read, and what the hook's answer can do.", "",
    "| event | when | can block | an answer may hold |", "|---|---|---|---|", ...rows, "", ...details,
  ].join("\n");
}

const MODES: Record<EventContract["mode"], string> = {
  concurrent: "all at once",
  staged: "in two stages: declared rewriters one after the other, each seeing the rewrites before it; then all others at once",
  sequential: "one after the other, each seeing the rewrites before it",
};

const CONTEXTS: Record<NonNullable<EventContract["context"]>, string> = {
  persisted: "stored with the session, in every later model call",
  transient: "for the model calls that follow, never stored",
  compaction: "appended to the instructions for the summary",
  printed: "printed to the user",
};

function mayAnswer(contract: EventContract): string {
  return contract.accepts.length > 0 ? contract.accepts.map((name) => `\`${name}\``).join(", ") : "";
}

function builtinsPage(): string {
  const rows = Object.entries<BuiltinRow>(BUILTINS).map(([name, row]) =>
    `| \`${name}\` | ${row.summary} | ${row.events === "any" ? "any" : row.events.map((event) => `\`${event}\``).join(", ")} | ${row.args ?? ""} | ${row.thread === "inline" ? "inline" : row.inlineBelow ? `worker above ${row.inlineBelow / 1024} KB` : "worker"} |`);
  return [
    MADE, "", "# Builtins", "",
    "Hooks that hooksh ships and runs in its own process, without starting another one:", "",
    "```yaml", "turn_start:", "  - type: builtin", "    command: add_git_diff", "    args: [full]", "```", "",
    "| builtin | what it does | made for | args | runs |", "|---|---|---|---|---|", ...rows, "",
    "`inline` builtins only wait, or cost microseconds to a few milliseconds on the main thread; `bun test/bench/builtins.ts` prints",
    "what each costs. Builtins on a `worker` have a thread of their own, which is ended at the hook's deadline and replaced.", "",
    "Your own hooks run the same way: name a TypeScript or JavaScript file as the `command` (see [own-hooks.md](own-hooks.md)).", "",
  ].join("\n");
}

async function cliPage(): Promise<string> {
  const verbs = await Promise.all(Object.entries(COMMANDS).map(async ([verb, row]) => {
    const { command } = (await row.load()) as { command: Command };
    const flags = Object.entries<FlagSpec>(command.flags);
    return [
      `## hooksh ${verb}`, "", `\`hooksh ${verb} ${command.positionals}\``.replace(" `", "`"), "", command.description.replaceAll("\n", " "), "",
      ...(flags.length > 0 ? ["| flag | meaning |", "|---|---|", ...flags.map(flagRow), ""] : []),
    ].join("\n");
  }));
  return [
    MADE, "", "# Command line", "",
    "| exit code | meaning |", "|---|---|",
    "| 0 | all went well; for `dispatch`: everything is allowed |",
    "| 1 | broken configuration, input, credentials or model; a run that a hook or the loop detector ended |",
    "| 2 | only `dispatch`: something is blocked |",
    "| 64 | wrong usage: an unknown flag, a missing value |",
    "| 130 | interrupted by SIGINT or SIGTERM, after the last hooks have run |", "",
    "Every command takes:", "", "| flag | meaning |", "|---|---|", ...Object.entries<FlagSpec>(GLOBAL_FLAGS).map(flagRow), "", ...verbs,
    "## Events of `run --json`", "",
    "One JSON object a line, each with `type`, `timestamp` (RFC 3339) and, where an agent is concerned, `agent_name`. A `?` marks a field",
    "that can be absent. `hooks` names the hooks that gave a verdict: `event`, `name`, `type`, `source` (`file:line` or a flag), `outcome`,",
    "`duration_ms`, `exit_code?`, `message?`. `outcome` of `tool_call_response` is `completed` or `failed` for a call that has run, else",
    "`blocked` by a hook, `denied` by a rule or the safety mode, `refused` because there was no terminal to ask at, `rejected` by the user,",
    "`unknown_tool`, `malformed_arguments`, `canceled`, or `skipped` because a hook ended the run before it; `reason` says why, and `hint`",
    "what lets such a call run.", "",
    "| event | fields |", "|---|---|", ...Object.entries(RUN_EVENTS).map(runEventRow), "",
  ].join("\n");
}

function runEventRow([type, schema]: [string, { entries: Readonly<Record<string, { type: string }>> }]): string {
  const fields = Object.entries(schema.entries).filter(([name]) => name !== "type");
  return `| \`${type}\` | ${fields.map(([name, { type: kind }]) => `\`${name}${kind === "optional" ? "?" : ""}\``).join(", ")} |`;
}

function flagRow([name, spec]: [string, FlagSpec]): string {
  const value = spec.kind === "switch" ? "" : spec.kind === "optional" ? `[=${spec.hint ?? "VALUE"}]` : ` ${spec.hint ?? "VALUE"}`;
  const choices = spec.choices ? `: ${spec.choices.join(", ")}` : "";
  return `| \`${spec.alias ? `-${spec.alias}, ` : ""}--${name}${value}\` | ${(spec.description + choices).replaceAll("|", "\\|")} |`;
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await pages())) await Bun.write(join(import.meta.dir, "..", path), text);
}
