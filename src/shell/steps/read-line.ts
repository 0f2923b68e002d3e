import { codeInEvaluated } from "../evaluated.ts";
import { codeInOptions, codeInVariables } from "../hidden-code.ts";
import { isAssignment, isShell, programName } from "../launchers.ts";
import { startedText } from "../other-languages.ts";
import { expandAlternatives } from "../paths/path-text.ts";
import { joinPath, WorkingDirectories } from "../paths/working-directory.ts";
import { isRenamed, noteRenamed } from "../renamed.ts";
import { parseCommandLine } from "../scan-commands.ts";
import { splitCommands } from "../split-commands.ts";
import { outputOf, Variables } from "../variables.ts";
import { type CommandRange, isMark, type SimpleCommand, SPLIT, type Word } from "../word.ts";
import { carriedBy, readsCommands } from "./carriers.ts";
import { Exported } from "./exported.ts";
import type { Found } from "./found.ts";
import { filesOf } from "./found-files.ts";
import { hiddenStarts } from "./hidden-starts.ts";
import {
  HOLE,
  type Invocation,
  type ReadLine,
  type StepAssignment,
  type StepRedirect,
  type StepWord,
} from "./invocation.ts";
import { parseWords } from "./parse-words.ts";
import { isPattern, madeWord, stepWord, stepWords } from "./step-word.ts";
import { isDynamic, joined, unwrap } from "./unwrap.ts";

/** What {@link readLine} knows beside the line. */
export interface ReadLineOptions {
  /** Variables of the shell that the line may use. */
  env: Readonly<Record<string, string>>;
  /** True for a shell with the syntax of sh. */
  posix: boolean;
  /** True if a path, relative to where the line starts, is a directory. */
  isDirectory?: (path: string) => boolean;
  /** Where temporary files are. */
  temporary?: string;
}

/** Linux passes no longer text to a shell as one argument. */
const LENGTH_LIMIT = 131_072;
/** Limit for reading nested code, as a multiple of the line's length. */
const CODE_BUDGET = 8;
const MAX_PIECES = 512;
const MAX_COMMANDS = 1024;
/** Of all commands: the facts of a word cost more than reading it. */
const MAX_WORDS = 4096;
const MAX_DEPTH = 12;
/** Lines of input that `xargs` inserts one by one. */
const MAX_INSERTED = 16;
/** Room for the values of variables, besides a multiple of the line's length. */
const VALUE_ROOM = 16_384;

/**
 * Reads the simple commands that a line may run, also in nested code, behind launchers and in substitutions, in the order
 * of the line. Takes time linear in its length. Never throws.
 */
export function readLine(text: string, options: ReadLineOptions): ReadLine {
  if (text.length >= LENGTH_LIMIT) return { invocations: [], exact: false, complete: false };
  const isPlain = options.posix || /^[\w ./:-]*$/.test(text);
  const reader = new LineReader(text, options);
  reader.read(text, { depth: 0, elsewhere: false, nested: false });
  if (!reader.complete) return { invocations: [], exact: false, complete: false };
  const { exact, opaque } = parseCommandLine(text);
  return { invocations: reader.invocations, exact: exact && !opaque && isPlain, complete: true };
}

/** How a text of code runs. */
interface Code {
  depth: number;
  elsewhere: boolean;
  nested: boolean;
  /** The files that what started it passes to it: `find D -exec sh -c CODE {}`. */
  found?: Found | undefined;
}

/** An invocation that is being made. */
type Draft = { -readonly [Key in keyof Invocation]: Invocation[Key] };

class LineReader {
  readonly invocations: Draft[] = [];
  complete = true;
  readonly #variables: Variables;
  readonly #directories: WorkingDirectories;
  readonly #exported = new Exported();
  readonly #temporary: string;
  readonly #of = new Map<SimpleCommand, Draft[]>();
  readonly #aliases = new Map<string, string>();
  /** The bodies of functions that use what they are called with. */
  readonly #functions = new Map<string, string>();
  /** Aliases of git that the line puts into its configuration. */
  readonly #gitAliases = new Map<string, string>();
  /** Names to which the line gives another meaning; undefined for any. */
  readonly #renamed = new Set<string | undefined>();
  /** Files that the line names as written, by their last part: who wrote them, and what, if the line shows it. */
  readonly #written = new Map<string, { by: Draft; text: string | undefined }>();
  #left: number;
  #pieces = MAX_PIECES;
  #commands = MAX_COMMANDS;
  #words = MAX_WORDS;

