import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { BUILTINS } from "../../../builtins/index.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import type { Builtin, BuiltinInput, BuiltinRow } from "../../protocol/builtin.ts";
import type { HookOutput } from "../../protocol/output.ts";

/** A job as it crosses to the worker. */
export interface Job {
  builtin: string;
  args: readonly string[];
  /** The input's JSON text. */
  input: string;
  env: Env;
  directories: Directories;
  /** Where a path in `builtin` begins. */
  workingDir: string;
}

/** What a worker sends back: log lines, then one answer. */
export type Report =
  | { kind: "log"; level: "debug" | "warn"; message: string }
  | { kind: "returned"; output: HookOutput | undefined }
  | { kind: "failed"; error: string };

/** Runs a job on the worker's side. Never rejects. */
export async function runJob(job: Job, report: (report: Report) => void): Promise<void> {
  try {
    const run = await loadBuiltin(job);
    const log = (level: "debug" | "warn", message: string) => report({ kind: "log", level, message });
    const input = JSON.parse(job.input) as BuiltinInput;
    const output = await run(input, job.args, { signal: new AbortController().signal, env: job.env, directories: job.directories, log });
    report({ kind: "returned", output });
  } catch (error) {
    report({ kind: "failed", error: errorText(error) });
  }
}

async function loadBuiltin({ builtin, workingDir }: Job): Promise<Builtin> {
  const rows: Readonly<Record<string, BuiltinRow>> = BUILTINS;
  const row = Object.hasOwn(rows, builtin) ? rows[builtin] : undefined;
  if (row) return (await row.load()).run;
  const loaded: unknown = await import(pathToFileURL(resolve(workingDir, builtin)).href);
  const { default: run } = loaded as { default?: unknown };
  if (typeof run !== "function") throw new Error(`${builtin} has no default export that is a function`);
  return run as Builtin;
}
