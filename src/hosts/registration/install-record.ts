import { join } from "node:path";
import * as v from "valibot";
import { tryReadFile, writePrivateFile } from "../../config/sources/private-file.ts";
import type { Directories } from "../../lib/env.ts";
import { sha256 } from "../../lib/platform.ts";

const FileSchema = v.object({
  /** The digest of what `install` wrote; empty if the content from before it is unknown. */
  digest: v.string(),
  /** Where the content before the first `install` is; absent if there was no file. */
  original: v.optional(v.string()),
  /** The folders that `install` created. */
  folders: v.array(v.string()),
  /** Whose file it is. The fields from here on are absent in records of earlier versions. */
  host: v.optional(v.string()),
  scope: v.optional(v.string()),
  /** The folder of the project, for a file of a project. */
  project: v.optional(v.string()),
  /** When `install` wrote the entries, as in `2026-11-22T21:00:00.000Z`. */
  time: v.optional(v.string()),
  /** A digest of each entry, by event; see `entryDigests`. */
  entries: v.optional(v.record(v.string(), v.string())),
});

const RecordSchema = v.object({ version: v.literal(1), files: v.record(v.string(), FileSchema) });

/** What `install` did to a file. */
export type InstalledFile = v.InferOutput<typeof FileSchema>;

/** What an {@link InstalledFile} registers. */
export type RegisteredEntries = Pick<InstalledFile, "host" | "scope" | "project" | "entries">;

/**
 * What `install` wrote, in `hosts/installed.json` of the data directory. With it `uninstall` restores a file byte for
 * byte; without it, or after another program changed the file, it removes only the entries of hooksh.
 */
export interface InstallRecord {
  find(path: string): InstalledFile | undefined;
  /** Every file, by path. */
  all(): Readonly<Record<string, InstalledFile>>;
  /** True if the file still is what `install` wrote. */
  isUnchanged(path: string, content: string | undefined): boolean;
  /** `content` is undefined if it is not known what the file was before `install`. */
  set(path: string, file: Omit<InstalledFile, "digest">, content: string | undefined): void;
  remove(path: string): void;
}

/** Opens the record. A damaged one counts as empty. */
export function openInstallRecord({ data }: Pick<Directories, "data">): InstallRecord {
  const path = join(data, "hosts", "installed.json");
  const save = (files: Record<string, InstalledFile>) =>
    writePrivateFile(path, `${JSON.stringify({ version: 1, files }, undefined, 2)}\n`);
  return {
    find: (file) => read(path)[file],
    all: () => read(path),
    isUnchanged: (file, content) => content !== undefined && read(path)[file]?.digest === sha256(content),
    set: (file, entry, content) =>
      save({ ...read(path), [file]: { ...entry, digest: content === undefined ? "" : sha256(content) } }),
    remove: (file) => {
      const { [file]: removed, ...others } = read(path);
      if (removed) save(others);
    },
  };
}

function read(path: string): Record<string, InstalledFile> {
  const bytes = tryReadFile(path);
  if (!bytes) return {};
  try {
    return v.parse(RecordSchema, JSON.parse(new TextDecoder().decode(bytes))).files;
  } catch {
    return {};
  }
}
