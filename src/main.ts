import { COMMANDS } from "./commands/index.ts";
import type { Command } from "./commands/command.ts";
import { GLOBAL_FLAGS } from "./commands/command.ts";
import { type FlagSpecs, parseFlags } from "./commands/flags.ts";
import { printError, printStyled } from "./commands/output.ts";
import { EXIT_CODES, errorText, UsageError, UserError } from "./lib/errors.ts";
import { nearest } from "./lib/nearest.ts";
import { endAllProcesses } from "./lib/process.ts";

const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** The first signal asks the command to end its work; the second ends everything at once. */
function cancellation(): { signal: AbortSignal; onInterrupt: (handler: () => boolean) => void } {
  const controller = new AbortController();
  let handler = () => false;
  for (const name of SIGNALS) {
    process.on(name, () => {
      if (name === "SIGINT" && handler()) return;
      if (controller.signal.aborted) {
        endAllProcesses();
        process.exit(EXIT_CODES.interrupted);
      }
      controller.abort(new Error(`interrupted by ${name}`));
    });
  }
  return { signal: controller.signal, onInterrupt: (given) => void (handler = given) };
}

async function main(argv: readonly string[]): Promise<number> {
  const { verb, rest } = splitVerb(argv);
  if (verb === undefined) {
    const { flags } = parseFlags(rest, GLOBAL_FLAGS);
    if (flags.version) return (await loadCommand("version")).run(noInput());
    const { renderOverview } = await import("./commands/usage.ts");
    await printStyled(await renderOverview());
    return flags.help ? EXIT_CODES.ok : EXIT_CODES.usage;
  }
  const command = await loadCommand(verb);
  const { flags, positionals } = parseFlags(rest, { ...command.flags, ...GLOBAL_FLAGS });
  if (flags.version) return (await loadCommand("version")).run(noInput());
  if (flags.help) {
    const { renderUsage } = await import("./commands/usage.ts");
    await printStyled(await renderUsage(verb, command));
    return EXIT_CODES.ok;
  }
  return command.run({ flags: flags as never, positionals, commands: COMMANDS, ...cancellation() });
}

function noInput() {
  return {
    flags: parseFlags([], GLOBAL_FLAGS).flags as never,
    positionals: [],
    commands: COMMANDS,
    signal: new AbortController().signal,
    onInterrupt: () => {},
  };
}

/** The verb is the first word that is no flag and no value of a global flag; all else is handed to it. */
function splitVerb(argv: readonly string[]): { verb: string | undefined; rest: string[] } {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] ?? "";
    if (!word.startsWith("-")) return { verb: word, rest: argv.toSpliced(at, 1) };
    const spec = Object.entries<FlagSpecs[string]>(GLOBAL_FLAGS).find(([name]) => word === `--${name}`)?.[1];
    if (spec?.kind === "value") at++;
  }
  return { verb: undefined, rest: [...argv] };
}

async function loadCommand(verb: string): Promise<Command> {
  if (!Object.hasOwn(COMMANDS, verb)) {
    const close = nearest(verb, Object.keys(COMMANDS));
    throw new UsageError(`unknown command ${JSON.stringify(verb)}${close ? `, did you mean ${close}?` : ""}`);
  }
  const { command } = await COMMANDS[verb as keyof typeof COMMANDS].load();
  return command as unknown as Command;
}

/** The one place where an error becomes text. */
function report(error: unknown): number {
  if (error instanceof UserError) {
    printError(error.message);
    if (error instanceof UsageError) printError("Run `hooksh --help` for the usage");
    return error.exitCode;
  }
  printError(`hooksh has a bug: ${error instanceof Error ? (error.stack ?? error.message) : errorText(error)}`);
  return EXIT_CODES.failed;
}

// A guard that ends early must not look like one that allowed: whatever was not awaited ends the process with an error.
process.on("unhandledRejection", (error) => process.exit(report(error)));
process.on("uncaughtException", (error) => process.exit(report(error)));
process.exit(await main(process.argv.slice(2)).catch(report));
