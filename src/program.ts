/**
 * The program: finds the verb, runs its command, and turns every ending into text and an exit code. It ends the process.
 *
 * @packageDocumentation
 */
import { isatty } from "node:tty";
import type { Command, CommandRow } from "./cli/define-command.ts";
import { type FlagSpecs, flagUsage, isListed, parseFlags, UnknownFlagError } from "./cli/flags.ts";
import { BARE_FLAGS, GLOBAL_FLAGS } from "./cli/global-flags.ts";
import { printError, printStyled, workAfterLastAnswer } from "./cli/print.ts";
import { COMMANDS, RENAMED } from "./commands/index.ts";
import { EXIT_CODES, errorText, interruptedCode, QuitReason, StopReason, UsageError, UserError } from "./lib/errors.ts";
import { killAllProcesses, killUntaken } from "./lib/process/child.ts";
import { type HandedOver, SIGNALS, type StopSignal, takeOver, takeSignals } from "./lib/process/handed-over.ts";
import { nearest } from "./lib/text/nearest.ts";
import { endTracing } from "./trace/active.ts";

/** One call of the program, from its command line to its exit code. */
class Program {
  readonly #verb: string | undefined;
  /** The words that the user typed for a command which has another name now. */
  readonly #earlierName: string | undefined;
  /** The words of the command line without the verb. */
  readonly #rest: readonly string[];
  /** The row of the verb that the user meant; it decides how errors end, even those of a mistyped command line. */
  readonly #row: CommandRow | undefined;
  /** Aborted by the first of {@link SIGNALS}. */
  readonly #controller = new AbortController();
  #onInterrupt = () => false;
  #failure: Promise<never> | undefined;
  #hasAnswered = false;

  constructor(argv: readonly string[]) {
    const given = splitVerb(argv);
    const { verb, rest, earlierName } = currentName(given);
    this.#verb = verb;
    this.#rest = rest;
    this.#earlierName = earlierName;
    const meant = this.#meantVerb();
    this.#row = meant === undefined ? undefined : COMMANDS[meant];
  }

  /** Runs the command and ends the process. */
  async run(): Promise<never> {
    const code = await this.#runCommand().catch((error) => this.fail(error));
    await endTracing();
    return this.#finish(this.#failure ? await this.#failure : code);
  }

