import { print } from "../../cli/print.ts";
import type { HookEntry } from "../../config/hooks/read-hooks.ts";
import { parseDocument, renderProblems } from "../../config/yaml/document.ts";
import { newRegistry } from "../../engine/registry.ts";
import type { Place } from "../../facts/place.ts";
import { describeHook } from "../../hooks/describe-hook.ts";
import { UsageError } from "../../lib/errors.ts";
import type { Witness } from "../../rules/prove/call.ts";
import { judgeAt } from "../../rules/prove/judge-call.ts";
import { proofTables } from "../../rules/prove/proof-tables.ts";
import { type Answer, neverPasses, type Prover } from "../../rules/prove/prove.ts";
import { sampleCalls } from "../../rules/prove/sample-calls.ts";
import { readQuestion } from "../../rules/read/read-rules.ts";
import type { Condition, OwnSets } from "../../rules/rule.ts";
import { loadRulesFor, onlyAgent } from "./load-rules.ts";
import type { RulesInput } from "./rules-input.ts";
import { folded } from "./rules-text.ts";

const EXIT = { proved: 0, refuted: 2, undecided: 3 } as const;

/** `hooksh rules prove`: whether no call with some facts passes all rules. */
export async function proveRules(input: RulesInput, words: readonly string[]): Promise<number> {
  const { flags } = input;
  const given = flags["never-passes"];
  if (given === undefined)
    throw new UsageError("rules prove needs --never-passes WHEN, such as '{ effect: git-history }'");
  const sets = { paths: {}, hosts: {} };
  const condition = await questionOf(given, sets);
  const { rules, entries, place } = await loadRulesFor(input, onlyAgent("prove", words));
  const hooks = await hooksOn(entries);
  const answer = await neverPasses(
    condition,
    rules,
    { asksPass: flags["ask-passes"] ?? false, hooks, sets },
    proverAt(place),
  );
  await print(flags.json ? JSON.stringify(answer, undefined, 2) : rendered(answer));
  return EXIT[answer.answer];
}

/** What answers questions in a place. */
export function proverAt(place: Place): Prover {
  return { tables: proofTables(), samples: sampleCalls(), judge: judgeAt(place), place };
}

async function questionOf(text: string, sets: OwnSets): Promise<Condition> {
  const document = await parseDocument(text, "--never-passes");
  const { condition, problems } = readQuestion(document.value, [], sets);
  if (problems.length > 0) throw new UsageError((await renderProblems(document, problems)).join("\n"));
  if (!condition) throw new UsageError("--never-passes has no condition");
  return condition;
}

/** The hooks that may stop a call, by their names. */
async function hooksOn(entries: readonly HookEntry[]): Promise<string[]> {
  const registry = newRegistry();
  const described = entries
    .filter(({ event }) => event === "pre_tool_use")
    .map((entry) => describeHook(entry, registry));
  return (await Promise.all(described)).map(({ name }) => name);
}

function rendered({ answer, witness, undecided }: Answer): string {
  switch (answer) {
    case "proved":
      return "proved: no such call passes the rules";
    case "refuted":
      return `refuted: this call passes the rules\n${witness ? shownWitness(witness) : ""}`;
    case "undecided":
      return `undecided: it depends on\n${undecided.map(folded).join("\n")}`;
  }
}

/** A call for people. */
export function shownWitness({ tool, input, facts, after }: Witness): string {
  const { cmd } = input;
  const call = tool === "shell" && typeof cmd === "string" ? cmd : `${tool} ${JSON.stringify(input)}`;
  const notes = Object.entries(facts ?? {}).map(([name, value]) => `${name} ${value}`);
  const past = after === undefined ? [] : [`after ${after}`];
  return folded([call, ...[...notes, ...past].map((note) => `(${note})`)].join(" "));
}
