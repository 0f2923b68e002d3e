import { quoteWord } from "../../shell/quote-word.ts";
import type { Rule } from "../rule.ts";
import type { Witness } from "./call.ts";
import { type FindWord, UNKNOWN_VALUE } from "./fact-values.ts";
import type { Formula } from "./formula.ts";
import { both, either, type Language, not, whole } from "./language.ts";
import type { Model } from "./model.ts";
import { ALL_PATHS, HOME, PROJECT } from "./path-language.ts";
import { HOSTS, PATHS } from "./rule-formula.ts";
import { atomsOf } from "./search.ts";

/** Calls to begin with. */
export interface SampleCalls {
  /** Command lines: one at least for each row of the table of programs. */
  lines: readonly string[];
  /** The plainest of them, which are tried first. */
  plain: readonly string[];
  /** Calls of tools that run no command, by what they are given. */
  calls(words: { paths: readonly string[]; hosts: readonly string[] }): readonly Witness[];
  /** What shows the earlier call that lifts a rule. */
  pastOf(rule: Rule): readonly string[];
}

/** Bounds the work of one question. */
const MAX_CALLS = 4000;
const MAX_WORDS = 4;

/** Facts of the event that a witness can state. */
const STATED = ["branch", "agent", "source"] as const;

/**
 * Returns calls to try, the shortest first: the samples, the samples with words that a question asks for or that its model
 * has, and commands that are made of these words alone.
 */
export function callsFor(asked: Formula, model: Model | undefined, find: FindWord, samples: SampleCalls): Witness[] {
  const words = wordsOf(asked, model, find);
  const plain = new Set(samples.plain);
  const lines = new Set(samples.lines);
  for (const line of madeLines(words)) lines.add(line);
  for (const line of linesToChange(words, samples)) for (const changed of changedLines(line, words)) lines.add(changed);
  const calls: Witness[] = [...lines].map((cmd) => ({ tool: "shell", input: { cmd } }));
  const paths = [...words.of("paths"), "x"];
  calls.push(...samples.calls({ paths, hosts: [...words.of("hosts"), "x.org"] }));
  const facts = statedFacts(model);
  const all = calls.flatMap((call) => withInputs(withTool(call, model), words));
  return all
    .map((call) => (facts ? { ...call, facts } : call))
    .map((call) => ({ call, text: textOf(call) }))
    .map((one) => ({ ...one, rank: plain.has(one.text) ? 0 : 1 }))
    .sort((a, b) => a.rank - b.rank || a.text.length - b.text.length || (a.text < b.text ? -1 : 1))
    .slice(0, MAX_CALLS)
    .map(({ call }) => call);
}

/** The samples in which other words are tried: the plainest, and those of the programs that are named. */
function linesToChange(words: Words, { lines, plain }: SampleCalls): Set<string> {
  const programs = new Set(words.of("program"));
  return new Set([...plain, ...lines.filter((line) => programs.has(line.split(" ", 1)[0] ?? ""))]);
}

function textOf({ tool, input }: Witness): string {
  return tool === "shell" && typeof input["cmd"] === "string" ? input["cmd"] : `${tool} ${JSON.stringify(input)}`;
}

interface Words {
  /** Words for a fact: those of the model, those that the question asks for, and one that it does not ask for. */
  of(fact: string): readonly string[];
  facts: readonly string[];
}

function wordsOf(asked: Formula, model: Model | undefined, find: FindWord): Words {
  const byFact = new Map<string, Set<string>>();
  const languages = new Map<string, Language[]>();
  for (const atom of atomsOf(asked)) {
    if (atom.kind === "free" || atom.kind === "number") continue;
    languages.set(atom.fact, [...(languages.get(atom.fact) ?? []), atom.language]);
  }
  const add = (fact: string, word: string | undefined) => {
    if (word === undefined || word === "" || word === UNKNOWN_VALUE) return;
    const name = PATHS.includes(fact) ? "paths" : HOSTS.includes(fact) ? "hosts" : fact;
    byFact.set(name, (byFact.get(name) ?? new Set()).add(PATHS.includes(fact) ? shownPath(word) : word));
  };
  for (const [fact, texts] of model?.values ?? []) for (const text of texts) add(fact, text);
  for (const [fact, of] of languages) {
    const universe = PATHS.includes(fact) ? whole(ALL_PATHS) : whole("(?s:.+)");
    for (const language of of.slice(0, MAX_WORDS)) add(fact, find(both([language, universe])));
    add(fact, find(both([not(either(of)), universe])));
  }
  return { of: (fact) => [...(byFact.get(fact) ?? [])], facts: [...byFact.keys()] };
}

