import { dirname, resolve } from "node:path";
import { scriptOfHook } from "../../config/hooks/hook-script.ts";
import { defineHook } from "../../config/hooks/read-hooks.ts";
import type { ForeignHook } from "../../dialects/translate/foreign-hook.ts";
import { isObject } from "../../lib/json.ts";
import { pluginFolder } from "./host-sources.ts";
import type { ImportedHost } from "./imported-host.ts";

/** The directory in which the host would start the command; undefined for that of the session, as in hooksh. */
export function folderOf(
  foreign: ForeignHook,
  entry: Readonly<Record<string, unknown>>,
  text: string,
  { rules, place }: ImportedHost,
): string | undefined {
  const isOfProject = foreign.scope === "project" || foreign.scope === "local";
  const base =
    rules.startsIn?.[foreign.scope] === "file" ? dirname(foreign.path) : isOfProject ? place.project : undefined;
  const given = entry["cwd"] ?? entry["working_directory"];
  if (typeof given === "string" && given !== "")
    return base === undefined || /^[~$]/.test(given) ? given : resolve(base, given);
  if (rules.startsIn?.[foreign.scope] === "file") return base;
  const script = scriptOfHook(
    {
      event: "stop",
      matcher: "",
      lane: "default",
      hook: defineHook({ type: "command", command: text }),
      path: [],
      source: async () => "",
    },
    { workingDir: base ?? place.project, env: place.env },
  );
  return script?.isRelative && script.start !== "name" ? base : undefined;
}

/** Variables with which commands of a plugin name its folder. */
const PLUGIN_VARIABLES = ["CLAUDE_PLUGIN_ROOT", "DROID_PLUGIN_ROOT", "PLUGIN_ROOT"];

/** Returns the variables of a hook, and its command with the folder of its plugin. */
export function environmentOf(
  foreign: ForeignHook,
  entry: Readonly<Record<string, unknown>>,
  { command }: { command: string },
): { variables: Record<string, string>; command: string; losses: string[] } {
  const variables: Record<string, string> = {};
  const losses: string[] = [];
  const { env } = entry;
  if (isObject(env)) {
    for (const [name, value] of Object.entries(env)) {
      if (typeof value === "string" || typeof value === "number" || typeof value === "boolean")
        variables[name] = String(value);
      else losses.push(`env.${name} is not kept: it is not a text`);
    }
  } else if (env !== undefined && env !== null) losses.push("env is not kept: it is not a mapping");
  const plugin = pluginFolder(foreign.path);
  if (plugin === undefined) return { variables, command, losses };
  for (const name of PLUGIN_VARIABLES) {
    if (new RegExp(`\\$\\{?${name}\\b`).test(command)) variables[name] ??= plugin;
  }
  return { variables, command: command.replaceAll("${extensionPath}", () => plugin), losses };
}
