import {
  isAnswerKept,
  isOutputDiscarded,
  printError,
  redirectWarnings,
  workAfterAnswer,
  writeAnswer,
} from "../../cli/print.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import type { Encoded } from "../../dialects/encode.ts";
import { DIALECTS } from "../../dialects/names.ts";
import type { Log } from "../../engine/handler.ts";
import { killAllProcesses } from "../../lib/process/child.ts";
import type { Host } from "../host.ts";
import type { FindDirectories } from "../watch/audit-directories.ts";
import { auditProblem, watchProblems } from "../watch/open-observers.ts";
import { type HostDispatch, hostFailure, judgeHost } from "./judge-host.ts";
import { unguardedNote } from "./open-hooks.ts";

/** The host that waits for an answer, for errors that nothing else catches. `code` is set after the answer. */
let current: { host: Host; code?: number } | undefined;

/**
 * Judges the event of a host and answers in its own bytes. Returns the exit code, 0 or 2; an error of any kind is
 * answered too, with a denial where the event can be denied.
 */
export async function answerHost(host: Host, dispatch: HostDispatch): Promise<number> {
  current = { host };
  const logged: string[] = [];
  redirectWarnings((message) => void logged.push(message));
  let log: Log = (_level, message) => void logged.push(message);
  const { dialect } = await DIALECTS[host.dialect].load();
  const encoded = await judgeHost(dialect, host, { ...dispatch, expired: killAllProcesses }, (opened) => {
    log = opened;
    for (const message of logged) log("warn", message);
  });
  // With `--proof`, the answer is printed when the process ends, and carries the notes.
  if (isAnswerKept()) await workAfterAnswer();
  const code = await write(dialect, { ...encoded, notes: [...encoded.notes, ...watchNotes(encoded)] }, log);
  redirectWarnings((message) => (encoded.stderr === "" ? tell(dialect, encoded, message, log) : log("warn", message)));
  if (encoded.failure !== undefined) await record({ dialect, host, problem: encoded.failure }, dispatch.directories);
  return code;
}

/**
 * Says that no hook is configured, and that the audit log, a trace or a recording cannot be written, unless standard
 * error is the answer: the agent hands all of it to the model as the reason.
 */
function watchNotes({ stderr }: Encoded): string[] {
  const problems = [unguardedNote(), auditProblem()].filter((problem) => problem !== undefined);
  return stderr === "" ? [...problems, ...watchProblems()] : [];
}

/** Records a refusal after the answer: the agent does not wait for it. */
async function record(
  { dialect, host: { event, payload }, problem }: { dialect: Dialect; host: Host; problem: string },
  directories: FindDirectories,
): Promise<void> {
  const { recordFailure } = await import("../watch/record-failure.ts");
  await recordFailure({ source: "dispatch", problem, host: { dialect, event, payload } }, directories);
}

/** Answers the host after an unexpected error. Undefined if no host waits for an answer. */
export async function answerFailure(
  problem: string,
  directories: FindDirectories,
  host = current?.host,
): Promise<number | undefined> {
  if (current?.code !== undefined) return current.code;
  if (host === undefined) return undefined;
  killAllProcesses();
  const { dialect } = await DIALECTS[host.dialect].load();
  const text = problem.replaceAll("\n", "; ");
  const code = await write(dialect, hostFailure(dialect, host, text), () => {});
  await record({ dialect, host, problem: text }, directories);
  return code;
}

/** Writes the answer and its notes. If that fails, the exit code must not allow the call. */
async function write(dialect: Dialect, { stdout, stderr, exitCode, notes }: Encoded, log: Log): Promise<number> {
  if (stderr !== "") printError(stderr);
  for (const note of notes) tell(dialect, { stdout }, note, log);
  const isWritten = stdout === "" || (!isLost(dialect, stdout) && (await writeAnswer(stdout)));
  const code = isWritten ? exitCode : 2;
  if (current) current.code = code;
  return code;
}

/** Logs a note, and prints it unless standard error is all that the agent reads. */
function tell({ readsStandardError }: Dialect, { stdout }: Pick<Encoded, "stdout">, note: string, log: Log): void {
  log("warn", note);
  if (!readsStandardError || stdout !== "") printError(`hooksh: ${note.replace(/^hooksh: /, "")}`);
}

/** True if standard output is the null device, where an answer that says something is lost. */
function isLost({ silence }: Dialect, stdout: string): boolean {
  if (stdout === silence || !isOutputDiscarded()) return false;
  printError("standard output, which holds the answer, is discarded");
  return true;
}
