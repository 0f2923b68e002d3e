import { UNKNOWN } from "../../paths/path-text.ts";
import { joinPath } from "../../paths/working-directory.ts";
import { isSink } from "../../rules/rules.ts";
import type { Invocation, StepAssignment, StepWord } from "../invocation.ts";
import type { Among, HostTouch, ParsedWords, PathTouch, Value } from "../program-facts.ts";
import type { Address } from "./addresses.ts";

/** A row of the table of programs: puts what a command touches into the call. */
export type Row = (call: Call) => void;

/** Stands in `refs` for the branch in force. */
export const CURRENT = "current";

type Extent = PathTouch["extent"];

/** A command as a row of the table sees it, and what it touches so far. */
export class Call {
  readonly reads: PathTouch[] = [];
  readonly writes: PathTouch[] = [];
  readonly lists: PathTouch[] = [];
  readonly mayWrite: PathTouch[] = [];
  readonly hosts: HostTouch[] = [];
  readonly sends: HostTouch[] = [];
  readonly refs: Value[] = [];
  readonly target: Value[] = [];
  /** True if an expansion may add refs. */
  refsOpen = false;
  currentTargetOf: string | undefined;
  /** Where its relative paths start: `git -C DIR`. */
  base = "";
  #showsOutput: boolean | undefined;
  /** The words behind the program as texts. */
  readonly texts: readonly string[];

  /** The program, under the name of its row. */
  readonly name: string;
  readonly invocation: Invocation;
  readonly parsed: ParsedWords;
  /** False if the program is one of several. */
  readonly sure: boolean;

  constructor(name: string, invocation: Invocation, parsed: ParsedWords, sure: boolean) {
    this.name = name;
    this.invocation = invocation;
    this.parsed = parsed;
    this.sure = sure;
    this.texts = invocation.words.map(({ text }) => text);
  }

  get verb(): string {
    return this.parsed.verb ?? "";
  }

  get operands(): readonly StepWord[] {
    return this.parsed.operands;
  }

  /** True if one of the options is there. Name the short and the long ones. */
  has(...names: string[]): boolean {
    return this.parsed.options.some(({ name }) => names.includes(name));
  }

  /** The values of options. Name the short and the long ones. */
  values(...names: string[]): StepWord[] {
    return this.parsed.options.flatMap(({ name, value }) => (value && names.includes(name) ? [value] : []));
  }

  /** True if the output of commands is in the word: `"https://host/?d=$(cat f)"`, or a variable that holds it. */
  holdsOutput(word: StepWord): boolean {
    if (SUBSTITUTION.test(word.source)) return true;
    this.#showsOutput ??= this.invocation.words.some(({ source }) => SUBSTITUTION.test(source));
    return word.text.includes(UNKNOWN) && this.invocation.inner.length > 0 && !this.#showsOutput;
  }

  /** The words right behind those that fit, for options that no table of words knows. */
  behind(option: RegExp): StepWord[] {
    return this.invocation.words.filter((_word, at) => at > 0 && option.test(this.texts[at - 1] ?? ""));
  }

  /** True if the program gets data that other commands or files give. */
  get isFed(): boolean {
    const { fedBy, given, redirects } = this.invocation;
    return fedBy.length > 0 || given.length > 0 || redirects.some(({ operator }) => operator.startsWith("<"));
  }

  /** The variables that the line sets for the program: its own, and what earlier commands exported under other names. */
  get environment(): readonly StepAssignment[] {
    const { assigns, exported } = this.invocation;
    if (exported.length === 0) return assigns;
    return [...assigns, ...exported.filter((one) => assigns.every(({ name }) => name !== one.name))];
  }

  /** The value of a variable that is set for the program. */
  assigned(...names: string[]): StepWord[] {
    return this.environment.flatMap(({ name, value }) => (names.includes(name) ? [value] : []));
  }

  read(words: readonly StepWord[], extent: Extent = "itself"): void {
    for (const word of words) this.#touch(this.reads, word, extent);
  }

