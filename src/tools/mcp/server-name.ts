import { basename } from "node:path";

/** The keys of an entry that name its server. */
interface NamedEntry {
  name?: string | undefined;
  /** The key under `mcps` that the entry comes from. */
  server?: string | undefined;
  ref?: string | undefined;
  remote?: { url: string } | undefined;
  command?: string | undefined;
}

/** Returns the name of the server of an entry, as in qualified tool names. */
export function serverName({ name, server, ref, remote, command }: NamedEntry): string {
  if (name || server) return name || server || "";
  if (ref) return ref.replace(/^docker:/, "");
  if (remote) return URL.canParse(remote.url) ? new URL(remote.url).hostname : remote.url;
  return basename(command ?? "");
}
