import { BUILTINS } from "../../../builtins/index.ts";
import { isHookFile } from "../../config/hooks/read-hooks.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject, isPlainObject } from "../../lib/json.ts";
import { rememberSecret, type SecretCandidate } from "../../lib/secrets/known-secrets.ts";
import type { Builtin, BuiltinInput, BuiltinRow, RedactedKinds } from "../../protocol/builtin.ts";
import type { HookOutput } from "../../protocol/output.ts";

/** A job as it crosses to the worker. */
export interface Job {
  /** The builtin's name, or the path of the user's own hook. */
  builtin: string;
  args: readonly string[];
  /** The input, or its JSON text. */
  input: string | Readonly<Record<string, unknown>>;
  env: Env;
  directories: Directories;
  /** Where a path in `builtin` begins. */
  workingDir: string;
  /** What this process remembers as secrets, for a builtin that redacts; empty for any other hook. */
  secrets: readonly SecretCandidate[];
}

/** What a worker sends back: log lines, then one answer. */
export type Report =
  | { kind: "log"; level: "debug" | "warn"; message: string }
  | { kind: "returned"; output: HookOutput | undefined; redacted?: RedactedKinds }
  | { kind: "failed"; error: string };

/** Posted by a worker that can take a job. */
export const READY = "ready";

/** Aborts the signal of the current job: its deadline has passed, or the run is cancelled. */
export const ABORT = "abort";

/** Runs a job on the worker's side. Never rejects. */
export async function runJob(job: Job, signal: AbortSignal, report: (report: Report) => void): Promise<void> {
  const log = (level: "debug" | "warn", message: string) => report({ kind: "log", level, message: String(message) });
  try {
    for (const { value, certainty } of job.secrets) rememberSecret(value, certainty);
    const run = await loadBuiltin(job, log);
    const input = (typeof job.input === "string" ? JSON.parse(job.input) : job.input) as BuiltinInput;
    const { env, directories } = job;
    let counted: { redacted?: RedactedKinds } = {};
    const output = await run(input, job.args, {
      signal,
      env,
      directories,
      memory: (make) => make(),
      log,
      redacted: (kinds) => void (counted = { redacted: kinds }),
    });
    report({ kind: "returned", output, ...counted });
  } catch (error) {
    report({ kind: "failed", error: errorText(error) });
  }
}

/**
 * A message of a worker as a report. The user's own code can post there too, so everything is checked; any
 * other message is a failure of the hook that runs there.
 */
export function readReport(data: unknown): Report {
  if (isObject(data)) {
    const { kind, level, message, output, error, redacted } = data;
    if (kind === "returned" && (output === undefined || output === null)) return { kind, output: undefined };
    // A Map or a Date has no keys of its own, and would pass for an answer that says nothing.
    if (kind === "returned" && isPlainObject(output))
      return { kind, output, ...(isCounts(redacted) ? { redacted } : {}) };
    if (kind === "failed" && typeof error === "string") return { kind, error };
    if (kind === "log" && (level === "debug" || level === "warn") && typeof message === "string")
      return { kind, level, message };
    if (kind === "returned")
      return { kind: "failed", error: `returned ${nameOf(output)}: expected an object or nothing` };
  }
  return {
    kind: "failed",
    error: "posted a message that is not an answer: a hook answers by what its function returns",
  };
}

function isCounts(value: unknown): value is RedactedKinds {
  return isObject(value) && Object.values(value).every((count) => typeof count === "number");
}

async function loadBuiltin(job: Job, log: (level: "debug" | "warn", message: string) => void): Promise<Builtin> {
  if (isHookFile(job.builtin)) return (await import("./own-hook.ts")).loadOwnHook(job, log);
  const rows: Readonly<Record<string, BuiltinRow>> = BUILTINS;
  const row = Object.hasOwn(rows, job.builtin) ? rows[job.builtin] : undefined;
  if (!row) throw new Error(`no builtin hook registered as ${JSON.stringify(job.builtin)}`);
  return (await row.load()).run;
}

function nameOf(value: unknown): string {
  return typeof value === "object" && value !== null ? value.constructor.name : typeof value;
}
