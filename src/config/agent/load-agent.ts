/**
 * Configuration: reads files and references into checked values, and names the place of each problem. It starts no
 * hook and no agent.
 *
 * @packageDocumentation
 */
import { basename, join } from "node:path";
import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { mergePermissions } from "../permissions/permission-rules.ts";
import { digestOf } from "../sources/content.ts";
import { type AgentSource, type FetchedAgent, type FetchOptions, fetchAgent } from "../sources/fetch-agent.ts";
import type { Trustable } from "../user/trust-store.ts";
import { type Document, parseDocument, problemsError } from "../yaml/document.ts";
import { type AgentFile, type AgentFileOptions, checkAgentFile } from "./agent-file.ts";
import { describeEffects } from "./effects.ts";
import { addExternalAgents, type FileAgents } from "./external-agents.ts";
import { staysInside } from "./instruction-file.ts";
import { applyModelOverrides } from "./model-override.ts";

/** Options of {@link loadAgentFile}. */
export interface LoadOptions extends AgentFileOptions, FetchOptions {
  /** Also loads the agents of other files that this one delegates to. Otherwise only their references are checked. */
  loadExternal?: boolean;
}

/** An agent file that runs only if the user trusts it, and where it comes from. */
export interface FileToTrust extends Trustable {
  source: AgentSource;
}

/** An agent file with the agents that it takes from other files. */
export interface LoadedAgentFile extends AgentFile {
  /**
   * The file itself if it is remote, or if the reference did not name it; and the remote files it takes agents from,
   * each once.
   */
  filesToTrust: readonly FileToTrust[];
}

/** The maximum depth of files that take agents from other files. */
const MAX_NESTING = 10;

/** The maximum number of other files. The depth alone would still allow very many. */
const MAX_FILES = 100;

/**
 * Loads the agent file that a reference names, local or remote; without a reference the project's own. Throws a
 * {@link ConfigError} that lists all problems of the file, each with its position.
 */
export async function loadAgentFile(reference: string | undefined, options: LoadOptions): Promise<LoadedAgentFile> {
  const { modelOverrides = [], ...rest } = options;
  const { file, filesToTrust } = await loadNested(reference, rest, { ancestors: [], files: new Map() });
  return {
    ...file,
    agents: applyModelOverrides(file.agents, modelOverrides),
    filesToTrust: [...filesToTrust.values()],
  };
}

interface Loaded {
  file: AgentFile;
  /** By digest. */
  filesToTrust: ReadonlyMap<string, FileToTrust>;
}

interface Nesting {
  /** The references that led to this file. */
  ancestors: readonly string[];
  /** Every file so far, by its reference and the host of the file that names it. */
  files: Map<string, Promise<Loaded>>;
}

async function loadNested(reference: string | undefined, options: LoadOptions, nesting: Nesting): Promise<Loaded> {
  const fetched = await fetchAgent(reference, options);
  const loaded = await readFetched(fetched, options).catch((error: unknown) => {
    if (fetched.source !== "remote" || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map(escapeControls), { cause: error }); // a message may quote the file
  });
  return options.loadExternal ? takeExternal(loaded, fetched, options, nesting) : loaded;
}

async function readFetched(fetched: FetchedAgent, options: LoadOptions): Promise<Loaded> {
  const document = await parseDocument(fetched.text, fetched.displayName, fetched.baseDir);
  const instructions = await fetchInstructions(document, fetched);
  const { file, problems } = await checkAgentFile(document, fetched.baseDir, { ...options, fetched: instructions });
  if (!file) throw await problemsError(document, problems);
  const toTrust = fetched.source && fileToTrust(file, fetched, fetched.source, instructions);
  const filesToTrust = new Map(toTrust ? [[toTrust.digest, toTrust]] : []);
  const displayName = { warnings: file.warnings.map(escapeControls), unenforced: file.unenforced.map(escapeControls) };
  return { file: fetched.source === "remote" ? { ...file, ...displayName } : file, filesToTrust };
}

