import { version } from "../../package.json" with { type: "json" };
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

export function buildDetails(): BuildDetails {
  return {
    version,
    commit: typeof HOOKSH_COMMIT === "string" ? HOOKSH_COMMIT : "unknown",
    bun: runtimeVersion(),
    platform: `${process.platform}-${process.arch}`,
  };
}
