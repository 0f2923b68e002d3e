/**
 * Writes the reference pages that follow from the tables of the source: `bun scripts/docs.ts`. A test fails when a page
 * is not what the tables say.
 */
import { join } from "node:path";
import { BUILTINS } from "../builtins/index.ts";
import type { Command } from "../src/commands/cli/define-command.ts";
import type { FlagSpec } from "../src/commands/cli/flags.ts";
import { GLOBAL_FLAGS } from "../src/commands/cli/global-flags.ts";
import { COMMANDS } from "../src/commands/index.ts";
import {
  agentFileJsonSchema,
  hooksJsonSchema,
  userConfigJsonSchema,
} from "../src/config/json-schema/agent-json-schema.ts";
import type { BuiltinRow } from "../src/protocol/builtin.ts";
import { allContracts, type EventContract } from "../src/protocol/events.ts";
import { KIND_GROUPS, SECRET_KINDS } from "../src/redaction/kinds/kinds.ts";
import { RUN_EVENTS } from "../src/runtime/run-events.ts";
import { providersPage } from "./docs-providers.ts";

const MADE = "<!-- Made by scripts/docs.ts from the tables of the source: change those. -->";

/** Every generated page: its path from the root, and its text. */
export async function pages(): Promise<Record<string, string>> {
  const schema = (value: object) => `${JSON.stringify(value, undefined, 2)}\n`;
  return {
    "docs/events.md": eventsPage(),
    "docs/builtins.md": builtinsPage(),
    "docs/cli.md": await cliPage(),
    "docs/kinds.md": kindsPage(),
    "docs/providers.md": `${MADE}\n\n${providersPage()}`,
    "docs/schema/agent.schema.json": schema(agentFileJsonSchema()),
    "docs/schema/hooks.schema.json": schema(hooksJsonSchema()),
    "docs/schema/config.schema.json": schema(userConfigJsonSchema()),
  };
}

function eventsPage(): string {
  const rows = allContracts().map(
    ({ event, contract }) =>
      `| \`${event}\` | ${contract.summary} | ${contract.canBlock ? (contract.failClosed ? "yes, also by failing" : "yes") : "no"} | ${mayAnswer(contract)} |`,
  );
  const details = allContracts().map(({ event, contract }) =>
    [
      `## ${event}`,
      "",
      contract.summary + (contract.matcher ? " Hooks stand in matcher groups on the tool's name." : ""),
      "",
      `- Input beside \`session_id\`, \`cwd\`, \`hook_event_name\`, \`agent_name\`: ${contract.fields.length > 0 ? contract.fields.map((field) => `\`${field}\``).join(", ") : "nothing"}`,
      ...Object.entries(contract.values ?? {}).map(
        ([field, values]) => `- \`${field}\` is one of ${(values ?? []).map((value) => `\`${value}\``).join(", ")}`,
      ),
      `- A block: ${contract.canBlock ? "has effect" : "has no effect, it is reported as a warning"}${contract.failClosed ? "; a hook that fails, hangs or answers nonsense blocks too, whatever its `on_error` says" : ""}`,
      `- Hooks run ${MODES[contract.mode]}`,
      ...(contract.context ? [`- Context: ${CONTEXTS[contract.context]}`] : []),
      "",
    ].join("\n"),
  );
  return [
    MADE,
    "",
    "# Events",
    "",
    "A hook is configured under the event it is for. What each event gives a hook to read, and what the hook's answer can do.",
    "",
    "| event | when | can block | an answer may hold |",
    "|---|---|---|---|",
    ...rows,
    "",
    ...details,
  ].join("\n");
}

const MODES: Record<EventContract["mode"], string> = {
  concurrent: "all at once",
  staged:
    "in two stages: declared rewriters one after the other, each seeing the rewrites before it; then all others at once",
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
  const rows = Object.entries<BuiltinRow>(BUILTINS).map(
    ([name, row]) =>
      `| \`${name}\` | ${row.summary} | ${row.events === "any" ? "any" : row.events.map((event) => `\`${event}\``).join(", ")} | ${row.args ?? ""} | ${row.thread === "inline" ? "inline" : row.inlineBelow ? `worker above ${row.inlineBelow / 1024} KB` : "worker"} |`,
  );
  return [
    MADE,
    "",
    "# Builtins",
    "",
    "Hooks that hooksh ships and runs in its own process, without starting another one:",
    "",
    "```yaml",
    "turn_start:",
    "  - type: builtin",
    "    command: add_git_diff",
    "    args: [full]",
    "```",
    "",
    "| builtin | what it does | made for | args | runs |",
    "|---|---|---|---|---|",
    ...rows,
    "",
    "[redaction.md](redaction.md) says what `redact_secrets` finds, and what its arguments do.",
    "",
    "`inline` builtins only wait, or cost microseconds to a few milliseconds on the main thread; `bun test/bench/builtins.ts` prints",
    "what each costs. Builtins on a `worker` have a thread of their own, which is ended at the hook's deadline and replaced.",
    "",
    "Your own hooks run the same way: name a TypeScript or JavaScript file as the `command` (see [own-hooks.md](own-hooks.md)).",
    "",
  ].join("\n");
}

