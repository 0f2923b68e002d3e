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
import { ConfigError, UserError } from "../../lib/errors.ts";
import { sleep } from "../../lib/platform.ts";
import { parseDocument, readText } from "../yaml/document.ts";

const WAIT_MS = 3000;
const STALE_MS = 30_000;

/**
 * Changes `config.yaml` in place: comments, order and keys that mean nothing here stay. Writers wait for each other,
 * and a reader sees the old file or the new one. Throws a {@link ConfigError} for a file that cannot be read as YAML,
 * and changes nothing then.
 *
 * Source: config-and-cli 8.2.
 */
export async function editUserConfig(path: string, edit: (document: YamlDocument) => void): Promise<void> {
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
    const target = existsSync(path) ? realpathSync(path) : path; // a link into somebody's dotfiles stays a link
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
      rmSync(lock, { force: true }); // left behind by a process that was killed
    else if (Date.now() > deadline)
      throw new UserError(`${lock}: another process is changing the configuration; remove the file if none is`);
    else await sleep(20);
  }
}
