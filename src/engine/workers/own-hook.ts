import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import * as HOOK_MODULE from "../../hook.ts";
import { type Env, homeDirectory, setOwnVariable } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { provideModule } from "../../lib/platform.ts";
import { GROUP_VARIABLE, groupVariableValue } from "../../lib/process/mark.ts";
import type { Builtin } from "../../protocol/builtin.ts";
import { type Log, OWN_HOOK_FAILED } from "../handler.ts";

/** The names under which an own hook can import src/hook.ts, even if the package is not installed. */
const HOOK_MODULE_NAMES = ["hooksh/hook", "hooksh"];

/** The file of an own hook. */
export interface OwnHook {
  /** The configured path: absolute, starting with `~/`, or relative to `workingDir`. */
  builtin: string;
  workingDir: string;
  env: Env;
  /** Identifies the processes that the hook starts. */
  mark?: string;
}

/**
 * Loads the user's own hook: a TypeScript or JavaScript file whose default export is a function. Call this only on a
 * thread that runs nothing else, because it replaces globals. Throws an error with the file, line and column if the
 * file is missing, does not load, or exports no function.
 */
export async function loadOwnHook({ builtin, workingDir, env, mark }: OwnHook, log: Log): Promise<Builtin> {
  const file = builtin.startsWith("~/") ? join(homeDirectory(env), builtin.slice(2)) : resolve(workingDir, builtin);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`${file}: no such file`);
  replaceGlobals(log);
  // A process gets a copy of this thread's variables, unless the hook says otherwise.
  if (mark !== undefined) setOwnVariable(GROUP_VARIABLE, (outer) => groupVariableValue(outer, mark));
  for (const name of HOOK_MODULE_NAMES) provideModule(name, { ...HOOK_MODULE });
  let loaded: { default?: unknown };
  try {
    loaded = (await import(pathToFileURL(file).href)) as typeof loaded;
  } catch (error) {
    throw new Error(loadErrorText(file, error), { cause: error });
  }
  if (typeof loaded.default !== "function") throw new Error(`${file}: no default export that is a function`);
  return loaded.default as Builtin;
}

loadOwnHook.help = OWN_HOOK_FAILED;

/**
 * Redirects output to the log, because standard output is for verdicts, and disables functions that affect all threads.
 */
function replaceGlobals(log: Log): void {
  const writer =
    (level: "debug" | "warn") =>
    (...args: unknown[]) =>
      log(level, format(...args).trimEnd());
  const warningMethods = new Set(["warn", "error", "trace", "assert"]);
  const methods = Object.keys(console).map(
    (name) => [name, writer(warningMethods.has(name) ? "warn" : "debug")] as const,
  );
  Object.assign(console, Object.fromEntries(methods));
  const write = (level: "debug" | "warn") => (text: unknown) => {
    log(level, String(text).trimEnd());
    return true;
  };
  process.stdout.write = write("debug");
  process.stderr.write = write("warn");
  for (const name of ["chdir", "abort"]) {
    Object.defineProperty(process, name, {
      value: () => {
        throw new Error(`process.${name}() is not available in a hook`);
      },
    });
  }
}

replaceGlobals.help = OWN_HOOK_FAILED;

/** The first error of a module that does not load, with its position. */
function loadErrorText(file: string, error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { message, position } =
    isObject(first) || first instanceof Error ? (first as { message?: unknown; position?: unknown }) : {};
  const text = typeof message === "string" ? message : errorText(first);
  if (!isObject(position)) return `${file}: ${text}`;
  return `${String(position["file"])}:${String(position["line"])}:${String(position["column"])}: ${text}`;
}