  constructor(text: string, { env, isDirectory = () => false, temporary = "/tmp" }: ReadLineOptions) {
    this.#left = CODE_BUDGET * text.length + 64;
    this.#variables = new Variables(CODE_BUDGET * text.length + VALUE_ROOM, { keepsPatterns: true });
    for (const [name, value] of Object.entries(env))
      if (value.length < 4096 && text.includes(name)) this.#variables.set(name, [...value]);
    this.#variables.set("PWD", ["."]);
    this.#temporary = temporary;
    this.#directories = new WorkingDirectories(isDirectory, (word) => this.#word(word).text);
  }

  /** Reads a text as shell code. */
  read(text: string, code: Code): void {
    if (!this.complete) return;
    this.#left -= text.length + 1;
    if (this.#left < 0 || this.#pieces-- <= 0 || code.depth > MAX_DEPTH) {
      this.complete = false;
      return;
    }
    const line = parseCommandLine(text, this.#variables);
    if (line.opaque && parseCommandLine(withoutArithmetic(text)).opaque) this.#addText(text, code);
    noteRenamed(line.commands, this.#renamed);
    for (const [name, body] of line.functions) if (USES_WORDS.test(body)) this.#functions.set(name.toLowerCase(), body);
    for (const command of line.commands) {
      if (!this.#hasRoom(command.words.length + command.redirects.length)) return;
      this.#add(command, code);
    }
  }

  /** Counts a command. Returns false if the line has too many. */
  #hasRoom(words: number): boolean {
    this.#words -= words;
    if (this.#commands-- <= 0 || this.#words < 0) this.complete = false;
    return this.complete;
  }

  #add(command: SimpleCommand, code: Code): void {
    const { words, redirects, arithmetic } = command;
    if (arithmetic && isExpression(command)) return;
    const start = words.findIndex((word) => !isAssignment(word));
    const behind = start < 0 ? [] : words.slice(start);
    const name = programName(behind[0]);
    const called = withoutBuiltin(behind);
    const directories = this.#directories.enter({ ...command, words: called }, programName(called[0]), code.depth);
    const assigns = (start < 0 ? words : words.slice(0, start)).map((word) => this.#assignment(word));
    const kept: StepRedirect[] = redirects
      .filter(({ compares }) => !compares)
      .map(({ operator, target, writes }) => ({
        operator,
        target: this.#found(this.#word(target), target, code),
        writes,
      }));
    const stepped = behind.flatMap((word, at) =>
      at === 0
        ? withoutBrace(this.#word(word))
        : stepWords(word, this.#temporary).map((step) => this.#found(step, word, code)),
    );
    const exported = this.#exported.enter(command, { name, words: stepped, assigns }, code.depth);
    const draft: Draft = {
      programs: [],
      spelled: "",
      words: stepped,
      redirects: kept,
      assigns,
      exported: code.elsewhere ? [] : exported,
      given: givenTo(command),
      fedBy: this.#made(command.fed),
      inner: [...words, ...redirects.map(({ target }) => target)].flatMap(({ inner }) => this.#made(inner)),
      codeFrom: this.#made(behind[0]?.inner),
      directories,
      elsewhere: code.elsewhere,
      nested: code.nested,
      runsHidden: isRenamed(command, this.#renamed),
      via: [],
    };
    const [first] = behind;
    if (first?.dynamic && first.inner) draft.codeFrom = this.#made(first.inner);
    this.#of.set(command, []);
    if (command.closes && behind.length === 0) return this.#redirectGroup(command.closes, draft);
    if (behind.length === 0 || (name === "exec" && behind.length === 1)) this.#push({ ...draft, words: [] }, command);
    else {
      const from = this.invocations.length;
      this.#start(draft, command, code);
      this.#takeStarted(command, draft, from);
    }
    const files = words.filter((word) => isAssignment(word) && STARTUP_FILE.test(word.text));
    const printed = files.flatMap(({ inner }) => outputsOf(inner));
    for (const text of [...printed, ...codeInVariables(words), ...codeInEvaluated(words, [name])])
      this.read(text, { ...code, depth: code.depth + 1, nested: true });
  }

  /** Counts what the code of a command runs as the command itself: it prints, reads and is redirected in its place. */
  #takeStarted(command: SimpleCommand, { redirects, fedBy, ...draft }: Draft, from: number): void {
    const started: Draft[] = this.invocations.slice(from);
    this.#of.set(command, started);
    if (redirects.length > 0 && !started.some((one) => one.redirects === redirects)) {
      for (const one of started) one.redirects = [...one.redirects, ...redirects];
      if (started.length === 0) this.#push({ ...draft, words: [], redirects, fedBy }, command);
    }
    for (const one of started) if (one.fedBy.length === 0) one.fedBy = fedBy;
  }

  /** Adds the commands of a text whose grammar does not fit, as its separators tell them. */
  #addText(text: string, { elsewhere }: Code): void {
    const drafts = splitCommands(text).commands.flatMap((all): Draft[] => {
      const start = all.findIndex((word) => !IN_FRONT.test(word));
      if (start < 0 || !this.#hasRoom(all.length)) return [];
      const [program = "", ...rest] = all.slice(start);
      const words = rest.map((word) => madeWord(word));
      return [{ ...NO_INVOCATION, programs: namesOf(program), spelled: program, words, elsewhere, runsHidden: true }];
    });
    // `iex (iwr URL)` runs what the command in parentheses prints.
    for (const draft of drafts) if (EVALUATES.test(draft.programs[0] ?? "")) draft.codeFrom = drafts;
    this.invocations.push(...drafts);
  }

  /** Adds the redirections behind a group to all its commands. */
  #redirectGroup(range: CommandRange, { redirects, inner }: Draft): void {
    const members = this.#made(range);
    const read = redirects.some(({ operator }) => operator === "<") ? filesOf(inner) : undefined;
    for (const member of members) {
      if (read) nameFiles(member, { ...read, isBelow: false });
      member.redirects = [...member.redirects, ...redirects];
      member.inner = [...member.inner, ...inner];
    }
    if (members.length === 0 && redirects.length > 0) this.complete = false;
  }

  #push(draft: Draft, command: SimpleCommand): Draft {
    this.invocations.push(draft);
    this.#of.get(command)?.push(draft);
    return draft;
  }

  #word(word: Word): StepWord {
    return stepWord(word, this.#temporary);
  }

  /** The word with the files that its expansion stands for: those that a substitution names, or that start the code. */
  #found(step: StepWord, { inner }: Word, code: Code): StepWord {
    if (!step.text.includes(HOLE)) return step;
    const found = (inner && filesOf(this.#made(inner))) ?? code.found;
    return found ? { ...step, found: { ...found, isBelow: false } } : step;
  }

  #assignment(word: Word): StepAssignment {
    const step = this.#word(word);
    const equals = step.text.indexOf("=");
    return {
      name: step.text.slice(0, equals).replace(/\+$|\[.*$/s, ""),
      value: { ...step, text: step.text.slice(equals + 1), count: "one" },
    };
  }

  #made(range: CommandRange | undefined): Draft[] {
    return range ? range.of.slice(range.from, range.to).flatMap((command) => this.#of.get(command) ?? []) : [];
  }

  /** Adds a command and what it starts. */
  #start(draft: Draft, command: SimpleCommand, code: Code, wraps = 0): void {
    const [program, ...words] = draft.words;
    if (!program) return;
    const names = namesOf(program.text);
    const [name = ""] = names;
    const step: Draft = { ...draft, programs: names, spelled: program.text, words };
    const found = draft.words.find((word) => word.found !== undefined)?.found ?? code.found;
    const nested: Code = { ...code, depth: code.depth + 1, nested: true, found };
    // An unquoted expansion in front may be nothing, or a launcher.
    if (program.count === "any" && wraps < MAX_DEPTH && words[0] && !/^-|^$/.test(words[0].text))
      this.#start({ ...draft, words, nested: true }, command, code, wraps + 1);
    const unwrapped = names.length === 1 && wraps < MAX_DEPTH ? unwrap(name, words) : undefined;
    if (unwrapped) {
      for (const { text } of unwrapped.code) this.#readText(text, nested);
      for (const one of unwrapped.launched) {
        if (one.isStep) this.#push({ ...step, words: words.slice(0, words.length - one.words.length) }, command);
        for (const launched of this.#withAppended(draft, one))
          this.#launch(draft, { ...one, words: launched }, command, code, wraps);
      }
      return;
    }
    if (isShell(name)) return this.#shell(step, command, nested);
    switch (name) {
      case "eval":
        return this.#evaluate(step, words, command, nested);
      case "trap": {
        const [first] = words.filter(({ text }) => text !== "--");
        this.#push(step, command);
        if (first && words.length > 1) this.#readText(first.text, nested);
        return;
      }
      case "source":
      case ".": {
        const isInput = INPUT.test(words[0]?.text ?? "");
        const codeFrom = [...step.inner, ...(isInput ? step.fedBy : [])];
        const made = this.#push({ ...step, codeFrom, runsHidden: true }, command);
        if (isInput) for (const text of step.given) this.#readText(text, nested);
        return this.#runFile(made, words[0], command, nested);
      }
      case "alias":
        for (const { text } of words) {
          const equals = text.indexOf("=");
          if (equals > 0) this.#aliases.set(text.slice(0, equals).toLowerCase(), text.slice(equals + 1));
        }
    }
    const made = this.#push(step, command);
    const meaning = this.#aliases.get(name);
    if (meaning !== undefined && name !== "alias") {
      this.#aliases.delete(name);
      this.#readText([meaning, ...words.map(quoted)].join(" "), nested);
      this.#aliases.set(name, meaning);
    }
    const body = this.#functions.get(name);
    if (body !== undefined && words.length > 0) this.#call(made, name, body, nested);
    if (name === "git") this.#gitAlias(made, nested);
    if (name === "crontab") this.#jobs(made, nested);
    this.#noteWritten(made, command);
    this.#carried(made, command, nested);
  }

  /** Reads the body of a function with the words that it is called with. A call for which no room is left is opaque. */
  #call(step: Draft, name: string, body: string, nested: Code): void {
    const size = body.length + joined(step.words).text.length;
    if (nested.depth >= MAX_DEPTH || this.#pieces < MAX_PIECES / 2 || size > this.#left / 2) {
      step.runsHidden = true;
      return;
    }
    this.#functions.delete(name);
    const positionals = ["@", "*", ...Array.from({ length: 10 }, (_, at) => String(at))];
    for (const one of positionals) this.#variables.forget(one);
    this.#setPositionals([madeWord(name), ...step.words]);
    this.#readText(body, nested);
    for (const one of positionals) this.#variables.forget(one);
    this.#functions.set(name, body);
  }

  /** Notes `git config alias.x MEANING`, and reads what `git x` runs by it. */
  #gitAlias({ words }: Draft, nested: Code): void {
    const texts = words.map(({ text }) => text);
    const at = texts.findIndex((text) => /^alias\.[\w-]+$/i.test(text));
    const meaning = texts[at + 1];
    if (at > 0 && meaning !== undefined && texts.slice(0, at).includes("config"))
      this.#gitAliases.set((texts[at] ?? "").slice("alias.".length).toLowerCase(), meaning);
    if (this.#gitAliases.size === 0) return;
    const { verb } = parseWords("git", words);
    const [called = ""] = verb?.split(" ") ?? [];
    const stands = this.#gitAliases.get(called.toLowerCase());
    const place = texts.indexOf(called);
    if (stands === undefined || place < 0) return;
    const rest = words.slice(place + 1).map(quoted);
    this.#gitAliases.delete(called.toLowerCase());
    const start = stands.startsWith("!") ? [stands.slice(1)] : ["git", ...words.slice(0, place).map(quoted), stands];
    this.#readText([...start, ...rest].join(" "), nested);
    this.#gitAliases.set(called.toLowerCase(), stands);
  }

  /** Reads the commands of a table of jobs: on the standard input, or in a file that the line writes. */
  #jobs({ words, given }: Draft, nested: Code): void {
    const files = words.filter(({ text }) => !text.startsWith("-"));
    const written = files.flatMap(({ text }) => this.#writerOf(text)?.text ?? []);
    for (const table of [...given, ...written]) {
      for (const line of table.split("\n")) {
        const [, job] = JOB.exec(line) ?? [];
        if (job !== undefined) this.#readText(job.replaceAll("\\%", "%"), nested);
      }
    }
  }

  #launch(draft: Draft, one: LaunchedBy, command: SimpleCommand, code: Code, wraps: number): void {
    const directories =
      one.directory === undefined
        ? draft.directories
        : draft.directories.map((directory) => joinPath(directory, one.directory ?? ""));
    const inner: Draft = {
      ...draft,
      words: one.words,
      assigns: [...draft.assigns, ...one.assigns],
      directories,
      nested: true,
      runsHidden: draft.runsHidden || one.hides || (one.via === "uv run" && /\.py$/.test(one.words[0]?.text ?? "")),
      via: [...draft.via, one.via],
    };
    this.#start(inner, command, code, wraps + 1);
  }

  /** The words that `xargs` starts, with what it appends; or each with a line of its input, if it inserts lines. */
  #withAppended(draft: Draft, { words, appends, replaces, byLine }: LaunchedBy): (readonly StepWord[])[] {
    if (!appends) return [words];
    const isLines = byLine || replaces !== undefined;
    const shown = draft.given.flatMap((text) =>
      text.split(isLines ? /[\n\0]+/ : /[\s\0]+/).filter((word) => word !== ""),
    );
    const found = draft.given.length > 0 ? undefined : filesOf(draft.fedBy);
    const unknown = madeWord(HOLE, "operands", found);
    if (replaces === undefined)
      return [[...words, ...(draft.given.length > 0 ? shown.map((text) => madeWord(text)) : [unknown])]];
    const isShown = draft.given.length > 0 && shown.length <= MAX_INSERTED;
    return (isShown ? shown : [HOLE]).map((line) =>
      words.map((word) => {
        if (!word.text.includes(replaces)) return word;
        if (word.text === replaces) return isShown ? madeWord(line) : unknown;
        return { ...word, text: word.text.replaceAll(replaces, () => line) };
      }),
    );
  }

  /** `sh -c CODE`, `sh FILE`, and a shell that reads its input. */
  #shell(step: Draft, command: SimpleCommand, nested: Code): void {
    const { words } = step;
    let at = 0;
    let hasCode = false;
    let readsInput = false;
    for (; at < words.length; at++) {
      const text = words[at]?.text ?? "";
      if (!/^[-+]./.test(text)) break;
      if (/^--command=/.test(text))
        return this.#evaluate(step, [{ ...(words[at] as StepWord), text: text.slice(10) }], command, nested);
      // fish takes code behind the option itself.
      const attached = /^-c(?=.*[^A-Za-z])/s.test(text) ? text.slice(2) : "";
      if (attached !== "") this.#readText(attached, nested);
      if (/^-[A-Za-z]*c|^--command$/.test(text)) hasCode = true;
      if (/^-[A-Za-z]*s$/.test(text)) readsInput = true;
      if (/^[-+][A-Za-z]*[oO]$|^--(?:rcfile|init-file)$/.test(text)) at++;
    }
    const word = words[at];
    if (hasCode) {
      if (!word) return void this.#push(step, command);
      this.#setPositionals(words.slice(at + 1));
      return this.#evaluate(step, [word], command, nested);
    }
    if (/^--(?:version|help)$/.test(words[0]?.text ?? "")) return void this.#push(step, command);
    const isInput = readsInput || !word || INPUT.test(word.text);
    if (!isInput) {
      const made = this.#push({ ...step, codeFrom: step.inner, runsHidden: true }, command);
      return this.#runFile(made, word, command, nested);
    }
    const isShown = step.given.length > 0;
    const redirected = command.redirects.some(({ operator }) => operator.startsWith("<"));
    this.#push(
      {
        ...step,
        codeFrom: [...step.fedBy, ...step.inner],
        runsHidden: !isShown && (command.fed !== undefined || redirected),
      },
      command,
    );
    for (const text of step.given) this.#readText(text, nested);
  }

