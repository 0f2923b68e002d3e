/** The host of a URL or of `user@host:path`, and what stands around it. */
export interface Address {
  /** Lower case, with HOLE for expansions. */
  host: string;
  port?: number;
  /** The path behind the host, without the slash that begins it in a URL. */
  path: string;
}

/** `scheme://authority/path`; an expansion may be the scheme. */
const URL_FORM = /^(?:[a-z][a-z\d+.-]*\+)?([a-z\0][a-z\d.\0-]*):\/\/([^/?#\\]*)[/\\]?(.*)$/is;

/** Schemes of URLs that name no host. */
const LOCAL_SCHEME = /^(?:file|data|unix|npipe|fd)$/i;

/** Reads a URL; undefined for other texts and for URLs without a host. */
export function readUrl(text: string): Address | undefined {
  const [, scheme, authority = "", path = ""] = URL_FORM.exec(text) ?? [];
  if (scheme === undefined || LOCAL_SCHEME.test(scheme)) return undefined;
  return readAuthority(authority, path);
}

/** True for a text that begins as a URL does. */
export function isUrl(text: string): boolean {
  return URL_FORM.test(text);
}

/** Reads what `curl` takes: a URL, or a host without a scheme. */
export function readLooseUrl(text: string): Address | undefined {
  if (isUrl(text)) return readUrl(text);
  const [, authority = "", path = ""] = /^([^/?#\\]*)[/\\]?(.*)$/s.exec(text) ?? [];
  return readAuthority(authority, path);
}

/** Reads `host:path` and `user@host:path`, as scp, rsync and git take it. Names of files with a colon have a slash before it. */
export function readRemotePath(text: string): Address | undefined {
  if (isUrl(text)) return readUrl(text);
  if (/^[a-z]:\\/i.test(text)) return undefined;
  const [, authority, path = ""] = /^((?:[^/@[\]:]*@)?(?:\[[^\]/]*\]|[^/:@]+)):(.*)$/s.exec(text) ?? [];
  return authority === undefined ? undefined : readAuthority(authority, path.replace(/^:/, ""));
}

/** Reads `user:password@host:port`; undefined without a host. */
export function readAuthority(authority: string, path = ""): Address | undefined {
  const server = authority.slice(authority.lastIndexOf("@") + 1);
  const [, bracketed, plain = "", digits] = /^(?:\[([^\]]*)\]|([^:]*))(?::(.*))?$/s.exec(server) ?? [];
  const isBareAddress = bracketed === undefined && /^[\da-f]*:[\da-f:.]*:[\da-f:.]*$/i.test(server);
  const host = isBareAddress ? server : (bracketed ?? plain);
  if (host === "") return undefined;
  const port = isBareAddress ? Number.NaN : Number.parseInt(digits ?? "", 10);
  return { host: plainHost(host), path, ...(port > 0 && port < 65_536 ? { port } : {}) };
}

/** Lower case, without the dot that ends a full name, and with `%65` read as clients do. */
function plainHost(host: string): string {
  const decoded = host.replace(/%([2-7][\da-f])/gi, (_all, code: string) =>
    String.fromCharCode(Number.parseInt(code, 16)),
  );
  return decoded.toLowerCase().replace(/(?<=[^.])\.$/, "");
}

/** The registry in the name of an image, `host/img`; undefined if it has none. */
export function imageHost(image: string): Address | undefined {
  if (isUrl(image)) return readUrl(image);
  const slash = image.indexOf("/");
  const first = slash < 0 ? "" : image.slice(0, slash);
  return /[.:\0]|^localhost$/.test(first) ? readAuthority(first, image.slice(slash + 1)) : undefined;
}
