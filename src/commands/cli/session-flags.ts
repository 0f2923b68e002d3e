import { join, resolve } from "node:path";
import { type Directories, homeDirectory } from "../../lib/env.ts";
import type { FlagSpecs } from "./flags.ts";

/** Names the file of stored sessions; for every command that uses them. */
export const SESSION_DB_FLAG = {
  "session-db": {
    kind: "value",
    alias: "s",
    hint: "FILE",
    description: "The file of stored sessions (default: session.db in the data directory)",
  },
} as const satisfies FlagSpecs;

/** The flags by which a run chooses its session. Source: config-and-cli 9.3. */
export const SESSION_FLAGS = {
  session: {
    kind: "value",
    hint: "ID|-N",
    description: "Go on with a stored session, -1 is the newest; an unknown id begins one with that id",
  },
  ...SESSION_DB_FLAG,
} as const satisfies FlagSpecs;

/** The file of stored sessions that a flag and the directories name. */
export function sessionFile(given: string | undefined, directories: Directories): string {
  if (given === undefined) return join(directories.data, "session.db");
  return resolve(given.startsWith("~/") ? join(homeDirectory(), given.slice(2)) : given);
}
