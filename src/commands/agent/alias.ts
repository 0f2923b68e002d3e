import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { CommandInput } from "../../cli/define-command.ts";
import type { FlagSpecs } from "../../cli/flags.ts";
import { directoriesOf, lastingDirectoriesOf } from "../../cli/global-flags.ts";
import { print, warn } from "../../cli/print.ts";
import { SAFETY_MODES } from "../../config/permissions/safety-modes.ts";
import { locateAgentFile } from "../../config/sources/agent-reference.ts";
import { editUserConfig } from "../../config/user/edit-user-config.ts";
import { ALIAS_NAME, loadUserConfig, userConfigPath } from "../../config/user/user-config.ts";
import { EXIT_CODES, UsageError, UserError } from "../../lib/errors.ts";

export const ALIAS_FLAGS = {
  yolo: { kind: "switch", description: "add: run tools without asking" },
  safety: { kind: "value", hint: "MODE", choices: SAFETY_MODES, description: "add: which tools run without asking" },
  model: { kind: "value", hint: "MODEL", description: "add: use provider/model" },
  "hide-tool-results": { kind: "switch", description: "add: print tool calls without their results" },
  json: { kind: "switch", description: "list: print JSON" },
} as const satisfies FlagSpecs;

type AliasInput = Pick<CommandInput<typeof ALIAS_FLAGS>, "flags" | "positionals">;

/** Manages short names for agents, which config.yaml holds. Throws a `ConfigError` or a {@link UsageError}. */
export async function runAlias(input: AliasInput): Promise<number> {
  const [verb = "", name, reference, ...more] = input.positionals;
  if (verb === "add" && name !== undefined && reference !== undefined && more.length === 0)
    return add(name, reference, input);
  if ((verb === "list" || verb === "ls") && name === undefined) return list(input);
  if ((verb === "remove" || verb === "rm") && name !== undefined && reference === undefined) return remove(name, input);
  throw new UsageError("agent alias takes add NAME AGENT, list or remove NAME");
}

async function add(name: string, reference: string, { flags }: AliasInput): Promise<number> {
  if (!ALIAS_NAME.test(name))
    throw new UsageError(`an alias consists of letters, digits, _ and -, not ${JSON.stringify(name)}`);
  const path = absolutePath(reference);
  const entry = {
    path,
    ...(flags.safety === undefined ? {} : { safety: flags.safety }),
    ...(flags.yolo ? { yolo: true } : {}),
    ...(flags.model === undefined ? {} : { model: flags.model }),
    ...(flags["hide-tool-results"] ? { hide_tool_results: true } : {}),
  };
  const directories = lastingDirectoriesOf(flags, "config");
  await editUserConfig(userConfigPath(directories), (document) =>
    document.setIn(["aliases", name], document.createNode(entry)),
  );
  await print(`${name}: ${path}`);
  return EXIT_CODES.ok;
}

/**
 * Makes the path of a local file absolute, so that the alias works in every directory. Returns other references
 * unchanged.
 */
function absolutePath(reference: string): string {
  const found = locateAgentFile(reference, { cwd: process.cwd() });
  if (found.kind !== "file") return reference;
  if (!existsSync(found.path)) throw new UserError(`${reference}: no such file`);
  return resolve(reference);
}

async function list({ flags }: AliasInput): Promise<number> {
  const { aliases, warnings } = await loadUserConfig(directoriesOf(flags));
  for (const warning of warnings) warn(warning);
  if (flags.json) {
    await print(JSON.stringify(aliases, undefined, 2));
    return EXIT_CODES.ok;
  }
  for (const [name, { path, ...options }] of Object.entries(aliases)) {
    const shown = Object.entries(options).map(([key, value]) => (value === true ? key : `${key}: ${value}`));
    await print(`${name}: ${path}${shown.length > 0 ? ` (${shown.join(", ")})` : ""}`);
  }
  return EXIT_CODES.ok;
}

async function remove(name: string, { flags }: AliasInput): Promise<number> {
  const directories = directoriesOf(flags);
  const { document } = await loadUserConfig(directories);
  let removed = false;
  if (document)
    await editUserConfig(userConfigPath(directories), (edited) => void (removed = edited.deleteIn(["aliases", name])));
  if (!removed) throw new UserError(`no alias ${JSON.stringify(name)}`);
  return EXIT_CODES.ok;
}
