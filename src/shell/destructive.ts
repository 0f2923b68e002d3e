import { argumentKind, type Carrier, isLanguage } from "./argument-kind.ts";
import { findInWords, type Start } from "./find-in-words.ts";
import { codeInOptions, codeInVariables } from "./hidden-code.ts";
import { isKnownStarter, isShell, programName, type Started, startedBy } from "./launchers.ts";
import { FETCHED, fetchedFiles, originOf } from "./origin.ts";
import { findCalls, printsToFile, readSedScript, startedText } from "./other-languages.ts";
import { type Destructive, isDisk, isSink, ruledPrograms, ruleName, widest } from "./rules/rules.ts";
import { parseCommandLine } from "./scan-commands.ts";
import { mayVanish } from "./scan-word.ts";
import { splitCommands } from "./split-commands.ts";
import { outputOf, Variables } from "./variables.ts";
import { ANY_TEXT, isMark, type SimpleCommand, type Word } from "./word.ts";

export type { BlastRadius, Destructive } from "./rules/rules.ts";

/** The state of the search through a line and the code nested in it. */
interface Search {
  readonly found: Destructive[];
  readonly variables: Variables;
  readonly aliases: Map<string, string>;
  /** Names of files that the line downloads. */
  readonly fetched: Set<string>;
  /** True if the line opens a connection, from which a shell may read its commands. */
  connected: boolean;
  /** Characters of code that may still be read. */
  left: number;
  /** Texts that may still be read as code. */
  pieces: number;
  /** Simple commands that may still be examined. */
  commands: number;
  /** Program names with expansions that may still be guessed. */
  guesses: number;
  /** True if the line runs something that its grammar does not show, so that its text is searched too. */
  unsure: boolean;
  /** False once a part of the line is not read, because it is too long or too deep. */
  complete: boolean;
  /** True if the grammar does not fit, so that redirections may be missing. */
  opaque: boolean;
  /** Called for every simple command, before the code nested in it. */
  readonly visit?: (reading: Reading) => void;
}

/** A text that is read as shell code. */
interface Code {
  text: string;
  depth: number;
  /** True for an argument of an unknown program, which may not be code at all. */
  guessed: boolean;
}

/** Limit for reading nested code, as a multiple of the line's length. */
const CODE_BUDGET = 8;
/** Maximum number of texts read as code, the line included: short nested ones cost more than their length. */
const MAX_PIECES = 1024;
/** Maximum number of simple commands examined one by one; with more, the text is searched too. */
const MAX_COMMANDS = 2048;
const MAX_DEPTH = 12;
const MAX_GUESSES = 16;

const OVERWRITE: Destructive = { pattern: "> <file>", radius: "medium", category: "fs-overwrite" };
const DISK: Destructive = { pattern: "> /dev/<disk>", radius: "high", category: "block-device" };
const SYSRQ: Destructive = { pattern: "> /proc/sysrq-trigger", radius: "high", category: "system" };
const MOUNTED: Destructive = {
  pattern: "docker run -v /:<path> with a destructive command",
  radius: "high",
  category: "docker",
};
const FOUND_FILES: Destructive = { pattern: "find <path> -exec rm {} \\;", radius: "high", category: "fs-delete" };
const DOWNLOADED: Destructive = { pattern: "iex (iwr <url>)", radius: "unknown", category: "remote-code" };
const FORK_BOMB: Destructive = { pattern: ":(){ :|:& };:", radius: "high", category: "process" };
const REVERSE_SHELL: Destructive = {
  pattern: "sh > /dev/tcp/<host>/<port>",
  radius: "unknown",
  category: "remote-code",
};
const DELETES: Destructive = { pattern: "<program> delete", radius: "unknown", category: "delete" };

/**
 * Returns the destructive operation with the widest radius that a command line runs, the first of equals; undefined if
 * there is none. Examines the commands that the shell runs and the code nested in them; where the grammar does not show
 * what runs, also searches the text. Takes time linear in the length of the line.
 */
