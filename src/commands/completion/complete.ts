import type { Command, CommandRow } from "../../cli/define-command.ts";
import { type FlagSpec, type FlagSpecs, isListed } from "../../cli/flags.ts";
import { GLOBAL_FLAGS } from "../../cli/global-flags.ts";
import { loadUserConfig } from "../../config/user/user-config.ts";
import type { Directories } from "../../lib/env.ts";
import { EVENT_NAMES } from "../../protocol/events.ts";
import { expectedAfter } from "./positionals.ts";

/** A word that would fit at the cursor. */
export interface Candidate {
  word: string;
  description: string;
}

/** Everything that would fit at the cursor: words, and files of one kind. */
export interface Completion {
  candidates: readonly Candidate[];
  files: "none" | "any" | "yaml" | "directories";
}

export interface CompletionScope {
  commands: Readonly<Record<string, CommandRow>>;
  directories: Directories;
}

/** A command line up to the cursor. */
interface Line {
  specs: FlagSpecs;
  usage: string;
  /** The positional words between the verb and the cursor. */
  positionals: string[];
}

const NOTHING: Completion = { candidates: [], files: "none" };

/**
 * Returns everything that would fit at the end of a command line. `words` are the words after `hooksh`; the last one
 * may be incomplete, and the shell may have split them at `=` and `:`. Never throws, and starts nothing.
 */
export async function complete(words: readonly string[], scope: CompletionScope): Promise<Completion> {
  const { before, current, pending } = joinSplit(words);
  const line = await readLine(before, scope.commands);
  const completion = await completionOf(line, { before, current, pending }, scope);
  const prefix = pending === undefined ? current : pending.value;
  return { ...completion, candidates: completion.candidates.filter(({ word }) => word.startsWith(prefix)) };
}

interface Cursor {
  before: readonly string[];
  current: string;
  /** Set if the cursor is in the value of a flag written as `--flag=value`. */
  pending: { flag: string; value: string } | undefined;
}

async function completionOf(
  line: Line | undefined,
  cursor: Cursor,
  { commands, directories }: CompletionScope,
): Promise<Completion> {
  const specs = { ...line?.specs, ...GLOBAL_FLAGS };
  if (cursor.pending) return valueOf(findFlag(cursor.pending.flag, specs), line, directories);
  if (!cursor.before.includes("--")) {
    const last = findFlag(cursor.before.at(-1) ?? "", specs);
    if (last && (last.spec.kind === "value" || last.spec.kind === "list")) return valueOf(last, line, directories);
    if (cursor.current.startsWith("-")) return { candidates: flagCandidates(specs), files: "none" };
  }
  if (!line) return { candidates: verbs(commands), files: "none" };
  const place = expectedAfter(line.positionals, line.usage);
  if (!place) return NOTHING;
  if (place.kind === "words") return { candidates: place.words.map(plain), files: "none" };
  if (place.name === "COMMAND") return { candidates: verbs(commands), files: "none" };
  return fileOrAlias(place.name, directories);
}

/** Joins the words that bash split at `=` and `:`. */
function joinSplit(words: readonly string[]): Cursor {
  const joined: string[] = [];
  words.forEach((word, at) => {
    const continues = at > 0 && (/^[=:]+$/.test(word) || /^[=:]+$/.test(words[at - 1] ?? ""));
    if (continues) joined.push((joined.pop() ?? "") + word);
    else joined.push(word);
  });
  const current = joined.pop() ?? "";
  const [, flag, value = ""] = /^(--[^=]+)=([\s\S]*)$/.exec(current) ?? [];
  return { before: joined, current, pending: flag === undefined ? undefined : { flag, value } };
}

