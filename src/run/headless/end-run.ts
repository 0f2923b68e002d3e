import { isatty } from "node:tty";
import {
  filterOutput,
  isOutputDiscarded,
  isOutputWithErrors,
  print,
  printCommand,
  printError,
  warn,
} from "../../cli/print.ts";
import { annotation, escapeWorkflowCommands, isInGitHubWorkflow } from "../../cli/workflow-commands.ts";
import { type Env, processEnv } from "../../lib/env.ts";
import { EXIT_CODES } from "../../lib/errors.ts";
import { isJson } from "../../lib/json.ts";
import { jsonLine } from "../../lib/text/escape-controls.ts";
import { continueCommand } from "../continue-command.ts";
import { hasEventOutput, hidesCalls, type RunFlags } from "../run-flags.ts";
import { RunLedger } from "../run-ledger.ts";
import { accountOf, type RawEnd, type RunAccount, runEnded } from "./run-account.ts";

/** The run of this process, once it has one. */
let current: { ledger: RunLedger; flags: RunFlags; hasEnded: boolean } | undefined;

/** Starts the account of a run. In a GitHub workflow, no text of the run can be a workflow command from then on. */
export function beginRun(flags: RunFlags, ledger: RunLedger): void {
  current = { ledger, flags, hasEnded: false };
  if (isInGitHubWorkflow(processEnv())) filterOutput(escapeWorkflowCommands);
}

/**
 * Reports how a run ended, and returns its exit code. Standard error gets the calls that were denied and the limit that
 * stopped the run; with `--json`, standard output gets the last event; a GitHub workflow gets annotations,
 * outputs and a summary.
 */
export async function endRun(
  ledger: RunLedger,
  end: RawEnd,
  { flags, reference }: { flags: RunFlags; reference: string | undefined },
): Promise<number> {
  if (current) current.hasEnded = true;
  const account = accountOf(ledger, end);
  // A user at the terminal has seen them.
  if (!ledger.isAttended) await reportDenied(ledger, flags);
  if (account.limit) printError(limitText(account, reference, flags));
  if (flags.last || flags.print) await printAnswer(account, flags.json === true);
  else if ((hasEventOutput(flags) || flags["output-format"] === "json") && !ledger.isOutputStuck)
    await print(jsonLine(runEnded(account)));
  await reportToGitHub(account, flags, processEnv());
  return account.exitCode;
}

/** Prints the final answer of a run that has not failed, for `--last`. */
async function printAnswer({ exitCode, ledger }: RunAccount, asJson: boolean): Promise<void> {
  if (exitCode !== EXIT_CODES.ok) return;
  const { text, isStructured } = ledger.answer ?? { text: "", isStructured: false };
  if (!asJson) return text === "" ? undefined : print(text);
  const json = text.trim();
  await print(isStructured && isJson(json) ? json : jsonLine(text));
}

/** True if words that may not be valid flags ask for JSON with an account of the run. */
function namesJson(words: readonly string[]): boolean {
  if (words.includes("--last")) return false;
  const format = words.findLast(
    (word, at) => word.startsWith("--output-format=") || words[at - 1] === "--output-format",
  );
  return words.includes("--json") || /(^|=)(stream-)?json$/.test(format ?? "");
}

/** Reports the denied calls: in detail only if no output that somebody reads has named them when they happened. */
async function reportDenied(ledger: RunLedger, flags: RunFlags | undefined): Promise<void> {
  if (ledger.deniedCount === 0) return;
  const { deniedHeadline, deniedReport } = await import("./denied-report.ts");
  if (!flags || hasEventOutput(flags)) return printError(deniedReport(ledger));
  const isAbove = hidesCalls(flags) || flags.print === true || isatty(1) || isOutputWithErrors();
  if (isAbove) printError(`${deniedHeadline(ledger)}, see above`);
  else printError(isOutputDiscarded() ? deniedReport(ledger) : `${deniedHeadline(ledger)}, see standard output`);
}

function limitText({ limit, ledger }: RunAccount, reference: string | undefined, flags: RunFlags): string {
  const way =
    ledger.isStored && ledger.sessionId !== undefined
      ? `; to continue: ${continueCommand(ledger.sessionId, reference, flags)} "go on"`
      : "";
  return `stopped by ${limit?.flag}: ${limit?.message}${way}`;
}

async function reportToGitHub(account: RunAccount, flags: RunFlags, env: Env): Promise<void> {
  if (!isInGitHubWorkflow(env) || flags["no-github"]) return;
  const { annotationsOf } = await import("./github-annotations.ts");
  annotationsOf(account, env).forEach(printCommand);
  await writeOutputs(account, env);
  const file = env["GITHUB_STEP_SUMMARY"];
  if (!file) return;
  const { writeStepSummary } = await import("./github-summary.ts");
  const problem = writeStepSummary(file, account, await secretRedactor(env));
  if (problem !== undefined) warn(problem);
}

async function writeOutputs(account: RunAccount, env: Env): Promise<void> {
  const file = env["GITHUB_OUTPUT"];
  if (!file) return;
  const { writeStepOutputs } = await import("./github-outputs.ts");
  const problem = writeStepOutputs(file, account, await secretRedactor(env));
  if (problem !== undefined) warn(problem);
}

/** Returns a function that replaces secrets and the values of variables whose names look like those of secrets. */
async function secretRedactor(env: Env): Promise<(text: string) => string> {
  const { rememberVariables } = await import("../../lib/secrets/known-secrets.ts");
  const { redactorOf } = await import("../../redaction/redaction-settings.ts");
  rememberVariables(env);
  return (text) => redactorOf([]).redact(text);
}

/**
 * Reports a run that ended with an error, even one of its command line: with `--json`, standard output gets the last
 * event; a GitHub workflow gets annotations and outputs. Returns the exit code if it differs, after printing the error.
 */
export async function endFailedRun(
  words: readonly string[],
  problem: string,
  code: number,
): Promise<number | undefined> {
  if (current?.hasEnded) return undefined;
  const env = processEnv();
  const isWorkflow = isInGitHubWorkflow(env);
  if (isWorkflow) filterOutput(escapeWorkflowCommands);
  const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
  const ledger = current?.ledger ?? new RunLedger();
  const failsOnDenied = current?.flags["fail-on-denied"] ?? false;
  const account = accountOf(ledger, { code, passed: undefined, failsOnDenied });
  ledger.errors.unshift({ message: problem.slice(0, 1000), hooks: [] });
  if (namesJson(own)) await print(jsonLine(runEnded(account)));
  if (isWorkflow && !own.includes("--no-github")) {
    const { placeOfProblem } = await import("./github-annotations.ts");
    for (const line of problem.split("\n").slice(0, 10)) {
      printCommand(annotation("error", { title: "hooksh run", message: line, place: placeOfProblem(line), env }));
    }
    await writeOutputs(account, env);
  }
  if (account.exitCode === code) return undefined;
  printError(problem);
  await reportDenied(ledger, current?.flags);
  return account.exitCode;
}
