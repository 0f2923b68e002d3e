import { isObject } from "../../lib/json.ts";
import { EVENT_NAMES, type EventName } from "../../protocol/events.ts";
import { matchesText } from "../evaluate/text-pattern.ts";
import { eventsTaking, RULE_EVENT_NAMES, RULE_EVENTS } from "../event-table.ts";
import { isPlaceholder, PLACEHOLDERS, splitMessage } from "../message-template.ts";
import {
  type Condition,
  RULE_VERDICTS,
  type Rule,
  type RuleHistory,
  type RulePath,
  type RuleVerdict,
} from "../rule.ts";
import { gitVerbNotice } from "./git-verbs.ts";
import { type ConditionOptions, readCondition } from "./read-condition.ts";
import { readExamples } from "./read-examples.ts";
import { readMoreThan, readPastEvents, readSameCall } from "./read-history.ts";
import type { TestOptions } from "./read-test.ts";
import { kindOf, listed, quoted, type Reading, unknownKey, unknownName } from "./reading.ts";

const KEYS = [
  ...RULE_VERDICTS,
  "when",
  "if",
  "after",
  "unless_after",
  "more_than",
  "on",
  "name",
  "agents",
  "mode",
  "examples",
];

/** What people write for a key of a rule. A text with a blank is advice. */
const OTHER_KEYS: Readonly<Record<string, string>> = {
  block: "deny",
  forbid: "deny",
  reject: "deny",
  refuse: "deny",
  confirm: "ask",
  approve: "allow",
  permit: "allow",
  warning: "warn",
  message: 'the message is the value of the verdict: deny: "Not this"',
  reason: 'the message is the value of the verdict: deny: "Not this"',
  action: 'the verdict is a key: deny: "Not this"',
  verdict: 'the verdict is a key: deny: "Not this"',
  decision: 'the verdict is a key: deny: "Not this"',
  matcher: "write when: {tool: NAME}",
  tool: "write when: {tool: NAME}",
  match: "when",
  condition: "when",
  conditions: "when",
  event: "on",
  events: "on",
  agent: "agents",
  tests: "examples",
  id: "name",
  title: "name",
  cel: "if",
  before: "unless_after",
  not_after: "unless_after",
  same_call: "it belongs into more_than or when",
  contain: "this version cannot contain calls: deny or ask them",
  with: "it belongs beside include",
  except: "it belongs beside include",
  include: "it stands alone: take the other keys away, or write a rule beside it",
};

const NAME = /^[A-Za-z0-9][A-Za-z0-9._-]*$/;

/** Reads one rule. Undefined if it has a mistake, which is reported. `given` is its name without a key `name`. */
export function readRule(
  value: unknown,
  path: RulePath,
  given: string,
  reading: Reading,
  options: TestOptions = {},
): Rule | undefined {
  if (!isObject(value)) {
    const message = `expected a rule, such as {deny: "Not this", when: {program: rm}}, but got ${kindOf(value)}`;
    reading.problems.push({ path, message });
    return undefined;
  }
  const before = reading.problems.length;
  for (const key of Object.keys(value)) {
    if (!KEYS.includes(key)) unknownKey(reading, path, key, unknownName("key", key, KEYS, OTHER_KEYS));
  }
  const verdict = readVerdict(value, path, reading);
  const on = readEvents(value, path, reading, verdict);
  const history: RuleHistory = {};
  const when = readWhen(value, path, reading, { ...options, on }, history);
  readHistory(value, path, reading, history);
  const name = readName(value, path, reading) ?? given;
  const agents = "agents" in value ? readAgents(value["agents"], [...path, "agents"], reading) : undefined;
  const observe = "mode" in value && readMode(value["mode"], [...path, "mode"], reading);
  const expression = readIf(value, path, reading);
  const hasCondition = ["when", "if", "after", "unless_after", "more_than"].some((key) => key in value);
  if (verdict && !hasCondition && !(verdict === "context" && on.every((event) => !RULE_EVENTS[event]?.call))) {
    reading.problems.push({ path, message: HOLDS_FOR_ALL });
  }
  if (verdict && "examples" in value) {
    readExamples(value["examples"], [...path, "examples"], reading, { verdict, on });
  }
  if (!verdict || reading.problems.length > before) return undefined;
  const notice = when && gitVerbNotice(when);
  if (notice !== undefined) reading.notices.push({ path: [...path, "when"], message: notice });
  if (observe) noticeObserved(`${name} only observes: its verdict is`, path, reading);
  return {
    name,
    verdict,
    message: String(value[verdict]),
    on,
    agents,
    observe,
    when,
    if: expression,
    history,
    examples: value["examples"],
    sets: reading.sets,
    path,
  };
}

