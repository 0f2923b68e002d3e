import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { jobsFlag, jobsOf } from "../cli/jobs-flag.ts";
import { painter, shouldUseColors } from "../cli/paint.ts";
import { isTerminalOutput, print, printError, printStyled, warn } from "../cli/print.ts";
import { RESTRICTION_FLAGS } from "../cli/restriction-flag.ts";
import { HOOK_FLAG_GROUPS, WORKING_DIR_FLAG, workingDirOf } from "../guard/dispatch/dispatch-flags.ts";
import type { OpenHooks } from "../guard/dispatch/open-hooks.ts";
import { openConfigured, openFile } from "../guard/replay/open-side.ts";
import { NOT_A_RECORDING } from "../guard/replay/recorded-event.ts";
import { findRecordings, namesRecordings } from "../guard/replay/recording-files.ts";
import { type ChangedEvent, type ReplayOutcome, replayFiles } from "../guard/replay/replay-files.ts";
import { changeCounts, renderChange, replaySummary } from "../guard/replay/replay-text.ts";
import { TRUST_FLAGS } from "../hooks/hook-flags.ts";
import { MODEL_FLAGS } from "../hooks/lazy-model-client.ts";
import { SOURCE_FLAGS } from "../hooks/load-hooks.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError, UserError } from "../lib/errors.ts";

const COMPARE_FLAGS = {
  against: {
    kind: "value",
    hint: "FILE",
    description: "The new hooks: an agent file or a hooks file (default: the hooks that dispatch would run)",
  },
  baseline: {
    kind: "value",
    hint: "FILE",
    description: "Compare with the verdicts of the hooks in this file instead of the recorded verdicts",
  },
  "fail-on": {
    kind: "value",
    hint: "CHANGE",
    choices: ["changed", "weaker"],
    description: "Exit 1 if any verdict changed, or only if one became weaker (default: changed)",
  },
  texts: { kind: "switch", description: "Also compare reasons, contexts and notices" },
  ...jobsFlag("N files"),
  json: { kind: "switch", description: "Print one JSON object" },
} as const satisfies FlagSpecs;

const FLAGS = {
  ...COMPARE_FLAGS,
  ...SOURCE_FLAGS,
  ...WORKING_DIR_FLAG,
  ...MODEL_FLAGS,
  ...TRUST_FLAGS,
  ...RESTRICTION_FLAGS,
} as const satisfies FlagSpecs;

type ReplayInput = CommandInput<typeof FLAGS>;

/** `hooksh replay`: judges recorded events again and prints the verdicts that change. */
export const command = defineCommand({
  positionals: "DIR|FILE... [AGENT]",
  description:
    "Runs the hooks for every event that --record events:DIR kept, and prints the verdicts that differ from the recorded ones, weaker\n" +
    "verdicts first. With --against, the hooks of that file judge. Folders, globs and names that end in .jsonl or .json are\n" +
    "recordings. Hooks really run, with HOOKSH_REPLAY=1 in their environment; nothing is written to the audit log. Exits 0 if\n" +
    "no verdict changed, 1 if one did or an event cannot be replayed.",
  flags: FLAGS,
  flagGroups: { Comparison: COMPARE_FLAGS, ...HOOK_FLAG_GROUPS },
  run: runReplay,
});

async function runReplay(input: ReplayInput): Promise<number> {
  const { flags, signal } = input;
  const workingDir = workingDirOf(flags["working-dir"]);
  const { names, agent } = splitPositionals(input);
  const files = findRecordings(names, resolve("."));
  const jobs = jobsOf(flags.jobs);
  const [after, before] = await openSides(input, agent, resolve("."));
  const outcome = await replayFiles(files, { after, before, workingDir, texts: flags.texts ?? false, jobs, signal });
  if (signal.aborted) return EXIT_CODES.interrupted;
  await (flags.json ? printJson(outcome) : printText(outcome, flags));
  if (outcome.events === 0) throw new UserError(nothingCompared(outcome), { help: NOT_A_RECORDING });
  const failing = outcome.changes.filter(({ kind }) => flags["fail-on"] !== "weaker" || kind === "weaker");
  return failing.length > 0 || outcome.problems.length > 0 ? EXIT_CODES.failed : EXIT_CODES.ok;
}

/** An agent is the one word that names no recording. */
function splitPositionals({ positionals, flags }: ReplayInput): { names: string[]; agent: string | undefined } {
  const cwd = resolve(".");
  const names = positionals.filter((word) => namesRecordings(word, cwd));
  const [agent, ...more] = positionals.filter((word) => !names.includes(word));
  if (more.length > 0)
    throw new UsageError(`replay takes one agent, not ${more.length + 1}: ${agent} ${more.join(" ")}`);
  if (names.length === 0) {
    const what = agent === undefined ? "" : `: ${agent} is neither a folder nor a .jsonl or .json file`;
    throw new UsageError(`replay needs recordings, hooksh replay DIR|FILE.jsonl...${what}`);
  }
  if (flags.against !== undefined && (agent !== undefined || flags["hooks-file"].length > 0))
    throw new UsageError("--against names the hooks that judge: leave out AGENT and --hooks-file");
  return { names, agent };
}

async function openSides(
  { flags }: ReplayInput,
  agent: string | undefined,
  cwd: string,
): Promise<[OpenHooks, OpenHooks | undefined]> {
  const command = { flags, positionals: agent === undefined ? [] : [agent] };
  const after = await (flags.against === undefined
    ? openConfigured(command, cwd)
    : openFile(flags.against, { command, flag: "against", cwd }));
  const { baseline } = flags;
  return [after, baseline === undefined ? undefined : await openFile(baseline, { command, flag: "baseline", cwd })];
}

function nothingCompared({ unjudged, problems }: ReplayOutcome): string {
  if (unjudged.length > 0) return "no event has a recorded verdict: name the old hooks with --baseline FILE";
  return problems.length > 0 ? "no event could be replayed" : "the recordings hold no event";
}

const ORDER: readonly ChangedEvent["kind"][] = ["weaker", "stricter", "other"];

async function printText(outcome: ReplayOutcome, flags: ReplayInput["flags"]): Promise<void> {
  const paint = painter(isTerminalOutput() && shouldUseColors(processEnv(), flags["no-color"]));
  for (const problem of outcome.problems) printError(problem);
  if (outcome.unjudged.length > 0 && outcome.events > 0)
    warn(`events without a recorded verdict are not compared: ${outcome.unjudged.slice(0, 3).join(", ")}`);
  for (const place of outcome.omitted) warn(`${place}: not recorded`);
  const sorted = outcome.changes.toSorted((a, b) => ORDER.indexOf(a.kind) - ORDER.indexOf(b.kind));
  for (const change of sorted) await printStyled(renderChange(change, paint));
  if (sorted.length > 0) await print("");
  await print(replaySummary(outcome));
}

async function printJson(outcome: ReplayOutcome): Promise<void> {
  const { changes, ...rest } = outcome;
  await print(JSON.stringify({ ...rest, counts: Object.fromEntries(changeCounts(changes)), changes }, undefined, 2));
}
