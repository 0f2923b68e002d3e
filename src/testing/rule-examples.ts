import type { PlacedRule } from "../config/rules/load-rules.ts";
import { type Path, renderProblems } from "../config/yaml/document.ts";
import { isObject } from "../lib/json.ts";
import { contractOf, type EventName } from "../protocol/events.ts";
import type { Payload } from "../protocol/rewrite.ts";
import { itemText } from "./each.ts";
import { type Observed, ruleHits } from "./observed.ts";
import type { RuleExample, TestCase } from "./test-case.ts";

/**
 * Returns a case for each example beside rules, which asks this rule alone. `seen` holds the rules whose examples have a
 * case already. They start nothing, so that whoever checks a file may run them.
 */
export function ruleExampleCases(rules: readonly PlacedRule[], seen: Set<string>): TestCase[] {
  return rules.flatMap((rule) => {
    const { document, examples, path, name } = rule;
    const key = `${document?.file ?? ""} ${JSON.stringify(path)} ${name}`;
    if (!document || !isObject(examples) || seen.has(key)) return [];
    seen.add(key);
    return Object.entries(examples).flatMap(([kind, items]) =>
      [items]
        .flat()
        .map((item, index) => caseOf(rule, document, kind, { item, path: [...path, "examples", kind, index] })),
    );
  });
}

function caseOf(
  rule: PlacedRule,
  document: NonNullable<PlacedRule["document"]>,
  kind: string,
  { item, path }: { item: unknown; path: Path },
): TestCase {
  const { event, payload, stated } = eventOf(rule, item);
  return {
    name: `example: ${kind} ${itemText(item)}`,
    file: document.file,
    document,
    path,
    entries: [],
    // A rule that only observes, or holds for other agents, must be right, too.
    rules: [{ ...rule, observe: false, agents: undefined }],
    item: { value: item },
    doubles: new Map(),
    steps: [{ event, payload, expect: {}, path }],
    env: {},
    workingDir: undefined,
    only: false,
    ruleExample: { hits: kind !== "pass", stated },
  };
}

/** The fields that a text sets on events without a call. */
const TEXT_FIELDS = ["prompt", "stop_response"] as const;

/** What an example says: a call if the rule judges calls, else an event with a text. */
function eventOf(
  { on }: PlacedRule,
  item: unknown,
): { event: EventName; payload: Payload; stated: RuleExample["stated"] } {
  const isCall = !isObject(item) || "tool" in item;
  const event = on.find((name) => contractOf(name).matcher === isCall) ?? on[0] ?? "pre_tool_use";
  const { fields, matcher } = contractOf(event);
  if (isObject(item)) {
    const { tool, input = {}, ...stated } = item;
    return { event, payload: matcher ? { tool_name: tool, tool_input: input } : {}, stated };
  }
  if (matcher) return { event, payload: { tool_name: "shell", tool_input: { cmd: item } }, stated: {} };
  const field = TEXT_FIELDS.find((name) => (fields as readonly string[]).includes(name));
  return { event, payload: field === undefined ? {} : { [field]: item }, stated: { text: item } };
}

/** Says what is wrong with an example beside a rule, with its place; undefined if it holds. */
export async function exampleProblem(
  { document, steps, rules, item }: TestCase,
  { hits: shouldHit }: RuleExample,
  observed: Observed,
): Promise<string | undefined> {
  const [hit] = ruleHits(observed);
  if ((hit !== undefined) === shouldHit) return undefined;
  const facts = Object.entries(hit?.facts ?? {}).map(([name, value]) => `${name} ${value}`);
  const why = facts.length > 0 ? `: ${facts.join(", ")}` : "";
  const history = rules[0]?.history ?? {};
  const isFirst = history.after !== undefined || history.moreThan !== undefined;
  const never = isFirst ? " as the first call of its session" : "";
  const message = `${JSON.stringify(item?.value)} ${hit ? `hits${why}` : `does not hit${never}`}`;
  const [problem = message] = await renderProblems(document, [{ path: steps[0]?.path ?? [], message }]);
  return problem;
}