const HOLDS_FOR_ALL = 'holds for every call: write when: {tool: "*"} if that is meant';

function readVerdict(value: Record<string, unknown>, path: RulePath, reading: Reading): RuleVerdict | undefined {
  const written = RULE_VERDICTS.filter((verdict) => verdict in value);
  const [verdict] = written;
  if (verdict === undefined) {
    const message = `the verdict is missing: ${listed(RULE_VERDICTS)} are the keys for it, with the message as value`;
    if (!("contain" in value)) reading.problems.push({ path, message });
    return undefined;
  }
  if (written.length > 1) {
    const inOrder = Object.keys(value).filter((key) => (written as string[]).includes(key));
    reading.problems.push({ path, message: `a rule has one verdict, but this has ${listed(inOrder)}` });
    return undefined;
  }
  return readMessage(value[verdict], [...path, verdict], reading) ? verdict : undefined;
}

function readMessage(message: unknown, path: RulePath, reading: Reading): boolean {
  if (typeof message !== "string" || message.trim() === "") {
    reading.problems.push({ path, message: `expected a message but got ${kindOf(message)}` });
    return false;
  }
  const parts = splitMessage(message);
  if (!parts) {
    reading.problems.push({ path, message: "a brace has no other one: write {{ or }} for a brace" });
    return false;
  }
  for (const part of parts) {
    if (typeof part === "string" || isPlaceholder(part.name)) continue;
    const unknown = unknownName("placeholder", part.name, PLACEHOLDERS, OTHER_PLACEHOLDERS);
    reading.problems.push({
      path,
      message: `${unknown}${part.name.includes(" ") ? " Write {{ and }} for braces" : ""}`,
    });
  }
  return true;
}

const OTHER_PLACEHOLDERS = {
  paths: "path",
  file: "path",
  reads: "path",
  writes: "path",
  hosts: "host",
  url: "host",
  sends: "host",
  cmd: "command",
  line: "command",
  rule: "name",
  flags: "command",
  args: "command",
};

/** The events of a rule; those that can be read if some cannot. */
function readEvents(
  value: Record<string, unknown>,
  path: RulePath,
  reading: Reading,
  verdict: RuleVerdict | undefined,
): EventName[] {
  const { on = "pre_tool_use" } = value;
  const isList = Array.isArray(on);
  if (isList && on.length === 0) {
    reading.problems.push({ path: [...path, "on"], message: "expected an event but got an empty list" });
  }
  const events = (isList ? (on as unknown[]) : [on]).flatMap((name, index) =>
    readEvent(name, isList ? [...path, "on", index] : [...path, "on"], reading),
  );
  for (const event of verdict ? events : []) {
    const { verdicts = [] } = RULE_EVENTS[event] ?? {};
    if (verdict === undefined || verdicts.includes(verdict)) continue;
    const message = `${event} takes ${listed(verdicts)}, not ${verdict}; ${verdict} is for ${listed(eventsTaking(verdict))}`;
    reading.problems.push({ path: "on" in value ? [...path, "on"] : [...path, verdict], message });
  }
  return [...new Set(events)];
}

function readEvent(name: unknown, path: RulePath, reading: Reading): EventName[] {
  if (RULE_EVENT_NAMES.some((event) => event === name)) return [name as EventName];
  const isKnown = EVENT_NAMES.some((event) => event === name);
  const message = isKnown
    ? `${name} takes no rules; the events that do are ${listed(RULE_EVENT_NAMES)}`
    : typeof name === "string"
      ? unknownName("event", name, RULE_EVENT_NAMES, OTHER_EVENTS)
      : `expected an event but got ${kindOf(name)}`;
  reading.problems.push({ path, message });
  return [];
}

