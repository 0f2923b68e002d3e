/** Writes docs/events.md from the table of events, captured runs and the notes in scripts/reference. */
import { allContracts, type EventContract, type EventName } from "../src/protocol/events.ts";
import captured from "./reference/captured.json";
import { EXAMPLE_ANSWERS } from "./reference/event-answers.ts";
import { fieldTable } from "./reference/event-fields.ts";
import { EVENT_NOTES, EVENT_ORDER } from "./reference/event-notes.ts";

/** Returns the page of all events. */
export function eventsPage(): string {
  const rows = allContracts().map(
    ({ event, contract }) => `| [\`${event}\`](#${event}) | ${blocking(contract)} | ${codeList(contract.accepts)} |`,
  );
  return [
    "# Events",
    "",
    "This page is the reference for authors of hooks: when each event happens, what a hook reads, and what its answer does.",
    "[How hooks work](hooks.md) explains the keys of an answer, and [Tools](tools.md) the arguments of each tool.",
    "",
    "A hook is configured under the name of its event. Each event has a payload from a run of the compiled program (ids, times and",
    "directories are replaced; behind the first, the fields of every event are left out), and an answer of a hook. For the verdict, pass both",
    "to `hooksh dispatch --output result`, as in the example of [`pre_tool_use`](#pre_tool_use).",
    "",
    "If an event is `fail-closed`, a hook that fails, hangs or gives an invalid answer blocks too, whatever its `on_error` says.",
    "A block on an event that cannot block is reported as a warning. Hooks of an event run concurrently unless its section says otherwise.",
    "",
    "| event | can block | fields of the answer |",
    "|---|---|---|",
    ...rows,
    "",
    ...orderSection(),
    ...fieldSection(),
    ...allContracts().map(({ event, contract }) => eventSection(event, contract)),
  ].join("\n");
}

function orderSection(): string[] {
  const { start, turn, call, answer, endOfTurn, end } = EVENT_ORDER;
  return [
    "## The order of events",
    "",
    "In `hooksh run`, for one message of the user:",
    "",
    `1. ${codeList(start)}`,
    "2. Turns, until the agent has answered without tool calls. In each turn:",
    `   1. ${codeList(turn)}`,
    `   2. for each tool call of the reply, one call after the other: ${codeList(call)}`,
    `   3. in the last turn: ${codeList(answer)}`,
    `   4. ${codeList(endOfTurn)}`,
    `3. ${codeList(end)}`,
    "",
    "`permission_request` fires only for a call that would ask, and `post_tool_use` only for a call that ran. The other events have no fixed",
    "place. With [other agents](agents/capabilities.md), the agent decides which events happen.",
    "",
  ];
}

function fieldSection(): string[] {
  return [
    "## The fields of an input",
    "",
    'Every input has `session_id`, `cwd` and `hook_event_name`, and in `hooksh run` `agent_name`. Each event adds those of its line "Input".',
    "A field that is empty, zero or false is left out, except `tool_response`, `prompt`, `cost` and `stop_hook_active`: read a missing field as empty.",
    "Fields are never null. Ignore fields that you do not know: an agent may send more, and a later version may add some.",
    "",
    "A `tool_response` has at most 50 KiB or 2,000 lines; a longer one is an excerpt, after the path of a file with the rest. A rewriter",
    "(`rewrite: true`) of `tool_response_transform` reads it in full, up to 16 MiB. `messages` is the whole conversation with its files.",
    "",
    ...fieldTable(),
    "",
  ];
}

function eventSection(event: EventName, contract: EventContract): string {
  return [
    `## ${event}`,
    "",
    contract.summary + (contract.matcher ? " Hooks are grouped by a matcher on the name of the tool." : ""),
    EVENT_NOTES[event],
    "",
    `- Input: ${codeList(contract.fields) || "only the [fields of every event](#the-fields-of-an-input)"}`,
    ...Object.entries(contract.values ?? {}).map(
      ([field, values]) => `- \`${field}\` is one of ${codeList(values ?? [])}`,
    ),
    `- Can block: ${blocking(contract)}`,
    ...(contract.mode === "concurrent" ? [] : [`- Hooks run ${MODES[contract.mode]}`]),
    ...(contract.context ? [`- Context: ${CONTEXTS[contract.context]}`] : []),
    "",
    ...eventExample(event),
  ].join("\n");
}

function blocking({ canBlock, failClosed }: EventContract): string {
  if (!canBlock) return "no";
  return failClosed ? "yes, fail-closed" : "yes";
}

function eventExample(event: EventName): string[] {
  const { payload, result } = captured.events[event];
  const { answer, effect } = EXAMPLE_ANSWERS[event];
  const json = (value: object) => ["```json", JSON.stringify(value, undefined, 2), "```", ""];
  return [
    ...json(event === FIRST ? payload : withoutCommon(payload)),
    `Its answer may be \`${JSON.stringify(answer)}\`. ${effect}`,
    "",
    // One verdict shows the form of all; test/reference.campaign.test.ts checks the others.
    ...(event === FIRST ? ["The verdict:", "", ...json(result)] : []),
  ];
}

/** The event that stands first on the page. */
const FIRST = "pre_tool_use";

/** A payload with its event's name and own fields only. */
function withoutCommon({ session_id, cwd, agent_name, ...own }: Record<string, unknown>): object {
  return own;
}

function codeList(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

const MODES: Record<Exclude<EventContract["mode"], "concurrent">, string> = {
  staged:
    "in two stages: first the declared rewriters one by one, each seeing the rewrites before it; then all others concurrently",
  sequential: "one by one, each seeing the rewrites before it",
};

const CONTEXTS: Record<NonNullable<EventContract["context"]>, string> = {
  persisted: "stored with the session and sent with every later model call",
  transient: "sent with the next model calls, never stored",
  compaction: "appended to the instructions for the summary",
  printed: "printed to the user",
};
