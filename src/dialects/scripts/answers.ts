import type { Help } from "../../lib/errors.ts";
import { canonicalJson, isObject } from "../../lib/json.ts";
import { contractOf, type EventName } from "../../protocol/events.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import { toOwnPatch } from "../tools.ts";
import { firstAt, resultText, valueAt } from "../values.ts";
import { type Asked, type Reading, refusal, type Said, spoken } from "./fit-answer.ts";
import type { AnswerRules, ScriptEnd } from "./script.ts";
import { decidingWords, nestedPart, reasonIn } from "./words.ts";

export const ANSWER_OF_ANOTHER_AGENT: Help = {
  cause: "The script was written for another agent, or its answer is not one of that agent.",
  cure: "Set `dialect: NAME` on the hook, or answer in the form of [hooks](hooks.md).",
};

/** What a script printed, parsed. */
export type Printed =
  | { kind: "nothing" }
  | { kind: "object"; value: Record<string, unknown>; text: string }
  /** `error`: why text that starts like a JSON object is not valid. */
  | { kind: "broken"; text: string; error: string }
  /** `doubt`: the part that may be intended as an answer. */
  | { kind: "text"; text: string; doubt?: string };

/** Reads the answer of a script by the rules of its host. Pure. Never throws. In doubt the answer is a failure. */
export function readScript(
  rules: AnswerRules,
  asked: Asked,
  end: ScriptEnd,
  parse: (text: string) => Printed,
): Reading {
  const printed = parse(rules.pick?.(end) ?? end.stdout);
  const said = printed.kind === "object" ? readObject(rules, asked, printed.value) : undefined;
  const isContext = rules.keys.length === 0 && rules.context?.includes(asked.event);
  if (isRefusal(rules, end.exitCode)) return refusal(asked, said?.block ?? stderrReason(end.stderr, parse));
  if (said?.block !== undefined) return spoken(asked, said);
  if (end.exitCode !== 0) {
    const counts = said && said.problems.length === 0 && (said.ask !== undefined || (rules.anyCode && said.decides));
    if (said && counts) return spoken(asked, said);
    // In hooksh that code refuses instead.
    return end.exitCode === 2 ? { kind: "failed", error: "exited with status 2" } : { kind: "as_is" };
  }
  if (printed.kind === "object" && isContext) return contextReading(asked, printed.text);
  if (said) return said.problems[0] === undefined ? spoken(asked, said) : { kind: "failed", error: said.problems[0] };
  return readText(rules, asked, printed);
}

function isRefusal({ refusals = [2] }: AnswerRules, exitCode: number): boolean {
  return refusals.includes(exitCode);
}

/** The reason on standard error, which may be an answer in JSON itself. */
function stderrReason(stderr: string, parse: (text: string) => Printed): string {
  const printed = parse(stderr);
  return (printed.kind === "object" ? reasonIn(printed.value) : "") || stderr.trim();
}

function readText({ context = [], text = "ignored" }: AnswerRules, asked: Asked, printed: Printed): Reading {
  if (printed.kind === "nothing") return { kind: "silent" };
  if (context.includes(asked.event) && printed.kind === "text" && printed.doubt === undefined)
    return contextReading(asked, printed.text);
  if (text === "refuses" && contractOf(asked.event).failClosed)
    return { kind: "failed", error: `${asked.dialect} takes text on standard output as a failure here` };
  // Output that looks like an answer but is not valid must not count as silence.
  const isDoubtful = printed.kind === "broken" || (printed.kind === "text" && printed.doubt !== undefined);
  return isDoubtful ? { kind: "as_is" } : { kind: "silent" };
}

readText.help = ANSWER_OF_ANOTHER_AGENT;

function contextReading(asked: Asked, context: string): Reading {
  if (asked.isStrict) return { kind: "failed", error: "strict_output requires a JSON object or empty stdout" };
  return spoken(asked, { context, decides: false, problems: [] });
}

const STOPS: readonly EventName[] = ["stop", "subagent_stop", "stop_guard"];

function readObject(rules: AnswerRules, asked: Asked, value: Payload): Said {
  const words = decidingWords(value, rules);
  const isStop = STOPS.includes(asked.event);
  const ends = !isStop && value["continue"] === false;
  const said: Said = { decides: words.no || words.ask || words.yes || words.goesOn, problems: [] };
  const keepsGoing = isStop && rules.keepsGoing?.some((path) => isSaid(valueAt(value, path), path));
  if (words.no || ends || keepsGoing) said.block = reasonIn(value);
  if (ends && !words.no) said.ends = true;
  if (words.ask) said.ask = reasonIn(value);
  said.problems.push(...problemsOf(rules, asked, value, words.unknown));
  readExtras(rules, asked, value, said);
  if (words.yes) readAllow(rules, asked, said, reasonIn(value));
  return said;
}

