import { join } from "node:path";
import * as v from "valibot";
import type { Directories } from "../../../lib/env.ts";
import { digestOf, isDigest } from "../content.ts";
import { tryReadFile, writePrivateFile } from "../private-file.ts";

const EntrySchema = v.object({
  digest: v.pipe(v.string(), v.check(isDigest)),
  annotations: v.optional(v.record(v.string(), v.string()), {}),
  size: v.number(),
  time: v.string(),
});

/** The digest of a tag when it was last pulled. */
export type StoredReference = v.InferOutput<typeof EntrySchema>;

/** The pulled agents on this machine, by digest and by tag. */
export interface ArtifactStore {
  /** Returns the bytes with a digest; undefined if they are missing or damaged. */
  read(digest: string): Uint8Array | undefined;
  /** Stores bytes under their digest. */
  write(bytes: Uint8Array): void;
  reference(key: string): StoredReference | undefined;
  setReference(key: string, entry: StoredReference): void;
}

/** Opens the store in the data directory. Creates it with the first write. */
export function openArtifactStore(directories: Pick<Directories, "data">): ArtifactStore {
  const root = join(directories.data, "store");
  const pathOf = (digest: string) => join(root, "blobs", "sha256", digest.slice("sha256:".length));
  const index = join(root, "refs.json");
  return {
    read: (digest) => {
      const bytes = isDigest(digest) ? tryReadFile(pathOf(digest)) : undefined;
      return bytes && digestOf(bytes) === digest ? bytes : undefined;
    },
    write: (bytes) => writePrivateFile(pathOf(digestOf(bytes)), bytes),
    reference: (key) => readIndex(index).get(key),
    setReference: (key, entry) => {
      // Two concurrent pulls can lose an entry. Its next use then asks the registry.
      const entries = readIndex(index).set(key, entry);
      writePrivateFile(index, `${JSON.stringify(Object.fromEntries(entries), undefined, 2)}\n`);
    },
  };
}

/** Returns the valid entries. A damaged index counts as empty, and the next write replaces it. */
function readIndex(path: string): Map<string, StoredReference> {
  const bytes = tryReadFile(path);
  try {
    const parsed = v.parse(v.record(v.string(), v.unknown()), JSON.parse(new TextDecoder().decode(bytes)));
    return new Map(
      Object.entries(parsed).flatMap(([key, value]): [string, StoredReference][] => {
        const entry = v.safeParse(EntrySchema, value);
        return entry.success ? [[key, entry.output]] : [];
      }),
    );
  } catch {
    return new Map(); // missing or damaged
  }
}