const OTHER_EVENTS = { beforetool: "pre_tool_use", aftertool: "post_tool_use", prompt: "user_prompt_submit" };

function readWhen(
  value: Record<string, unknown>,
  path: RulePath,
  reading: Reading,
  options: ConditionOptions,
  history: RuleHistory,
): Condition | undefined {
  if (!("when" in value)) return undefined;
  const at = [...path, "when"];
  const { when } = value;
  if (isObject(when) && Object.keys(when).length === 0) {
    reading.problems.push({ path: at, message: HOLDS_FOR_ALL });
    return undefined;
  }
  if (!isObject(when) || !("same_call" in when)) return readCondition(when, at, reading, options);
  const { same_call, ...facts } = when;
  const moreThan = readSameCall(same_call, [...at, "same_call"], reading);
  if ("more_than" in value) {
    reading.problems.push({ path: [...at, "same_call"], at: "key", message: "more_than stands beside when already" });
  } else if (moreThan) history.moreThan = moreThan;
  return Object.keys(facts).length === 0 ? undefined : readCondition(facts, at, reading, options);
}

function readHistory(value: Record<string, unknown>, path: RulePath, reading: Reading, history: RuleHistory): void {
  const options = { on: [] };
  if ("after" in value) {
    const after = readPastEvents(value["after"], [...path, "after"], reading, options);
    if (after) history.after = after;
  }
  if ("unless_after" in value) {
    const events = readPastEvents(value["unless_after"], [...path, "unless_after"], reading, options);
    if (events) history.unlessAfter = events;
  }
  if ("more_than" in value) {
    const moreThan = readMoreThan(value["more_than"], [...path, "more_than"], reading);
    if (moreThan) history.moreThan = moreThan;
  }
}

function readName(value: Record<string, unknown>, path: RulePath, reading: Reading): string | undefined {
  if (!("name" in value)) return undefined;
  const { name } = value;
  if (typeof name === "string" && NAME.test(name)) return name;
  const message = `${quoted(name)} is no name: letters, digits, ".", "_" and "-", and a letter or digit first`;
  reading.problems.push({ path: [...path, "name"], message });
  return undefined;
}

/** Reads a list of patterns of agents. */
export function readAgents(value: unknown, path: RulePath, reading: Reading): string[] | undefined {
  const items: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (items.length === 0) reading.problems.push({ path, message: "expected an agent but got an empty list" });
  const before = reading.problems.length;
  for (const [index, item] of items.entries()) {
    const at = Array.isArray(value) ? [...path, index] : path;
    if (typeof item !== "string" || item.trim() === "") {
      reading.problems.push({ path: at, message: `expected an agent but got ${kindOf(item)}` });
    } else if (!reading.agents) {
      reading.notices.push({ path: at, message: `there is no agent file that has an agent ${quoted(item)}` });
    } else if (!reading.agents.some((agent) => matchesText(item, agent))) {
      reading.problems.push({ path: at, message: unknownName("agent", item, reading.agents) });
    }
  }
  return items.length > 0 && reading.problems.length === before ? (items as string[]) : undefined;
}

/** True for `observe`, the only mode. */
export function readMode(value: unknown, path: RulePath, reading: Reading): boolean {
  if (value === "observe") return true;
  const message =
    typeof value === "string"
      ? `unknown mode ${quoted(value)}: the only one is "observe"; without mode a rule decides`
      : `expected "observe" but got ${kindOf(value)}`;
  reading.problems.push({ path, message });
  return false;
}

/** Says that what has `mode: observe` decides nothing. */
export function noticeObserved(what: string, path: RulePath, reading: Reading): void {
  reading.notices.push({ path: [...path, "mode"], message: `${what} reported, not enforced` });
}

function readIf(value: Record<string, unknown>, path: RulePath, reading: Reading): string | undefined {
  if (!("if" in value)) return undefined;
  const { if: expression } = value;
  if (typeof expression === "string" && expression.trim() !== "") return expression;
  const message = `expected a CEL expression but got ${kindOf(expression)}`;
  reading.problems.push({ path: [...path, "if"], message });
  return undefined;
}
