import { statSync } from "node:fs";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { format } from "node:util";
import * as HOOK_MODULE from "../../hook.ts";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { provideModule } from "../../lib/platform.ts";
import type { Builtin } from "../../protocol/builtin.ts";
import type { Log } from "../hook.ts";

/** What an own hook may import src/hook.ts as, whether the package is installed or not. */
const HOOK_MODULE_NAMES = ["hooksh/hook", "hooksh"];

/** Where an own hook is looked for. */
export interface OwnHook {
  /** Its path as configured: absolute, below `~/`, or below `workingDir`. */
  builtin: string;
  workingDir: string;
  env: Env;
}

/**
 * Loads the user's own hook: a TypeScript or JavaScript file whose default export is the function. To be called on a
 * thread that runs nothing else, because it changes the globals that a hook must not reach the whole process by.
 * Throws, with the place, for a file that is missing, broken, or exports no function.
 */
export async function loadOwnHook({ builtin, workingDir, env }: OwnHook, log: Log): Promise<Builtin> {
  const file = builtin.startsWith("~/") ? join(homeDirectory(env), builtin.slice(2)) : resolve(workingDir, builtin);
  if (!statSync(file, { throwIfNoEntry: false })?.isFile()) throw new Error(`${file}: no such file`);
  confine(log);
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

/** Standard output belongs to verdicts, and directory and life of the process to all its threads. */
function confine(log: Log): void {
  const writer =
    (level: "debug" | "warn") =>
    (...args: unknown[]) =>
      log(level, format(...args).trimEnd());
  const loud = new Set(["warn", "error", "trace", "assert"]);
  const methods = Object.keys(console).map((name) => [name, writer(loud.has(name) ? "warn" : "debug")] as const);
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

/** What is wrong with a module and where; of several mistakes the first. */
function loadErrorText(file: string, error: unknown): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { message, position } =
    isObject(first) || first instanceof Error ? (first as { message?: unknown; position?: unknown }) : {};
  const text = typeof message === "string" ? message : errorText(first);
  if (!isObject(position)) return `${file}: ${text}`;
  return `${String(position["file"])}:${String(position["line"])}:${String(position["column"])}: ${text}`;
}
