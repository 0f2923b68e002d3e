import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { homeDirectory } from "../../lib/env.ts";
import { isMissing } from "../../lib/files/is-missing.ts";
import { sha256 } from "../../lib/platform.ts";
import { labelledRedactionMark } from "../../lib/secrets/redaction-mark.ts";
import type { Marks } from "../capture/cleaner.ts";

/** Takes the place of the home directory in recordings: a path, so that rules on paths and commands still hold. */
export const RECORDED_HOME = "/home/user";

/** The characters of a tag; few enough that nobody can tell the value, enough to tell the values of a session apart. */
const TAG_LENGTH = 6;

/**
 * Returns the marks of recordings. Every mark has the form of what it replaces, and the same value always gets the same
 * mark: two secrets, or two addresses, are equal in the recording if and only if they were equal before. The tags in
 * marks depend on a random `key`, so that a value cannot be found by trying likely ones.
 */
export function recordingMarks(key: string): Marks {
  const tagOf = (value: string) => sha256(`${key}\0${value}`).slice(0, TAG_LENGTH);
  return {
    paths: [[homeDirectory(), RECORDED_HOME]],
    user: "user",
    machine: "host",
    email: (address) => `person-${tagOf(address.toLowerCase())}@example.com`,
    secret: (value, kind) => labelledRedactionMark(`${kind.slice(0, 40)}-${tagOf(value)}`),
  };
}

/**
 * Returns the key of this user's recordings, 64 hexadecimal digits in a file that only the user can read; creates it if
 * it is missing. Several processes may call this at once. Throws if the file can be neither read nor created.
 */
export function recordingKey(file: string): string {
  if (isMissing(file)) createKey(file);
  const key = readFileSync(file, "utf8").trim();
  if (/^[0-9a-f]{64}$/.test(key)) return key;
  throw new Error(`${file}: not a key of hooksh: remove it`);
}

/** Linking a complete file makes the key appear with its content, and never replaces that of another process. */
function createKey(file: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const temporary = `${file}.${crypto.randomUUID()}`;
  const key = Buffer.from(crypto.getRandomValues(new Uint8Array(32))).toString("hex");
  writeFileSync(temporary, `${key}\n`, { mode: 0o600, flag: "wx" });
  try {
    linkSync(temporary, file);
  } catch (error) {
    if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
  } finally {
    rmSync(temporary, { force: true });
  }
}
