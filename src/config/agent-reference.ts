import { existsSync, readdirSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { ConfigError, UsageError } from "../lib/errors.ts";
import { defaultAgentText } from "./default-agent.ts";
import { parseExternalReference } from "./external-reference.ts";

/** What a reference is resolved against. */
export interface ReferenceOptions {
  cwd: string;
  /** Told that a project's own file is used. */
  inform?: (message: string) => void;
}

/** Where an agent file is: a local file, or the text of the built-in one. */
export type AgentLocation =
  { kind: "file"; path: string; folder: string; shown: string } | { kind: "builtin"; text: string; shown: string };

const PROJECT_FILES = ["hooksh.yaml", "hooksh.yml", "docker-agent.yaml", "docker-agent.yml"] as const;
const DIRECTORY_FILES = [...PROJECT_FILES, "agent.yaml", "agent.yml"] as const;

/**
 * Finds the agent file that a reference names, or the project's own when there is none. Looks at local files only:
 * throws a {@link ConfigError} for a reference of another kind, and for a file that is not there.
 *
 * Source: config-and-cli 7.1.
 */
export function locateAgentFile(reference: string | undefined, options: ReferenceOptions): AgentLocation {
  if (reference === undefined || reference === "") return projectFile(options);
  if (reference === "-") throw new UsageError("- is no agent file: standard input is for the message");
  if (reference === "default") return builtin();
  if (/^https?:\/\//.test(reference)) throw unsupported(reference, "a URL");
  if (reference.startsWith("github:")) throw unsupported(reference, "a GitHub reference");
  const path = resolve(options.cwd, reference);
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  if (isDirectory) return inDirectory(path, reference);
  if (/\.hcl$/i.test(reference)) throw new ConfigError(`${reference}: HCL configuration is not supported`);
  if (/\.ya?ml$/i.test(reference) || reference.startsWith("/dev/fd/") || existsSync(path))
    return fileAt(path, reference);
  if (parseExternalReference(`library/${reference}`) || parseExternalReference(reference))
    throw unsupported(reference, "no local file, and an image reference");
  throw new ConfigError(`${reference}: no such file or directory, and not a URL, a GitHub or an image reference`);
}

function unsupported(reference: string, kind: string): ConfigError {
  return new ConfigError(`${reference}: ${kind}, which is not supported yet; give a local file`);
}

function fileAt(path: string, shown: string): AgentLocation {
  return { kind: "file", path, folder: dirname(path), shown };
}

function builtin(): AgentLocation {
  return { kind: "builtin", text: defaultAgentText(), shown: "default" };
}

function projectFile({ cwd, inform }: ReferenceOptions): AgentLocation {
  const name = PROJECT_FILES.find((candidate) => existsSync(join(cwd, candidate)));
  if (name === undefined) return builtin();
  inform?.(`Using project config: ${name}`);
  return fileAt(join(cwd, name), name);
}

/** The first of the known names; otherwise the only YAML file there is. */
function inDirectory(directory: string, shown: string): AgentLocation {
  const known = DIRECTORY_FILES.find((candidate) => existsSync(join(directory, candidate)));
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
