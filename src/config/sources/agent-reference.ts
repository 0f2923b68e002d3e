import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, UsageError } from "../../lib/errors.ts";
import { AGENT_FILE_NAMES, PROJECT_FILE_NAMES } from "./agent-file-names.ts";
import { defaultAgentText } from "./default-agent.ts";
import { type GitHubReference, parseGitHubReference } from "./github-reference.ts";
import { type ImageReference, parseImageReference } from "./registry/image-reference.ts";

/** What a reference is resolved against. */
export interface ReferenceOptions {
  cwd: string;
  /** Told that a project's own file is used. */
  inform?: (message: string) => void;
  /** The host whose Web addresses are references to repositories (github.com). */
  githubHost?: string;
}

/** Where an agent file is: on this machine, or elsewhere. */
export type AgentLocation =
  | { kind: "file"; path: string; folder: string; shown: string }
  | { kind: "builtin"; text: string; shown: string }
  | RemoteLocation;

/** Where an agent file is that is not on this machine. */
export type RemoteLocation =
  | { kind: "url"; url: string }
  | { kind: "github"; reference: GitHubReference }
  | { kind: "registry"; reference: ImageReference; shown: string };

/**
 * Finds out which agent file a reference means, or takes the project's own when there is none. What is on this machine
 * wins; what ends like a file is one, there or not. Looks at local files only. Throws a {@link ConfigError} for what
 * is no reference, and a folder without a file.
 *
 * Source: config-and-cli 7.1.
 */
export function locateAgentFile(reference: string | undefined, options: ReferenceOptions): AgentLocation {
  if (reference === undefined || reference === "") return projectFile(options);
  if (reference === "-") throw new UsageError("- is no agent file: standard input is for the message");
  if (reference === "default") return builtin();
  const elsewhere = locateRemote(reference, options.githubHost ?? "github.com");
  if (elsewhere) return elsewhere;
  const path = resolve(options.cwd, reference);
  if (isFolder(path)) return inDirectory(path, reference);
  if (/\.hcl$/i.test(reference)) throw new ConfigError(`${reference}: HCL configuration is not supported`);
  if (/\.ya?ml$/i.test(reference) || reference.startsWith("/dev/fd/") || existsSync(path))
    return fileAt(path, reference);
  const image = parseImageReference(reference);
  if (image) return { kind: "registry", reference: image, shown: reference };
  throw new ConfigError(`${reference}: no such file or directory, and not a URL, a GitHub or an image reference`);
}

/** What can only be elsewhere: a URL, a repository. */
function locateRemote(reference: string, githubHost: string): RemoteLocation | undefined {
  const repository = parseGitHubReference(reference, githubHost);
  if (repository) return { kind: "github", reference: repository };
  if (reference.startsWith("github:")) throw new ConfigError(`${reference}: expected github:OWNER/REPO[/PATH][@REF]`);
  return /^https?:\/\//.test(reference) ? { kind: "url", url: reference } : undefined;
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false; // nothing there, or below a file
  }
}

function fileAt(path: string, shown: string): AgentLocation {
  return { kind: "file", path, folder: dirname(path), shown };
}

function builtin(): AgentLocation {
  return { kind: "builtin", text: defaultAgentText(), shown: "default" };
}

function projectFile({ cwd, inform }: ReferenceOptions): AgentLocation {
  const name = PROJECT_FILE_NAMES.find((candidate) => existsSync(join(cwd, candidate)));
  if (name === undefined) return builtin();
  inform?.(`Using project config: ${name}`);
  return fileAt(join(cwd, name), name);
}

/** The first of the known names; otherwise the only YAML file there is. */
function inDirectory(directory: string, shown: string): AgentLocation {
  const known = AGENT_FILE_NAMES.find((candidate) => existsSync(join(directory, candidate)));
  const found = known
    ? [known]
    : readdirSync(directory)
        .filter((name) => /\.ya?ml$/.test(name))
        .sort();
  const [only] = found;
  if (only !== undefined && found.length === 1) return fileAt(join(directory, only), join(shown, only));
  throw new ConfigError(
    only === undefined
      ? `${shown}: no agent file in this directory`
      : `${shown}: several agent files in this directory, name one: ${found.join(", ")}`,
  );
}
