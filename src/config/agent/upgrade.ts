import { isObject } from "../../lib/json.ts";
import { type Notice, SCHEMA_VERSION } from "../yaml/check-schema.ts";
import type { Path, Problem } from "../yaml/document.ts";

/** An agent file in the newest version, with the problems and notices of the upgrade. */
export interface UpgradedFile {
  value: Record<string, unknown>;
  problems: Problem[];
  notices: Notice[];
}

/** Returns the declared version, by default the newest. Undefined for anything but 0 to 16. */
export function declaredVersion(value: Record<string, unknown>): number | undefined {
  const declared = value["version"] ?? SCHEMA_VERSION;
  const text = typeof declared === "number" || typeof declared === "string" ? String(declared).trim() : "";
  return /^\d{1,2}$/.test(text) && Number(text) <= SCHEMA_VERSION ? Number(text) : undefined;
}

/**
 * Converts an agent file to the newest version, and lists of commands to mappings. Does not change its argument.
 */
export function upgradeAgentFile(value: Record<string, unknown>, version: number): UpgradedFile {
  const upgraded: UpgradedFile = { value: { ...value }, problems: [], notices: [] };
  if (version < 3) dropEnvironment(upgraded, upgraded.value, []);
  mapEntries(upgraded.value, "models", (model, name) => upgradeModel(upgraded, model, name, version));
  mapEntries(upgraded.value, "agents", (agent, name) => upgradeAgent(upgraded, agent, name, version));
  mapEntries(upgraded.value, "commands", (group, name) => asMapping(upgraded, group, ["commands", name]));
  return upgraded;
}

function mapEntries(
  owner: Record<string, unknown>,
  key: string,
  change: (entry: unknown, name: string) => unknown,
): void {
  const entries = owner[key];
  if (!isObject(entries)) return;
  owner[key] = Object.fromEntries(Object.entries(entries).map(([name, entry]) => [name, change(entry, name)]));
}

function upgradeModel(upgraded: UpgradedFile, model: unknown, name: string, version: number): unknown {
  if (!isObject(model)) return model;
  const { type, ...rest } = model;
  const changed =
    version < 1 && type !== undefined && rest["provider"] === undefined ? { provider: type, ...rest } : { ...model };
  if (version < 3) dropEnvironment(upgraded, changed, ["models", name]);
  return changed;
}

/**
 * Reports `env` and `env_file` of old versions, which no longer exist: ignoring them could lose a variable unnoticed.
 */
function dropEnvironment(upgraded: UpgradedFile, owner: Record<string, unknown>, path: Path): void {
  for (const key of ["env", "env_file"]) {
    const value = owner[key];
    const empty = value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
    if (value !== undefined && !empty)
      upgraded.problems.push({
        path: [...path, key],
        at: "key",
        message: "no longer supported; set the variables in the environment or pass --env-from-file",
      });
    delete owner[key];
  }
}

function upgradeAgent(upgraded: UpgradedFile, agent: unknown, name: string, version: number): unknown {
  if (!isObject(agent)) return agent;
  const changed = { ...agent };
  const path = ["agents", name];
  if (version < 1) prependToolsets(changed);
  if (version < 6) dropSandbox(upgraded, changed, path);
  if (version < 7) appendSources(changed);
  if ("commands" in changed) changed["commands"] = asMapping(upgraded, changed["commands"], [...path, "commands"]);
  return changed;
}

/** Converts the three keys with which version 0 enabled toolsets. */
function prependToolsets(agent: Record<string, unknown>): void {
  const added = ["todo", "think", "memory"].flatMap((type) => {
    const value = agent[type];
    delete agent[type];
    if (isObject(value)) return [{ type, ...value }];
    return value === true ? [{ type }] : [];
  });
  if (added.length > 0) agent["toolsets"] = [...added, ...listOf(agent["toolsets"])];
}

function dropSandbox(upgraded: UpgradedFile, agent: Record<string, unknown>, path: Path): void {
  if (!Array.isArray(agent["toolsets"])) return;
  agent["toolsets"] = agent["toolsets"].map((toolset: unknown, index) => {
    if (!isObject(toolset) || !("sandbox" in toolset)) return toolset;
    const { sandbox: _dropped, ...rest } = toolset;
    const message = "no longer supported: the toolset runs without a sandbox";
    upgraded.notices.push({ path: [...path, "toolsets", index, "sandbox"], at: "key", kind: "unenforced", message });
    return rest;
  });
}

function appendSources(agent: Record<string, unknown>): void {
  if (!Array.isArray(agent["rag"])) return;
  agent["toolsets"] = [...listOf(agent["toolsets"]), ...agent["rag"].map((ref: unknown) => ({ type: "rag", ref }))];
  delete agent["rag"];
}

function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}

/** Returns slash commands as one mapping. They may also be written as a list of mappings. */
function asMapping(upgraded: UpgradedFile, commands: unknown, path: Path): unknown {
  if (isObject(commands)) return commands;
  if (Array.isArray(commands)) {
    const entries = commands.flatMap((item: unknown) => (isObject(item) ? Object.entries(item) : []));
    if (commands.every(isObject) && new Set(entries.map(([name]) => name)).size === entries.length)
      return Object.fromEntries(entries);
    upgraded.problems.push({ path, message: "expected a mapping, or a list of mappings with one command each" });
  } else if (commands !== null) {
    upgraded.notices.push({ path, kind: "advice", message: "expected a mapping of commands; the value is ignored" });
  }
  return {};
}
