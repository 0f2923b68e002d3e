import { version } from "../../package.json" with { type: "json" };
import { defineCommand } from "../cli/define-command.ts";
import { print } from "../cli/print.ts";
import { EXIT_CODES } from "../lib/errors.ts";
import { runtimeVersion } from "../lib/platform.ts";

/** Defined when the executable is built, undefined when the sources are run. */
declare const HOOKSH_COMMIT: string | undefined;

/** The version and build of this program. */
export interface BuildDetails {
  version: string;
  /** The commit it was built from, with a `+` if the sources had changes; `unknown` if the sources are run directly. */
  commit: string;
  bun: string;
  /** `linux-x64`, `darwin-arm64` ... */
  platform: string;
}

/** Returns the {@link BuildDetails} of this program. */
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
  description: "Prints the version of hooksh; with --json also the commit, the runtime and the platform.",
  flags: { json: { kind: "switch", description: "Print JSON" } },
  async run({ flags }) {
    await print(flags.json ? JSON.stringify(buildDetails()) : `hooksh ${version}`);
    return EXIT_CODES.ok;
  },
});
