import { join } from "node:path";
import * as v from "valibot";
import type { Directories } from "../../lib/env.ts";
import { tryReadFile, writePrivateFile } from "../sources/private-file.ts";

const TrustedSchema = v.object({
  reference: v.string(),
  digest: v.string(),
  effects: v.array(v.string()),
  time: v.string(),
});

const FileSchema = v.object({ version: v.literal(1), agents: v.array(TrustedSchema) });

/** An agent file that the user trusts, with the effects that the user agreed to. */
export type TrustedAgent = v.InferOutput<typeof TrustedSchema>;

/** An agent file that runs only if the user trusts it, and what it can do on this machine. */
export interface Trustable {
  /** The reference without credentials, for messages; the absolute path of a local file. */
  reference: string;
  /** `sha256:<hex>`: of a remote file and its instruction files; of the path and the effects of a local file. */
  digest: string;
  /** One line each; empty if the agents can only talk. */
  effects: readonly string[];
}

/** The agent files that the user trusts, in `trust.json` of the data directory. If it is damaged, none is trusted. */
export interface TrustStore {
  /** True if the user trusts this content with all the effects that hooksh now knows of. */
  trusts(file: Trustable): boolean;
  /** Returns the content last trusted under a reference. */
  previous(reference: string): TrustedAgent | undefined;
  add(file: Trustable): void;
  /** Removes a digest, or all entries of a reference. Returns the number of removed entries. */
  remove(digestOrReference: string): number;
  /** Returns all entries, the oldest first. */
  list(): readonly TrustedAgent[];
}

/** Opens `trust.json`. Creates it only when the first entry is added. */
export function openTrustStore(directories: Pick<Directories, "data">): TrustStore {
  const path = join(directories.data, "trust.json");
  const save = (agents: readonly TrustedAgent[]) =>
    writePrivateFile(path, `${JSON.stringify({ version: 1, agents }, undefined, 2)}\n`);
  return {
    // A newer hooksh may know of more effects. The user has not agreed to those yet.
    trusts: ({ digest, effects }) => {
      const known = new Set(
        read(path)
          .filter((agent) => agent.digest === digest)
          .flatMap((agent) => agent.effects),
      );
      return read(path).some((agent) => agent.digest === digest) && effects.every((effect) => known.has(effect));
    },
    previous: (reference) => read(path).findLast((agent) => agent.reference === reference),
    add: ({ reference, digest, effects }) => {
      const others = read(path).filter((agent) => agent.digest !== digest || agent.reference !== reference);
      save([...others, { reference, digest, effects: [...effects], time: new Date().toISOString() }]);
    },
    remove: (digestOrReference) => {
      const agents = read(path);
      const kept = agents.filter(
        ({ digest, reference }) => digest !== digestOrReference && reference !== digestOrReference,
      );
      if (kept.length < agents.length) save(kept);
      return agents.length - kept.length;
    },
    list: () => read(path),
  };
}

function read(path: string): TrustedAgent[] {
  const bytes = tryReadFile(path);
  if (!bytes) return [];
  try {
    return v.parse(FileSchema, JSON.parse(new TextDecoder().decode(bytes))).agents;
  } catch {
    return []; // damaged: the user is asked about every agent again
  }
}