  write(words: readonly StepWord[], extent: Extent = "itself", among?: Among): void {
    for (const word of words) this.#touch(this.writes, word, extent, among);
  }

  /** See `ProgramTargets.mayWrite`. */
  mayAlsoWrite(words: readonly StepWord[], extent: Extent = "itself", among?: Among): void {
    for (const word of words) this.#touch(this.mayWrite, word, extent, among);
  }

  /** A file that is put on another machine. */
  writeElsewhere(word: StepWord): void {
    const count = this.writes.length;
    this.#touch(this.writes, word, "itself");
    for (const touch of this.writes.slice(count)) touch.elsewhere = true;
  }

  list(words: readonly StepWord[], extent: Extent = "itself"): void {
    for (const word of words) this.#touch(this.lists, word, extent);
  }

  /** A file that the program puts there; inside under one of the names if it is a directory. */
  writeInto(word: StepWord, into: readonly string[], extent: Extent, among?: Among): void {
    const count = this.writes.length;
    this.#touch(this.writes, word, extent, among);
    for (const touch of this.writes.slice(count)) if (into.length > 0) touch.into = into;
  }

  #touch(to: PathTouch[], word: StepWord, extent: Extent, among?: Among): void {
    // A substitution of a process is no file.
    if (/^[<>]\(/.test(word.source)) return;
    const sure = this.sure && word.count !== "any";
    const found = word.text.includes(UNKNOWN) ? word.found : undefined;
    const directories = found?.directories.map((path) => this.join(path)) ?? [];
    const which = found
      ? ({ kind: "found", directories, tests: found.tests, deep: extent === "tree" } as const)
      : among;
    if (found?.isBelow) {
      for (const path of directories)
        to.push({ path, glob: false, sure, extent: "below", ...(which && { among: which }) });
      return;
    }
    const path = word.text.replace(/^file:\/\/(?:localhost)?(?=\/)/i, "");
    if (path === "" || isSink(path)) return;
    to.push({ path: this.join(path), glob: word.glob, sure, extent, ...(which && { among: which }) });
  }

  /** The path as the place in which the command runs has it. An expansion in front may be a whole path. */
  join(path: string): string {
    return path.startsWith(UNKNOWN) ? path : joinPath(this.base, path);
  }

  /** A host that the program connects to. */
  connect(address: Address | undefined, { sends = false, sure = true, port }: Connection = {}): void {
    if (!address) return;
    const number = address.port ?? port;
    const touch: HostTouch = {
      host: address.host,
      sure: this.sure && sure,
      ...(number === undefined ? {} : { port: number }),
    };
    this.hosts.push(touch);
    if (sends) this.sends.push(touch);
  }

  /** A branch that the program changes. */
  ref(text: string, sure = true): void {
    this.refs.push({ text, sure: this.sure && sure });
  }

  /** What the program acts on: a context, a profile, a database. */
  aim(words: readonly StepWord[]): void {
    for (const { text, count } of words)
      if (text !== "") this.target.push({ text, sure: this.sure && count !== "any" });
  }
}

/** How a program connects to a host. */
export interface Connection {
  /** True if data of this machine goes there. */
  sends?: boolean;
  sure?: boolean;
  port?: number;
}

/** A word that the line does not have: a default, or a part of another word. */
export function wordOf(text: string, like?: StepWord): StepWord {
  return { text, source: text, count: like?.count ?? "one", glob: like?.glob ?? false };
}

/** A host that the line does not show. */
export const UNKNOWN_ADDRESS: Address = { host: UNKNOWN, path: "" };

/** A substitution of a command, not an arithmetic one. */
const SUBSTITUTION = /\$\((?!\()|`/;

/** A file of a name in the directory in force: what an expansion in front names stays in there. */
export function hereAs(name: string): string {
  return name.startsWith(UNKNOWN) ? `./${name}` : name;
}

/** The last part of a path without the slashes at its end; empty for the root. */
export function lastPart(path: string): string {
  let end = path.length;
  while (end > 0 && path.charAt(end - 1) === "/") end--;
  return path.slice(path.lastIndexOf("/", end - 1) + 1, end);
}
