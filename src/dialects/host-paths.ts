import { join, resolve } from "node:path";
import type { HostFile, HostFiles } from "./host-file.ts";

/** The values on which the paths of a host's files depend. */
export interface HostPlace {
  home: string;
  /** The root of the project, absolute. */
  project: string;
  env: Readonly<Record<string, string>>;
  platform: string;
}

/**
 * Returns the absolute path of a template such as `~/.codex/hooks.json` or `<project>/.cursor/hooks.json`, with the
 * folders that the host's variables move.
 */
export function hostPath(template: string, { moved = [] }: HostFiles, { home, project, env }: HostPlace): string {
  if (template.startsWith("<project>/")) return join(project, template.slice("<project>/".length));
  for (const { variable, folder } of moved) {
    const place = env[variable];
    if (place && template.startsWith(`${folder}/`)) return resolve(project, place, template.slice(folder.length + 1));
  }
  return template.startsWith("~/") ? join(home, template.slice(2)) : template;
}

export function filesOnPlatform({ files }: HostFiles, { platform }: HostPlace): readonly HostFile[] {
  return files.filter((file) => file.platform === undefined || file.platform === platform);
}
