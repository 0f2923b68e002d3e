import { shellLine } from "../hosts/registration/own-command.ts";
import type { RunFlags } from "./run-flags.ts";

/** The flags that say where sessions and settings are: without them, another run would not find the session. */
const PLACES = ["session-db", "data-dir", "config-dir", "cache-dir"] as const satisfies readonly (keyof RunFlags)[];

/** Returns the command that continues a stored session, quoted for the user's shell. */
export function continueCommand(sessionId: string, reference: string | undefined, flags: RunFlags): string {
  const places = PLACES.flatMap((name) => {
    const path = flags[name];
    return path === undefined ? [] : [`--${name}`, path];
  });
  const agent = reference === undefined ? [] : [reference];
  return shellLine(["hooksh", "run", ...agent, ...places, "--session", sessionId], process.platform);
}
