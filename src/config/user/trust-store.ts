import { join } from "node:path";
import * as v from "valibot";
import type { Directories } from "../../lib/env.ts";
import type { RemoteFile } from "../agent/load-agent.ts";
import { tryReadFile, writePrivateFile } from "../sources/private-file.ts";

const TrustedSchema = v.object({
  reference: v.string(),
  digest: v.string(),
  effects: v.array(v.string()),
  time: v.string(),
});

const FileSchema = v.object({ version: v.literal(1), agents: v.array(TrustedSchema) });

/** An agent from elsewhere that the user let run: as what, and with which effects. */
export type TrustedAgent = v.InferOutput<typeof TrustedSchema>;

/** What the user trusts, in `trust.json` of the data directory. A damaged file trusts nothing. */
export interface TrustStore {
  /** True when this content was trusted, with every effect that is known of it now. */
  trusts(part: RemoteFile): boolean;
  /** What was last trusted under the reference, whatever its content was. */
  previous(reference: string): TrustedAgent | undefined;
  add(part: RemoteFile): void;
  /** Forgets a digest, or everything of a reference; the number of entries that are gone. */
  remove(digestOrReference: string): number;
  /** The oldest first. */
  list(): readonly TrustedAgent[];
}

/** Opens `trust.json`; nothing is created before something is trusted. */
export function openTrustStore(directories: Pick<Directories, "data">): TrustStore {
  const path = join(directories.data, "trust.json");
  const save = (agents: readonly TrustedAgent[]) =>
    writePrivateFile(path, `${JSON.stringify({ version: 1, agents }, undefined, 2)}\n`);
  return {
    // A newer hooksh may know of effects that the user was never shown: those are asked about again.
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
    remove: (wanted) => {
      const agents = read(path);
      const kept = agents.filter(({ digest, reference }) => digest !== wanted && reference !== wanted);
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
    return []; // damaged: whoever is not known to be trusted is asked about
  }
}