  /** Code that a command names: as text, or as what a substitution prints. */
  #evaluate(step: Draft, words: readonly StepWord[], command: SimpleCommand, nested: Code): void {
    const { text } = joined(words.filter((word, at) => at > 0 || word.text !== "--"));
    const isHidden = words.some(isDynamic);
    // A shell in the code reads the input of the command.
    const readsInput = SHELL_IN_CODE.test(joined(step.words).text);
    const isFed = readsInput && step.fedBy.length > 0;
    if (isHidden || isFed || step.inner.length > 0)
      this.#push(
        {
          ...step,
          codeFrom: [...step.inner, ...(isFed || text.trim() === HOLE ? step.fedBy : [])],
          runsHidden: isHidden || (isFed && step.given.length === 0),
        },
        command,
      );
    if (readsInput) for (const given of step.given) this.#readText(given, nested);
    if (text.trim() !== HOLE) this.#readText(text, nested);
  }

  /** Reads code whose expansions an outer shell has replaced: they may be any words. */
  #readText(text: string, nested: Code): void {
    this.read(text.replaceAll(HOLE, UNKNOWN_VARIABLE), nested);
  }

  /** Connects a step that runs a file with what the line wrote into it, or prints in its place. */
  #runFile(step: Draft, word: StepWord | undefined, command: SimpleCommand, nested: Code): void {
    const printed = word?.source.startsWith("<(") && command.words.find(({ source }) => source === word.source)?.inner;
    const code = printed && outputOf(printed);
    if (code) this.#readText(code, nested);
    const written = word && this.#writerOf(word.text);
    if (!written || written.by === step) return;
    step.codeFrom = [...step.codeFrom, written.by];
    if (written.text !== undefined) this.#readText(written.text, nested);
  }

  /** Who wrote a file, or cloned a directory that it is in. */
  #writerOf(path: string): { by: Draft; text: string | undefined } | undefined {
    const file = this.#written.get(baseName(path));
    if (file) return file;
    const parts = path.length < 4096 ? path.split("/").slice(0, -1) : [];
    const cloned = parts.map((part) => this.#written.get(part)).find((one) => one?.by.programs[0] === "git");
    return cloned?.by.words[0]?.text === "clone" ? cloned : undefined;
  }

  /** Notes files that a command may write, and finds out whether it runs one of them. */
  #noteWritten(step: Draft, command: SimpleCommand): void {
    const { words, redirects, spelled, programs } = step;
    const [name = ""] = programs;
    const script = RUNS_SOURCE.test(name) ? words.find(({ text }) => !text.startsWith("-")) : undefined;
    const runs = script ?? (spelled.includes("/") ? { text: spelled } : undefined);
    const from = runs && this.#writerOf(runs.text);
    if (from) {
      step.codeFrom = [...step.codeFrom, from.by];
      if (from.text !== undefined && script === undefined)
        this.#readText(from.text, { depth: 1, elsewhere: step.elsewhere, nested: true });
    }
    if (RUNS_SOURCE.test(name)) {
      const isInput = words.every(({ text }) => /^-[A-Za-z]?$/.test(text) || text === "/dev/stdin");
      const isCode = words.some(({ text }) => /^(?:-[a-zA-Z]*[cer]|-E|--eval|--command|-)$/.test(text));
      const isFile = script?.text.includes(HOLE) === true;
      if (isInput) step.codeFrom = [...step.codeFrom, ...step.fedBy, ...step.inner];
      else if (isCode || isFile) step.codeFrom = [...step.codeFrom, ...step.inner];
    }
    if (EVALUATES.test(name)) step.codeFrom = [...step.codeFrom, ...step.fedBy, ...step.inner];
    const printing = { ...command, redirects: command.redirects.filter(({ writes }) => !writes) };
    const text = outputOf({ of: [printing], from: 0, to: 1 });
    for (const { target, writes } of redirects)
      if (writes) this.#written.set(baseName(target.text), { by: step, text });
    if (!MAY_WRITE.test(name)) return;
    for (const word of words) {
      const file = baseName(word.text.replace(/[?#].*$/s, "")).replace(/^[^:]*:|\.git$/g, "");
      if (file !== "" && !this.#written.has(file))
        this.#written.set(file, { by: step, text: name === "tee" ? outputText(command) : undefined });
    }
  }

  /** What programs run that pass words on: `ssh HOST CMD`, `docker exec C CMD`, `find -exec CMD`, `python -m M`. */
  #carried(step: Draft, command: SimpleCommand, nested: Code): void {
    const [name = ""] = step.programs;
    const carried = carriedBy(name, step.words);
    if (readsCommands(name, carried))
      for (const text of step.given) this.#readText(text, { ...nested, elsewhere: nested.elsewhere || name === "ssh" });
    for (const one of carried) {
      const elsewhere = nested.elsewhere || one.elsewhere;
      if (one.code !== undefined) this.#readText(one.code, { ...nested, elsewhere });
      else
        this.#start(
          {
            ...step,
            words: one.words,
            redirects: [],
            assigns: [],
            exported: elsewhere ? [] : step.exported,
            elsewhere,
            nested: true,
            runsHidden: one.hides,
            via: [...step.via, one.via],
          },
          command,
          { ...nested, elsewhere },
          2,
        );
    }
    const texts = step.words.map(({ text }) => text);
    const hidden = hiddenStarts(name, step);
    if (hidden.hides) step.runsHidden = true;
    for (const code of [...codeInOptions([name], [step.spelled, ...texts]), ...hidden.code])
      this.#readText(code, nested);
    if (RUNS_SOURCE.test(name)) {
      for (const source of [...texts.filter((text) => /[\s(;!]/.test(text)), ...step.given])
        this.#readSource(name, source, nested);
    }
  }

  /** The commands that code of another language starts, as far as texts in it show them. */
  #readSource(name: string, source: string, nested: Code): void {
    if (startedText(name, source) === undefined || (!name.endsWith("awk") && !STARTS_SHELL.test(source))) return;
    const literals = [
      ...source
        .replace(IMPORTS, " ")
        .matchAll(/"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|`((?:[^`\\]|\\[^])*)`/g),
    ].map(([, a, b, c]) => a ?? b ?? c ?? "");
    const texts = literals.length > 1 ? [...literals.filter((text) => /\s/.test(text)), literals.join(" ")] : literals;
    // What ends with a blank goes on with a value of the program: "rm " $1.
    for (const text of texts.slice(0, 16)) this.#readText(/\S\s+$/.test(text) ? text + HOLE : text, nested);
  }

  /** Gives `$0`, `$1` and `$@` in the code of `sh -c` the words behind it. */
  #setPositionals(words: readonly StepWord[]): void {
    const values = words.map(({ text }) => [...text].map((char) => (char === HOLE ? "any text" : char)));
    values.slice(0, 10).forEach((units, at) => void this.#variables.set(String(at), units));
    const all = values.slice(1).flatMap((units, at) => [...(at > 0 ? [SPLIT] : []), ...units]);
    if (words.slice(1).some(({ count }) => count === "any")) return;
    for (const name of ["@", "*"]) this.#variables.set(name, all);
  }
}

const NO_INVOCATION: Invocation = {
  programs: [],
  spelled: "",
  words: [],
  redirects: [],
  assigns: [],
  exported: [],
  given: [],
  fedBy: [],
  inner: [],
  codeFrom: [],
  directories: [""],
  elsewhere: false,
  nested: true,
  runsHidden: false,
  via: [],
};

type LaunchedBy = NonNullable<ReturnType<typeof unwrap>>["launched"][number];

/** Arithmetic that evaluates no code, also as the head of a loop. */
const ARITHMETIC = /(\bfor[ \t]*)?\$?\(\([\w\s+\-*/%<>=!&|^~?:,;$"'.]{0,512}\)\)/g;
/** Code that names what a function is called with. */
const USES_WORDS = /\$\{?[@*1-9#]/;
/** A line of a table of jobs: when, and what. */
const JOB = /^[ \t]*(?:@[a-z]+|(?:[\d*,/A-Za-z~-]+[ \t]+){4}[\d*,/A-Za-z~-]+)[ \t]+(\S.*)$/;
/** A shell that may read its standard input. */
const SHELL_IN_CODE = /(?:^|[\s;&|(/])(?:ba|da|z|k|mk|a|fi)?sh(?:[\s;&|)]|$)/;
/** Words of the grammar in front of a program. */
const IN_FRONT = /^(?:[!{}]|if|then|elif|else|fi|while|until|do|done|esac)$/;
/** A variable that names a file which a shell runs first. */
const STARTUP_FILE = /^(?:BASH_ENV|ENV)=/;
/** An expansion whose value no line shows. */
const UNKNOWN_VARIABLE = "$__";
/** Programs that fetch, decode, copy or unpack into files that they name. */
const MAY_WRITE =
  /^(?:curl|wget2?|fetch|aria2c|axel|http|https|xh|scp|sftp|rsync|nc|ncat|base64|openssl|xxd|gunzip|unzip|tar|tee|cp|mv|ln|install|dd|iwr|invoke-webrequest|git)$/;
const RUNS_SOURCE =
  /^(?:python[\d.]*|pypy[\d.]*|perl[\d.]*|ruby[\d.]*|node|nodejs|bun|deno|php[\d.]*|lua[\d.]*|luajit|[gmn]?awk|tclsh|rscript|julia|osascript|tsx|ts-node|pwsh|powershell)$/;
/** Names of modules that code loads. */
const IMPORTS = /\b(?:require|import)\s*\(\s*(?:"[^"\n]*"|'[^'\n]*')\s*\)|\bfrom\s+(?:"[^"\n]*"|'[^'\n]*')/g;
/** Evaluates text in PowerShell. */
const EVALUATES = /^(?:iex|invoke-expression)$/;
/** Names of the standard input. */
const INPUT = /^(?:-|\/dev\/(?:stdin|fd\/0))$/;
const STARTS_SHELL =
  /\b(?:do shell script|system|popen\w*|subprocess|exec\w*|spawn\w*|child_process|shell_exec|passthru|proc_open|getoutput|getstatusoutput|check_call|check_output|call|run|Popen|execute|qx)\b|`|\bBun\.\$/;

/** Says of words that are a variable which files it names: in `while read f; do rm "$f"; done < <(ls D)`. */
function nameFiles(draft: Draft, found: Found): void {
  const named = (word: StepWord) => (word.text === HOLE && !word.found ? { ...word, found } : word);
  draft.words = draft.words.map(named);
  draft.redirects = draft.redirects.map((redirect) => ({ ...redirect, target: named(redirect.target) }));
}

/** A program without the brace of a group that zsh reads in front of it: `{rm x; }`. */
function withoutBrace(word: StepWord): StepWord {
  return /^\{+[^{},]+$/.test(word.text) ? { ...word, text: word.text.replace(/^\{+/, "") } : word;
}

/** The words behind `command` and `builtin`, which change the shell that runs them as without. */
function withoutBuiltin(words: Word[]): Word[] {
  let at = 0;
  while (/^(?:command|builtin|-p|--)$/.test(words[at]?.text ?? "") && (at > 0 || !words[at]?.text.startsWith("-")))
    at++;
  return words.slice(at);
}

function withoutArithmetic(text: string): string {
  return text.replace(ARITHMETIC, (_all, loop?: string) => (loop === undefined ? " : " : "while :"));
}

/**
 * True if a command in double parentheses may be arithmetic. Shells without arithmetic commands run it, and those with them if
 * it is none: two operands without an operator between them, as in `((rm x))`.
 */
function isExpression({ words, redirects }: SimpleCommand): boolean {
  if (/^[./~]/.test(words[0]?.text ?? "") || words.some(({ quoted, text }) => quoted && /\s/.test(text))) return false;
  const pairs = words.filter(
    ({ text }, at) => /^[\w$"'(\0./~]/.test(text) && /[\w$"')\].]$|\/.*[*?]$/s.test(words[at - 1]?.text ?? ""),
  );
  // Of `a >= b`, half the operator is a redirection.
  return pairs.length <= redirects.filter(({ target }) => target.text.startsWith("=")).length;
}

/** The names that a program word may have. */
function namesOf(text: string): string[] {
  return [
    ...new Set(
      expandAlternatives(text).map((one) =>
        one
          .slice(one.lastIndexOf("/") + 1)
          .replace(/^=|\.(?:exe|cmd|bat)$/gi, "")
          .replace(isPattern(one) ? /[*?[].*$/s : /$^/, HOLE)
          .toLowerCase(),
      ),
    ),
  ];
}

/** The texts that a command reads from its standard input, as far as the line shows them. */
function givenTo({ redirects, fed }: SimpleCommand): string[] {
  const given = redirects.flatMap(({ operator, target, document }) => {
    if (document !== undefined) return document;
    if (operator === "<<<" && !target.units.some(isMark)) return target.text;
    return operator === "<" ? outputsOf(target.inner) : [];
  });
  return [...given, ...outputsOf(fed)];
}

/** What commands print: with the escapes of `echo` decoded, as some shells do, and as they are. */
function outputsOf(range: CommandRange | undefined): string[] {
  const texts = range ? [outputOf(range), outputOf(range, 0, { decodes: false })] : [];
  return [...new Set(texts)].filter((text) => text !== undefined);
}

function outputText({ fed }: SimpleCommand): string | undefined {
  return fed && outputOf(fed);
}

function baseName(path: string): string {
  return path.slice(path.lastIndexOf("/") + 1);
}

/** A word as code that a shell reads as one word. */
function quoted({ text }: StepWord): string {
  return /^[\w./:=@%+,-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
}
