/** A file or folder in a repository on GitHub. */
export interface GitHubReference {
  owner: string;
  repo: string;
  /** The path from the root of the repository; empty for the root. */
  path: string;
  /** A branch, tag or commit. Absent for the default branch. */
  ref?: string;
}

/** Returns the web host of the GitHub whose API is at `apiUrl`. */
export function webHostOf(apiUrl: string): string {
  const host = URL.canParse(apiUrl) ? new URL(apiUrl).host : "";
  return host === "api.github.com" ? "github.com" : host;
}

/**
 * Parses `github:owner/repo[/path][@ref]`, or the address of a repository, folder or file on `webHost`. Returns
 * undefined for any other text, and for a path that leaves the repository.
 */
export function parseGitHubReference(text: string, webHost: string): GitHubReference | undefined {
  if (text.startsWith("github:")) return parseShort(text.slice("github:".length));
  return text.startsWith("https://") && URL.canParse(text) ? parseAddress(new URL(text), webHost) : undefined;
}

/** Formats a reference as `github:owner/repo[/path][@ref]`. */
export function displayGitHub({ owner, repo, path, ref }: GitHubReference): string {
  return `github:${owner}/${repo}${path ? `/${path}` : ""}${ref === undefined ? "" : `@${ref}`}`;
}

function parseShort(text: string): GitHubReference | undefined {
  const at = text.indexOf("@");
  const [owner, repo, ...path] = (at < 0 ? text : text.slice(0, at)).split("/");
  return validate({ owner, repo, path, ref: at < 0 ? undefined : text.slice(at + 1) });
}

function parseAddress(url: URL, webHost: string): GitHubReference | undefined {
  if (url.host !== webHost) return undefined;
  const [owner, repo, view, ref, ...path] = url.pathname.split("/").filter(Boolean).map(decode);
  if (view === undefined) return validate({ owner, repo: repo?.replace(/\.git$/, ""), path: [], ref: undefined });
  return view === "blob" || view === "tree" ? validate({ owner, repo, path, ref: ref ?? "" }) : undefined;
}

function decode(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    return ""; // rejected by validate
  }
}

interface Parts {
  owner: string | undefined;
  repo: string | undefined;
  path: readonly string[];
  ref: string | undefined;
}

const NAME = /^[A-Za-z0-9_.-]+$/;

function validate({ owner = "", repo = "", path, ref }: Parts): GitHubReference | undefined {
  const names = [owner, repo].every((name) => NAME.test(name) && !isDots(name));
  const segments = path.at(-1) === "" ? path.slice(0, -1) : path;
  const climbs = segments.some((segment) => segment === "" || isDots(segment) || /[/\\\0\n]/.test(segment));
  if (!names || climbs || ref === "" || (ref !== undefined && !/^[\w./+-]+$/.test(ref))) return undefined;
  return { owner, repo, path: segments.join("/"), ...(ref === undefined ? {} : { ref }) };
}

function isDots(name: string): boolean {
  return name === "." || name === "..";
}