/** Fetches the instruction files of a remote agent file; undefined if its source has no other files. */
async function fetchInstructions(
  document: Document,
  { readSibling }: FetchedAgent,
): Promise<Map<string, string> | undefined> {
  if (!readSibling) return undefined;
  const agents =
    isObject(document.value) && isObject(document.value["agents"]) ? Object.values(document.value["agents"]) : [];
  const named = agents.flatMap((agent) => (isObject(agent) ? [agent["instruction_file"]].flat() : []));
  const files = new Set(
    named.filter((file) => typeof file === "string" && file !== "" && staysInside(file)) as string[],
  );
  if (files.size > MAX_FILES) throw new ConfigError(`${document.file}: names more than ${MAX_FILES} instruction files`);
  const texts = new Map<string, string>();
  for (const file of files) texts.set(file, await readSibling(file));
  return texts;
}

function fileToTrust(
  file: AgentFile,
  { displayName, digest = "", baseDir = "" }: FetchedAgent,
  source: AgentSource,
  instructions: ReadonlyMap<string, string> | undefined,
): FileToTrust {
  const effects = describeEffects(file);
  if (source === "remote") {
    const fullDigest = instructions?.size ? digestOf(JSON.stringify([digest, ...instructions])) : digest;
    return { reference: displayName, digest: fullDigest, source, effects };
  }
  const reference = join(baseDir, basename(displayName));
  // Texts for the model are not part of it: users edit those of their own agents, and would be asked each time.
  return { reference, digest: digestOf(JSON.stringify([reference, effects])), source, effects };
}

async function takeExternal(
  loaded: Loaded,
  fetched: FetchedAgent,
  options: LoadOptions,
  nesting: Nesting,
): Promise<Loaded> {
  const { file } = loaded;
  const filesToTrust = new Map(loaded.filesToTrust);
  const taken: AgentFile[] = [];
  // A remote agent must not make hooksh send requests to hosts of the private network.
  const sources = options.sources && {
    ...options.sources,
    ...(fetched.host === undefined ? {} : { namedBy: fetched.host }),
  };
  const agents = await addExternalAgents(groupOf(file), async (reference) => {
    const ancestors = [...nesting.ancestors, reference];
    if (ancestors.length > MAX_NESTING)
      throw new ConfigError(
        `agent files refer to each other more than ${MAX_NESTING} levels deep: ${ancestors.join(" -> ")}`,
      );
    const key = `${fetched.host ?? ""} ${reference}`;
    // A file that is named twice is loaded once. One that names itself is loaded again until the depth limit.
    const known = nesting.ancestors.includes(reference) ? undefined : nesting.files.get(key);
    if (!known && nesting.files.size >= MAX_FILES)
      throw new ConfigError(`${file.document.file}: takes agents from more than ${MAX_FILES} other files`);
    const loading =
      known ?? loadNested(reference, { ...options, ...(sources ? { sources } : {}) }, { ...nesting, ancestors });
    nesting.files.set(key, loading);
    const other = await loading;
    for (const [digest, each] of other.filesToTrust) filesToTrust.set(digest, each);
    taken.push(other.file);
    return groupOf(other.file);
  });
  return { file: joined(file, agents, taken), filesToTrust };
}

function groupOf(file: AgentFile): FileAgents {
  const { document, agents, defaultAgent, models, providers, toolsets, evaluators, hooks, ruleKeys, budget, budgets } =
    file;
  const origin = { document, models, providers, toolsets, evaluators, hooks, ruleKeys, budget, budgets };
  return { displayName: document.file, agents, defaultAgent, origin };
}

/** Applies the ask and deny rules of the other files to the whole team, but not their allow rules. */
function joined(file: AgentFile, agents: AgentFile["agents"], taken: readonly AgentFile[]): AgentFile {
  const lists = ({ allow, ask, deny }: AgentFile["permissions"]) => ({
    allow: [...allow],
    ask: [...ask],
    deny: [...deny],
  });
  const stricter = taken.map(({ permissions }) => ({ ...lists(permissions), allow: [] }));
  return {
    ...file,
    agents,
    permissions: mergePermissions(lists(file.permissions), ...stricter),
    warnings: [...new Set([...file.warnings, ...taken.flatMap(({ warnings }) => warnings)])],
    unenforced: [...new Set([...file.unenforced, ...taken.flatMap(({ unenforced }) => unenforced)])],
  };
}
