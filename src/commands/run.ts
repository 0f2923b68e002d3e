import { statSync } from "node:fs";
import { resolve } from "node:path";
import { type CommandInput, defineCommand } from "../cli/define-command.ts";
import { directoriesOf } from "../cli/global-flags.ts";
import { print, warn } from "../cli/print.ts";
import type { AgentFile } from "../config/agent/agent-file.ts";
import { isSafetyMode, SAFETY_MODES } from "../config/permissions/safety-modes.ts";
import { checkTrust, isInteractive } from "../hooks/trust-check.ts";
import { processEnv } from "../lib/env.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { interruptedCode } from "../lib/stop-reason.ts";
import { assemble, modelOptions } from "../run/assemble-run.ts";
import { beginRun, endRun } from "../run/headless/end-run.ts";
import { openDeadline, runLimits } from "../run/limit-flags.ts";
import { isForProgram, RUN_FLAG_GROUPS, RUN_FLAGS, type RunFlags } from "../run/run-flags.ts";
import { RunLedger } from "../run/run-ledger.ts";
import { attachedFiles, checkMessages, messagesOf, warnAboutAttachCommand } from "../run/run-messages.ts";
import { RunMeter } from "../runtime/stream/run-meter.ts";
import type { AssembledTeam, AssembleOptions } from "../runtime/team/assemble.ts";
import type { LastOutcomes } from "../terminal/front-end/last-outcomes.ts";

/** `hooksh run`: runs an agent, with hooks around everything it does. */
export const command = defineCommand({
  positionals: "[AGENT] [MESSAGE...]",
  description:
    "Runs an agent. Given messages, or a message on standard input, the agent answers and exits; at a terminal without either,\n" +
    "a prompt opens. Hooks run around everything the agent does; if a guard cannot answer, the tool call it guards is blocked.",
  flags: RUN_FLAGS,
  flagGroups: RUN_FLAG_GROUPS,
  async run(input) {
    const { orOtherModel } = await import("../run/other-model.ts");
    return orOtherModel(input, run);
  },
});

