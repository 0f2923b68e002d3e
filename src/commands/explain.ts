import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { isatty } from "node:tty";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, printError, warn } from "../cli/print.ts";
import type { LoadedAgentFile } from "../config/agent/load-agent.ts";
import { routesFor } from "../config/agent/routes.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { Executor } from "../engine/executor.ts";
import { compileHooks } from "../engine/match.ts";
import { newRegistry } from "../engine/registry.ts";
import type { RulesVerdict } from "../engine/rules.ts";
import { explainHooks, type HookQuery, LANES } from "../hooks/explain-hooks.ts";
import { renderExplanation } from "../hooks/hooks-text.ts";
import { loadHookEntries, SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import type { Directories } from "../lib/env.ts";
import { EXIT_CODES, InputError, UsageError } from "../lib/errors.ts";
import { isObject, omitEmpty } from "../lib/json.ts";
import { type JsonItem, jsonItems } from "../lib/json-stream/json-items.ts";
import { standardInput } from "../lib/platform.ts";
import type { BuiltinInput } from "../protocol/builtin.ts";
import { contractOf, type EventName, type EventPayload, isEventName, unknownEvent } from "../protocol/events.ts";
import { parseInput } from "../protocol/input.ts";
import type { RuleVerdict } from "../runtime/permissions/permissions.ts";

const QUERY_FLAGS = {
  event: { kind: "value", hint: "EVENT", description: "The event to explain, in place of a command line or JSON" },
  tool: { kind: "value", hint: "NAME", description: "The name of the tool" },
  qualified: { kind: "value", hint: "NAME", description: "The qualified name of the tool, mcp:SERVER:TOOL" },
  lane: { kind: "value", hint: "LANE", choices: LANES, description: "Only one lane of pre_tool_use" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

const FLAGS = { ...QUERY_FLAGS, ...SOURCE_FLAGS } as const satisfies FlagSpecs;

type ExplainInput = CommandInput<typeof FLAGS>;

/** `hooksh explain`: what would judge a command line or an event. */
export const command = defineCommand({
  positionals: "[AGENT] [COMMAND_LINE]",
  description:
    "For a command line in quotes: how dangerous it looks, what the permission rules of AGENT (default: agent.yaml of this\n" +
    "directory) say, and which hooks would be asked about the call of the tool shell. For an event (--event, or JSON on\n" +
    "standard input): which hooks would run, and if not, why, and which kinds of secret redact_secrets would replace in it.\n" +
    "Runs neither the command nor a hook.",
  flags: FLAGS,
  flagGroups: { Query: QUERY_FLAGS, Hooks: SOURCE_FLAGS },
  run: runExplain,
});

async function runExplain(input: ExplainInput): Promise<number> {
  const { flags } = input;
  const { reference, line, isFound } = await readPositionals(input);
  if (isFound && !flags.quiet) printError(`using ${reference}`);
  // Checked before anything is loaded, so that a mistake on the command line is reported first.
  const query = line === undefined ? await queryOf(input, eventFlag(input)) : queryOfLine(input, line);
  const { entries, rules, agent, routes, file, unenforced } = await loadHookEntries({
    reference,
    flags,
    directories: directoriesOf(flags),
    cwd: resolve("."),
    notices: [],
  });
  for (const restriction of unenforced) warn(restriction);
  const isRouting = contractOf(query.event).accepts.includes("transition");
  const targets = routes && isRouting ? { routes: routesFor(routes, query.input ?? {}).targets } : {};
  const described = line === undefined ? undefined : await describeLine(line, file);
  const ruled = await judgedByRules(new Executor(entries, { rules, agent, keepsHistory: false }), query);
  await printExplanation(entries, { ...query, ...targets }, { line: described, ruled }, flags.json);
  return EXIT_CODES.ok;
}

/** The agent file of a folder, whose guards answer unless the user names another agent. */
const AGENT_FILE = "agent.yaml";

/**
 * Tells AGENT and the command line apart. Of two words, the second is the command line; one alone is an agent if it looks
 * like one, or if a flag names the event.
 */
async function readPositionals({ positionals, flags }: ExplainInput): Promise<{
  reference?: string;
  line?: string;
  /** True if the user did not name the agent. */
  isFound?: boolean;
}> {
  const [first, second, ...rest] = positionals;
  if (rest.length > 0) throw new UsageError("explain takes one command line: put it in quotes");
  if (second !== undefined && flags.event !== undefined)
    throw new UsageError("explain takes a command line or --event EVENT, not both");
  if (first === undefined) return {};
  if (first.trim() === "" || second?.trim() === "") throw new UsageError("the command line is empty");
  if (second !== undefined) return { reference: first, line: second };
  if (flags.event !== undefined || (await isAgent(first, directoriesOf(flags)))) return { reference: first };
  const hasOwn = existsSync(AGENT_FILE) && flags["hooks-file"].length === 0;
  return { line: first, ...(hasOwn ? { reference: AGENT_FILE, isFound: true } : {}) };
}

/** True for an alias, the name of an agent file, a URL and a reference to a registry. */
async function isAgent(word: string, directories: Directories): Promise<boolean> {
  if (/\s/.test(word)) return false;
  if (/\.(?:ya?ml|hcl|json)$/.test(word) || /^https?:/.test(word)) return true;
  if (/^\w[\w.-]*(?:\/[\w.-]+)+(?::[\w.-]+)?$/.test(word) && !existsSync(word)) return true;
  const { aliasPath, loadUserConfig } = await import("../config/user/user-config.ts");
  return aliasPath(await loadUserConfig(directories), word) !== undefined;
}

function queryOfLine({ flags }: ExplainInput, line: string): HookQuery {
  const given = (["tool", "qualified", "lane"] as const).find((name) => flags[name] !== undefined);
  if (given !== undefined)
    throw new UsageError(`--${given} goes with --event or a JSON event, not with a command line`);
  const input = parseInput({ hook_event_name: "pre_tool_use", tool_name: SHELL.name, tool_input: { cmd: line } });
  if (typeof input === "string") throw new InputError(input);
  return { event: "pre_tool_use", names: [SHELL.name], lanes: LANES, input: input as BuiltinInput };
}

const SHELL = { name: "shell", category: "shell" } as const;

/** What is known about a command line without running it. */
interface DescribedLine {
  /** `safe`, `destructive` or `unknown`, and why; see docs/configuration.md. */
  label: string;
  reason?: string;
  /** The verdict of the agent file's permission rules, and the rule that gives it; absent without an agent. */
  permissions?: { verdict: RuleVerdict | "none"; rule?: string };
}

async function describeLine(line: string, file: LoadedAgentFile | undefined): Promise<DescribedLine> {
  const [{ callForRules, judgeByRules, NO_PERMISSIONS, ruleBehind }, { classifyCommand }] = await Promise.all([
    import("../runtime/permissions/permissions.ts"),
    import("../shell/classify.ts"),
  ]);
  const { label, reason } = classifyCommand(line);
  const described = { label, ...omitEmpty({ reason }) };
  if (!file) return described;
  const call = callForRules(SHELL, { cmd: line });
  const permissions = { ...NO_PERMISSIONS, ...file.permissions };
  const verdict = judgeByRules(permissions, call);
  if (verdict === undefined) return { ...described, permissions: { verdict: "none" } };
  return { ...described, permissions: { verdict, rule: ruleBehind(permissions, verdict, call) } };
}

const RULE_VERDICTS = { allow: "allow it", ask: "ask for your approval", deny: "deny it" } as const;

function renderLine({ label, reason, permissions }: DescribedLine): string {
  const why = reason === undefined ? "" : `: ${reason}`;
  const rules =
    permissions === undefined
      ? []
      : permissions.verdict === "none"
        ? ["No permission rule decides about it."]
        : [`The permission rules ${RULE_VERDICTS[permissions.verdict]}: ${permissions.rule}`];
  return [`The command line is labelled ${label}${why}`, ...rules].join("\n");
}

/** Returns what rules say about the event; undefined if none is on it, or only its name is given. */
async function judgedByRules(
  executor: Executor,
  { event, input, names }: HookQuery,
): Promise<RulesVerdict | undefined> {
  if (input === undefined) return undefined;
  // The past is empty, not unknown.
  const payload = { session_id: "explain", ...omitEmpty(input) } as EventPayload<EventName>;
  return executor.judgeByRules<EventName>(event, payload, { toolNames: names });
}

function renderRules({ hits, messages, decision }: RulesVerdict): string {
  if (hits.length === 0) return "No rule hits.";
  const lines = hits.map(({ name, source, verdict, sure }) => `  ${name} (${source}): ${verdict}, ${sure}`);
  const verdict = decision === undefined ? [] : [`The rules say ${decision}: ${messages.join("; ")}`];
  return ["Rules that hit:", ...lines, ...verdict].join("\n");
}

async function printExplanation(
  entries: readonly HookEntry[],
  query: HookQuery,
  { line, ruled }: { line: DescribedLine | undefined; ruled: RulesVerdict | undefined },
  json: boolean | undefined,
): Promise<void> {
  const hooks = await explainHooks(compileHooks(entries), query, newRegistry());
  const { event, names, routes } = query;
  await print(
    json
      ? JSON.stringify(
          {
            ...line,
            event,
            ...(contractOf(event).matcher ? { names } : {}),
            ...omitEmpty({ routes }),
            ...(ruled ? { rules: ruled.hits, rules_decision: ruled.decision ?? "none" } : {}),
            hooks,
          },
          undefined,
          2,
        )
      : [
          ...(line ? [renderLine(line), ""] : []),
          ...(ruled ? [renderRules(ruled), ""] : []),
          renderExplanation(query, hooks),
        ].join("\n"),
  );
}

function eventFlag({ flags: { event } }: ExplainInput): EventName | undefined {
  if (event === undefined || isEventName(event)) return event;
  throw new UsageError(unknownEvent(event));
}

async function queryOf(input: ExplainInput, event: EventName | undefined): Promise<HookQuery> {
  const { tool, qualified, lane } = input.flags;
  const query = event ? { event, names: [tool, qualified] } : await readQuery(input);
  const names = query.names.filter((name) => name !== undefined);
  const { matcher } = contractOf(query.event);
  if (matcher && names.length === 0)
    throw new UsageError(`${query.event} is about a tool call: explain --event ${query.event} --tool NAME`);
  if (!matcher && event && names.length > 0)
    throw new UsageError(`${event} has no tool: leave out --tool and --qualified`);
  if (lane !== undefined && query.event !== "pre_tool_use")
    throw new UsageError(`${query.event} has no lanes: only pre_tool_use has`);
  return {
    event: query.event,
    names: matcher ? names : [],
    lanes: LANES.filter((name) => lane === undefined || name === lane),
    ...("input" in query ? { input: query.input } : {}),
  };
}

interface QueriedEvent {
  event: EventName;
  names: (string | undefined)[];
  input: BuiltinInput;
}

/** Reads the event and the names of its tool from standard input. `--tool` and `--qualified` take precedence. */
async function readQuery({ flags, signal }: ExplainInput): Promise<QueriedEvent> {
  if (isatty(0)) throw new UsageError("explain needs --event EVENT, or a JSON event on standard input");
  const items = await Array.fromAsync(jsonItems(standardInput, { signal }));
  const [item] = items;
  if (item === undefined) throw new UsageError("explain needs --event EVENT, or a JSON event on standard input");
  const event = parseInput(objectOf(item, items.length));
  if (typeof event === "string") throw new InputError(event);
  const { hook_event_name: eventName } = event;
  if (!isEventName(eventName)) throw new InputError(`unknown hook event ${JSON.stringify(eventName)}`);
  const name = (key: "tool_name" | "tool_qualified_name") => (typeof event[key] === "string" ? event[key] : undefined);
  return {
    event: eventName,
    names: [flags.tool ?? name("tool_name"), flags.qualified ?? name("tool_qualified_name")],
    input: event as BuiltinInput,
  };
}

function objectOf(item: JsonItem, count: number): Record<string, unknown> {
  if ("problem" in item) throw new InputError(item.problem);
  if (count > 1 || !isObject(item.value)) throw new InputError("explain takes one event, a JSON object");
  return item.value;
}
