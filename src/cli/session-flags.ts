import { join, resolve } from "node:path";
import { type Directories, homeDirectory } from "../lib/env.ts";
import type { FlagSpecs } from "./flags.ts";

/** The flag that names the file of stored sessions. */
export const SESSION_DB_FLAG = {
  "session-db": {
    kind: "value",
    alias: "s",
    hint: "FILE",
    description: "File of stored sessions (default: session.db in the data directory)",
  },
} as const satisfies FlagSpecs;

/** The flag that widens what `-1`, `-2` ... count. */
export const ANY_FOLDER_FLAG = {
  "any-folder": {
    kind: "switch",
    description: "With -1, -2 and so on: count the sessions of all folders, not only of this one",
  },
} as const satisfies FlagSpecs;

/** The flags that choose the session of a run. */
export const SESSION_FLAGS = {
  session: {
    kind: "value",
    hint: "ID|-N",
    description:
      "Resume a stored session, -1 is the newest of this folder; an unknown id starts a session with that id",
  },
  ...ANY_FOLDER_FLAG,
  ...SESSION_DB_FLAG,
} as const satisfies FlagSpecs;

/** Returns the path of the file of stored sessions. */
export function sessionFile(given: string | undefined, directories: Directories): string {
  if (given === undefined) return join(directories.data, "session.db");
  return resolve(given.startsWith("~/") ? join(homeDirectory(), given.slice(2)) : given);
}
