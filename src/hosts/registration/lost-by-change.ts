import { dirname } from "node:path";
import type { HostCall } from "../../dialects/dialect.ts";
import { hostFiles, isHostId } from "../../dialects/host-files.ts";
import { firstAt } from "../../dialects/values.ts";
import type { Directories } from "../../lib/env.ts";
import { mutesIn } from "./host-status.ts";
import { registrationLosses } from "./registration-loss.ts";

/**
 * Returns why a host must not load its changed settings: a registration that `install` wrote is gone or was changed, or the
 * changed file keeps hooks from running. Undefined if the registration still works.
 */
export function lostByChange(
  { dialect, payload }: Pick<HostCall, "dialect" | "payload">,
  directories: Pick<Directories, "data">,
): string | undefined {
  if (!isHostId(dialect.name)) return undefined;
  const path = payload["file_path"];
  const cwd = firstAt(payload, dialect.keys.cwd);
  const projects = [cwd, typeof path === "string" ? dirname(dirname(path)) : undefined];
  const reasons = [
    ...registrationLosses(
      dialect.name,
      projects.filter((each) => typeof each === "string"),
      directories,
    ).map(({ message }) => message),
    ...(typeof path === "string" ? hostFiles(dialect.name).mutes.flatMap((mute) => mutesIn(mute, path)) : []),
  ];
  return reasons.length === 0 ? undefined : `this change would end the guard of hooksh: ${reasons.join("; ")}`;
}
