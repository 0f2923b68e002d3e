import { BUILTINS } from "../../../builtins/index.ts";
import { isHookFile } from "../../config/hooks/read-hooks.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject, isPlainObject } from "../../lib/json.ts";
import { rememberSecret, type SecretCandidate } from "../../lib/secrets/known-secrets.ts";
import type { Builtin, BuiltinInput, BuiltinRow, RedactedKinds } from "../../protocol/builtin.ts";
import type { HookOutput } from "../../protocol/output.ts";
import { OWN_HOOK_FAILED } from "../handler.ts";

/** A hook to run, in the form that is posted to a worker. */
export interface Job {
  /** The builtin's name, or the path of the user's own hook. */
  builtin: string;
  args: readonly string[];
  /** The input of the hook, as a value or as JSON text. */
  input: string | Readonly<Record<string, unknown>>;
  env: Env;
  directories: Directories;
  /** The directory that a relative path in `builtin` starts from. */
  workingDir: string;
  /** The mark of the processes that the user's own hook starts; absent for a builtin. */
  mark?: string;
  /** The known secrets of the main thread, for a builtin that redacts; empty for all other hooks. */
  secrets: readonly SecretCandidate[];
}

/** A message of a worker: any number of log lines, then one result. */
export type Report =
  | { kind: "log"; level: "debug" | "warn"; message: string }
  | { kind: "returned"; output: HookOutput | undefined; redacted?: RedactedKinds }
  | { kind: "failed"; error: string; category?: "invalid output" };

/** A worker posts this when it can take its first job. */
export const READY = "ready";

/** Posted to a worker to abort its current job at the deadline or on cancellation. */
export const ABORT = "abort";

/** Runs a job on the worker thread. Never rejects. */
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
 * Reads a message of a worker. The user's own code can post messages too, so everything is checked: an invalid message
 * is a failure of the hook.
 */
export function readReport(data: unknown): Report {
  if (isObject(data)) {
    const { kind, level, message, output, error, redacted } = data;
    if (kind === "returned" && (output === undefined || output === null)) return { kind, output: undefined };
    // A Map or a Date has no own keys, and would pass for an empty answer.
    if (kind === "returned" && isPlainObject(output))
      return { kind, output, ...(isCounts(redacted) ? { redacted } : {}) };
    if (kind === "failed" && typeof error === "string") return { kind, error };
    if (kind === "log" && (level === "debug" || level === "warn") && typeof message === "string")
      return { kind, level, message };
    if (kind === "returned")
      return {
        kind: "failed",
        error: `returned ${nameOf(output)}: expected an object or nothing`,
        category: "invalid output",
      };
  }
  return {
    kind: "failed",
    category: "invalid output",
    error: "posted a message that is not an answer: a hook answers by what its function returns",
  };
}

readReport.help = OWN_HOOK_FAILED;

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