export function findDestructive(command: string): Destructive | undefined {
  const budget = CODE_BUDGET * command.length;
  const search = newSearch(budget, new Variables(budget));
  searchCode(search, { text: command, depth: 0, guessed: false });
  if (command.includes("()") && FORK.test(command)) search.found.push(FORK_BOMB);
  if (search.unsure) {
    searchText(search, command);
    if (RUNS_DOWNLOAD.test(command)) search.found.push(DOWNLOADED);
  }
  if (search.opaque && WRITES.test(command.replace(ARITHMETIC, ""))) search.found.push(OVERWRITE);
  return widest(search.found);
}

function newSearch(budget: number, variables: Variables): Omit<Search, "visit"> {
  return {
    found: [],
    variables,
    aliases: new Map(),
    fetched: new Set(),
    connected: false,
    left: budget,
    pieces: MAX_PIECES,
    commands: MAX_COMMANDS,
    guesses: MAX_GUESSES,
    complete: true,
    unsure: false,
    opaque: false,
  };
}

/**
 * Calls `visit` for every simple command that a line runs, also in nested code, as {@link findDestructive} finds them:
 * a command before the code in it. Returns false if the line is too long or too deep to visit all of them.
 */
export function visitCommands(line: string, variables: Variables, visit: (reading: Reading) => void): boolean {
  const search: Search = { ...newSearch(CODE_BUDGET * line.length, variables), visit };
  searchCode(search, { text: line, depth: 0, guessed: false });
  return search.complete;
}

/** PowerShell's `iex (iwr ...)`. */
const RUNS_DOWNLOAD =
  /\b(?:iex|invoke-expression)\b[^;|\n]{0,80}\b(?:iwr|irm|invoke-webrequest|invoke-restmethod|downloadstring)\b/i;

