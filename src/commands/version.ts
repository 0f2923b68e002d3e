import { version } from "../../package.json" with { type: "json" };
import { EXIT_CODES } from "../lib/errors.ts";
import { defineCommand } from "./command.ts";
import { print } from "./output.ts";

/** `hooksh version`: needs no home directory, network or configuration. */
export const command = defineCommand({
  positionals: "",
  description: "Prints the version of hooksh; with --json also of its runtime, and the platform.",
  flags: { json: { kind: "switch", description: "Print an object" } },
  async run({ flags }) {
    const details = { version, bun: Bun.version, platform: `${process.platform}-${process.arch}` };
    await print(flags.json ? JSON.stringify(details) : `hooksh ${version}`);
    return EXIT_CODES.ok;
  },
});
