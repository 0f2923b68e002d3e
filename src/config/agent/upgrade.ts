import { isObject } from "../../lib/json.ts";
import type { Notice } from "../yaml/check-schema.ts";
import type { Path, Problem } from "../yaml/document.ts";

/** The schema version this program knows. Source: config-and-cli 2.4. */
export const SCHEMA_VERSION = 15;

/** A file brought to the newest version, and what there is to say about it. */
export interface UpgradedFile {
  value: Record<string, unknown>;
  problems: Problem[];
  notices: Notice[];
}

/** The declared version, 15 when none is; undefined when it is none of 0 to 15. Source: config-and-cli 2.1, 2.4. */
export function declaredVersion(value: Record<string, unknown>): number | undefined {
  const declared = value["version"] ?? SCHEMA_VERSION;
  const text = typeof declared === "number" || typeof declared === "string" ? String(declared).trim() : "";
  return /^\d{1,2}$/.test(text) && Number(text) <= SCHEMA_VERSION ? Number(text) : undefined;
}

/**
 * Rewrites what older versions said in other words, and gives `commands` its one shape. The value passed in is not
 * changed.
 *
 * Source: config-and-cli 2.4, 2.6.
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

/** Files of their own for the environment are gone: what an old file set must not silently be missing. */
function dropEnvironment(upgraded: UpgradedFile, owner: Record<string, unknown>, path: Path): void {
  for (const key of ["env", "env_file"]) {
    const value = owner[key];
    const empty = value === null || value === "" || (isObject(value) && Object.keys(value).length === 0);
    if (value !== undefined && !empty)
      upgraded.problems.push({ path: [...path, key], at: "key", message: "not supported any more" });
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

/** Version 0 switched three toolsets on by keys of the agent. */
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
    const message = "not supported any more: the toolset runs without a sandbox";
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

/** Slash commands as one mapping; a list of one-key mappings is another way to write it. */
function asMapping(upgraded: UpgradedFile, commands: unknown, path: Path): unknown {
  if (isObject(commands)) return commands;
  if (Array.isArray(commands)) {
    const entries = commands.flatMap((item: unknown) => (isObject(item) ? Object.entries(item) : []));
    if (commands.every(isObject) && new Set(entries.map(([name]) => name)).size === entries.length)
      return Object.fromEntries(entries);
    upgraded.problems.push({ path, message: "expected a mapping, or a list of mappings with one command each" });
  } else if (commands !== null) {
    upgraded.notices.push({ path, kind: "advice", message: "expected commands; ignored" });
  }
  return {};
}
