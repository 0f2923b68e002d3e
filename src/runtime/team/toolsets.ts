import type { Agent as AgentSetup } from "../../config/agent/resolve-agent.ts";
import { expandToolset } from "../../config/toolsets/expand-toolset.ts";
import type { ToolsetConfig } from "../../config/toolsets/toolset-schema.ts";
import type { Log } from "../../engine/handler.ts";
import type { Directories, Env } from "../../lib/env.ts";
import { ConfigError, errorText, type Help } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { rememberCredentials, rememberUrl, rememberVariables } from "../../lib/secrets/known-secrets.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { withDescription } from "../../tools/arguments.ts";
import { rowOf } from "../../tools/index.ts";
import { lifecycleOf } from "../../tools/mcp/lifecycle.ts";
import { serverName } from "../../tools/mcp/server-name.ts";
import { applyToolsetOptions, type ToolsetChoice } from "../../tools/options.ts";
import type { Toolset, ToolsetContext } from "../../tools/tool.ts";
import { isToolOf } from "../../tools/tool-names.ts";
import { BACKGROUND_INSTRUCTIONS } from "../delegation/background-tools.ts";
import { type LateStart, lateToolset } from "./late-toolset.ts";

const TOOLSET_DID_NOT_START: Help = {
  cause: "A toolset did not start, so its tools are not offered.",
  cure: "Read the reason after the colon; `hooksh doctor AGENT` checks it before a run. `not set`: export the variable, or pass `--env-from-file`.",
};

/** The context in which toolsets are created. */
export interface ToolsetSurroundings {
  workingDir: string;
  /** The environment of hooks and tools. */
  env: Env;
  directories: Directories;
  /** Returns the value of a variable that the configuration names: a key, `${env.NAME}`. */
  lookup: (name: string) => string | undefined;
  /** Expands `${...}` in texts for the model; if absent, they stay as they are. */
  expandText?: (text: string, where: string) => string;
  /** The agent file's name without its extension. */
  configName?: string;
  log: Log;
  /** Receives a warning about everything that is left out; goes to standard error. */
  warn: (message: string) => void;
  /** Aborted when the toolsets are no longer needed. */
  signal?: AbortSignal;
  /** If set, no server is started and nothing is fetched; receives what is left out. */
  onLeftOut?: ((what: string) => void) | undefined;
}

type ToolsetEntry = AgentSetup["toolsets"][number];

/** The entries of one agent or group, and their path in the agent file: `agents.root`. */
export interface ToolsetOwner {
  where: string;
  entries: AgentSetup["toolsets"];
  /** Keeps only read-only tools. */
  readonly?: boolean;
  /** Adds the argument `description` to every tool that can take it. */
  describe?: boolean;
}

/** A toolset, with the settings of its entry that the runtime uses. */
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
 * Creates toolsets in order. A toolset that does not start causes a warning and is tried again later, unless its
 * lifecycle forbids restarts. If its entry requires it, throws a {@link ConfigError} after closing the toolsets that
 * were started. If two tools have the same name, the first is offered and a warning names both. No warning is repeated.
 */
export async function createToolsets(owner: ToolsetOwner, given: ToolsetSurroundings): Promise<ConfiguredToolset[]> {
  const surroundings = { ...given, warn: once(given.warn) };
  const toolsets: ConfiguredToolset[] = [];
  const onLateStart = () => warnOfRepeatedNames(toolsets, surroundings.warn);
  try {
    for (const [index, entry] of owner.entries.entries()) {
      const where = `${owner.where}.toolsets[${index}] (${entry.type})`;
      const configured = await createOne(entry, where, owner, surroundings).catch((cause: unknown) => {
        const reason = oneLine(cause);
        if (lifecycleOfEntry(entry).isRequired) {
          throw new ConfigError(`${where} did not start, and its lifecycle requires it: ${reason}`, {
            cause,
            help: TOOLSET_DID_NOT_START,
          });
        }
        surroundings.warn(`${where} did not start, its tools are missing: ${reason}`);
        const isAutomatic = lifecycleOfEntry(entry).restart !== "never";
        const server = entry.type === "mcp" ? serverName(entry as Parameters<typeof serverName>[0]) : undefined;
        if (!isAutomatic && server === undefined) return undefined;
        const create = (signal: AbortSignal) => createOne(entry, where, owner, { ...surroundings, signal });
        const late = { create, reason, server, isAutomatic, onStart: onLateStart, log: surroundings.log };
        return startingLate(entry, where, late);
      });
      if (configured) toolsets.push(configured);
    }
  } catch (error) {
    await Promise.all(toolsets.map(({ toolset }) => toolset.close?.()));
    throw error;
  }
  warnOfRepeatedNames(toolsets, surroundings.warn);
  return toolsets;
}

createToolsets.help = TOOLSET_DID_NOT_START;

function once(warn: (message: string) => void): (message: string) => void {
  const given = new Set<string>();
  return (message) => {
    if (!given.has(message)) warn(message);
    given.add(message);
  };
}

function oneLine(error: unknown): string {
  return escapeControls(
    errorText(error)
      .split("\n")
      .map((line) => line.trim())
      .filter(Boolean)
      .join("; "),
  );
}

/** Returns the lifecycle of an entry; types without that key have the defaults. */
function lifecycleOfEntry({ lifecycle }: Record<string, unknown>) {
  return lifecycleOf(isObject(lifecycle) ? lifecycle : {});
}