/** Reads the verb, its flags and the positional words; undefined if there is no verb yet. */
async function readLine(words: readonly string[], commands: CompletionScope["commands"]): Promise<Line | undefined> {
  const positionals: string[] = [];
  let command: Command | undefined;
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? "";
    const specs = { ...command?.flags, ...GLOBAL_FLAGS };
    if (word === "--") {
      positionals.push(...words.slice(at + 1));
      break;
    }
    if (word.startsWith("-") && word !== "-") {
      const kind = findFlag(word, specs)?.spec.kind;
      if (kind === "value" || kind === "list") at++;
    } else if (command) {
      positionals.push(word);
    } else {
      if (!Object.hasOwn(commands, word)) return { specs: {}, usage: "", positionals };
      command = (await commands[word]?.load())?.command;
    }
  }
  return command && { specs: command.flags, usage: command.positionals, positionals };
}

interface Found {
  name: string;
  spec: FlagSpec;
}

function findFlag(word: string, specs: FlagSpecs): Found | undefined {
  const found = Object.entries<FlagSpec>(specs).find(
    ([name, { alias }]) => word === `--${name}` || (alias !== undefined && word === `-${alias}`),
  );
  return found && { name: found[0], spec: found[1] };
}

async function valueOf(flag: Found | undefined, line: Line | undefined, directories: Directories): Promise<Completion> {
  if (!flag) return NOTHING;
  const { name, spec } = flag;
  if (spec.kinds) return { candidates: Object.keys(spec.kinds).map((kind) => plain(`${kind}:`)), files: "any" };
  if (spec.choices) return { candidates: spec.choices.map(plain), files: "none" };
  if (name === "event") return { candidates: EVENT_NAMES.map(plain), files: "none" };
  if (name === "agent") return { candidates: await agentNames(line?.positionals[0], directories), files: "none" };
  if (spec.hint === "DIR") return { candidates: [], files: "directories" };
  return { candidates: [], files: spec.hint === "FILE" ? "any" : "none" };
}

function flagCandidates(specs: FlagSpecs): Candidate[] {
  return Object.entries<FlagSpec>(specs)
    .filter(([, spec]) => isListed(spec))
    .map(([name, { description }]) => ({ word: `--${name}`, description }));
}

function verbs(commands: CompletionScope["commands"]): Candidate[] {
  return Object.entries(commands)
    .filter(([, { now }]) => now === undefined)
    .map(([word, { summary }]) => ({ word, description: summary }));
}

async function fileOrAlias(placeholder: string, directories: Directories): Promise<Completion> {
  if (placeholder === "HOST") return { candidates: await hosts(), files: "none" };
  if (placeholder === "AGENT") return { candidates: await aliases(directories), files: "yaml" };
  return { candidates: [], files: placeholder === "FILE" ? "any" : "none" };
}

/** The agents in which hooksh can be installed. */
async function hosts(): Promise<Candidate[]> {
  const { HOST_IDS, productOf } = await import("../../hosts/registration/named-host.ts");
  return HOST_IDS.map((word) => ({ word, description: productOf(word) }));
}

async function aliases(directories: Directories): Promise<Candidate[]> {
  const user = await undefinedOnError(() => loadUserConfig(directories));
  return Object.entries(user?.aliases ?? {}).map(([word, { path }]) => ({ word, description: path }));
}

/** Returns the agents of a local file. Nothing is fetched to complete a word. */
async function agentNames(reference: string | undefined, directories: Directories): Promise<Candidate[]> {
  const user = await undefinedOnError(() => loadUserConfig(directories));
  const path =
    user && reference !== undefined && Object.hasOwn(user.aliases, reference)
      ? user.aliases[reference]?.path
      : reference;
  const { locateAgentFile } = await import("../../config/sources/agent-reference.ts");
  const { keysInOrder, readDocument } = await import("../../config/yaml/document.ts");
  const found = await undefinedOnError(async () => locateAgentFile(path, { cwd: process.cwd() }));
  if (found?.kind !== "file") return [];
  const names = await undefinedOnError(async () => keysInOrder(await readDocument(found.path), ["agents"]));
  return (names ?? []).map(plain);
}

/** Returns undefined on any error, so that a broken file does not print errors while the user types. */
async function undefinedOnError<T>(read: () => Promise<T>): Promise<T | undefined> {
  try {
    return await read();
  } catch {
    return undefined; // no candidates; the command itself reports the error when it runs
  }
}

function plain(word: string): Candidate {
  return { word, description: "" };
}
