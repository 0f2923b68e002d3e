import { print } from "../../cli/print.ts";
import { eventFacts } from "../../facts/event-facts.ts";
import type { EventFacts } from "../../facts/facts.ts";
import { withStated } from "../../facts/stated-facts.ts";
import { EXIT_CODES, InputError, UsageError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { jsonItems } from "../../lib/json-stream/json-items.ts";
import { standardInput } from "../../lib/platform.ts";
import { isEventName, unknownEvent } from "../../protocol/events.ts";
import { compileRules } from "../../rules/compile.ts";
import { judgeRules, type RulesVerdict } from "../../rules/judge.ts";
import { ruleArgumentOf } from "../../tools/tool-names.ts";
import { loadRulesFor } from "./load-rules.ts";
import type { RulesInput } from "./rules-input.ts";
import { folded } from "./rules-text.ts";
import { type ShownStep, shownStep } from "./shown-step.ts";

type Event = Readonly<Record<string, unknown>>;

/** `hooksh rules explain`: the facts of a call, and the rules that hit it. */
export async function explainCall(input: RulesInput, words: readonly string[]): Promise<number> {
  const { flags } = input;
  const [first, second, ...rest] = words;
  if (first === undefined)
    throw new UsageError("rules explain takes a command line in quotes, or - for an event as JSON");
  if (rest.length > 0) throw new UsageError("rules explain takes one command line: put it in quotes");
  const [reference, line] = second === undefined ? [undefined, first] : [first, second];
  const given = line === "-" ? await readEvent(input) : eventOf(line, flags.tool);
  const { facts: stated, ...event } = given;
  const { hook_event_name: name } = event;
  if (typeof name !== "string" || !isEventName(name)) throw new InputError(unknownEvent(String(name)));
  const { rules, agent, place } = await loadRulesFor(input, reference);
  const payload = { ...(agent === undefined ? {} : { agent_name: agent }), ...event, cwd: place.cwd };
  const plain = eventFacts(name, payload, { toolNames: [], host: undefined, place });
  const facts = withStated(plain, isObject(stated) ? stated : {});
  const verdict = await judgeRules(compileRules(rules), facts, { place, history: EMPTY });
  const shown = shownCall(facts, verdict);
  await print(flags.json ? JSON.stringify(shown, undefined, 2) : rendered(shown, verdict));
  return EXIT_CODES.ok;
}

/** A session without earlier calls. */
const EMPTY = {
  holds: ({ history: { after, moreThan } }: { history: { after?: unknown; moreThan?: { n: number } } }) => ({
    truth: after === undefined && (moreThan === undefined || moreThan.n === 0),
    says: [],
  }),
};

function eventOf(line: string, tool = "shell"): Event {
  if (line.trim() === "") throw new UsageError("the command line is empty");
  return { hook_event_name: "pre_tool_use", tool_name: tool, tool_input: inputOf(line, tool) };
}

/** The input of a tool: as JSON, or its main argument alone. */
function inputOf(text: string, tool: string): unknown {
  if (tool !== "shell" && text.startsWith("{")) {
    try {
      return JSON.parse(text);
    } catch (error) {
      throw new UsageError(`the input of ${tool} is not valid JSON: ${error instanceof Error ? error.message : ""}`);
    }
  }
  return { [ruleArgumentOf(tool) ?? "cmd"]: text };
}

/** Reads an event, or a call as `rules prove` shows it. */
async function readEvent({ flags, signal }: RulesInput): Promise<Event> {
  const items = await Array.fromAsync(jsonItems(standardInput, { signal }));
  const [item] = items;
  if (item === undefined) throw new UsageError("rules explain - needs an event as JSON on standard input");
  if ("problem" in item) throw new InputError(item.problem);
  if (items.length > 1 || !isObject(item.value)) throw new InputError("rules explain takes one event, a JSON object");
  const event = item.value;
  if ("hook_event_name" in event) return flags.tool === undefined ? event : { ...event, tool_name: flags.tool };
  const { tool, input, facts } = event;
  const name = flags.tool ?? tool;
  if (name === undefined)
    throw new InputError("the event has no hook_event_name: add it, or name the tool with --tool");
  const given = isObject(input) ? input : event;
  return {
    hook_event_name: "pre_tool_use",
    tool_name: name,
    tool_input: given,
    ...(facts === undefined ? {} : { facts }),
  };
}

interface ShownCall {
  tool?: string;
  class?: string;
  safety?: string;
  steps: ShownStep[];
  rules: RulesVerdict["hits"];
  decision: string | null;
}

function shownCall({ call }: EventFacts, { hits, decision }: RulesVerdict): ShownCall {
  const steps = call?.readable === false ? [] : (call?.steps ?? []);
  const [tool] = call?.tools ?? [];
  return {
    ...(call ? { ...(tool === undefined ? {} : { tool }), class: call.class, safety: call.safety } : {}),
    steps: steps.filter((step) => step.allowOnly !== true).map(shownStep),
    rules: hits,
    decision: decision ?? null,
  };
}

function rendered({ tool, class: kind, safety, steps, rules, decision }: ShownCall, verdict: RulesVerdict): string {
  const head = tool === undefined ? [] : [`${tool} (${kind}), ${safety}`];
  const shown = steps.flatMap(({ command, possible = {}, ...facts }) => [
    ...(command === undefined ? [] : [String(command)]),
    ...Object.entries(facts).map(([name, value]) => folded(`${name} ${[value].flat().join(", ")}`)),
    ...Object.entries(possible).map(([name, values]) => folded(`${name} possibly ${[values].flat().join(", ")}`)),
  ]);
  const hits = rules.map((hit) => {
    const observes = hit.mode === "observe" ? ", only observes" : "";
    return folded(`${hit.name} (${hit.source}): ${hit.verdict}, ${hit.sure}${observes}`);
  });
  const texts = [...verdict.messages, ...verdict.warnings, ...verdict.contexts].map(folded);
  const end = decision === null ? "no rule decides" : `the rules decide: ${decision}`;
  return [...head, ...shown, rules.length === 0 ? "no rule hits" : "rules that hit:", ...hits, ...texts, end].join(
    "\n",
  );
}
