import { buildDetails } from "../cli/build-details.ts";
import { defineCommand } from "../cli/define-command.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES } from "../lib/errors.ts";

/** `hooksh version`: needs no home directory, network or configuration. */
export const command = defineCommand({
  positionals: "",
  description: "Prints the version of hooksh; with --json also the commit, the runtime and the platform.",
  flags: { json: { kind: "switch", description: "Print JSON" } },
  async run({ flags }) {
    await print(flags.json ? JSON.stringify(buildDetails()) : `hooksh ${buildDetails().version}`);
    return EXIT_CODES.ok;
  },
});
