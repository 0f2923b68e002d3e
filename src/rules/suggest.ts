import type { EventFacts, Step } from "../facts/facts.ts";
import { HOLE } from "../shell/steps/invocation.ts";

/** A rule that would answer what was approved again and again. */
export interface Proposal {
  program: string;
  verb: string | undefined;
  /** All flags that were used; none if there were none. */
  flags: readonly string[];
  effects: readonly string[];
  /** The hosts that they connected to. */
  hosts: readonly string[];
  /** Whether all paths were in the project: of every command, or of those that have any. */
  inProject: "every" | "any" | undefined;
  lines: readonly string[];
  count: number;
}

/** How often the same must have been approved. */
export const ENOUGH = 5;
const MAX_EXAMPLES = 5;

/** Effects that always need approval. */
const NEVER: ReadonlySet<string> = new Set(
  "git-history git-discard fs-delete block-device remote-code hidden-code privilege bypass persistence reveals publish database kubernetes cloud infrastructure sends remote-delete".split(
    " ",
  ),
);

/** Programs that run what they are told, of which a rule says nothing. */
const RUNNERS =
  /^(?:sh|bash|zsh|dash|ksh|fish|csh|tcsh|pwsh|powershell|cmd|env|command|exec|nohup|nice|time|timeout|xargs|stdbuf|setsid|ionice|chrt|taskset|sudo|doas|su|pkexec|busybox|npx|bunx|uvx|pipx|mise|direnv|nix|eval|source|\.|ssh|watch|parallel)$/;

/** True if a call runs one plain command about which a rule may be proposed. `isIn`: whether a path is in a set. */
export function proposedStep(facts: EventFacts, isIn: (set: string, step: Step) => boolean): Step | undefined {
  const { call } = facts;
  if (!call?.readable || !call.exact || call.class !== "runs-commands") return undefined;
  const steps = call.steps.filter(({ allowOnly }) => !allowOnly);
  const [step] = steps;
  if (!step || call.steps.length > 1 || step.cover !== "rule" || step.assigns.length > 0 || step.opaque)
    return undefined;
  const [program] = step.program;
  if (!program?.sure || program.text.includes(HOLE) || RUNNERS.test(program.text) || !isCertain(step)) return undefined;
  if (step.effect.values.some(({ text }) => NEVER.has(text))) return undefined;
  return isIn("credentials", step) || isIn("guards", step) ? undefined : step;
}

function isCertain({ flags, args, effect, verb, hosts }: Step): boolean {
  const isSure = ({ text, sure }: { text: string; sure: boolean }) => sure && !text.includes(HOLE);
  return (
    [flags, args, effect].every(({ open, values }) => !open && values.every(isSure)) &&
    verb.every(isSure) &&
    hosts.every(({ host, sure }) => isSure({ text: host, sure }))
  );
}

/** What has to be the same for approvals to count together. */
export function kindOf({ program, verb, effect }: Step): string {
  const effects = effect.values.map(({ text }) => text).sort();
  return JSON.stringify([program[0]?.text, verb[0]?.text ?? null, effects]);
}

/** Returns the proposal for steps of one kind. */
export function proposalOf(
  approved: readonly { line: string; step: Step }[],
  isIn: (set: string, step: Step) => boolean,
): Proposal | undefined {
  const [first] = approved;
  const program = first?.step.program[0]?.text;
  if (!first || program === undefined || approved.length < ENOUGH) return undefined;
  const texts = (of: (step: Step) => readonly string[]) =>
    [...new Set(approved.flatMap(({ step }) => of(step)))].sort();
  const touching = approved.filter(({ step }) => step.paths.length > 0);
  const isInside = touching.every(({ step }) => isIn("project", step));
  return {
    program,
    verb: first.step.verb[0]?.text,
    flags: texts(({ flags }) => flags.values.map(({ text }) => text)),
    effects: texts(({ effect }) => effect.values.map(({ text }) => text)),
    hosts: texts(({ hosts }) => hosts.map(({ host, port }) => (port === undefined ? host : `${host}:${port}`))),
    inProject: isInside ? (touching.length === approved.length ? "every" : "any") : undefined,
    lines: [...new Set(approved.map(({ line }) => line))].slice(0, MAX_EXAMPLES),
    count: approved.length,
  };
}

/** The condition of a proposal: what was approved, and nothing else. */
export function conditionOf({ program, verb, flags, effects, hosts, inProject }: Proposal): Record<string, unknown> {
  const only = (values: readonly string[]) => (values.length === 0 ? false : { only: values });
  return {
    program,
    verb: verb ?? false,
    flags: only(flags),
    effect: only(effects),
    opaque: false,
    ...(hosts.length > 0 ? { hosts: only(hosts) } : {}),
    ...(inProject === undefined ? {} : { paths: inProject === "every" ? "project" : { only: ["project"] } }),
  };
}
