import type { EventFacts, Step } from "../facts/facts.ts";
import { once } from "../lib/once.ts";
import { withoutControls } from "../lib/text/escape-controls.ts";
import { redactorOf } from "../redaction/redaction-settings.ts";
import type { HeldTest } from "./evaluate/explain.ts";
import type { At } from "./evaluate/fact-values.ts";
import { shownValue, valuesOf } from "./evaluate/fact-values.ts";
import { FACT_TABLE } from "./fact-table.ts";
import type { MessagePart, Placeholder } from "./message-template.ts";
import type { FactName, RuleVerdict } from "./rule.ts";

/** The most characters of a value in a message. */
const MAX_VALUE = 200;

const redact = once(() => redactorOf([]).redact);

/** A value for a message: on one line, without secrets, and not too long. */
export function shortValue(text: string): string {
  const clean = withoutControls(redact()(text));
  const characters = [...clean.slice(0, 2 * MAX_VALUE + 2)];
  return characters.length <= MAX_VALUE ? clean : `${characters.slice(0, MAX_VALUE).join("")}...`;
}

/** What a rule that hit has found. */
export interface Finding {
  name: string;
  at: At;
  held: readonly HeldTest[];
  /** Parts of the message beyond the facts: what the past says, or what failed. */
  says: readonly string[];
  count: number | undefined;
}

const NONE = "(none)";

/** The facts that give a placeholder its value, the ones that say most first. */
const SOURCES_OF: Partial<Record<Placeholder, readonly FactName[]>> = {
  path: ["writes", "reads", "paths"],
  host: ["sends", "hosts"],
  tool: ["tool"],
  class: ["class"],
  effect: ["effect"],
  program: ["program"],
  verb: ["verb"],
  ref: ["ref"],
  target: ["target"],
  branch: ["branch"],
  agent: ["agent"],
};

/** The message as it is written, with the values of its placeholders. */
export function fillMessage(parts: readonly MessagePart[], finding: Finding): string {
  return parts
    .map((part) => (typeof part === "string" ? part : shortValue(placeholderValue(part.name as Placeholder, finding))))
    .join("");
}

function placeholderValue(name: Placeholder, { name: rule, at, held, count }: Finding): string {
  if (name === "name") return rule;
  if (name === "count") return count === undefined ? NONE : String(count);
  if (name === "command") return at.step?.command ?? NONE;
  const facts = SOURCES_OF[name] ?? [];
  const hit = held.find(({ fact, shown }) => facts.includes(fact) && shown !== undefined)?.shown;
  if (hit !== undefined) return hit;
  for (const fact of facts) {
    const [first] = valuesOf(fact, undefined, at).values;
    if (first) return shownValue(first);
  }
  return NONE;
}

/** What stands behind the message: the rule, its place, and what made it hit. */
export function suffixOf(source: string, { name, at, held, says }: Finding): string {
  const tests = held.map(describe).join(", ");
  const command = at.step?.command;
  const quoted = command && isCommand(at.facts) ? `in "${shortValue(command)}"` : "";
  const found = [[tests, quoted].filter(Boolean).join(" "), ...says.map(shortValue)].filter(Boolean).join(", ");
  const hint = at.step && held.some(isUnsure) ? hintOf(at.step) : "";
  return `[${name} at ${source}${found ? `: ${found}` : ""}${hint}]`;
}

function isCommand({ call }: EventFacts): boolean {
  return call?.class === "runs-commands" && call.readable;
}

function describe({ label, sure, value }: HeldTest): string {
  if (value === undefined) return sure ? `no ${label}` : `possibly no ${label}`;
  return `${label}${sure ? "" : " possibly"} ${shortValue(value)}`;
}

function isUnsure({ fact, sure }: HeldTest): boolean {
  return !sure && FACT_TABLE[fact].of === "step";
}

/** How to make certain what an unquoted word leaves open. */
function hintOf({ unquoted }: Step): string {
  const [word] = unquoted;
  return word === undefined ? "" : `; quote "${shortValue(word.replace(/^"(.*)"$/s, "$1"))}" if it is one argument`;
}

/** The facts of a hit for people and programs that look into it: of a fact that held twice the first value. */
export function factsOfHit(held: readonly HeldTest[]): Record<string, string> {
  const facts: Record<string, string> = {};
  for (const { label, value } of held) facts[label] ??= value === undefined ? NONE : shortValue(value);
  return facts;
}

/** What a verdict would have done. */
export const WOULD_HAVE: Readonly<Record<RuleVerdict, string>> = {
  stop: "stopped",
  deny: "denied",
  ask: "asked",
  allow: "allowed",
  warn: "warned",
  context: "told the model",
};
