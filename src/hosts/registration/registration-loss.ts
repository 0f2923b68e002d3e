import { existsSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { type HostId, hostFiles } from "../../dialects/host-files.ts";
import type { Directories } from "../../lib/env.ts";
import { type Help, UserError } from "../../lib/errors.ts";
import { entryDigests, readHostFile } from "./host-plan.ts";
import { type InstalledFile, openInstallRecord } from "./install-record.ts";

const REGISTRATION_LOST: Help = {
  cause:
    "Something other than `hooksh uninstall` removed or changed what `hooksh install` wrote: you, the agent, or another program.",
  cure: "`hooksh install HOST` writes it again. If you removed it yourself, `hooksh uninstall HOST` or `hooksh status --forget HOST` ends the report.",
};

/** A file whose registration is not what `install` wrote, without `hooksh uninstall`. */
export interface RegistrationLoss {
  path: string;
  /** Begins with the path. */
  message: string;
}

/**
 * Compares what `install` registered in a host, for the user and for these projects, with the files as they are now.
 * Returns every loss: a file that is gone, an entry that is gone, an entry that was changed. Reads only.
 */
export function registrationLosses(
  host: HostId,
  projects: readonly string[],
  directories: Pick<Directories, "data">,
): RegistrationLoss[] {
  return installedFiles(host, projects, directories).flatMap(([path, file]) =>
    lossesIn(host, path, file).map((message) => ({ path, message })),
  );
}

/** Returns the files in which `install` registered hooksh in a host, for the user and for these projects. */
export function installedFiles(
  host: HostId,
  projects: readonly string[],
  directories: Pick<Directories, "data">,
): [path: string, file: InstalledFile][] {
  return Object.entries(openInstallRecord(directories).all()).filter(
    ([, file]) => file.host === host && (file.project === undefined || projects.includes(file.project)),
  );
}

function lossesIn(host: HostId, path: string, file: InstalledFile): string[] {
  const time = file.time === undefined ? "?" : shownTime(file.time);
  const since = lastChange(path);
  const losses: string[] = [];
  try {
    const now = digestsNow(host, path, file);
    if (now === undefined)
      return [`${path}: registered on ${time}, gone since ${since} at the latest: the file does not exist`];
    const entries = Object.entries(file.entries ?? {});
    const gone = entries.filter(([event]) => now[event] === undefined).map(([event]) => event);
    const changed = entries.filter(([event, digest]) => (now[event] ?? digest) !== digest).map(([event]) => event);
    if (gone.length > 0)
      losses.push(`${path}: ${gone.join(", ")}: registered on ${time}, gone since ${since} at the latest`);
    if (changed.length > 0)
      losses.push(`${path}: ${changed.join(", ")}: registered on ${time}, changed since ${since} at the latest`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    losses.push(`${path}: registered on ${time}, not readable since ${since} at the latest: ${error.message}`);
  }
  return losses;
}

lossesIn.help = REGISTRATION_LOST;

/**
 * Returns the digests of the entries in a recorded file; undefined if it does not exist. Throws a {@link UserError} if it
 * is not valid.
 */
export function digestsNow(host: HostId, path: string, { scope }: InstalledFile): Record<string, string> | undefined {
  const file = hostFiles(host).files.find((each) => each.scope === scope && each.install !== undefined);
  const text = readHostFile(path);
  return file && text !== undefined ? entryDigests(host, file, path, text) : undefined;
}

/** Returns when a file, or the nearest folder that still exists, changed last. */
function lastChange(path: string): string {
  return existsSync(path) ? shownTime(statSync(path).mtime.toISOString()) : lastChange(dirname(path));
}

function shownTime(time: string): string {
  return `${time.slice(0, 16).replace("T", " ")} UTC`;
}