  /** Ends the process after an error, the way the verb does if it has its own. Only the first error counts. */
  fail(error: unknown): Promise<never> {
    this.#failure ??= (async () => {
      const problem = error instanceof UserError ? error.message : `internal error: ${errorText(error)}`;
      const ended = error instanceof UserError ? error.exitCode : EXIT_CODES.failed;
      const own = await this.#row?.failed?.(this.#rest, problem, ended).catch(() => undefined);
      const code = own ?? (await this.#report(error));
      await endTracing();
      return this.#finish(code);
    })();
    return this.#failure;
  }

  async #runCommand(): Promise<number> {
    if (this.#verb === undefined) return this.#runBare();
    const command = await this.#load(this.#verb);
    const { flags, positionals, renamed } = parseFlags(this.#rest, { ...command.flags, ...GLOBAL_FLAGS });
    if (flags.version) return this.#printVersion();
    if (flags.help) {
      const { renderUsage } = await import("./cli/help-text.ts");
      await printStyled(await renderUsage(this.#verb, command));
      return EXIT_CODES.ok;
    }
    if (isatty(2) && !flags.quiet) {
      const now =
        this.#row?.now === undefined ? [] : [{ word: `hooksh ${this.#verb}`, now: `hooksh ${this.#row.now}` }];
      for (const name of [...now, ...renamed]) printError(`note: ${name.word} is ${name.now} now`);
    }
    return this.#start(command, { flags, positionals });
  }

  /** Runs a command line without a verb. */
  async #runBare(): Promise<number> {
    const { flags } = parseFlags(this.#rest, BARE_FLAGS);
    if (flags.version) return this.#printVersion();
    const swallowed = this.#rest.find(isVerb);
    if (swallowed !== undefined && !flags.help)
      throw new UsageError(`no command given: ${swallowed} was read as the value of the flag before it`);
    const { renderOverview } = await import("./cli/help-text.ts");
    await printStyled(await renderOverview(COMMANDS));
    return flags.help ? EXIT_CODES.ok : EXIT_CODES.usage;
  }

  async #printVersion(): Promise<number> {
    return this.#start(await this.#load("version"), parseFlags([], GLOBAL_FLAGS));
  }

  #start(command: Command, parsed: Pick<Parameters<Command["run"]>[0], "flags" | "positionals">): Promise<number> {
    if (this.#earlierName !== undefined && !parsed.flags.quiet)
      printError(`note: hooksh ${this.#earlierName} is hooksh ${RENAMED[this.#earlierName]} now`);
    for (const name of SIGNALS) process.on(name, () => this.#interrupt(name));
    for (const name of takeSignals()) this.#interrupt(name);
    const onInterrupt = (handler: () => boolean) => void (this.#onInterrupt = handler);
    return command.run({ ...parsed, commands: COMMANDS, signal: this.#controller.signal, onInterrupt });
  }

  async #load(verb: string): Promise<Command> {
    if (isVerb(verb)) return (await COMMANDS[verb].load()).command;
    const { habitAdvice, unknownCommandText } = await import("./cli/foreign-commands.ts");
    if (this.#meantVerb() === undefined) {
      // Words with blanks between them are a message for `run`.
      const isMessage = /\s/.test(verb);
      const adviceOn = async (word: string) => (isMessage ? this.#runAdvice(word) : habitAdvice(word));
      const advice = (await Promise.all(this.#rest.map(adviceOn))).find(Boolean);
      if (advice !== undefined) throw new UsageError(advice);
    }
    throw new UsageError(unknownCommandText(verb, this.#rest[0], this.#meantVerb()));
  }

  /**
   * Guesses the verb that the user meant, even if it is mistyped, follows its flags, or was read as the value of a flag.
   */
  #meantVerb(): keyof typeof COMMANDS | undefined {
    if (this.#verb !== undefined && isVerb(this.#verb)) return this.#verb;
    const found = this.#rest.find(isVerb);
    if (found !== undefined || this.#verb === undefined) return found;
    const close = nearest(this.#verb, Object.keys(COMMANDS));
    return close !== undefined && isVerb(close) ? close : undefined;
  }

  /** The first signal asks the command to finish; the second kills all child processes and exits. */
  #interrupt(name: StopSignal): void {
    if (this.#hasAnswered) return; // what is left is bounded, and would be lost
    if (name === "SIGINT" && this.#onInterrupt()) return;
    if (this.#controller.signal.aborted) {
      killAllProcesses();
      process.exit(this.#answer(EXIT_CODES.interrupted));
    }
    this.#controller.abort(name === "SIGQUIT" ? new QuitReason() : new StopReason(`interrupted by ${name}`));
  }

  /** Prints an error and returns its exit code. This is the only place where an error becomes text. */
  async #report(error: unknown): Promise<number> {
    if (error instanceof UserError) {
      printError(error instanceof UnknownFlagError ? await this.#unknownFlagText(error) : error.message);
      if (error instanceof UsageError) printError(`Run \`${this.#helpCommand()}\` for help`);
      if (this.#rest.includes("--debug") || this.#rest.includes("-d")) printHelp(error);
      return error.exitCode;
    }
    printError(`hooksh has a bug: ${error instanceof Error ? (error.stack ?? error.message) : errorText(error)}`);
    return EXIT_CODES.failed;
  }

  async #unknownFlagText({ flag, message }: UnknownFlagError): Promise<string> {
    const { foreignFlagAdvice, habitAdvice } = await import("./cli/foreign-commands.ts");
    if (this.#verb === undefined) return (await this.#runAdvice(flag)) ?? foreignFlagAdvice(flag) ?? message;
    return (this.#verb === "run" ? habitAdvice(flag) : undefined) ?? foreignFlagAdvice(flag) ?? message;
  }

  /** Says how `run` takes a flag that was given without a command; undefined for a word that is none of its flags. */
  async #runAdvice(word: string): Promise<string | undefined> {
    if (!word.startsWith("-")) return undefined;
    const { habitAdvice } = await import("./cli/foreign-commands.ts");
    const [flag = ""] = word.split("=", 1);
    const spec = Object.entries((await this.#load("run")).flags).find(([name]) => flag === `--${name}`);
    if (habitAdvice(flag) !== undefined || !spec || !isListed(spec[1])) return habitAdvice(flag);
    return `unknown flag ${flag}: it is a flag of run: \`hooksh run ${flagUsage(...spec)} AGENT MESSAGE\``;
  }

  #helpCommand(): string {
    const hasHelp = this.#verb !== undefined && this.#verb !== "help" && isVerb(this.#verb);
    return hasHelp ? `hooksh ${this.#verb} --help` : "hooksh --help";
  }

  /** Ends the process, after the work that could wait for the answer. */
  async #finish(ended: number): Promise<never> {
    const code = this.#answer(ended);
    this.#hasAnswered = true;
    await workAfterLastAnswer();
    process.exit(code);
  }

  /**
   * Gives what is left of the answer. Returns the exit code: that of the signal that interrupted the verb, else `ended`, or
   * what the verb translates it to.
   */
  #answer(ended: number): number {
    const code = ended === EXIT_CODES.interrupted ? interruptedCode(this.#controller.signal) : ended;
    killUntaken();
    return this.#row?.exitCode ? this.#row.exitCode(code, this.#rest) : code;
  }
}

/** Returns a command line with the present name of its command, and the earlier one if that was used. */
function currentName({ verb, rest }: ReturnType<typeof splitVerb>) {
  const [first = ""] = rest;
  const earlierName = [`${verb} ${first}`, `${verb}`].find((words) => Object.hasOwn(RENAMED, words));
  if (earlierName === undefined) return { verb, rest, earlierName };
  const [now, ...words] = RENAMED[earlierName]?.split(" ") ?? [];
  return { verb: now, rest: [...words, ...(earlierName === verb ? rest : rest.slice(1))], earlierName };
}

/** Splits off the verb: the first word that is neither a flag nor the value of a global flag. */
function splitVerb(argv: readonly string[]): { verb: string | undefined; rest: readonly string[] } {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-")) return { verb: word, rest: argv.toSpliced(at, 1) };
    const spec = Object.entries<FlagSpecs[string]>(GLOBAL_FLAGS).find(([name]) => word === `--${name}`)?.[1];
    if (spec?.kind === "value") at++;
  }
  return { verb: undefined, rest: argv };
}

function isVerb(word: string): word is keyof typeof COMMANDS {
  return Object.hasOwn(COMMANDS, word);
}

/** Prints cause and cure of an error that has them. A link becomes the path of its page. */
function printHelp(error: UserError): void {
  for (const [name, text] of Object.entries(error.help ?? {}))
    printError(`${name}: ${text.replace(/\[([^\]]+)\]\(([^)]+)\)/g, "$1 (docs/$2)")}`);
}

/** Runs a command line and ends the process. `handedOver`: what a dispatch has begun that this one goes on with. */
export async function runProgram(words: readonly string[], handedOver: HandedOver | undefined): Promise<never> {
  if (handedOver) takeOver(handedOver);
  const program = new Program(words);
  // A guard that stopped early must not look like one that allowed the call: an unhandled error ends the process.
  process.on("unhandledRejection", (error) => void program.fail(error));
  process.on("uncaughtException", (error) => void program.fail(error));
  return program.run();
}
