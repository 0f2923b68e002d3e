import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { readUserFileSync, UnreadableFileError } from "../../lib/files/read-file.ts";
import { rememberCredentials, rememberSecret, secretCertaintyOf } from "../../lib/secrets/known-secrets.ts";
import { readTextSync } from "../yaml/document.ts";
import { parseEnvFile, readEnvFile } from "./env-file.ts";

/** The value of a variable, or undefined when nothing sets it. Throws a {@link ConfigError} for an unusable one. */
export type Lookup = (name: string) => string | undefined;

/** Where values come from. */
export interface SecretSources {
  /** `--env-from-file`, in flag order. */
  envFiles?: readonly string[];
  /** The process environment. */
  env: Env;
  /** The configuration directory, which may hold a `.env`. */
  configDirectory: string;
  cwd: string;
  /** Where a container finds its secrets, one file a name. */
  secretsDirectory?: string;
}

/** A value and where it was found. */
export interface FoundValue {
  value: string;
  source: "env file" | "environment" | "mounted secret" | "config .env";
}

/**
 * Looks values up in env files, the process environment, mounted secrets and the user's own `.env`, in that order. Env
 * files are read at once: a missing or malformed one throws a {@link ConfigError}.
 *
 * Source: config-and-cli 8.5.
 */
export function openSecrets(sources: SecretSources): Lookup {
  return lookupFrom(openSecretFinder(sources));
}

/** The values alone of a finder; a pipe among its env files can be read only once. */
export function lookupFrom(find: (name: string) => FoundValue | undefined): Lookup {
  return (name) => {
    const value = find(name)?.value;
    if (value?.startsWith("op://")) {
      throw new ConfigError(`${name}: references to 1Password (op://) are not supported yet; set the value itself`);
    }
    return value;
  };
}

/** The same with the place of each value, whatever it looks like. */
export function openSecretFinder(sources: SecretSources): (name: string) => FoundValue | undefined {
  const { env, cwd, secretsDirectory = "/run/secrets" } = sources;
  const home = homeDirectory(env);
  const files = (sources.envFiles ?? []).map((path) => readEnvFile(path, { cwd, home }));
  const own = ownVariables(sources.configDirectory);
  for (const variables of [...files, own]) rememberCredentials(Object.fromEntries(variables));
  rememberMounted(secretsDirectory);
  return (name) => {
    const candidates: [FoundValue["source"], () => string | undefined][] = [
      ["env file", () => files.find((variables) => variables.has(name))?.get(name)],
      ["environment", () => (Object.hasOwn(env, name) ? env[name] : undefined)],
      ["mounted secret", () => mounted(secretsDirectory, name)],
      ["config .env", () => own.get(name)],
    ];
    for (const [source, read] of candidates) {
      const value = read();
      if (value !== undefined) return { value, source };
    }
    return undefined;
  };
}

/** In bytes; a key or a certificate is far smaller. */
const MOUNTED_LIMIT = 1024 * 1024;

function ownVariables(directory: string): Map<string, string> {
  const path = join(directory, ".env");
  return existsSync(path) ? parseEnvFile(readTextSync(path), path) : new Map();
}

/** The most files of the directory that are read for redaction; a container has a few. */
const MOST_MOUNTED = 256;

/** Remembers every mounted secret: tools can read those too that no configuration names. */
function rememberMounted(directory: string): void {
  for (const name of namesIn(directory).slice(0, MOST_MOUNTED)) {
    try {
      readMounted(directory, name);
    } catch {
      // A configuration that names this file reports the problem.
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // most machines have none
  }
}

/** Only a plain variable name is looked for, so that no name leads to another file. */
function mounted(directory: string, name: string): string | undefined {
  return /^[A-Za-z_]\w*$/.test(name) ? readMounted(directory, name) : undefined;
}

function readMounted(directory: string, name: string): string | undefined {
  try {
    const value = readUserFileSync(join(directory, name), { limit: MOUNTED_LIMIT })
      .toString("utf8")
      .replace(/\r?\n$/, "");
    rememberSecret(value, secretCertaintyOf(name) ?? "named");
    return value;
  } catch (error) {
    if (error instanceof UnreadableFileError && error.kind !== "refused") return undefined; // absent, or not ours to read
    throw error;
  }
}
