import { linkSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { homeDirectory } from "../../lib/env.ts";
import { isMissing } from "../../lib/files/paths.ts";
import { requireRegularIfExists } from "../../lib/files/read-file.ts";
import { sha256 } from "../../lib/platform.ts";
import { labelledRedactionMark, REDACTION_MARK } from "../../lib/secrets/redaction-mark.ts";
import type { Marks } from "../capture/cleaner.ts";

/** Takes the place of the home directory in recordings: a path, so that rules on paths and commands still hold. */
export const RECORDED_HOME = "/home/user";

/** The characters of a tag; too few to reveal the value, enough to tell the values of a session apart. */
const TAG_LENGTH = 6;

/**
 * Returns the marks of recordings. Every mark has the form of what it replaces, and the same value always gets the same
 * mark: two secrets, or two addresses, are equal in the recording if and only if they were equal before. The tags in
 * marks depend on a random `key`, so that a value cannot be found by trying likely ones.
 */
export function recordingMarks(key: string): Marks {
  const tagOf = (value: string) => sha256(`${key}\0${value}`).slice(0, TAG_LENGTH);
  return {
    ...sharedMarks(),
    email: (address) => keepMark(address, RECORDED_EMAIL) ?? `person-${tagOf(address.toLowerCase())}@example.com`,
    secret: (value, kind) =>
      keepMark(value, SECRET_MARK) ?? labelledRedactionMark(`${kind.slice(0, 40)}-${tagOf(value)}`),
  };
}

/** Returns the marks for what hooks print in a replay: without tags, because only the event holds values to compare. */
export function replayMarks(): Marks {
  return {
    ...sharedMarks(),
    email: (address) => keepMark(address, RECORDED_EMAIL) ?? "person@example.com",
    secret: (value) => keepMark(value, SECRET_MARK) ?? REDACTION_MARK,
  };
}

/** Returns a text with the tags and kinds of all marks left out, for comparing a recording with a replay. */
export function withoutTags(text: string): string {
  return text
    .replaceAll(/\[REDACTED:[a-z0-9-]{1,64}\]/g, REDACTION_MARK)
    .replaceAll(/\bperson-[0-9a-f]{6}@example\.com\b/g, "person@example.com");
}

function sharedMarks(): Pick<Marks, "paths" | "user" | "machine"> {
  return { paths: [[homeDirectory(), RECORDED_HOME]], user: "user", machine: "host" };
}

const RECORDED_EMAIL = /^person(-[0-9a-f]{6})?@example\.com$/;
const SECRET_MARK = /^\[REDACTED(:[a-z0-9-]{1,64})?\]$/;

function keepMark(text: string, mark: RegExp): string | undefined {
  return mark.test(text) ? text : undefined;
}

/**
 * Returns the key of this user's recordings, 64 hexadecimal digits in a file that only the user can read; creates it if
 * it is missing. Several processes may call this at once. Throws if the file can be neither read nor created.
 */
export function recordingKey(file: string): string {
  if (isMissing(file)) createKey(file);
  requireRegularIfExists(file); // reading a FIFO would wait for a writer
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