/** A path of a proof as a command line names it. */
function shownPath(path: string): string {
  if (path === PROJECT) return ".";
  if (path.startsWith(`${PROJECT}/`)) return path.slice(2);
  return path.replace(HOME, "~");
}

/** The facts whose values can stand among the words of a command. */
const OPERANDS = ["args", "ref", "target", "paths", "hosts"] as const;

function operandsOf(words: Words): string[] {
  return OPERANDS.flatMap((fact) => words.of(fact).map(quoted));
}

function quoted(word: string): string {
  return word.startsWith("~/") && /^[\w~/.-]+$/.test(word) ? word : quoteWord(word);
}

function madeLines(words: Words): string[] {
  const programs = words.of("program").map(quoted);
  const verbs = ["", ...words.of("verb").map((verb) => ` ${verb}`)];
  const flags = ["", ...words.of("flags").map((flag) => ` ${quoted(flag)}`)];
  const operands = ["", ...operandsOf(words).map((word) => ` ${word}`)];
  const assigns = ["", ...words.of("env").map((name) => `${name}=x `)];
  const lines = [...words.of("command")];
  for (const program of [...programs, "x"])
    for (const verb of verbs)
      for (const flag of flags)
        for (const operand of operands)
          for (const assign of assigns) lines.push(`${assign}${program}${verb}${flag}${operand}`);
  for (const path of words.of("paths").map(quoted)) lines.push(`> ${path}`, `cat ${path}`, `rm ${path}`, `ls ${path}`);
  for (const host of words.of("hosts").map(quoted)) lines.push(`curl ${host}`, `curl -d x ${host}`);
  return lines;
}

/** A sample with a word replaced or added. Samples are plain words, so that blanks split them. */
function changedLines(line: string, words: Words): string[] {
  const parts = line.split(" ");
  const changed: string[] = [];
  const operands = operandsOf(words);
  for (const [at, part] of parts.entries()) {
    if (at === 0 || /^-|["'$|<>&;]/.test(part)) continue;
    for (const word of operands) changed.push(parts.with(at, word).join(" "));
  }
  for (const word of operands) changed.push(`${line} ${word}`);
  for (const flag of words.of("flags")) changed.push([parts[0], ...parts.slice(1), quoted(flag)].join(" "));
  for (const name of words.of("env")) changed.push(`${name}=x ${line}`);
  return changed;
}

/** The call as the tool that a question asks for. */
function withTool(call: Witness, model: Model | undefined): Witness {
  const [tool] = model?.class === "runs-commands" && call.tool === "shell" ? model.tools : [];
  return tool === undefined ? call : { ...call, tool };
}

function withInputs(call: Witness, words: Words): Witness[] {
  const keys = words.facts.filter((fact) => fact.startsWith("input."));
  if (keys.length === 0) return [call];
  const calls = [call];
  for (const key of keys)
    for (const word of words.of(key))
      calls.push(
        ...calls.map(({ input, ...rest }) => ({ ...rest, input: withField(input, key.split(".").slice(1), word) })),
      );
  return calls.slice(0, 16);
}

function withField(
  input: Readonly<Record<string, unknown>>,
  [key = "", ...rest]: readonly string[],
  word: string,
): Record<string, unknown> {
  if (rest.length === 0) return { ...input, [key]: word };
  const inner = input[key];
  const fields = typeof inner === "object" && inner !== null ? (inner as Record<string, unknown>) : {};
  return { ...input, [key]: withField(fields, rest, word) };
}

function statedFacts(model: Model | undefined): Witness["facts"] | undefined {
  if (!model) return undefined;
  const facts: Record<string, string | number | boolean> = {};
  for (const fact of STATED) {
    const [value] = model.values.get(fact) ?? [];
    if (value !== undefined) facts[fact] = value;
  }
  for (const [fact, value] of model.numbers) facts[fact] = value;
  const dirty = model.free.get("dirty");
  if (dirty !== undefined) facts["dirty"] = dirty;
  return Object.keys(facts).length > 0 ? facts : undefined;
}
