import { resolve } from "node:path";
import type { Flags } from "../../cli/flags.ts";
import { findDirectories, type GLOBAL_FLAGS, openLog } from "../../cli/global-flags.ts";
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
    await keepPayload(host, { dir: resolve(dir), version, log: openLog(flags, findDirectories(flags).directories) });
  } catch {
    // the log cannot be opened, which was reported with the answer
  }
}