const FORK = /([\w:.]{1,32})\s{0,8}\(\)\s{0,8}\{\s{0,8}\1\s{0,8}\|\s{0,8}\1\s{0,8}&/;

/** A redirection to a file in a text whose quotes are unknown; neither an arrow nor a descriptor. */
const WRITES = /(?:^|[^=>&-])>{1,2}\s{0,8}(?!\/dev\/(?:null|std|tty))[\w./~$"']/;
const ARITHMETIC = /\(\([^()]{0,256}\)\)/g;

function searchCode(search: Search, code: Code): void {
  search.left -= code.text.length + 1;
  if (search.left < 0 || search.pieces-- <= 0 || code.depth > MAX_DEPTH) return stopEarly(search);
  const line = parseCommandLine(code.text, search.variables);
  if (line.opaque && !code.guessed) search.unsure = search.opaque = true;
  for (const command of line.commands) {
    if (search.commands-- <= 0) return stopEarly(search);
    searchCommand(search, command, code);
  }
}

/** Notes that a part of the line is not read. */
function stopEarly(search: Search): void {
  search.unsure = true;
  search.complete = false;
}

/** A simple command and what is known of it. */
export interface Reading {
  search: Search;
  code: Code;
  command: SimpleCommand;
  texts: readonly string[];
  started: Started;
  /** The names of the programs that it starts; undefined where an expansion decides. */
  names: readonly (string | undefined)[];
  carrier: Carrier | undefined;
  /** The texts on its standard input, as far as the line shows them. */
  given: readonly string[];
}

function searchCommand(search: Search, command: SimpleCommand, code: Code): void {
  const { words } = command;
  const before = search.found.length;
  const started = startedBy(words, mayVanish);
  const texts = words.map(({ text }) => text);
  const names = started.programs.map((at) => programName(words[at]));
  const reading: Reading = {
    search,
    code,
    command,
    texts,
    started,
    names,
    carrier: carrierOf(names, started, texts),
    given: givenTo(command),
  };
  if (search.visit) search.visit(reading);
  else {
    if (!code.guessed) searchRedirects(reading);
    searchWords(reading);
  }
  searchStarted(reading);
  searchArguments(reading);
  searchInnerCommand(reading);
  searchAlias(reading);
  if (!search.visit) searchOrigin(reading);
  for (const text of [...codeInVariables(words), ...codeInOptions(names, texts)]) {
    searchCode(search, { text, depth: code.depth + 1, guessed: false });
  }
  if (
    started.code.length > 0 &&
    names.includes("find") &&
    search.found.slice(before).some(({ category }) => category === "fs-delete")
  ) {
    search.found.push(FOUND_FILES);
  }
  const isContainer = names.some((name) => name !== undefined && ruleName(name) === "docker");
  if (isContainer && search.found.length > before && texts.some((text) => MOUNT.test(text))) search.found.push(MOUNTED);
}

/** A bind mount of the whole file system, or of a directory that an expansion names. */
const MOUNT = /^(?:(?:-v|--volume)=?)?(?:\/|\$):|(?:source|src)=(?:\/|\$)(?:,|$)/;

/** The first program of a command that may run its arguments. */
function carrierOf(
  names: readonly (string | undefined)[],
  { programs }: Started,
  texts: readonly string[],
): Carrier | undefined {
  let first: Carrier | undefined;
  names.forEach((name, index) => {
    const at = programs[index] ?? 0;
    if (name === undefined || name === "" || (first && first.at <= at) || /=/.test(texts[at] ?? "")) return;
    const kind = argumentKind(name, texts, at);
    if (kind !== "data" && kind !== "prose") first = { at, name, kind };
  });
  return first;
}

/** The texts that a command reads from its standard input, as far as the line shows them. */
function givenTo({ redirects, fed }: SimpleCommand): string[] {
  const given = redirects.map(({ operator, target, document }) => {
    if (document !== undefined) return document;
    if (operator === "<<<" && !target.dynamic) return target.text;
    return operator === "<" && target.inner ? outputOf(target.inner) : undefined;
  });
  return [...given, fed && outputOf(fed)].filter((text) => text !== undefined);
}

function searchRedirects({ search, command: { words, redirects, arithmetic } }: Reading): void {
  const { found } = search;
  if (arithmetic || words[0]?.text === "[[") return;
  for (const { target, writes } of redirects) {
    const { text, units, inner, dynamic } = target;
    const isProcess = inner !== undefined && units.length === 1 && units[0] === ANY_TEXT;
    if (!writes || isProcess) continue;
    if (/^\/dev\/(?:tcp|udp)\//.test(text)) {
      search.connected = true;
      if (words.some((word) => isShell(programName(word) ?? ""))) found.push(REVERSE_SHELL);
    } else if (isDisk(text)) found.push(DISK);
    else if (text === "/proc/sysrq-trigger") found.push(SYSRQ);
    else if (dynamic || !isSink(text)) found.push(OVERWRITE);
  }
}

function searchWords({ search, code, command: { words }, texts, started, carrier, given }: Reading): void {
  const programs = new Set(started.programs);
  const startAt = (at: number): Start | undefined => {
    const word = words[at] as Word;
    const isLoose = carrier !== undefined && at > carrier.at;
    if (!programs.has(at) && !isLoose) return undefined;
    if (word.dynamic) return programs.has(at) ? { names: guessNames(search, word), loose: false } : undefined;
    const name = /^\/etc\/(?:init|rc)\.d\//.test(word.text) ? "init.d-script" : programName(word);
    return { names: name ? [name] : [], loose: (code.guessed && at > 0) || (isLoose && !programs.has(at)) };
  };
  const appends = started.appends || carrier?.name === "parallel";
  search.found.push(...findInWords({ words: texts, startAt, given, appends }));
  if (carrier?.kind === "perhaps" && !code.guessed && deletes(texts, carrier)) search.found.push(DELETES);
}

const DELETING = /^(?:delete|destroy|purge|wipe|nuke|erase|terminate|uninstall|drop|teardown|obliterate)(?:[-:_]|$)/;

/** True if an unknown program has a subcommand whose name suggests deletion. Values of options do not count. */
function deletes(texts: readonly string[], { at }: Carrier): boolean {
  const behind = texts.slice(at + 1, at + 4);
  const option = behind.findIndex((text) => text.startsWith("-"));
  return behind.slice(0, option < 0 ? undefined : option).some((text) => DELETING.test(text));
}

/** Programs with rules whose names fit a word that is partly an expansion: `/bin/r?`. */
function guessNames(search: Search, { units }: Word): string[] {
  const name = units.slice(units.lastIndexOf("/") + 1);
  if (!name.some((unit) => /^\w$/.test(unit)) || name.length > 32 || search.guesses-- <= 0) return [];
  const pattern = name.map((unit) => (isMark(unit) ? ".*" : unit.toLowerCase().replace(/[^\w]/, "\\$&"))).join("");
  const expression = new RegExp(`^${pattern.replace(/(?:\.\*)+/g, ".*")}$`);
  return [...ruledPrograms()].filter((program) => expression.test(program));
}

/** Reads the code that shells, `eval` and the like run. */
function searchStarted({ search, code, command: { words }, started, names, given }: Reading): void {
  const depth = code.depth + 1;
  for (const parts of started.code)
    searchCode(search, { text: parts.map(({ text }) => text).join(" "), depth, guessed: code.guessed });
  if (started.reads) for (const text of given) searchCode(search, { text, depth, guessed: code.guessed });
  if (code.guessed) return;
  const isReplaced = runsReplaced(words, started);
  for (const text of isReplaced ? given : []) {
    for (const parts of [words.slice(1), ...started.code]) {
      const line = replaceInput(parts, started.replaced, text.trim());
      if (line !== undefined) searchCode(search, { text: line, depth, guessed: false });
    }
  }
  const depends = started.code.some((parts) => parts.some(({ dynamic }) => dynamic)) || names.includes(undefined);
  if (started.opaque || depends || isReplaced || (started.reads && given.length === 0)) search.unsure = true;
}

/** True if `xargs` or `find` inserts its input into a program's name or into code. */
function runsReplaced(words: readonly Word[], { code, programs, replaced }: Started): boolean {
  if (replaced.length === 0) return false;
  const run = [...code.flat(), ...programs.map((at) => words[at] as Word)];
  // With three tokens, the first is attached to its option and the second is the word after it.
  const tokens = replaced.length > 2 ? replaced.slice(0, 1) : replaced;
  return run.some(({ text }) => tokens.some((token) => text.includes(token)));
}

const MAX_REPLACED = 1024;

/** The words in which `xargs` replaces tokens by its input; undefined if that becomes too long. */
function replaceInput(words: readonly Word[], replaced: readonly string[], input: string): string | undefined {
  const line = words
    .slice(0, MAX_REPLACED)
    .map(({ text }) => text)
    .join(" ");
  if (line.length > MAX_REPLACED || input.length > MAX_REPLACED) return undefined;
  return line.replaceAll(replaced[0] ?? "{}", () => input);
}

/** Reads the arguments of a program that may run them, and its standard input. */
function searchArguments({ search, code, texts, carrier, given, names }: Reading): void {
  if (!carrier) return;
  const depth = code.depth + 1;
  const arguments_ = texts.slice(carrier.at + 1);
  if (carrier.kind === "source") {
    for (const text of [...arguments_.filter(isText), ...given]) searchSource(search, carrier.name, text, depth);
    return;
  }
  const isCode = carrier.kind === "shell" ? (text: string) => isText(text) || /[{$>]/.test(text) : isText;
  for (const text of arguments_) {
    if (!isCode(text)) continue;
    const bare = withoutName(text);
    const spellings = carrier.kind === "shell" && /^\w/.test(text) ? new Set([text, bare]) : [bare];
    for (const spelling of spellings)
      searchCode(search, { text: spelling, depth, guessed: carrier.kind !== "shell" || code.guessed });
  }
  const readsCode = carrier.kind === "shell" || names.some((name) => name === "ed" || name === "ex");
  if (readsCode)
    for (const text of given) searchCode(search, { text: withoutName(text), depth, guessed: code.guessed });
}

/** Reads the command that starts with the first shell or launcher among a program's arguments: `chronic sh -c ...`. */
function searchInnerCommand({ search, code, command, carrier }: Reading): void {
  if (!carrier || carrier.kind === "source") return;
  const { words } = command;
  const at = words.findIndex((word, index) => index > carrier.at && isKnownStarter(programName(word) ?? ""));
  if (at < 0 || at + 1 === words.length) return;
  if (code.depth >= MAX_DEPTH) return stopEarly(search);
  search.left -= words.length;
  searchCommand(search, { ...command, words: words.slice(at), redirects: [] }, { ...code, depth: code.depth + 1 });
}

/** True for an argument that can be code rather than a name. */
function isText(text: string): boolean {
  return /[\s(!;]/.test(text);
}

/** The code in `--option=code`, `NAME=code`, `+!code` and `:!code`. */
function withoutName(text: string): string {
  return text.replace(/^(?:[\w.+@-]{1,64}=){0,4}[+:]{0,2}!?/, "");
}

function searchSource(search: Search, name: string, source: string, depth: number): void {
  search.left -= source.length;
  if (search.left < 0) return stopEarly(search);
  if (/^g?sed$/.test(name)) {
    const { code, writes } = readSedScript(source);
    if (writes) search.found.push(OVERWRITE);
    for (const text of code) searchCode(search, { text, depth, guessed: false });
    return;
  }
  if (name.endsWith("awk")) {
    if (printsToFile(source)) search.found.push(OVERWRITE);
  } else search.found.push(...findCalls(source));
  const text = startedText(name, source);
  if (text !== undefined) searchText(search, text);
}

/** Records an alias, and reads the code it runs. */
function searchAlias({ search, code, texts, names }: Reading): void {
  const [name] = names;
  if (name === "alias") {
    for (const text of texts.slice(1)) {
      const equals = text.indexOf("=");
      if (equals <= 0) continue;
      const value = text.slice(equals + 1);
      search.aliases.set(text.slice(0, equals).toLowerCase(), value);
      searchCode(search, { text: value, depth: code.depth + 1, guessed: false });
    }
  }
  const meaning = name === undefined ? undefined : search.aliases.get(name);
  if (name === undefined || meaning === undefined) return;
  if (meaning.length > search.left || search.pieces <= 0) return stopEarly(search);
  // Inside its own definition the alias is the program.
  search.aliases.delete(name);
  searchCode(search, { text: [meaning, ...texts.slice(1)].join(" "), depth: code.depth + 1, guessed: false });
  search.aliases.set(name, meaning);
}

/** Finds code that comes from another machine or is encoded, and programs that the line fetches. */
function searchOrigin({ search, command, texts, started, names, given, carrier, code }: Reading): void {
  if (code.guessed) return;
  const { words, redirects, fed } = command;
  const runsCode = names.some(
    (name) => name === undefined || isShell(name) || /^(?:eval|source|\.|iex|invoke-expression)$/.test(name),
  );
  const readsPipe =
    started.reads ||
    runsReplaced(words, started) ||
    names.some((name) => name === "iex" || name === "invoke-expression");
  const runsSource = carrier !== undefined && isLanguage(carrier.name) && !/^g?sed$|awk$/.test(carrier.name);
  const behind = runsSource ? texts.slice(carrier.at + 1) : [];
  const takesSource = runsSource && behind.some((text) => /^(?:-[a-z]*[cer]|-E|--eval|--command)$/.test(text));
  const readsSource = runsSource && behind.every((text) => /^-[A-Za-z]?$/.test(text) || text === "/dev/stdin");
  const script = runsSource ? words.slice(carrier.at + 1).find(({ text }) => !text.startsWith("-")) : undefined;
  const origin = originOf([
    script?.units[0] === ANY_TEXT ? script.inner : undefined,
    ...(runsCode || takesSource || readsSource
      ? [...words, ...redirects.map(({ target }) => target)].map(({ inner }) => inner)
      : []),
    ...((readsPipe || readsSource) && given.length === 0 ? [fed] : []),
  ]);
  if (origin) search.found.push(origin);
  if (search.connected && started.reads && given.length === 0) search.found.push(REVERSE_SHELL);
  const files = runsCode || runsSource ? texts : texts.filter((text) => text.includes("/")).slice(0, 1);
  if (search.fetched.size > 0 && files.some((text) => search.fetched.has(text.slice(text.lastIndexOf("/") + 1))))
    search.found.push(FETCHED);
  for (const file of fetchedFiles(command)) search.fetched.add(file);
}

/** Finds destructive commands in a text whose grammar is not known: any word of it may begin one. */
function searchText(search: Search, text: string): void {
  for (const spelling of new Set([text, text.replace(/[{},=\\[\]]+/g, " ")])) {
    for (const words of splitCommands(spelling).commands) {
      const startAt = (at: number): Start | undefined => {
        const name = (words[at] ?? "").slice(-64);
        return { names: [name.slice(name.lastIndexOf("/") + 1).toLowerCase()], loose: true };
      };
      search.found.push(
        ...findInWords({ words, startAt, given: [], appends: words.some((word) => /^(?:xargs|parallel)$/.test(word)) }),
      );
    }
  }
}
