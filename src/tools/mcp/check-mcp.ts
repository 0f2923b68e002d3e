import { checkUrl } from "../http/check-url.ts";
import type { EntryNames, EntryReport } from "../toolset-row.ts";

interface OauthKeys {
  clientId?: string;
  clientSecret?: string;
  callbackRedirectURL?: string;
}

/** The keys of an `mcp` toolset, or of an entry of `mcps`, that the check looks at. */
export interface McpEntry {
  command?: string;
  remote?: { url: string; oauth?: OauthKeys };
  ref?: string;
  config?: unknown;
  allow_private_ips?: boolean;
}

/** What to do without the docker command or its `mcp` plugin. */
export const DOCKER_HINT = "install Docker Desktop, or the plugin from https://github.com/docker/mcp-gateway";

/** The name of a server in Docker's catalog. */
export const CATALOG_NAME = /^[A-Za-z0-9][\w./-]*$/;

/** Reports an entry that does not name exactly one server, or has keys that its kind of server does not support. */
export function checkMcp(entry: McpEntry, report: EntryReport, names: EntryNames): void {
  const { ref, remote } = entry;
  const serverKeys = (["command", "remote", "ref"] as const).filter((key) => entry[key] !== undefined);
  if (serverKeys.length !== 1) {
    const found = serverKeys.length === 0 ? "none" : serverKeys.join(" and ");
    report.problem([], `expected exactly one of command, remote and ref but got ${found}`);
  }
  if (ref?.startsWith("docker:")) {
    const name = ref.slice("docker:".length);
    if (!CATALOG_NAME.test(name)) report.problem(["ref"], `${JSON.stringify(name)} is not a valid server name`);
  } else if (ref !== undefined) report.defined(["ref"], "mcps entry", ref, names.mcps);
  if (entry.config !== undefined && ref === undefined) report.problem(["config"], "is only valid with ref", "key");
  if (entry.allow_private_ips !== undefined && remote === undefined && entry.command !== undefined) {
    report.problem(["allow_private_ips"], "is only valid with remote", "key");
  }
  if (remote && serverKeys.length === 1) checkUrl(["remote", "url"], remote.url, report);
  checkOauth(remote, report);
}

/** Reports invalid OAuth settings under `remote`. */
export function checkOauth(remote: { oauth?: OauthKeys } | undefined, report: EntryReport): void {
  const oauth = remote?.oauth;
  if (!oauth) return;
  const at = ["remote", "oauth"];
  if (oauth.clientSecret !== undefined && !oauth.clientId)
    report.problem([...at, "clientSecret"], "needs a clientId", "key");
  const redirect = oauth.callbackRedirectURL;
  if (redirect !== undefined && !isRedirectUrl(redirect.replaceAll("${callbackPort}", "1"))) {
    report.problem([...at, "callbackRedirectURL"], "expected an absolute https URL (http only on this machine)");
  }
}

function isRedirectUrl(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname } = new URL(text);
  return protocol === "https:" || (protocol === "http:" && ["localhost", "127.0.0.1", "[::1]"].includes(hostname));
}