function kindsPage(): string {
  const groups = KIND_GROUPS.map(({ name, summary, ids }) => `| [${name}](#${name}) | ${summary} | ${ids.length} |`);
  const lists = KIND_GROUPS.flatMap(({ name, summary, ids }) => [
    `## ${name}`,
    "",
    `${summary}:`,
    "",
    [...ids]
      .sort()
      .map((id) => `\`${id}\``)
      .join(", "),
    "",
  ]);
  return [
    MADE,
    "",
    "# Kinds of secrets",
    "",
    `The ${SECRET_KINDS.length} kinds that [redaction](redaction.md) knows, as labels, reports and details name them. A kind that gitleaks knows has the`,
    "name that it has there.",
    "",
    "| group | what they are | kinds |",
    "|---|---|---|",
    ...groups,
    "",
    ...lists,
  ].join("\n");
}

async function cliPage(): Promise<string> {
  const verbs = await Promise.all(
    Object.entries(COMMANDS).map(async ([verb, row]) => {
      const { command } = (await row.load()) as { command: Command };
      const flags = Object.entries<FlagSpec>(command.flags);
      return [
        `## hooksh ${verb}`,
        "",
        `\`hooksh ${verb} ${command.positionals}\``.replace(" `", "`"),
        "",
        command.description.replaceAll("\n", " "),
        "",
        ...(flags.length > 0 ? ["| flag | meaning |", "|---|---|", ...flags.map(flagRow), ""] : []),
      ].join("\n");
    }),
  );
  return [
    MADE,
    "",
    "# Command line",
    "",
    "| exit code | meaning |",
    "|---|---|",
    "| 0 | all went well; for `dispatch`: every event that was sent is allowed |",
    "| 1 | broken configuration, input, credentials or model; a run that a hook or the loop detector ended |",
    "| 2 | only `dispatch`: something is blocked; with `--output hook` also every end without a verdict |",
    "| 3 | only `dispatch --output result` and `text`: nothing is blocked, and a hook asks for approval |",
    "| 64 | wrong usage: an unknown flag, a missing value |",
    "| 130 | interrupted by SIGINT or SIGTERM, after the last hooks have run |",
    "| 141 | only `run` and `redact`: the reader of standard output has gone, as in `hooksh run ... \\| head -1`; the last hooks have run |",
    "",
    ...DISPATCH_EXIT,
    "",
    ...RUN_OUTPUT,
    "",
    "Every command takes:",
    "",
    "| flag | meaning |",
    "|---|---|",
    ...Object.entries<FlagSpec>(GLOBAL_FLAGS).map(flagRow),
    "",
    ...verbs,
    "## Events of `run --json`",
    "",
    "One JSON object a line, each with `type`, `timestamp` (RFC 3339) and, where an agent is concerned, `agent_name`. A `?` marks a field",
    "that can be absent. `hooks` names the hooks that gave a verdict: `event`, `name`, `type`, `source` (`file:line` or a flag), `outcome`,",
    "`duration_ms`, `exit_code?`, `message?`. `outcome` of `tool_call_response` is `completed` or `failed` for a call that has run, else",
    "`blocked` by a hook, `denied` by a rule or the safety mode, `refused` because there was no terminal to ask at, `rejected` by the user,",
    "`unknown_tool`, `malformed_arguments`, `canceled`, or `skipped` because a hook ended the run before it; `reason` says why, and `hint`",
    'what lets such a call run. `redacted` of `hook_finished` counts the secrets that hooks replaced, by kind: `{"github-pat":2}`.',
    "",
    ...VOID_OUTPUT,
    "",
    "| event | fields |",
    "|---|---|",
    ...Object.entries(RUN_EVENTS).map(runEventRow),
    "",
  ].join("\n");
}

