import type { Agent as AgentSetup } from "../config/agent.ts";
import { expandToolsetEnv } from "../config/expand.ts";
import { expandWorkingDir } from "../config/expand-hook.ts";
import type { Log } from "../engine/hook.ts";
import type { Directories, Env } from "../lib/env.ts";
import { ConfigError, errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { withDescription } from "../tools/arguments.ts";
import { TOOLSETS } from "../tools/index.ts";
import { applyToolsetOptions, type ToolsetChoice } from "../tools/options.ts";
import type { Toolset, ToolsetContext, ToolsetRow } from "../tools/tool.ts";
import { BACKGROUND_INSTRUCTIONS, BACKGROUND_TOOL_NAMES } from "./background-tools.ts";

/** What toolsets are created with. */
export interface ToolsetSurroundings {
  workingDir: string;
  /** The environment of hooks and tools. */
  env: Env;
  directories: Directories;
  /** The value of a variable in configuration: a key, `${env.NAME}`. */
  lookup: (name: string) => string | undefined;
  /** Expands `${...}` in texts for the model; as they are when absent. */
  expandText?: (text: string, where: string) => string;
  /** The agent file's name without its ending. */
  configName?: string;
  log: Log;
  /** Told of what is left out; goes to standard error. */
  warn: (message: string) => void;
}

/** The entries of one agent or group, and where they stand: `agents.root`. */
export interface ToolsetOwner {
  where: string;
  entries: AgentSetup["toolsets"];
  /** Every toolset is narrowed to what only reads. */
  readonly?: boolean;
  /** Tools that can take it get the argument `description`. */
  describe?: boolean;
}

/** A toolset that runs, with what its entry says for the runtime. */
export interface ConfiguredToolset {
  toolset: Toolset;
  /** For warnings: `agents.root.toolsets[1] (shell)`. */
  where: string;
  /** The model for the call after its tools, as the entry names it. */
  model?: string;
  /** Set for `background_agents`: which of the runtime's own tools the entry asks for. */
  background?: ToolsetChoice;
}

/**
 * Creates toolsets in order. One that fails is left out with a warning. Of two tools with one name the first is
 * offered, and a warning names both.
 *
 * Source: config-and-cli 4.9, 5.1.
 */
export async function createToolsets(owner: ToolsetOwner, around: ToolsetSurroundings): Promise<ConfiguredToolset[]> {
  const made: ConfiguredToolset[] = [];
  for (const [index, entry] of owner.entries.entries()) {
    const where = `${owner.where}.toolsets[${index}] (${entry.type})`;
    try {
      const configured = await createOne(entry, where, owner, around);
      if (configured) made.push(configured);
    } catch (error) {
      around.warn(`${where} did not start, its tools are missing: ${errorText(error)}`);
    }
  }
  warnOfRepeatedNames(made, around.warn);
  return made;
}

async function createOne(
  entry: AgentSetup["toolsets"][number],
  where: string,
  owner: ToolsetOwner,
  around: ToolsetSurroundings,
): Promise<ConfiguredToolset | undefined> {
  const expand = (text: string, key: string) => around.expandText?.(text, `${where}.${key}`) ?? text;
  const choice: ToolsetChoice = {
    ...(entry as ToolsetChoice),
    readonly: owner.readonly === true || entry["readonly"] === true,
    ...(typeof entry["instruction"] === "string" ? { instruction: expand(entry["instruction"], "instruction") } : {}),
  };
  const warn = (message: string) => around.warn(`${where}: ${message}`);
  const model = typeof entry["model"] === "string" ? { model: entry["model"] } : {};
  if (entry.type === "background_agents") return { ...backgroundToolset(choice, warn), where, ...model };
  const rows: Readonly<Record<string, ToolsetRow>> = TOOLSETS;
  const row = Object.hasOwn(rows, entry.type) ? rows[entry.type] : undefined;
  if (!row) {
    around.warn(`${where} is not supported yet: its tools are missing`);
    return undefined;
  }
  const created = await row.create(expandEntry(entry, around), contextOf(around, (text) => expand(text, "headers")));
  const chosen = applyToolsetOptions(created, choice, warn);
  return { toolset: owner.describe ? withDescriptions(chosen) : chosen, where, ...model };
}

/** The tools are the runtime's own, only the text for the model is a toolset's. */
function backgroundToolset({ instruction, ...choice }: ToolsetChoice, warn: (message: string) => void) {
  for (const name of choice.tools ?? []) {
    if (!BACKGROUND_TOOL_NAMES.includes(name)) warn(`tools: ${JSON.stringify(name)} is not a tool of this toolset`);
  }
  const texts = { tools: [], instructions: BACKGROUND_INSTRUCTIONS };
  const toolset = applyToolsetOptions(texts, instruction === undefined ? {} : { instruction }, warn);
  return { toolset, background: choice };
}

function withDescriptions(toolset: Toolset): Toolset {
  const { instructions, close } = toolset;
  return {
    get tools() {
      return toolset.tools.map(withDescription);
    },
    ...(instructions === undefined ? {} : { instructions }),
    ...(close ? { close: () => close.call(toolset) } : {}),
  };
}

function contextOf(around: ToolsetSurroundings, expand: (text: string) => string): ToolsetContext {
  const { workingDir, env, directories, log, configName } = around;
  const named = configName === undefined ? {} : { configName };
  return { workingDir, env, dataDir: directories.data, log, expand, ...named };
}

function warnOfRepeatedNames(made: readonly ConfiguredToolset[], warn: (message: string) => void): void {
  const first = new Map<string, string>();
  for (const { toolset, where } of made) {
    for (const { name } of toolset.tools) {
      const other = first.get(name);
      if (other === undefined) first.set(name, where);
      else warn(`${where}: the tool ${name} is left out, ${other} has one of this name`);
    }
  }
}

/** A toolset's entry with the variables of its `env`, `working_dir` and `path` expanded. Source: config-and-cli 3. */
function expandEntry(entry: AgentSetup["toolsets"][number], around: ToolsetSurroundings): Record<string, unknown> {
  const expanded: Record<string, unknown> = { ...entry };
  if (isTexts(entry["env"])) {
    const { env, missing } = expandToolsetEnv(entry["env"], around.lookup);
    if (missing.length > 0) throw new ConfigError(`env: not set: ${missing.join(", ")}`);
    expanded["env"] = env;
  }
  for (const key of ["working_dir", "path"]) {
    const value = entry[key];
    if (typeof value === "string") expanded[key] = expandWorkingDir(value, around.workingDir, around.env, around.warn);
  }
  return expanded;
}

function isTexts(value: unknown): value is Record<string, string> {
  return isObject(value) && Object.values(value).every((inner) => typeof inner === "string");
}