interface LateEntry extends Pick<LateStart, "reason" | "server" | "isAutomatic"> {
  create: (signal: AbortSignal) => Promise<ConfiguredToolset | undefined>;
  onStart: () => void;
  log: Log;
}

/** Returns a placeholder for a toolset that may start later. */
function startingLate(entry: ToolsetEntry, where: string, late: LateEntry): ConfiguredToolset {
  const { create, onStart, log, ...rest } = late;
  const toolset = lateToolset({
    ...rest,
    start: async (signal) => (await create(signal))?.toolset ?? { tools: [] },
    onStart: () => {
      log("debug", `${where} has started`);
      onStart();
    },
    onFailure: (reason) => log("debug", `${where} did not start again: ${reason}`),
  });
  return { toolset, where, ...modelOf(entry) };
}

function modelOf({ model }: Record<string, unknown>): Pick<ConfiguredToolset, "model"> {
  return typeof model === "string" ? { model } : {};
}

async function createOne(
  entry: ToolsetEntry,
  where: string,
  owner: ToolsetOwner,
  surroundings: ToolsetSurroundings,
): Promise<ConfiguredToolset | undefined> {
  const expand = (text: string, key: string) => surroundings.expandText?.(text, `${where}.${key}`) ?? text;
  const choice: ToolsetChoice = {
    ...(entry as ToolsetChoice),
    readonly: owner.readonly === true || entry["readonly"] === true,
    ...(typeof entry["instruction"] === "string" ? { instruction: expand(entry["instruction"], "instruction") } : {}),
  };
  const warn = (message: string) => surroundings.warn(`${where}: ${message}`);
  const model = modelOf(entry);
  const row = rowOf(entry);
  if (row.isOfRuntime) return { ...backgroundToolset(choice, warn), where, ...model };
  if (!row.load) {
    if (lifecycleOfEntry(entry).isRequired) throw new ConfigError("is not supported yet");
    surroundings.warn(`${where} is not supported yet: its tools are missing`);
    return undefined;
  }
  const { entry: expanded, missing } = expandToolset(entry, surroundings);
  if (missing.length > 0) throw new ConfigError(`env: not set: ${missing.join(", ")}`);
  if (surroundings.onLeftOut && row.tools === undefined) {
    const obstacles = (await row.obstacles?.(expanded, surroundings)) ?? [];
    if (obstacles.length > 0) throw new ConfigError(obstacles.map(({ message }) => message).join("; "));
    surroundings.onLeftOut(where);
    return { toolset: { tools: [] }, where, ...model };
  }
  rememberSecretsOf(expanded);
  const { create } = await row.load();
  const created = await create(
    expanded,
    contextOf(surroundings, (text) => expand(text, "headers")),
  );
  const chosen = applyToolsetOptions(created, choice, warn);
  return { toolset: owner.describe ? withDescriptions(chosen) : chosen, where, ...model };
}

/**
 * Registers the secrets in an entry, so that redaction knows them before its first request. The value that a header
 * takes from a variable is registered when the request is sent.
 */
function rememberSecretsOf({ env, url, headers, remote, api_config: api }: ToolsetConfig): void {
  if (isObject(env)) rememberVariables(textsIn(env));
  for (const place of [{ url, headers }, remote, api].filter(isObject)) {
    const { headers: sent, url: address, endpoint, oauth } = place;
    if (isObject(sent)) rememberCredentials(textsIn(sent));
    if (isObject(oauth)) rememberCredentials(textsIn(oauth));
    for (const text of [address, endpoint]) if (typeof text === "string") rememberUrl(text);
  }
}

/** Returns the entries whose value is a string without variables. */
function textsIn(values: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).filter(
      (entry): entry is [string, string] => typeof entry[1] === "string" && !entry[1].includes("${"),
    ),
  );
}

/** Returns the text for the model only: the runtime provides the tools of this toolset itself. */
function backgroundToolset({ instruction, ...choice }: ToolsetChoice, warn: (message: string) => void) {
  for (const name of choice.tools ?? []) {
    if (!isToolOf("background_agents", name)) warn(`tools: ${JSON.stringify(name)} is not a tool of this toolset`);
  }
  const texts = { tools: [], instructions: BACKGROUND_INSTRUCTIONS };
  const toolset = applyToolsetOptions(texts, instruction === undefined ? {} : { instruction }, warn);
  return { toolset, background: choice };
}

function withDescriptions(toolset: Toolset): Toolset {
  const { instructions, close, work, server } = toolset;
  return {
    get tools() {
      return toolset.tools.map(withDescription);
    },
    ...(instructions === undefined ? {} : { instructions }),
    ...(server ? { server } : {}),
    ...(work ? { work: () => work.call(toolset) } : {}),
    ...(close ? { close: () => close.call(toolset) } : {}),
  };
}

function contextOf(surroundings: ToolsetSurroundings, expand: (text: string) => string): ToolsetContext {
  const { workingDir, env, directories, log, warn, configName, signal } = surroundings;
  const named = configName === undefined ? {} : { configName };
  return { workingDir, env, dataDir: directories.data, log, warn, expand, ...named, ...(signal ? { signal } : {}) };
}

function warnOfRepeatedNames(toolsets: readonly ConfiguredToolset[], warn: (message: string) => void): void {
  const first = new Map<string, string>();
  for (const { toolset, where } of toolsets) {
    for (const { name } of toolset.tools) {
      const other = first.get(name);
      if (other === undefined) first.set(name, where);
      else warn(`${where}: the tool ${name} is left out: ${other} has a tool of the same name`);
    }
  }
}
