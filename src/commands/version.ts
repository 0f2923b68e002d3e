import { version } from "../../package.json" with { type: "json" };
import { EXIT_CODES } from "../lib/errors.ts";
import { runtimeVersion } from "../lib/platform.ts";
import { defineCommand } from "./cli/define-command.ts";
import { print } from "./cli/print.ts";

/** Put in when the executable is built; nothing defines it when the sources run. */
declare const HOOKSH_COMMIT: string | undefined;

/** What this program is. */
export interface BuildDetails {
  version: string;
  /** The commit of its sources, `+` behind it when they differ from it; `unknown` when the sources themselves run. */
  commit: string;
  bun: string;
  /** `linux-x64`, `darwin-arm64` ... */
  platform: string;
}

/** See {@link BuildDetails}. */
export function buildDetails(): BuildDetails {
  return {
    version,
    commit: typeof HOOKSH_COMMIT === "string" ? HOOKSH_COMMIT : "unknown",
    bun: runtimeVersion(),
    platform: `${process.platform}-${process.arch}`,
  };
}

/** `hooksh version`: needs no home directory, network or configuration. */
export const command = defineCommand({
  positionals: "",
  description: "Prints the version of hooksh; with --json also its commit, its runtime, and the platform.",
  flags: { json: { kind: "switch", description: "Print an object" } },
  async run({ flags }) {
    await print(flags.json ? JSON.stringify(buildDetails()) : `hooksh ${version}`);
    return EXIT_CODES.ok;
  },
});
