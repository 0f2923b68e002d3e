import { existsSync, lstatSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, UsageError } from "../../lib/errors.ts";
import { AUTO_MODELS } from "../models/auto-model.ts";
import { AGENT_FILE_NAMES } from "./agent-file-names.ts";
import { type GitHubReference, parseGitHubReference } from "./github-reference.ts";
import { type ImageReference, parseImageReference } from "./registry/image-reference.ts";

const INSTRUCTION = `You are a careful assistant for work in this directory. Find out before you act: read files and run
commands rather than guess. Say what you are about to change, keep changes small, and report what you did and what you
did not.`;

/** Options of {@link locateAgentFile}. */
export interface ReferenceOptions {
  cwd: string;
  /** Receives a message that says which file is used if the reference names none. */
  inform?: (message: string) => void;
  /** The host whose web addresses refer to repositories. Default: `github.com`. */
  githubHost?: string;
}

export type AgentLocation =
  | { kind: "file"; path: string; folder: string; displayName: string }
  | { kind: "builtin"; text: string; displayName: string }
  | RemoteLocation;

export type RemoteLocation =
  | { kind: "url"; url: string }
  | { kind: "github"; reference: GitHubReference }
  | { kind: "registry"; reference: ImageReference; displayName: string };

/**
 * Finds the agent file that a reference means; without a reference the project's own. An existing local file or
 * folder wins over an image reference, and a name that ends with `.yaml` or `.yml` is always a local file. Uses no
 * network. Throws a {@link ConfigError} for an invalid reference, and for a folder without an agent file.
 */
export function locateAgentFile(reference: string | undefined, options: ReferenceOptions): AgentLocation {
  if (reference === undefined || reference === "") return projectFile(options);
  if (reference === "-")
    throw new UsageError("- is not an agent file, because standard input is for the message; write it to a file");
  if (reference === "default") return builtin();
  const elsewhere = locateRemote(reference, options.githubHost ?? "github.com");
  if (elsewhere) return elsewhere;
  const path = resolve(options.cwd, reference);
  if (isFolder(path)) return inDirectory(path, reference);
  if (/\.hcl$/i.test(reference)) throw hclError(reference);
  if (/\.ya?ml$/i.test(reference) || reference.startsWith("/dev/fd/") || isPresent(path))
    return fileAt(path, reference);
  // A single word could be a message or a mistyped name, and is not sent to a stranger's server.
  const image = parseImageReference(reference);
  const looksLikeImage = /[/:@]/.test(reference);
  if (image && looksLikeImage) return { kind: "registry", reference: image, displayName: reference };
  const isMessage = /\s/.test(reference) || image !== undefined;
  throw new ConfigError(
    `${reference}: no such file or directory, and not a URL or a GitHub reference` +
      (isMessage
        ? `; a message follows the agent: hooksh run ${projectFiles(options.cwd)[0] ?? "default"} MESSAGE`
        : "") +
      (image ? `; an image has a tag: ${reference}:latest` : ""),
  );
}

/** Parses a reference that can only be remote: a URL or a repository. */
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
    return false; // it does not exist, or is below a file
  }
}

/** True also for a broken symbolic link, so that the message is about the link and not about an image. */
function isPresent(path: string): boolean {
  try {
    lstatSync(path);
    return true;
  } catch {
    return false; // also a message, which may be too long for a path
  }
}

function fileAt(path: string, displayName: string): AgentLocation {
  return { kind: "file", path, folder: dirname(path), displayName };
}

function builtin(): AgentLocation {
  return { kind: "builtin", text: defaultAgentText(), displayName: "default" };
}

/** The project's agent file of docker-agent in its other language. */
const PROJECT_HCL = "docker-agent.hcl";

function hclError(name: string): ConfigError {
  return new ConfigError(`${name}: HCL configuration is not supported; write the agent as YAML`);
}

function projectFile({ cwd, inform }: ReferenceOptions): AgentLocation {
  const [name, ...others] = projectFiles(cwd);
  if (name === undefined) {
    if (existsSync(join(cwd, PROJECT_HCL))) throw hclError(PROJECT_HCL);
    inform?.("using the built-in agent: this directory has no agent file; `hooksh init` writes one");
    return builtin();
  }
  inform?.(`using ${name}${others.length > 0 ? `, not ${others.join(", ")}; to choose, name the file` : ""}`);
  return fileAt(join(cwd, name), name);
}

/** Returns the names of the agent files in a directory; the first one is used. */
function projectFiles(cwd: string): string[] {
  return AGENT_FILE_NAMES.filter((candidate) => existsSync(join(cwd, candidate)));
}

/** Chooses the first of the usual names, or else the only YAML file. */
function inDirectory(directory: string, displayName: string): AgentLocation {
  const known = AGENT_FILE_NAMES.find((candidate) => existsSync(join(directory, candidate)));
  const found = known
    ? [known]
    : readdirSync(directory)
        .filter((name) => /\.ya?ml$/.test(name))
        .sort();
  const [only] = found;
  if (only !== undefined && found.length === 1) return fileAt(join(directory, only), join(displayName, only));
  throw new ConfigError(
    only === undefined
      ? `${displayName}: no agent file in this directory; expected ${AGENT_FILE_NAMES.join(", ")}`
      : `${displayName}: several YAML files in this directory, name one: ${found.join(", ")}`,
  );
}

/** Returns the text of the built-in agent file, which the reference `default` names. */
function defaultAgentText(): string {
  const candidates = AUTO_MODELS.map(({ provider, model }) => `${provider}/${model}`);
  const file = {
    agents: {
      root: {
        model: "default",
        description: "A general assistant",
        instruction: INSTRUCTION,
        add_date: true,
        add_environment_info: true,
        add_prompt_files: ["AGENTS.md"],
        skills: true,
        toolsets: [{ type: "filesystem" }, { type: "shell" }, { type: "fetch" }],
      },
    },
    models: { default: { first_available: candidates } },
  };
  return JSON.stringify(file, null, 2);
}
