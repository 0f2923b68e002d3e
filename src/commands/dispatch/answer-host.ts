import { statSync } from "node:fs";
import { resolve } from "node:path";
import { decode, eventNamed, isUndecodable } from "../../dialects/decode.ts";
import type { Dialect, HostCall } from "../../dialects/dialect.ts";
import { type Encoded, encode, encodeFailure } from "../../dialects/encode.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { firstAt } from "../../dialects/paths.ts";
import type { Executor } from "../../engine/executor.ts";
import type { Log } from "../../engine/handler.ts";
import { errorText, UserError } from "../../lib/errors.ts";
import { killAllProcesses } from "../../lib/process/child.ts";
import { settleWithin } from "../../lib/settle-within.ts";
import { formatDuration } from "../../lib/text/duration.ts";
import { printError, redirectWarnings, writeAnswer } from "../cli/print.ts";
import { limitContinuations } from "./continuations.ts";
import { deadlineOf } from "./host-deadline.ts";
import { judgeCall } from "./judge-call.ts";
import type { OpenHooks } from "./open-hooks.ts";
import type { Host } from "./route.ts";

/** How to judge the events of a host. */
export interface HostDispatch {
  /** Loads the hooks. Runs after the payload is read, so that broken configuration is answered in the host's shape. */
  load: () => Promise<OpenHooks>;
  /** `--ask`. */
  ask: string;
  /** Milliseconds after the start of the process at which the host is answered; by default below its timeout. */
  deadlineMs: number | undefined;
  /** `--working-dir`; by default hooks run in the directory that the payload names. */
  workingDir: string | undefined;
  defaults: { session_id: string; cwd: string };
  signal: AbortSignal;
}

/** The host that is being answered, for an error that nothing else catches. `code` is set once it has its answer. */
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
  const encoded = await verdictFor(dialect, host, dispatch, (opened) => {
    log = opened;
    for (const message of logged) log("warn", message);
  }).catch((error: unknown) => failure(dialect, host, problemOf(error)));
  return write(dialect, encoded, log);
}

/** Answers the host that an unexpected error leaves without an answer. Undefined if no host is being answered. */
export async function answerFailure(problem: string, host = current?.host): Promise<number | undefined> {
  if (current?.code !== undefined) return current.code;
  if (host === undefined) return undefined;
  killAllProcesses();
  const { dialect } = await DIALECTS[host.dialect].load();
  return write(dialect, failure(dialect, host, problem.replaceAll("\n", "; ")), () => {});
}

/** The message of an error in one line; a bug of hooksh says that it is one. */
function problemOf(error: unknown): string {
  const text = errorText(error).replaceAll("\n", "; ");
  return error instanceof UserError ? text : `internal error: ${text}`;
}

function failure(dialect: Dialect, { event, payload }: Host, problem: string): Encoded {
  return encodeFailure(dialect, event ?? eventNamed(dialect, payload), payload, problem);
}

async function verdictFor(
  dialect: Dialect,
  host: Host,
  dispatch: HostDispatch,
  opened: (log: Log) => void,
): Promise<Encoded> {
  if (host.problem !== undefined) return failure(dialect, host, host.problem);
  const call = decode(dialect, host.payload, host.event);
  if (isUndecodable(call)) return encodeFailure(dialect, call.event, host.payload, call.problem);
  const ms = (dispatch.deadlineMs ?? deadlineOf(dialect, call.row)) - performance.now();
  const stop = new AbortController();
  const signal = AbortSignal.any([dispatch.signal, stop.signal]);
  const settled = await settleWithin(judgeHost(call, dispatch, { signal, opened }), { ms: Math.max(ms, 0) });
  if (settled.kind === "done") return settled.value;
  stop.abort();
  killAllProcesses();
  return failure(
    dialect,
    host,
    `no verdict within ${formatDuration(Math.round(performance.now()))}, before the host's own timeout`,
  );
}

async function judgeHost(
  call: HostCall,
  dispatch: HostDispatch,
  { signal, opened }: { signal: AbortSignal; opened: (log: Log) => void },
): Promise<Encoded> {
  const hooks = await dispatch.load();
  opened(hooks.log);
  const judged = await judgeCall(executorFor(call, hooks, dispatch), call, {
    defaults: dispatch.defaults,
    signal,
    warn: (message) => hooks.log("warn", message),
  });
  const blocked = judged.some(({ result }) => !result.allowed);
  const ask = dispatch.ask === "allow" ? "allow" : "deny";
  return limitContinuations(call, encode(call, judged, ask), { blocked, dataDir: hooks.dataDir });
}

/** Returns an executor that runs hooks in the project of the payload and tells them who calls. */
export function executorFor(call: HostCall, { executor }: OpenHooks, dispatch: HostDispatch): Executor {
  const { dialect, event, payload } = call;
  const workingDir = dispatch.workingDir ?? projectOf(firstAt(payload, dialect.keys.cwd)) ?? dispatch.defaults.cwd;
  return executor({ workingDir, env: { HOOKSH_DIALECT: dialect.name, HOOKSH_HOST_EVENT: event } });
}

/** The directory that a payload names, if it is one. */
function projectOf(cwd: unknown): string | undefined {
  if (typeof cwd !== "string" || cwd === "") return undefined;
  const path = resolve(cwd);
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ? path : undefined;
}

/** Writes the answer and what goes with it. An answer that cannot be written must not look like one that allows. */
async function write(dialect: Dialect, { stdout, stderr, exitCode, notes }: Encoded, log: Log): Promise<number> {
  if (stderr !== "") printError(stderr);
  for (const note of notes) {
    log("warn", note);
    if (!dialect.readsStandardError || stdout !== "") printError(`hooksh: ${note.replace(/^hooksh: /, "")}`);
  }
  const isWritten = stdout === "" || (await writeAnswer(stdout));
  const code = isWritten ? exitCode : 2;
  if (current) current.code = code;
  return code;
}
