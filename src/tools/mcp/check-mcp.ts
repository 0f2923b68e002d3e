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

/** The name of a server in Docker's catalog. */
export const CATALOG_NAME = /^[A-Za-z0-9][\w./-]*$/;

/** Reports an entry that names no server, or more than one, or keys that its kind of server does not have. */
export function checkMcp(entry: McpEntry, report: EntryReport, names: EntryNames): void {
  const { ref, remote } = entry;
  const ways = (["command", "remote", "ref"] as const).filter((key) => entry[key] !== undefined);
  if (ways.length !== 1) {
    const found = ways.length === 0 ? "none" : ways.join(" and ");
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
  if (remote && ways.length === 1) checkUrl(["remote", "url"], remote.url, report);
  checkOauth(remote, report);
}

/** Reports settings of OAuth under `remote` that no server accepts. */
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
