import { statSync } from "node:fs";
import { resolve } from "node:path";
import type { Env } from "../lib/env.ts";
import { joinPath } from "../shell/paths/working-directory.ts";
import { HOLE, type Invocation } from "../shell/steps/invocation.ts";
import type { HostTouch, PathTouch, ProgramTargets, Value, Values } from "../shell/steps/program-facts.ts";
import { programTargets } from "../shell/steps/program-targets.ts";
import { readLine } from "../shell/steps/read-line.ts";
import { readProgram } from "../shell/steps/read-program.ts";
import { currentTarget } from "./current-target.ts";
import { EFFECTS, type Effect, type HostValue, type PathValue, type Step } from "./facts.ts";
import { currentBranch } from "./git-state.ts";
import { packageEffects, packageHosts } from "./package-runners.ts";
import type { Place } from "./place.ts";
import { hostOfRemote } from "./remotes.ts";
import { resolvePath, type TouchedAt } from "./resolve-path.ts";
import { pathTest } from "./sets/path-test.ts";

/** What {@link shellSteps} knows beside the line. */
export interface ShellLineOptions {
  place: Place;
  /** Where the line starts, relative to the directory of the place; `""` for there. */
  directory: string;
  /** True for a shell with the syntax of sh. */
  posix: boolean;
  /** Further variables of the shell that the line may use. */
  variables?: Env;
}

/** The steps of a command line; see {@link readLine} for `exact` and `complete`. */
export interface ShellLine {
  steps: readonly ShellStep[];
  exact: boolean;
  complete: boolean;
}

/** Returns the steps of a command line. Their facts are computed when they are asked for. */
export function shellSteps(line: string, { place, directory, posix, variables = {} }: ShellLineOptions): ShellLine {
  const [temporary = "/tmp"] = place.temporary;
  const { invocations, exact, complete } = readLine(line, {
    env: { ...variables, HOME: place.home, TMPDIR: place.env["TMPDIR"] ?? temporary },
    posix,
    temporary,
    isDirectory: (path) => !path.includes(HOLE) && isDirectory(resolve(place.cwd, directory, path)),
  });
  const steps = invocations.flatMap((invocation) => {
    const step = new ShellStep(invocation, place, directory);
    return [step, ...step.furtherForAllow()];
  });
  return { steps, exact, complete };
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}

/** Variables that change what a program prints, not what it does. */
const HARMLESS = /^(?:LANG|LC_\w+|TZ|TERM|NO_COLOR|CI|NODE_ENV|FORCE_COLOR)$/;

/** Commands that are examined to find where code comes from. */
const MAX_BEHIND = 32;

/** A step of a command line. */
export class ShellStep implements Step {
  readonly #invocation: Invocation;
  readonly #place: Place;
  readonly #directory: string;
  readonly #read: ReturnType<typeof readProgram>;
  #targets: ProgramTargets | undefined;
  readonly #paths: Partial<Record<"reads" | "writes" | "lists", readonly PathValue[]>> = {};
  #hosts: readonly HostValue[] | undefined;
  #effect: Values | undefined;

  constructor(invocation: Invocation, place: Place, directory: string) {
    this.#invocation = invocation;
    this.#place = place;
    this.#directory = directory;
    this.#read = readProgram(invocation);
  }

  get command(): string {
    return this.#read.command.shown ?? this.#read.command.text;
  }

  get program(): readonly Value[] {
    return this.#read.program;
  }

  get verb(): readonly Value[] {
    return this.#read.verb;
  }

  get flags(): Values {
    return this.#read.flags;
  }

  get args(): Values {
    return this.#read.args;
  }

  get commandLine(): Values {
    const { command } = this.#read;
    if (command.text === "") return { values: [], open: false };
    // `pip3 install x` is both `pip install x` and as it is written.
    const { programs, words } = this.#invocation;
    const [program = ""] = programs;
    const text = [program, ...words.map((word) => word.text)].join(" ");
    const isRenamed = text !== command.text && !program.includes(HOLE);
    const written = isRenamed ? [{ text, sure: command.sure }] : [];
    return { values: [command, ...written], open: false };
  }

