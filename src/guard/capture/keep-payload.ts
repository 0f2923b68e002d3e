import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { eventNamed } from "../../dialects/decode.ts";
import type { Dialect } from "../../dialects/dialect.ts";
import { DIALECTS } from "../../dialects/names.ts";
import { firstAt } from "../../dialects/values.ts";
import type { Log } from "../../engine/handler.ts";
import { errorText } from "../../lib/errors.ts";
import type { Payload } from "../../protocol/rewrite.ts";
import type { Host } from "../host.ts";

/** Limits, so that a forgotten capture cannot fill the disk: bytes per file, files per kind, files per day, days. */
const LIMITS = { bytes: 1024 * 1024, kind: 20, day: 500, days: 30 };

/** Fields that hold the version of the host. */
const VERSIONS = ["cursor_version", "clineVersion"];

/** Fields that name folders of the project, besides the working directory. */
const FOLDERS = ["cwd", "working_dir", "workspace_roots", "workspaceRoots", "workspacePaths", "workspaceRoot"];

export interface CaptureOptions {
  /** The absolute path of the folder. */
  dir: string;
  /** The version of the host, from `--host-version`. */
  version?: string | undefined;
  log: Log;
}

/**
 * Keeps the payload of a host as a fixture, cleaned: `<dir>/<host>-<version>/<date>/<event>[-<tool>][-N].json`, which
 * only its owner can read. Never throws: a capture must not change an answer. Reports to the log what it does not keep.
 */
export async function keepPayload(host: Host, { dir, version, log }: CaptureOptions): Promise<void> {
  try {
    if (host.problem !== undefined) return log("warn", `capture: ${host.dialect}: not kept: ${host.problem}`);
    const { dialect } = await DIALECTS[host.dialect].load();
    const { cleanPayload } = await import("./clean-payload.ts");
    if (JSON.stringify(host.payload).length > LIMITS.bytes)
      return log("warn", `capture: ${host.dialect}: not kept: the payload is larger than 1 MiB`);
    const folder = `${safe(host.dialect)}-${safe(version ?? firstAt(host.payload, VERSIONS) ?? "unknown")}`;
    const text = cleanPayload(host.payload, foldersOf(host.payload));
    log("debug", `capture: ${write(join(dir, folder), nameOf(dialect, host), `${text}\n`)}`);
  } catch (error) {
    log("warn", `capture: ${host.dialect}: not kept: ${errorText(error)}`);
  }
}

function nameOf(dialect: Dialect, { event: named, payload }: Host): string {
  const event = named ?? eventNamed(dialect, payload) ?? "unknown";
  const tool = dialect.toolCall?.(payload, event)?.name ?? firstAt(payload, dialect.keys.toolName);
  return (tool === undefined ? [event] : [event, tool]).map(safe).join("-");
}

/** A part of a file's name: a payload can hold anything. */
function safe(part: unknown): string {
  return (
    String(part)
      .replaceAll(/[^\w.]+/g, "_")
      .replace(/^\.+/, "")
      .slice(0, 60) || "unknown"
  );
}

/** Writes a file under the first free name. Returns its path, or why it is not written. */
function write(folder: string, name: string, text: string): string {
  const today = join(folder, new Date().toISOString().slice(0, 10));
  mkdirSync(today, { recursive: true, mode: 0o700 });
  if (readdirSync(folder).length > LIMITS.days) return `${folder} holds ${LIMITS.days} days already`;
  if (readdirSync(today).length >= LIMITS.day) return `${today} holds ${LIMITS.day} files already`;
  for (let number = 1; number <= LIMITS.kind; number++) {
    const path = join(today, `${name}${number === 1 ? "" : `-${number}`}.json`);
    try {
      writeFileSync(path, text, { mode: 0o600, flag: "wx" });
      return path;
    } catch (error) {
      if (!(error instanceof Error && "code" in error && error.code === "EEXIST")) throw error;
    }
  }
  return `${today} holds ${LIMITS.kind} files of ${name} already`;
}

function foldersOf(payload: Payload): string[] {
  const named = FOLDERS.flatMap((field) => payload[field]);
  return [...named, process.cwd()].filter((path) => typeof path === "string");
}
