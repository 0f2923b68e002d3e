import { writeFileSync } from "node:fs";
import { isMap, Document as YamlDocument } from "yaml";
import { directoriesOf } from "../../cli/global-flags.ts";
import { print } from "../../cli/print.ts";
import { timeFlag } from "../../cli/time-flag.ts";
import type { EventFacts, Step } from "../../facts/facts.ts";
import { type Place, placeOf } from "../../facts/place.ts";
import { pathTest } from "../../facts/sets/path-test.ts";
import { processEnv } from "../../lib/env.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { counted } from "../../lib/text/counted.ts";
import { redactText } from "../../redaction/redact.ts";
import { type CompiledRules, compileRules } from "../../rules/compile.ts";
import { judgeRules } from "../../rules/judge.ts";
import { factsOfCall } from "../../rules/prove/judge-call.ts";
import { readRules } from "../../rules/read/read-rules.ts";
import { conditionOf, ENOUGH, kindOf, type Proposal, proposalOf, proposedStep } from "../../rules/suggest.ts";
import { ATTACKS } from "../../testing/attacks/run-attacks.ts";
import { type AskedLines, askedLines } from "./approved-calls.ts";
import { loadRulesFor, onlyAgent } from "./load-rules.ts";
import type { RulesInput } from "./rules-input.ts";

/** `hooksh rules suggest`: rules for what was approved again and again. */
export async function suggestRules(input: RulesInput, words: readonly string[]): Promise<number> {
  const { flags } = input;
  const { place } = await loadRulesFor(input, onlyAgent("suggest", words));
  const since = timeFlag("since", flags.since ?? "30d", Date.now());
  const asked = askedLines(directoriesOf(flags).data, since);
  const proposals = await proposalsFor(asked.lines, place);
  const rules = await Promise.all(proposals.map((proposal) => ruleOf(proposal, place)));
  if (flags.json) {
    const { approvals, withoutCall } = asked;
    await print(JSON.stringify({ approvals, without_call: withoutCall, rules }, undefined, 2));
  } else if (rules.length === 0) await print(nothing(asked));
  else if (flags.write === undefined) await print(yamlOf(rules).trimEnd());
  else {
    writeRules(flags.write, yamlOf(rules));
    await print(`${flags.write}: ${counted(rules.length, "rule")}`);
  }
  return EXIT_CODES.ok;
}

/** Says why there is nothing to suggest, and what to set if the log does not hold the calls. */
function nothing({ lines, approvals, withoutCall }: AskedLines): string {
  const isOften = lines.some(({ answers }) => answers.filter(Boolean).length >= ENOUGH);
  const none = isOften ? "none of a command that may run unasked" : `none ${ENOUGH} times`;
  const text = `nothing to suggest: ${counted(approvals, "approval")}, ${none}`;
  if (withoutCall === 0) return text;
  return `${text}\nthe audit log does not hold ${withoutCall} of the calls: with settings.audit: { payload: redacted }\nin config.yaml it keeps them from now on`;
}

function writeRules(file: string, text: string): void {
  try {
    writeFileSync(file, text, { flag: "wx" });
  } catch (error) {
    if (isObject(error) && error["code"] === "EEXIST") throw new UsageError(`${file} exists: name another file`);
    throw new UserError(`cannot write ${file}: ${errorText(error)}`);
  }
}

async function proposalsFor(lines: AskedLines["lines"], here: Place): Promise<Proposal[]> {
  const kinds = new Map<string, { line: string; step: Step; place: Place }[]>();
  const denied = new Set<string>();
  for (const { line, cwd, answers } of lines) {
    const place = cwd === undefined || cwd === here.cwd ? here : placeOf({ cwd, env: processEnv() });
    const step = proposedStep(factsOfLine(line, place), (set, one) => isWithin(set, one, place));
    if (!step) continue;
    const kind = kindOf(step);
    if (answers.includes(false)) denied.add(kind);
    kinds.set(kind, [...(kinds.get(kind) ?? []), ...answers.map(() => ({ line, step, place }))]);
  }
  const found: Proposal[] = [];
  for (const [kind, approved] of kinds) {
    const places = new Map(approved.map(({ step, place }) => [step, place]));
    const isIn = (set: string, step: Step) => isWithin(set, step, places.get(step) ?? here);
    const proposal = denied.has(kind) ? undefined : proposalOf(approved, isIn);
    if (proposal && !(await allowsAttack(compiled(proposal), here))) found.push(proposal);
  }
  return found;
}

function factsOfLine(cmd: string, place: Place): EventFacts {
  return factsOfCall({ tool: "shell", input: { cmd } }, place);
}

/** True if all paths of a step are in a set; of sensitive sets, if one may be. */
function isWithin(set: string, { paths }: Step, place: Place): boolean {
  const test = pathTest([set], { own: { paths: {} }, place });
  if (set === "project") return paths.every((path) => path.sure && test(path, "both") === "all");
  return paths.some((path) => test(path, "either") !== "none");
}

function compiled(proposal: Proposal): CompiledRules {
  const sets = { paths: {}, hosts: {} };
  const { rules } = readRules([{ allow: "approved", when: conditionOf(proposal) }], ["rules"], { sets });
  return compileRules(rules.map((rule) => ({ ...rule, source: async () => "" })));
}

/** True if a proposal would let an attack run that is shipped to test guards. */
async function allowsAttack(rules: CompiledRules, place: Place): Promise<boolean> {
  for (const { tool, input } of Object.values(ATTACKS).flat()) {
    const { decision } = await judgeRules(rules, factsOfCall({ tool, input }, place), { place });
    if (decision === "allow") return true;
  }
  return false;
}

/** The rule of a proposal, as it is written. Its examples hold where they are checked: in the project of the user. */
async function ruleOf(proposal: Proposal, place: Place): Promise<Record<string, unknown>> {
  const rules = compiled(proposal);
  const isAllowed = async (line: string) =>
    (await judgeRules(rules, factsOfLine(line, place), { place })).decision === "allow";
  const [allow, pass]: [string[], string[]] = [[], []];
  for (const line of proposal.lines.map((each) => redactText(each))) if (await isAllowed(line)) allow.push(line);
  for (const line of passing(proposal)) if (!(await isAllowed(line))) pass.push(line);
  return {
    allow: `Approved ${proposal.count} times`,
    when: conditionOf(proposal),
    examples: { ...(allow.length > 0 ? { allow } : {}), pass },
  };
}

/** Calls that such a rule should not cover. */
function passing({ program, verb, lines: [line = program] }: Proposal): string[] {
  const command = verb === undefined ? program : `${program} ${verb}`;
  return [`sudo ${command}`, `${line} --no-such-flag`, `${line} && rm -rf .`];
}

function yamlOf(rules: readonly Record<string, unknown>[]): string {
  const document = new YamlDocument({ rules });
  for (const index of rules.keys()) {
    const when = document.getIn(["rules", index, "when"]);
    if (isMap(when)) when.flow = true;
  }
  return document.toString({ lineWidth: 80 });
}
