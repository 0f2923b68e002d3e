import { ConfigError } from "../../lib/errors.ts";
import { isObject } from "../../lib/json.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { mergePermissions } from "../permissions/permission-rules.ts";
import { digestOf } from "../sources/content.ts";
import { type FetchedAgent, type FetchOptions, fetchAgent } from "../sources/fetch-agent.ts";
import { type Document, parseDocument, renderProblems } from "../yaml/document.ts";
import { type AgentFile, type AgentFileOptions, checkAgentFile } from "./agent-file.ts";
import { describeEffects } from "./effects.ts";
import { addExternalAgents, type FileAgents } from "./external-agents.ts";
import { staysInside } from "./instruction-file.ts";
import { applyModelOverrides } from "./model-override.ts";

/** What loading an agent depends on beside the reference. */
export interface LoadOptions extends AgentFileOptions, FetchOptions {
  /** Loads the agents of other files that this one delegates to. Without it only their references are checked. */
  loadExternal?: boolean;
}

/** An agent file from elsewhere, and what it would do on this machine. */
export interface RemoteFile {
  /** For messages, without credentials. */
  reference: string;
  /** `sha256:<hex>`; equal digests mean equal content, instruction files included. */
  digest: string;
  /** One line each; empty when all it can do is talk. */
  effects: readonly string[];
}

/** An agent file with everything it took from elsewhere. */
export interface LoadedAgentFile extends AgentFile {
  /** The file itself when it came from elsewhere, and every file that agents were taken from; each once. */
  remotes: readonly RemoteFile[];
}

/** How deep files may take agents from one another. Source: config-and-cli 7.2. */
const MAX_NESTING = 10;

/** How many files one may be made of; depth alone would allow very many. */
const MAX_FILES = 100;

/**
 * Loads the agent that a reference names, wherever it is; nothing for the project's own. Throws a {@link ConfigError}
 * with every problem of the file, one located line each.
 *
 * Source: config-and-cli 2.1, 7.
 */
export async function loadAgentFile(reference: string | undefined, options: LoadOptions): Promise<LoadedAgentFile> {
  const { modelOverrides = [], ...rest } = options;
  const { file, remotes } = await loadNested(reference, rest, { above: [], files: new Map() });
  return { ...file, agents: applyModelOverrides(file.agents, modelOverrides), remotes: [...remotes.values()] };
}

interface Loaded {
  file: AgentFile;
  /** By digest. */
  remotes: ReadonlyMap<string, RemoteFile>;
}

interface Nesting {
  /** The references on the way here. */
  above: readonly string[];
  /** Every file so far, by its reference and by who named it. */
  files: Map<string, Promise<Loaded>>;
}

async function loadNested(reference: string | undefined, options: LoadOptions, nesting: Nesting): Promise<Loaded> {
  const fetched = await fetchAgent(reference, options);
  const loaded = await readFetched(fetched, options).catch((error: unknown) => {
    if (!fetched.remote || !(error instanceof ConfigError)) throw error;
    throw new ConfigError(error.problems.map(escapeControls), { cause: error }); // a message may quote the file
  });
  return options.loadExternal ? takeExternal(loaded, fetched, options, nesting) : loaded;
}

async function readFetched(fetched: FetchedAgent, options: LoadOptions): Promise<Loaded> {
  const document = await parseDocument(fetched.text, fetched.shown, fetched.baseDir);
  const beside = await fetchInstructions(document, fetched);
  const { file, problems } = await checkAgentFile(document, fetched.baseDir, { ...options, fetched: beside });
  if (!file) throw new ConfigError([...new Set(await renderProblems(document, problems))]);
  const remotes = new Map(partOf(file, fetched, beside).map((part) => [part.digest, part]));
  const shown = { warnings: file.warnings.map(escapeControls), unenforced: file.unenforced.map(escapeControls) };
  return { file: fetched.remote ? { ...file, ...shown } : file, remotes };
}

/** The instruction files of an agent that does not stand in a folder of this machine. Source: config-and-cli 7.4. */
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

function partOf(
  file: AgentFile,
  { remote, shown, digest = "" }: FetchedAgent,
  beside: ReadonlyMap<string, string> | undefined,
): RemoteFile[] {
  if (!remote) return [];
  const whole = beside?.size ? digestOf(JSON.stringify([digest, ...beside])) : digest;
  return [{ reference: shown, digest: whole, effects: describeEffects(file) }];
}

async function takeExternal(
  loaded: Loaded,
  fetched: FetchedAgent,
  options: LoadOptions,
  nesting: Nesting,
): Promise<Loaded> {
  const { file } = loaded;
  const remotes = new Map(loaded.remotes);
  const taken: AgentFile[] = [];
  // An agent from elsewhere has no say in which hosts of the inside are asked.
  const sources = options.sources && {
    ...options.sources,
    ...(fetched.host === undefined ? {} : { namedBy: fetched.host }),
  };
  const agents = await addExternalAgents(groupOf(file), async (reference) => {
    const above = [...nesting.above, reference];
    if (above.length > MAX_NESTING)
      throw new ConfigError(`agents of other files nest more than ${MAX_NESTING} deep: ${above.join(" -> ")}`);
    const key = `${fetched.host ?? ""} ${reference}`;
    // One file that is named twice is loaded once; one that is being loaded names itself, and ends at the depth.
    const known = nesting.above.includes(reference) ? undefined : nesting.files.get(key);
    if (!known && nesting.files.size >= MAX_FILES)
      throw new ConfigError(`agents are taken from more than ${MAX_FILES} other files`);
    const loading =
      known ?? loadNested(reference, { ...options, ...(sources ? { sources } : {}) }, { ...nesting, above });
    nesting.files.set(key, loading);
    const other = await loading;
    for (const [digest, part] of other.remotes) remotes.set(digest, part);
    taken.push(other.file);
    return groupOf(other.file);
  });
  return { file: joined(file, agents, taken), remotes };
}

function groupOf(file: AgentFile): FileAgents {
  const { document, agents, defaultAgent, models, providers, toolsets } = file;
  return { shown: document.file, agents, defaultAgent, origin: { document, models, providers, toolsets } };
}

/** The rules of the other files that forbid or ask hold for the whole team; what they would allow does not. */
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
