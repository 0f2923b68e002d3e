import {
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { Document as YamlDocument } from "yaml";
import { ConfigError, errorText, UserError } from "../../lib/errors.ts";
import { sleep } from "../../lib/platform.ts";
import { parseDocument, readText } from "../yaml/document.ts";

/** How long to wait for the lock. */
const WAIT_MS = 3000;
/** A lock file older than this has lost its process. */
const STALE_MS = 30_000;

/**
 * Edits `config.yaml` and keeps its comments, its order and all other keys. Writers wait for each other, and a reader
 * sees either the old file or the new one. Throws a {@link ConfigError} without changing the file if it is not valid
 * YAML, and a {@link UserError} if it cannot be written.
 */
export async function editUserConfig(path: string, edit: (document: YamlDocument) => void): Promise<void> {
  try {
    await editLocked(path, edit);
  } catch (error) {
    if (!(error instanceof Error && "syscall" in error)) throw error;
    throw new UserError(`${path}: cannot be written: ${errorText(error)}`, { cause: error });
  }
}

async function editLocked(path: string, edit: (document: YamlDocument) => void): Promise<void> {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const lock = `${path}.lock`;
  await takeLock(lock);
  try {
    const text = existsSync(path) ? await readText(path) : "";
    await parseDocument(text, path);
    const yaml = await import("yaml");
    const parsed = yaml.parseDocument(text);
    const document: YamlDocument = parsed.contents === null ? new yaml.Document({}) : parsed;
    if (document !== parsed) document.commentBefore = parsed.commentBefore ?? parsed.comment;
    if (!yaml.isMap(document.contents)) throw new ConfigError(`${path}: expected a mapping`);
    edit(document);
    const target = existsSync(path) ? realpathSync(path) : path; // keeps a symbolic link, for example into a dotfiles repository
    const temporary = `${target}.${process.pid}.tmp`;
    writeFileSync(temporary, document.toString({ lineWidth: 0 }), { mode: 0o600 });
    renameSync(temporary, target);
  } finally {
    rmSync(lock, { force: true });
  }
}

async function takeLock(lock: string): Promise<void> {
  const deadline = Date.now() + WAIT_MS;
  for (;;) {
    try {
      closeSync(openSync(lock, "wx", 0o600));
      return;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
    const age = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
    if (age > STALE_MS)
      rmSync(lock, { force: true }); // its process was killed
    else if (Date.now() > deadline)
      throw new UserError(`${lock}: another process is changing the configuration; if none is, remove this file`);
    else await sleep(20);
  }
}
