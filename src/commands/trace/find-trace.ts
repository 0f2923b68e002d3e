import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Directories, Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/is-missing.ts";
import { TRACE_FOLDER } from "../../trace/names.ts";

/** Where traces are written: `setting` is `settings.trace`, true for the folder in the data directory. */
export interface TracePlaces {
  env: Env;
  setting: string | boolean | undefined;
  directories: Pick<Directories, "data">;
}

const SWITCH_ON = "switch tracing on with run --trace FILE, HOOKSH_TRACE or settings.trace";

/**
 * Returns the files that hold traces, the newest first: the file that HOOKSH_TRACE or `settings.trace` names, else
 * those in the folder `traces` of the data directory. Throws a {@link UserError} if there is none.
 */
export function traceFiles({ env, setting, directories }: TracePlaces): string[] {
  const named = env["HOOKSH_TRACE"] || (typeof setting === "string" ? setting : "");
  if (named !== "") {
    if (isMissing(named)) throw new UserError(`${named}: no such file: nothing was traced yet`);
    return [named];
  }
  const folder = join(directories.data, TRACE_FOLDER);
  const files = isMissing(folder) ? [] : readdirSync(folder).filter((file) => file.endsWith(".jsonl"));
  if (files.length === 0) throw new UserError(`no trace in ${folder}: ${SWITCH_ON}`);
  const times = new Map(files.map((file) => [file, statSync(join(folder, file)).mtimeMs]));
  return files.toSorted((a, b) => (times.get(b) ?? 0) - (times.get(a) ?? 0)).map((file) => join(folder, file));
}
