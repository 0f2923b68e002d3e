import { resolve } from "node:path";
import type { Flags } from "../../cli/flags.ts";
import { findDirectories, type GLOBAL_FLAGS, openLog } from "../../cli/global-flags.ts";
import { isTerminalLike, printError } from "../../cli/print.ts";
import type { Host } from "../host.ts";
import { keepPayload } from "./keep-payload.ts";

/** Keeps the payload of a host after it was answered (`--capture`, `HOOKSH_CAPTURE`). Never throws. */
export async function captureToo(
  host: Host,
  dir: string,
  flags: Flags<typeof GLOBAL_FLAGS> & { "host-version": string | undefined },
): Promise<void> {
  try {
    const version = flags["host-version"];
    const log = openLog(flags, findDirectories(flags).directories);
    // A host gives its hooks no terminal, so a person looks.
    const tell = (level: Parameters<typeof log>[0], message: string) => {
      log(level, message);
      if (level === "warn" && isTerminalLike(2)) printError(`warning: ${message}`);
    };
    await keepPayload(host, { dir: resolve(dir), version, log: tell });
  } catch {
    // the log cannot be opened, which was reported with the answer
  }
}