async function run(input: CommandInput<typeof RUN_FLAGS>): Promise<number> {
  const { flags, signal } = input;
  checkFlags(flags);
  if (flags["trust-folder"] && input.positionals[0])
    throw new UsageError(`--trust-folder is for a run that names no agent; this one names ${input.positionals[0]}`);
  const ledger = new RunLedger(new RunMeter(runLimits(flags)));
  const deadline = openDeadline(flags, signal);
  const failsOnDenied = flags["fail-on-denied"] ?? false;
  const session = { flags, reference: input.positionals[0], isAttended: false };
  beginRun(flags, ledger);
  const end = (code: number) => endRun(ledger, { code, passed: deadline.passed, failsOnDenied }, session);
  try {
    const code = await runWith({ ...input, signal: deadline.signal }, ledger, session);
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

async function runWith(
  input: CommandInput<typeof RUN_FLAGS>,
  ledger: RunLedger,
  session: { isAttended: boolean },
): Promise<number> {
  const { flags, positionals } = input;
  const [reference, ...messages] = positionals;
  checkMessages(messages);
  const files = await attachedFiles(flags.attach, input.signal);
  const current = workingDirOf(flags);
  const directories = directoriesOf(flags);
  const { loadSetup } = await import("../run/load-setup.ts");
  const setup = await loadSetup({ reference, flags, workingDir: current, directories, signal: input.signal });
  await checkTrust(setup.file, {
    // A dry run starts nothing, so a found file needs no trust.
    flags: { ...flags, "trust-folder": flags["trust-folder"] || flags["dry-run"] },
    directories,
    interactive: isInteractive() && !isForProgram(flags),
    signal: input.signal,
  });
  const { checkTeam } = await import("../runtime/team/check-team.ts");
  await checkTeam(setup.file, {
    ...modelOptions(setup, flags, directories),
    models: { offline: flags.fake !== undefined },
    // A dry run checks what is written; a server can be started later.
    ...(flags["dry-run"] ? { onSilentServer: warn } : {}),
  });
  const { openStoredRun, sessionDirectory } = await import("../run/stored-run.ts");
  const stored = openStoredRun(flags, directories);
  const resumedDir = sessionDirectory(stored, flags, current);
  const { openModelTraffic } = await import("../hooks/model-traffic.ts");
  const traffic = await openModelTraffic(flags);
  const leftOut: string[] = [];
  const runIn = async (workingDir: string, beforeTools?: AssembleOptions["beforeTools"]): Promise<number> => {
    const { meter } = ledger;
    const outcomes: LastOutcomes = new WeakMap();
    const team = await assemble(setup.file, {
      ...input,
      setup,
      workingDir,
      hooksDir: current,
      directories,
      traffic,
      beforeTools,
      meter,
      outcomes,
      onLeftOut: flags["dry-run"] ? (what) => void leftOut.push(what) : undefined,
    });
    try {
      if (input.signal.aborted) return EXIT_CODES.interrupted;
      if (flags["dry-run"]) return await printSummary(setup.file, team, leftOut);
      const source = await messagesOf(messages, flags);
      warnAboutAttachCommand(source);
      session.isAttended = isInteractive() && !isForProgram(flags);
      const { runSession } = await import("../run/run-session.ts");
      return await runSession({
        ...input,
        team: team.team,
        setup,
        workingDir,
        messages: source,
        files,
        stored,
        ledger,
        outcomes,
      });
    } finally {
      stored.close();
      await team.close();
      await traffic.close();
    }
  };
  if (flags.worktree === undefined || flags["dry-run"]) return runIn(resumedDir);
  const { checkResumedInWorktree, runInWorktree } = await import("../run/run-in-worktree.ts");
  if (stored.resumed) {
    checkResumedInWorktree(stored.resumed, directories.data);
    return runIn(resumedDir);
  }
  return runInWorktree(runIn, {
    name: flags.worktree,
    cwd: current,
    dataDirectory: directories.data,
    env: processEnv(),
    agent: setup.startAgent,
    isHeadless: messages.length > 0 || !isInteractive() || isForProgram(flags) || flags.exec === true,
    isQuiet: flags.quiet === true,
    signal: input.signal,
  });
}

function checkFlags(flags: RunFlags): void {
  if (flags.fake !== undefined && flags.record !== undefined)
    throw new UsageError("--fake and --record cannot be used together");
  if (flags["fake-stream"] !== undefined && flags.fake === undefined)
    throw new UsageError("--fake-stream requires --fake");
  if (flags["fake-loose"] && flags.fake === undefined) throw new UsageError("--fake-loose requires --fake");
  const limit = flags["max-iterations"];
  if (limit !== undefined && !/^\d{1,9}$/.test(limit))
    throw new UsageError(`--max-iterations takes a whole number, not ${JSON.stringify(limit)}`);
  if (flags.safety !== undefined && !isSafetyMode(flags.safety))
    throw new UsageError(`--safety takes ${SAFETY_MODES.join(", ")}`);
}

/** Returns the working directory of the run: `--working-dir`, else the current directory. */
function workingDirOf(flags: RunFlags): string {
  const given = flags["working-dir"];
  if (given === undefined) return process.cwd();
  const path = resolve(given);
  if (!statSync(path, { throwIfNoEntry: false })?.isDirectory())
    throw new UsageError(`--working-dir ${given}: no such directory`);
  return path;
}

async function printSummary(file: AgentFile, { team }: AssembledTeam, leftOut: string[]): Promise<number> {
  for (const agent of team.agents.values()) {
    const tools = agent.toolsets.flatMap((toolset) => toolset.tools.map(({ name }) => name));
    await print(
      `${agent.name === file.defaultAgent ? "*" : " "} ${agent.name}: ${agent.chooseModel().id}, ${tools.length} tools${tools.length > 0 ? ` (${tools.join(", ")})` : ""}`,
    );
    leftOut.push(...[...agent.subAgents, ...agent.handoffs].filter((name) => !team.agents.has(name)));
  }
  for (const what of new Set(leftOut)) await print(`  not started or fetched: ${what}`);
  return EXIT_CODES.ok;
}