  get env(): Values {
    return this.#read.env;
  }

  get opaque(): boolean {
    return this.#read.opaque;
  }

  get effect(): Values {
    this.#effect ??= this.#effects();
    return this.#effect;
  }

  get reads(): readonly PathValue[] {
    return this.#pathsFor("reads");
  }

  get writes(): readonly PathValue[] {
    return this.#pathsFor("writes");
  }

  /** What the command may change besides; see `ProgramTargets.mayWrite`. */
  get mayWrite(): readonly PathValue[] {
    return this.#resolved(this.#all().mayWrite, false);
  }

  /** The command as the line has it. */
  get invocation(): Invocation {
    return this.#invocation;
  }

  get paths(): readonly PathValue[] {
    return [...this.reads, ...this.writes, ...this.#pathsFor("lists")];
  }

  get hosts(): readonly HostValue[] {
    this.#hosts ??= [
      ...this.#hostsOf(this.#all().hosts),
      ...packageHosts(this.#invocation),
      ...this.#hostsBehindCode(),
    ];
    return this.#hosts;
  }

  get sends(): readonly HostValue[] {
    return this.#hostsOf(this.#all().sends);
  }

  get ref(): Values {
    const { values, open } = this.#all().refs;
    const named = values.flatMap((value): Value[] => {
      if (value.text !== "current") return [value];
      const branch = currentBranch(this.#place.cwd, this.#place.env);
      return branch === undefined ? [] : [{ ...value, text: branch }];
    });
    return { values: named, open };
  }

  get target(): Values {
    const { target, currentTargetOf } = this.#all();
    if (target.values.length > 0 || target.open || currentTargetOf === undefined) return target;
    const current = currentTarget(currentTargetOf, this.#place);
    return current === undefined ? target : { values: [{ text: current, sure: true }], open: false };
  }

  get unquoted(): readonly string[] {
    return this.#invocation.words.flatMap(({ count, source }) => (count === "any" ? [source] : []));
  }

  get cover(): Step["cover"] {
    const { nested, programs, words, redirects, elsewhere } = this.#invocation;
    if (nested || elsewhere) return "never";
    if (redirects.some(({ writes }) => writes) || this.assigns.length > 0) return "rule";
    return this.#isFree(programs[0] ?? "", words) ? "free" : "rule";
  }

  get assigns(): readonly string[] {
    return this.#invocation.assigns.flatMap(({ name }) => (HARMLESS.test(name) ? [] : [name]));
  }

  get allowOnly(): boolean {
    return this.#invocation.programs.length === 0 && this.#invocation.redirects.length === 0;
  }

  /** Every writing redirection of a program, as a step that a rule which allows must cover too. */
  furtherForAllow(): ShellStep[] {
    const { programs, redirects } = this.#invocation;
    if (programs.length === 0) return [];
    return redirects.flatMap((redirect) => {
      if (!redirect.writes) return [];
      const alone: Invocation = {
        ...this.#invocation,
        programs: [],
        spelled: "",
        words: [],
        assigns: [],
        redirects: [redirect],
      };
      return Object.defineProperty(new ShellStep(alone, this.#place, this.#directory), "allowOnly", { value: true });
    });
  }

  /** True for a command that changes nothing but the shell that runs the line. */
  #isFree(program: string, words: Invocation["words"]): boolean {
    const texts = words.map(({ text }) => text);
    if (words.some(({ text, count, glob }) => text.includes(HOLE) || count !== "one" || glob)) return false;
    switch (program) {
      case "true":
      case "false":
      case ":":
      case "popd":
      case "exit":
      case "wait":
        return true;
      case "set":
        return texts.every((text) => /^[-+](?:[eux]+|[eux]*o)$/.test(text) || text === "pipefail");
      case "cd":
      case "pushd": {
        const inProject = pathTest(["project"], { own: { paths: {} }, place: this.#place });
        return (
          texts.length === 1 &&
          this.paths.length > 0 &&
          this.paths.every((path) => inProject(path, "both") === "all" && path.sure)
        );
      }
      default:
        return false;
    }
  }

  #all(): ProgramTargets {
    this.#targets ??= programTargets(this.#invocation, this.#read.parsed, this.#read.opaque);
    return this.#targets;
  }

  /** The paths of one kind, looked up when they are first asked for. */
  #pathsFor(kind: "reads" | "writes" | "lists"): readonly PathValue[] {
    const known = this.#paths[kind];
    if (known) return known;
    const found = this.#resolved(this.#all()[kind], kind !== "writes");
    this.#paths[kind] = found;
    return found;
  }

  #resolved(touches: readonly PathTouch[], read: boolean): readonly PathValue[] {
    const { directories, elsewhere } = this.#invocation;
    const at: TouchedAt = {
      directories: directories.map((path) => joinPath(this.#directory, path)),
      place: this.#place,
      elsewhere,
      read,
    };
    return different(touches.flatMap((touch) => this.#pathsOf(touch, at)));
  }

  #pathsOf(touch: PathTouch, at: TouchedAt): PathValue[] {
    const paths = resolvePath(touch, touch.elsewhere ? { ...at, elsewhere: true } : at);
    if (!touch.guess) return paths;
    const test = pathTest(["credentials", "guards"], { own: { paths: {} }, place: this.#place });
    return paths.filter((path) => test(path, "either") === "all");
  }

  #hostsOf(touches: readonly HostTouch[]): HostValue[] {
    return touches.map((touch) => {
      if (!touch.host.startsWith("remote:")) return touch;
      return { host: hostOfRemote(touch.host, this.#place), sure: touch.sure };
    });
  }

  /** The hosts that code comes from: those of the commands that printed it, and of what fed them. */
  #hostsBehindCode(): HostValue[] {
    const found = new Set(this.#invocation.codeFrom);
    for (const from of found) {
      if (found.size > MAX_BEHIND) break;
      for (const one of from.fedBy) found.add(one);
    }
    return [...found].flatMap((from) => this.#hostsOf(programTargets(from, readProgram(from).parsed).hosts));
  }

  #effects(): Values {
    const { effects } = this.#read;
    const found = new Map<string, Value>();
    const add = (value: Value) => {
      if (!found.get(value.text)?.sure) found.set(value.text, value);
    };
    effects.values.forEach(add);
    packageEffects(this.#invocation, this.#place, this.#directory).forEach(add);
    for (const { sure } of this.sends) add({ text: "sends", sure });
    this.#bySet("startup", this.writes, "persistence", add);
    this.#bySet("credentials", this.reads, "reveals", add);
    const order = (value: Value) => EFFECTS.indexOf(value.text as Effect);
    return { values: [...found.values()].sort((a, b) => order(a) - order(b)), open: effects.open };
  }

  /** An effect that a step has because of the places that it touches. */
  #bySet(set: string, paths: readonly PathValue[], effect: Effect, add: (value: Value) => void): void {
    if (paths.length === 0) return;
    const test = pathTest([set], { own: { paths: {} }, place: this.#place });
    for (const path of paths) {
      const fit = test(path, "either");
      if (fit === "all" || fit === "some") add({ text: effect, sure: fit === "all" && path.sure });
    }
  }
}

/** Leaves out paths that are there already: a line may repeat one a thousand times. */
function different(paths: readonly PathValue[]): readonly PathValue[] {
  if (paths.length < 2) return paths;
  return [...new Map(paths.map((path) => [JSON.stringify(path), path])).values()];
}
