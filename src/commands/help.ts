import { type Command, type CommandRow, defineCommand } from "../cli/define-command.ts";
import type { FlagSpecs } from "../cli/flags.ts";
import { unknownCommandText } from "../cli/foreign-commands.ts";
import { renderOverview, renderUsage } from "../cli/help-text.ts";
import { printStyled } from "../cli/print.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { expectedAfter } from "./completion/positionals.ts";

const FLAGS = {
  all: { kind: "switch", description: "Without COMMAND: describe all commands, and the flags of every command" },
} as const satisfies FlagSpecs;

/** `hooksh help [COMMAND]`: prints what `--help` prints. */
export const command = defineCommand({
  positionals: "[COMMAND]",
  description:
    "Describes a command and its flags, as hooksh COMMAND --help does; without a command, lists the commands.",
  flags: FLAGS,
  async run({ flags: { all }, positionals: [verb, ...words], commands }) {
    if (verb === undefined) await printStyled(await renderOverview(commands, { all: all ?? false }));
    else await printStyled(await renderUsage(verb, await findCommand(verb, words, commands)));
    return EXIT_CODES.ok;
  },
});

/** Returns a verb's command. Throws a {@link UsageError} if the verb, or its subcommand in `words`, does not exist. */
async function findCommand(
  verb: string,
  words: readonly string[],
  commands: Readonly<Record<string, CommandRow>>,
): Promise<Command> {
  const row = Object.hasOwn(commands, verb) ? commands[verb] : undefined;
  if (!row) throw new UsageError(unknownCommandText(verb, words[0], nearest(verb, Object.keys(commands))));
  const { command } = await row.load();
  const expected = expectedAfter([], command.positionals);
  const known = expected?.kind === "words" ? expected.words : [];
  const [word] = words;
  if (words.length > 1 || (word !== undefined && !known.includes(word))) throw unknownSubcommand(verb, words, known);
  return command;
}

function unknownSubcommand(verb: string, words: readonly string[], known: readonly string[]): UsageError {
  const given = JSON.stringify(words.join(" "));
  if (known.length === 0) return new UsageError(`${verb} has no subcommand ${given}`);
  const close = nearest(words[0] ?? "", known);
  return new UsageError(
    `${verb} has no subcommand ${given}${close ? `, did you mean ${close}?` : `; it has ${known.join(", ")}`}`,
  );
}