/** `decision` says `continue`; any other key holds the text for the model. */
function isSaid(value: unknown, path: string): boolean {
  return path === "decision" ? value === "continue" : typeof value === "string" && value !== "";
}

function problemsOf(
  { keys, namesEvent, emptyRefuses }: AnswerRules,
  { dialect, event, hostEvent, isStrict }: Asked,
  value: Payload,
  unknownWord: string | undefined,
): string[] {
  const invalid = `invalid answer for dialect ${dialect}:`;
  const given = Object.keys(value);
  const unknown = given.filter((key) => !keys.includes(key));
  const problems: string[] = [];
  if (given.length === 0 && emptyRefuses && contractOf(event).failClosed)
    problems.push(`${invalid} {} is no decision there; print nothing`);
  if (unknown.length > 0 && (isStrict || unknown.length === given.length)) {
    const known = keys.length === 0 ? "it takes no JSON, only exit codes" : `it has ${keys.join(", ")}`;
    problems.push(`${invalid} unknown key ${JSON.stringify(unknown[0])}: ${known}`);
  }
  if (unknownWord !== undefined && !(unknownWord === "continue" && STOPS.includes(event)))
    problems.push(`${invalid} unknown decision ${JSON.stringify(unknownWord)}`);
  const nested = nestedPart(value);
  const named = nested["hookEventName"] ?? nested["hook_event_name"];
  const isNamed = named === hostEvent || (named === undefined && (!namesEvent || Object.keys(nested).length === 0));
  if (!isNamed)
    problems.push(
      `${invalid} hookEventName must be ${JSON.stringify(hostEvent)} and is ${JSON.stringify(named ?? null)}`,
    );
  return problems;
}

problemsOf.help = ANSWER_OF_ANOTHER_AGENT;

function readExtras(rules: AnswerRules, asked: Asked, value: Payload, said: Said): void {
  const invalid = `invalid answer for dialect ${asked.dialect}:`;
  const text = (paths: readonly string[] = []): string | undefined => {
    const found = firstAt(value, paths);
    if (found === undefined || typeof found === "string") return found;
    said.problems.push(`${invalid} ${paths[0]} must be a text`);
    return undefined;
  };
  const context = rules.contextOf?.(value) ?? text(rules.contexts);
  if (context !== undefined) said.context = context;
  const notice = text(rules.notices);
  if (notice !== undefined && notice !== said.block) said.notice = notice;
  const replaced = firstAt(value, rules.results ?? []);
  if (replaced !== undefined) said.replace = resultText(replaced) ?? "";
  const patch = firstAt(value, rules.rewrites ?? []);
  if (patch === undefined) return;
  if (!isObject(patch)) said.problems.push(`${invalid} ${rules.rewrites?.[0]} must be an object`);
  else readPatch(asked, patch, said);
}

readExtras.help = ANSWER_OF_ANOTHER_AGENT;

/** The changed fields of the input, in hooksh's names. */
function readPatch({ tool }: Asked, given: Payload, said: Said): void {
  const before = tool?.hostInput ?? {};
  const inner = tool?.server && isObject(given["Arguments"]) ? given["Arguments"] : given;
  const changed = Object.entries(inner).filter(([key, value]) => canonicalJson(value) !== canonicalJson(before[key]));
  if (changed.length === 0) return;
  const patch = tool
    ? toOwnPatch({ ...tool, id: undefined, original: before, input: before, names: [] }, Object.fromEntries(changed))
    : inner;
  if (typeof patch === "string") said.problems.push(patch);
  else said.patch = patch;
}

function readAllow(
  { allow = "grants" }: AnswerRules,
  { dialect, event, isOwnHost }: Asked,
  said: Said,
  reason: string,
): void {
  if (event === "permission_request") {
    // An approval of the changed call does not approve the original call.
    if (said.patch)
      said.problems.push("updatedInput has no effect on permission_request: hooksh approves the call as it is");
    else said.allow = reason;
  } else if (allow === "with_rewrite") {
    if (!said.patch && contractOf(event).verdict)
      said.problems.push(
        `invalid answer for dialect ${dialect}: it refuses an allow without updatedInput; print nothing`,
      );
  } else if (allow === "grants" || isOwnHost) said.allow = reason;
}

readAllow.help = ANSWER_OF_ANOTHER_AGENT;
