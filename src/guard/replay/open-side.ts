import { resolve } from "node:path";
import { readDocument } from "../../config/yaml/document.ts";
import { HOOK_FLAGS } from "../../hooks/hook-flags.ts";
import { UsageError } from "../../lib/errors.ts";
import { isMissing } from "../../lib/files/paths.ts";
import { isObject } from "../../lib/json.ts";
import { type HooksCommand, type OpenHooks, openHooks } from "../dispatch/open-hooks.ts";

/** A command line that names hooks; recordings of a replay itself do not exist. */
export type SideCommand = Omit<HooksCommand, "flags"> & {
  flags: Omit<HooksCommand["flags"], "no-audit" | "trace" | "record" | "record-events">;
};

/** Opens the hooks that a command line names, as `dispatch` has them. Nothing is recorded about their dispatches. */
export function openConfigured({ flags, positionals }: SideCommand, cwd: string): Promise<OpenHooks> {
  const unwatched = { "no-audit": undefined, trace: undefined, record: undefined, "record-events": undefined };
  return openHooks({ flags: { ...flags, ...unwatched }, positionals }, cwd, "replay");
}

/**
 * Opens the hooks of one file, an agent file or a hooks file, in place of those that the command line names; the user's
 * own hooks run as well. `flag` names the file. Throws a `ConfigError` or a {@link UsageError}.
 */
export async function openFile(
  file: string,
  { command: { flags }, flag, cwd }: { command: SideCommand; flag: string; cwd: string },
): Promise<OpenHooks> {
  if (isMissing(resolve(cwd, file))) throw new UsageError(`--${flag} ${file}: no such file`);
  const { value } = await readDocument(resolve(cwd, file), file);
  const isAgent = isObject(value) && "agents" in value;
  const own = { ...flags, ...withoutHooks(flags), "hooks-file": isAgent ? [] : [file] };
  return openConfigured(
    { flags: isAgent ? own : { ...own, agent: undefined }, positionals: isAgent ? [file] : [] },
    cwd,
  );
}

/** The flags that add hooks, as if they were not given. */
function withoutHooks(flags: SideCommand["flags"]): object {
  const lists = Object.entries(HOOK_FLAGS).filter(([, { kind }]) => kind === "list");
  return Object.fromEntries(lists.filter(([name]) => name in flags).map(([name]) => [name, []]));
}
