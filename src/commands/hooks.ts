import { resolve } from "node:path";
import { isatty } from "node:tty";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, warn } from "../cli/print.ts";
import { routesFor } from "../config/agent/routes.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import { withResetHooks } from "../config/hooks/reset-hooks.ts";
import { compileHooks } from "../engine/match.ts";
import { newRegistry } from "../engine/registry.ts";
import { describeHook } from "../hooks/describe-hook.ts";
import { explainHooks, type HookQuery, LANES } from "../hooks/explain-hooks.ts";
import { renderExplanation, renderHooks } from "../hooks/hooks-text.ts";
import { loadHookEntries, SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { EXIT_CODES, InputError, UsageError } from "../lib/errors.ts";
import { isObject, omitEmpty } from "../lib/json.ts";
import { type JsonItem, jsonItems } from "../lib/json-stream/json-items.ts";
import { standardInput } from "../lib/platform.ts";
import type { BuiltinInput } from "../protocol/builtin.ts";
import { contractOf, EVENT_NAMES, type EventName, isEventName, unknownEvent } from "../protocol/events.ts";
import { parseInput } from "../protocol/input.ts";

const QUERY_FLAGS = {
  event: { kind: "value", hint: "EVENT", description: "list: only this event; explain: the event to explain" },
  tool: { kind: "value", hint: "NAME", description: "explain: the name of the tool" },
  qualified: { kind: "value", hint: "NAME", description: "explain: the qualified name of the tool, mcp:SERVER:TOOL" },
  lane: { kind: "value", hint: "LANE", choices: LANES, description: "explain: only one lane of pre_tool_use" },
  json: { kind: "switch", description: "Print JSON" },
} as const satisfies FlagSpecs;

const FLAGS = { ...QUERY_FLAGS, ...SOURCE_FLAGS } as const satisfies FlagSpecs;

type HooksInput = CommandInput<typeof FLAGS>;

/** `hooksh hooks list` and `hooksh hooks explain`. */
export const command = defineCommand({
  positionals: "list|explain [AGENT]",
  description:
    "list prints every hook in effect, in configuration order. explain says for each hook whether it would run for an event and\n" +
    "a tool, and if not, why. Without --event, explain reads a JSON event from standard input, as dispatch does, and also prints\n" +
    "which kinds of secret redact_secrets would replace in it. Neither runs a hook.",
  flags: FLAGS,
  flagGroups: { Query: QUERY_FLAGS, Hooks: SOURCE_FLAGS },
  run: runHooks,
});

async function runHooks(input: HooksInput): Promise<number> {
  const [verb = "", reference, ...rest] = input.positionals;
  if (verb !== "list" && verb !== "explain") {
    throw new UsageError(`hooks takes list or explain${verb === "" ? "" : `, not ${JSON.stringify(verb)}`}`);
  }
  if (rest.length > 0) throw new UsageError(`hooks ${verb} takes one agent, not ${rest.length + 1}`);
  // Checked before anything is loaded, so that a mistake on the command line is reported first.
  const event = eventFlag(input);
  const query = verb === "explain" ? await queryOf(input, event) : refuseQueryFlags(input);
  const { flags } = input;
  const { entries, routes, unenforced } = await loadHookEntries({
    reference,
    flags,
    directories: directoriesOf(flags),
    cwd: resolve("."),
    notices: query ? [] : ["matcher", "timeout", "relative", "script", "observe", "unguarded", "judge"],
  });
  for (const line of unenforced) warn(line);
  const isRouting = query !== undefined && contractOf(query.event).accepts.includes("transition");
  const targets = routes && isRouting ? { routes: routesFor(routes, query.input ?? {}).targets } : {};
  await (query
    ? printExplanation(entries, { ...query, ...targets }, flags.json)
    : printList(entries, event, flags.json));
  return EXIT_CODES.ok;
}

async function printList(
  entries: readonly HookEntry[],
  event: EventName | undefined,
  json: boolean | undefined,
): Promise<void> {
  const registry = newRegistry();
  const events = EVENT_NAMES.filter((name) => event === undefined || name === event);
  const all = withResetHooks(entries);
  const ordered = events.flatMap((name) => all.filter((entry) => entry.event === name));
  const hooks = await Promise.all(ordered.map((entry) => describeHook(entry, registry)));
  await print(json ? JSON.stringify(hooks, undefined, 2) : renderHooks(hooks));
}

async function printExplanation(
  entries: readonly HookEntry[],
  query: HookQuery,
  json: boolean | undefined,
): Promise<void> {
  const hooks = await explainHooks(compileHooks(entries), query, newRegistry());
  const { event, names, routes } = query;
  await print(
    json
      ? JSON.stringify(
          { event, ...(contractOf(event).matcher ? { names } : {}), ...omitEmpty({ routes }), hooks },
          undefined,
          2,
        )
      : renderExplanation(query, hooks),
  );
}

function refuseQueryFlags({ flags }: HooksInput): undefined {
  const given = (["tool", "qualified", "lane"] as const).find((name) => flags[name] !== undefined);
  if (given !== undefined) throw new UsageError(`--${given} is a flag of hooks explain`);
}

function eventFlag({ flags: { event } }: HooksInput): EventName | undefined {
  if (event === undefined || isEventName(event)) return event;
  throw new UsageError(unknownEvent(event));
}

async function queryOf(input: HooksInput, event: EventName | undefined): Promise<HookQuery> {
  const { tool, qualified, lane } = input.flags;
  const query = event ? { event, names: [tool, qualified] } : await readQuery(input);
  const names = query.names.filter((name) => name !== undefined);
  const { matcher } = contractOf(query.event);
  if (matcher && names.length === 0)
    throw new UsageError(`${query.event} is about a tool call: hooks explain --event ${query.event} --tool NAME`);
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
async function readQuery({ flags, signal }: HooksInput): Promise<QueriedEvent> {
  if (isatty(0)) throw new UsageError("hooks explain needs --event EVENT, or a JSON event on standard input");
  const items = await Array.fromAsync(jsonItems(standardInput, { signal }));
  const [item] = items;
  if (item === undefined) throw new UsageError("hooks explain needs --event EVENT, or a JSON event on standard input");
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
  if (count > 1 || !isObject(item.value)) throw new InputError("hooks explain takes one event, a JSON object");
  return item.value;
}
