import { join } from "node:path";
import { tryReadFile } from "../../config/sources/private-file.ts";
import type { HostFile } from "../../dialects/host-file.ts";
import { hostFiles } from "../../dialects/host-files.ts";
import { type HostPlace, hostPath } from "../../dialects/host-paths.ts";
import { isObject } from "../../lib/json.ts";

const ROW: HostFile = { scope: "user", path: "hooks/hooks.json", format: "jsonc", nesting: "groups", at: ["hooks"] };

/** The settings of Claude Code that turn plugins on and off; a later one wins. */
const SETTINGS = [
  "~/.claude/settings.json",
  "<project>/.claude/settings.json",
  "<project>/.claude/settings.local.json",
];

/**
 * Returns where the plugins of Claude Code that are installed for the user or this project have their hooks; the files
 * need not exist. Claude Code records them in `plugins/installed_plugins.json`:
 * https://code.claude.com/docs/en/plugins-reference.
 */
export function claudePluginFiles(place: HostPlace): { row: HostFile; path: string }[] {
  const at = (template: string) => hostPath(template, hostFiles("claude"), place);
  const record = readJson(at("~/.claude/plugins/installed_plugins.json"));
  const plugins = isObject(record) && isObject(record["plugins"]) ? record["plugins"] : {};
  const switches = SETTINGS.map((template) => readJson(at(template)));
  return Object.entries(plugins).flatMap(([name, installs]) =>
    isOff(name, switches) ? [] : [installs].flat().flatMap((install: unknown) => hooksOf(install, place.project)),
  );
}

function hooksOf(install: unknown, project: string): { row: HostFile; path: string }[] {
  if (!isObject(install)) return [];
  const { installPath, projectPath = project } = install;
  if (typeof installPath !== "string" || projectPath !== project) return [];
  return [{ row: ROW, path: join(installPath, "hooks/hooks.json") }];
}

function isOff(name: string, settings: readonly unknown[]): boolean {
  const given = settings.flatMap((each) => {
    const enabled = isObject(each) && isObject(each["enabledPlugins"]) ? each["enabledPlugins"][name] : undefined;
    return enabled === undefined ? [] : [enabled];
  });
  return given.at(-1) === false;
}

/** Returns the value of a JSON file; undefined if it is missing or not valid: reading the hooks reports that. */
function readJson(path: string): unknown {
  try {
    const bytes = tryReadFile(path);
    return bytes === undefined ? undefined : JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}
