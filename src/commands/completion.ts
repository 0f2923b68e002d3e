import { defineCommand } from "../cli/define-command.ts";
import { findDirectories } from "../cli/global-flags.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES, UsageError } from "../lib/errors.ts";
import { nearest } from "../lib/text/nearest.ts";
import { SCRIPTS } from "./completion/scripts.ts";

type Shell = keyof typeof SCRIPTS;

/** `hooksh completion SHELL`: prints a script that completes command lines. */
export const command = defineCommand({
  positionals: Object.keys(SCRIPTS).join("|"),
  description:
    "Prints a script that completes verbs, flags, aliases, agent files and the agents in them:\n" +
    "  source <(hooksh completion bash)\n" +
    "  source <(hooksh completion zsh)\n" +
    "  hooksh completion fish | source",
  flags: {},
  async run({ flags, positionals: [shell = "", ...words], commands }) {
    if (shell === "words") {
      const { complete } = await import("./completion/complete.ts");
      const { files, candidates } = await complete(words, {
        commands,
        directories: findDirectories(flags).directories,
      });
      await print([files, ...candidates.map(({ word, description }) => `${word}\t${description}`)].join("\n"));
      return EXIT_CODES.ok;
    }
    if (words.length > 0) throw new UsageError(`completion takes one shell, not ${words.length + 1}`);
    await print(SCRIPTS[shellName(shell)].trimEnd());
    return EXIT_CODES.ok;
  },
});

function shellName(name: string): Shell {
  const isKnown = (candidate: string): candidate is Shell => Object.hasOwn(SCRIPTS, candidate);
  if (isKnown(name)) return name;
  const close = nearest(name, Object.keys(SCRIPTS));
  throw new UsageError(
    `completion takes ${Object.keys(SCRIPTS).join(", ")}, not ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : ""}`,
  );
}
