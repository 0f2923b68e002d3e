import type { Dialect } from "../../dialects/dialect.ts";
import { HOST_FILES, type HostId, hostFiles, isHostId } from "../../dialects/host-files.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { dialectRow } from "../../dialects/names.ts";
import { homeDirectory, processEnv } from "../../lib/env.ts";
import { UsageError } from "../../lib/errors.ts";
import { nearest } from "../../lib/text/nearest.ts";

/** Every host that `install` knows, in the order of the table. */
export const HOST_IDS = (Object.keys(HOST_FILES) as HostId[]).filter((id) => hostFiles(id).installAs === undefined);

/** Returns the host that a user means. Throws a {@link UsageError} that lists the hosts. */
export function namedHost(name: string): HostId {
  const id = name === "antigravity" ? "agy" : name;
  if (!isHostId(id)) {
    const close = nearest(name, HOST_IDS);
    throw new UsageError(
      `unknown host ${JSON.stringify(name)}${close ? `, did you mean ${close}?` : `; known hosts: ${HOST_IDS.join(", ")}`}`,
    );
  }
  const { installAs } = hostFiles(id);
  return installAs !== undefined && isHostId(installAs) ? installAs : id;
}

/** Returns the dialects of a host: that of its name, and those that share its files. */
export function dialectsOf(host: HostId): HostId[] {
  return (Object.keys(HOST_FILES) as HostId[]).filter((id) => id === host || hostFiles(id).installAs === host);
}

/** Loads what is known of a host's events. */
export async function dialectOf(host: HostId): Promise<Dialect> {
  return (await dialectRow(host).load()).dialect;
}

export function productOf(host: HostId): string {
  return dialectRow(host).product;
}

/** Returns what the paths of this user's host files depend on; the project is the current directory. */
export function currentPlace(): HostPlace {
  return { home: homeDirectory(), project: process.cwd(), env: processEnv(), platform: process.platform };
}
