import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { print } from "../cli/print.ts";
import type { AgentFile } from "../config/agent/agent-file.ts";
import { locateAgentFile } from "../config/sources/agent-reference.ts";
import { isInteractive } from "../hooks/trust-check.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, interruptedCode, UsageError } from "../lib/errors.ts";
import { counted } from "../lib/text/counted.ts";
import { RunMeter } from "../runtime/stream/run-meter.ts";
import type { AssembledTeam, AssembleOptions } from "../runtime/team/assemble.ts";
import type { LastOutcomes } from "../terminal/front-end/last-outcomes.ts";
import { assemble } from "./assemble-run.ts";
import { beginRun, endRun } from "./headless/end-run.ts";
import { openDeadline, runLimits } from "./limit-flags.ts";
import { pipedInput } from "./piped-input.ts";
import { isForProgram } from "./run-flags.ts";
import { RunLedger } from "./run-ledger.ts";
import {
  isInputBeside,
  messagesOf,
  warnAboutAttachCommand,
  warnAboutFileAsMessage,
  warnAboutMistypedCommand,
} from "./run-messages.ts";
import { checkFlags, planRun, type RunInput, type RunPlan, workingDirOf } from "./run-plan.ts";
import { runSession } from "./run-session.ts";
import { sessionDirectory } from "./stored-run.ts";

/** Runs an agent from the command line to the report of its end. Returns the exit code. */
export async function runAgent(given: RunInput): Promise<number> {
  const input = { ...given, positionals: withAgent(given) };
  const { flags, signal, positionals } = input;
  checkFlags(flags);
  const [reference] = positionals;
  if (flags["trust-folder"] && reference)
    throw new UsageError(`--trust-folder is for a run that names no agent; this one names ${reference}`);
  const ledger = new RunLedger(new RunMeter(runLimits(flags)));
  const deadline = openDeadline(flags, signal);
  const failsOnDenied = flags["fail-on-denied"] ?? false;
  beginRun(flags, ledger);
  const end = (code: number) => endRun(ledger, { code, passed: deadline.passed, failsOnDenied }, { flags, reference });
  try {
    const plan = await planRun({ ...input, signal: deadline.signal }, ledger);
    const code = await carryOut(plan);
    if (flags["dry-run"]) return code;
    return await end(code === EXIT_CODES.interrupted ? interruptedCode(signal) : code);
  } catch (error) {
    // Work that the deadline interrupted may fail in any way.
    if (!deadline.passed) throw error;
    return end(EXIT_CODES.failed);
  } finally {
    deadline.close();
  }
}

/**
 * Returns the agent and the messages: the first word is a message if it has blanks, names no file, and the directory has
 * an agent file of its own.
 */
function withAgent({ flags, positionals }: RunInput): string[] {
  const [first = ""] = positionals;
  const cwd = workingDirOf(flags);
  const isMessage = /\s/.test(first) && !/\.ya?ml$/i.test(first) && !existsSync(resolve(cwd, first));
  return isMessage && locateAgentFile(undefined, { cwd }).kind === "file" ? ["", ...positionals] : [...positionals];
}

/** Carries out a plan in the directory where its session belongs, or in a worktree of its own. */
async function carryOut(plan: RunPlan): Promise<number> {
  const { flags, stored, cwd, directories } = plan;
  const resumedDir = sessionDirectory(stored, flags, cwd);
  if (flags.worktree === undefined || flags["dry-run"]) return runIn(plan, resumedDir);
  const { checkResumedInWorktree, runInWorktree } = await import("./run-in-worktree.ts");
  if (stored.resumed) {
    checkResumedInWorktree(stored.resumed, directories.data);
    return runIn(plan, resumedDir);
  }
  return runInWorktree((workingDir, beforeTools) => runIn(plan, workingDir, beforeTools), {
    name: flags.worktree,
    cwd,
    dataDirectory: directories.data,
    env: processEnv(),
    agent: plan.setup.startAgent,
    isHeadless: plan.given.length > 0 || !isInteractive() || isForProgram(flags) || flags.exec === true,
    isQuiet: flags.quiet === true,
    signal: plan.signal,
  });
}

/** Assembles the team in a directory, runs the session, and closes everything. A dry run prints the team instead. */
async function runIn(plan: RunPlan, workingDir: string, beforeTools?: AssembleOptions["beforeTools"]): Promise<number> {
  const { flags, signal, ledger, setup, stored, traffic } = plan;
  const outcomes: LastOutcomes = new WeakMap();
  const leftOut: string[] = [];
  const onLeftOut = flags["dry-run"] ? (what: string) => void leftOut.push(what) : undefined;
  const team = await assemble(plan, { workingDir, beforeTools, outcomes, onLeftOut });
  try {
    if (signal.aborted) return EXIT_CODES.interrupted;
    if (flags["dry-run"]) return await printSummary(setup.file, team, leftOut);
    const messages = await messagesOf(plan.given, flags);
    warnAboutAttachCommand(messages);
    warnAboutFileAsMessage(plan.given);
    const agent = team.team.agents.get(setup.startAgent);
    if (agent) warnAboutMistypedCommand(plan.given, agent);
    ledger.isAttended = isInteractive() && !isForProgram(flags);
    const piped = isInputBeside(plan.given) ? await pipedInput(signal, flags.quiet) : undefined;
    const files = piped ? [...plan.files, piped] : plan.files;
    if (signal.aborted) return EXIT_CODES.interrupted;
    return await runSession({ ...plan, team: team.team, workingDir, messages, files, outcomes });
  } finally {
    stored.close();
    await team.close();
    await traffic.close();
  }
}

async function printSummary(file: AgentFile, { team }: AssembledTeam, leftOut: string[]): Promise<number> {
  for (const agent of team.agents.values()) {
    const tools = agent.toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name));
    const { id, address } = agent.chooseModel();
    await print(
      `${agent.name === file.defaultAgent ? "*" : " "} ${agent.name}: ${address ? `${id} at ${address}` : id}, ${counted(tools.length, "tool")}${tools.length > 0 ? ` (${tools.join(", ")})` : ""}`,
    );
    leftOut.push(...[...agent.subAgents, ...agent.handoffs].filter((name) => !team.agents.has(name)));
  }
  for (const what of new Set(leftOut)) await print(`  not started or fetched: ${what}`);
  return EXIT_CODES.ok;
}