function runEventRow([type, schema]: [string, { entries: Readonly<Record<string, { type: string }>> }]): string {
  const fields = Object.entries(schema.entries).filter(([name]) => name !== "type");
  return `| \`${type}\` | ${fields.map(([name, { type: kind }]) => `\`${name}${kind === "optional" ? "?" : ""}\``).join(", ")} |`;
}

const DISPATCH_EXIT = [
  "`dispatch --output hook`, the default, serves as a hook of another agent, and most agents go on after any exit code but 2. So it",
  "ends with 2 wherever it has no verdict: broken configuration, an event that is unreadable or unknown, wrong usage (also a mistyped",
  "`dispatch`), an interrupt, an error of hooksh itself. The reason is on standard error, and standard output is empty. An `ask` is 0",
  "there, because the JSON on standard output says it; it is 2 if that output is closed or discarded.",
  "",
  "Of several events the worst decides. With `result` and `text` the order is 0, 3, 2, 1, 64, 130, from the best to the worst.",
  "",
  "`dispatch` reads to the end of its input. A value is judged, and its verdict printed, as soon as it is complete; a pause ends",
  "nothing. A host that never closes standard input gets every verdict, but no exit code, unless `--input-timeout` says after how long",
  "a silence the reading ends; what is incomplete then is refused. A line that cannot be read (no JSON, not UTF-8, a repeated key, more",
  "than 256 MiB) is refused, and the lines behind it are judged. A value may span lines; if it breaks off, each of its lines is read",
  "anew. With `--output hook` a refused event has a line on standard output only if other events come before or behind it, or if",
  "a second passes in which the input stays open.",
];

const RUN_OUTPUT = [
  "`run` shows an answer as it arrives if standard output is a terminal. To a pipe or a file it writes each answer when that answer is",
  "complete, because a call of the model that breaks off is made again, and nothing takes back what a pipe has got. Standard output",
  "therefore never holds a piece of an answer that the conversation does not hold. Programs that want every piece read `--json`.",
  "",
  "A `run` whose standard output cannot be written any more ends: the call of the model or the tool is cancelled, `turn_end` and",
  "`session_end` hooks run, and the exit code is 141 if the reader has gone, 1 (with the reason on standard error) if anything else",
  "failed, such as a full disk.",
];

const VOID_OUTPUT = [
  "`agent_choice`, `agent_choice_reasoning` and `partial_tool_call` are pieces of an answer that is not complete. `message_added` says that",
  "it is. `model_restarted`, `error` and `stream_stopped` say that the pieces since then are void: drop those of the same `session_id`.",
  "`model_waiting` says that every model failed and a busy one (HTTP 429, 503, 529) is asked again after `wait_ms`; a signal ends the wait.",
];

function flagRow([name, spec]: [string, FlagSpec]): string {
  const value =
    spec.kind === "switch" ? "" : spec.kind === "optional" ? `[=${spec.hint ?? "VALUE"}]` : ` ${spec.hint ?? "VALUE"}`;
  const choices = spec.choices ? `: ${spec.choices.join(", ")}` : "";
  return `| \`${spec.alias ? `-${spec.alias}, ` : ""}--${name}${value}\` | ${(spec.description + choices).replaceAll("|", "\\|")} |`;
}

if (import.meta.main) {
  for (const [path, text] of Object.entries(await pages())) await Bun.write(join(import.meta.dir, "..", path), text);
}
