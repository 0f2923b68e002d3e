import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { loadUserConfig } from "../../config/user/user-config.ts";
import { readWatchSettings, type WatchSettings } from "../../config/user/watch-settings.ts";
import { traceTarget } from "../../guard/watch/open-observers.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/paths.ts";
import { isObject } from "../../lib/json.ts";
import { TRACE_FOLDER } from "../../trace/names.ts";

const SWITCH_ON = "switch tracing on with run --trace FILE, HOOKSH_TRACE=1 or settings.trace";

/**
 * Returns the files that hooksh writes traces to, the newest first: the file that HOOKSH_TRACE or `settings.trace`
 * names, else those of the days in the data directory. Throws a {@link UserError} if there is none.
 */
export async function traceFiles(env: Env, directories: Directories): Promise<string[]> {
  const setting = await traceSetting(directories);
  const target = traceTarget({ flag: undefined, setting, env, dataDir: () => directories.data });
  if (typeof target?.file === "string") {
    if (isMissing(target.file)) throw new UserError(`${target.file}: no such file: nothing was traced yet`);
    return [target.file];
  }
  const folder = join(directories.data, TRACE_FOLDER);
  const files = filesIn(folder);
  if (files.length === 0) throw new UserError(`no trace in ${folder}: ${SWITCH_ON}`);
  return files;
}

async function traceSetting(directories: Directories): Promise<WatchSettings["trace"]> {
  const { document } = await loadUserConfig(directories);
  const settings = isObject(document?.value) ? document.value["settings"] : undefined;
  return isObject(settings) ? readWatchSettings(settings).watch.trace : undefined;
}

/** The traces in a folder, the one that was written last first. */
function filesIn(folder: string): string[] {
  if (isMissing(folder)) return [];
  const names = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const files = names.map((name) => ({ path: join(folder, name), time: statSync(join(folder, name)).mtimeMs }));
  return files.sort((a, b) => b.time - a.time).map(({ path }) => path);
}
