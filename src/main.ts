import type { Command, CommandRow } from "./cli/define-command.ts";
import { type FlagSpecs, parseFlags, UnknownFlagError } from "./cli/flags.ts";
import { BARE_FLAGS, GLOBAL_FLAGS } from "./cli/global-flags.ts";
import { printError, printStyled } from "./cli/print.ts";
import { COMMANDS } from "./commands/index.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "./lib/errors.ts";
import { killAllProcesses } from "./lib/process/child.ts";
import { interruptedCode, QuitReason, StopReason } from "./lib/stop-reason.ts";
import { nearest } from "./lib/text/nearest.ts";
import { endTracing } from "./trace/active.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"] as const;

/** Aborted by the first of {@link SIGNALS}. */
const controller = new AbortController();

/** The first signal asks the command to finish; the second kills all child processes and exits. */
function cancellation(): { signal: AbortSignal; onInterrupt: (handler: () => boolean) => void } {
  let handler = () => false;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (name === "SIGINT" && handler()) return;
      if (controller.signal.aborted) {
        killAllProcesses();
        exit(EXIT_CODES.interrupted);
      }
      controller.abort(name === "SIGQUIT" ? new QuitReason() : new StopReason(`interrupted by ${name}`));
    });
  }
  return { signal: controller.signal, onInterrupt: (given) => void (handler = given) };
}

async function main({ verb, rest }: CommandLine): Promise<number> {
  if (verb === undefined) {
    const { flags } = parseFlags(rest, BARE_FLAGS);
    if (flags.version) return (await loadCommand("version")).run(emptyInput());
    const swallowed = rest.find(isVerb);
    if (swallowed !== undefined && !flags.help)
      throw new UsageError(`no command given: ${swallowed} was read as the value of the flag before it`);
    const { renderOverview } = await import("./cli/help-text.ts");
    await printStyled(await renderOverview(COMMANDS));
    return flags.help ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
  const command = await loadCommand(verb);
  const { flags, positionals } = parseFlags(rest, { ...command.flags, ...GLOBAL_FLAGS });
  if (flags.version) return (await loadCommand("version")).run(emptyInput());
  if (flags.help) {
    const { renderUsage } = await import("./cli/help-text.ts");
    await printStyled(await renderUsage(verb, command));
    return EXIT_CODES.ok;
  }
  return command.run({ flags: flags as never, positionals, commands: COMMANDS, ...cancellation() });
}

function emptyInput() {
  return {
    flags: parseFlags([], GLOBAL_FLAGS).flags as never,
    positionals: [],
    commands: COMMANDS,
    signal: new AbortController().signal,
    onInterrupt: () => {},
  };
}

/** The command line, split into its verb and all other words. */
interface CommandLine {
  verb: string | undefined;
  rest: readonly string[];
}

/** The verb is the first word that is neither a flag nor the value of a global flag. */
function splitVerb(argv: readonly string[]): CommandLine {
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

async function loadCommand(verb: string): Promise<Command> {
  if (!isVerb(verb)) {
    const { unknownCommandText } = await import("./cli/foreign-commands.ts");
    throw new UsageError(unknownCommandText(verb, line.rest[0], intendedVerb(line)));
  }
  const { command } = await COMMANDS[verb].load();
  return command as unknown as Command;
}

/**
 * Guesses the verb that the user meant, even if it is mistyped, follows its flags, or was read as the value of a flag.
 */
function intendedVerb({ verb, rest }: CommandLine): string | undefined {
  if (verb !== undefined && isVerb(verb)) return verb;
  return rest.find(isVerb) ?? (verb === undefined ? undefined : nearest(verb, Object.keys(COMMANDS)));
}

function helpCommand({ verb }: CommandLine): string {
  return verb !== undefined && verb !== "help" && isVerb(verb) ? `hooksh ${verb} --help` : "hooksh --help";
}

async function unknownFlagText({ flag, message }: UnknownFlagError): Promise<string> {
  const { foreignFlagAdvice } = await import("./cli/foreign-commands.ts");
  return foreignFlagAdvice(flag) ?? message;
}

/** Prints an error and returns its exit code. This is the only place where an error becomes text. */
async function report(error: unknown): Promise<number> {
  if (error instanceof UserError) {
    printError(error instanceof UnknownFlagError ? await unknownFlagText(error) : error.message);
    if (error instanceof UsageError) printError(`Run \`${helpCommand(line)}\` for help`);
    return error.exitCode;
  }
  printError(`hooksh has a bug: ${error instanceof Error ? (error.stack ?? error.message) : errorText(error)}`);
  return EXIT_CODES.failed;
}

const line = splitVerb(process.argv.slice(2));

const row: CommandRow | undefined = COMMANDS[intendedVerb(line) as keyof typeof COMMANDS];

/** Exits with the code of the signal that interrupted the verb, else with `code`, or what the verb translates it to. */
function exit(ended: number): never {
  const code = ended === EXIT_CODES.interrupted ? interruptedCode(controller.signal) : ended;
  process.exit(row?.exitCode ? row.exitCode(code, line.rest) : code);
}

let failure: Promise<never> | undefined;

/** Ends the process after an error, in the way of its verb if that has one. Only the first error counts. */
function fail(error: unknown): Promise<never> {
  failure ??= (async () => {
    const problem = error instanceof UserError ? error.message : `internal error: ${errorText(error)}`;
    const ended = error instanceof UserError ? error.exitCode : EXIT_CODES.failed;
    const code = (await row?.failed?.(line.rest, problem, ended).catch(() => undefined)) ?? (await report(error));
    await endTracing();
    exit(code);
  })();
  return failure;
}

// A guard that stopped early must not look like one that allowed the call: an unhandled error ends the process.
process.on("unhandledRejection", (error) => void fail(error));
process.on("uncaughtException", (error) => void fail(error));
const code = await main(line).catch(fail);
await endTracing();
exit(failure ? await failure : code);
