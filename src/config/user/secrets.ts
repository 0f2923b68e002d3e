import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { readUserFileSync, UnreadableFileError } from "../../lib/files/read-file.ts";
import { certaintyInSource, rememberCredentials, rememberSecret } from "../../lib/secrets/known-secrets.ts";
import type { VariableLookup } from "../../model/catalog/expand-variables.ts";
import { readTextSync } from "../yaml/document.ts";
import { parseEnvFile, readEnvFile } from "./env-file.ts";

/**
 * Returns the value of a variable, or undefined if it is not set. Throws a {@link ConfigError} for an unusable value.
 */
export type Lookup = VariableLookup;

export interface SecretSources {
  /** `--env-from-file`, in flag order. */
  envFiles?: readonly string[];
  env: Env;
  /** The configuration directory, which may contain a `.env`. */
  configDirectory: string;
  cwd: string;
  /** The folder of a container's secrets, one file per name. */
  secretsDirectory?: string;
}

/** A value and its source. */
export interface FoundValue {
  value: string;
  source: "env file" | "environment" | "mounted secret" | "config .env";
  /** The env file, as its flag names it. */
  file?: string;
}

/**
 * Returns a lookup in env files, the process environment, mounted secrets and the user's `.env`, in this order. Reads
 * the env files immediately, and throws a {@link ConfigError} if one is missing or invalid.
 */
export function openSecrets(sources: SecretSources): Lookup {
  return lookupFrom(openSecretFinder(sources));
}

/** Returns the lookup for a finder, without reading the env files again: one of them can be a pipe. */
export function lookupFrom(find: (name: string) => FoundValue | undefined): Lookup {
  const lookup = (name: string) => {
    const value = find(name)?.value;
    if (value?.startsWith("op://")) {
      throw new ConfigError(`${name}: 1Password references (op://) are not supported yet; set the value itself`);
    }
    return value;
  };
  return Object.assign(lookup, { envFileOf: (name: string) => find(name)?.file });
}

/** Like {@link openSecrets}, but returns the source of each value too, and does not reject any value. */
export function openSecretFinder(sources: SecretSources): (name: string) => FoundValue | undefined {
  const { env, cwd, secretsDirectory = "/run/secrets" } = sources;
  const home = homeDirectory(env);
  const envFiles = (sources.envFiles ?? []).map((path) => ({ path, variables: readEnvFile(path, { cwd, home }) }));
  const own = ownVariables(sources.configDirectory);
  for (const variables of [...envFiles.map((file) => file.variables), own])
    rememberCredentials(Object.fromEntries(variables));
  rememberMounted(secretsDirectory);
  return (name) => {
    const given = envFiles.find(({ variables }) => variables.has(name));
    if (given) return { value: given.variables.get(name) ?? "", source: "env file", file: given.path };
    const candidates: [FoundValue["source"], () => string | undefined][] = [
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

/** The maximum size of a mounted secret in bytes. Keys and certificates are far smaller. */
const MOUNTED_LIMIT = 1024 * 1024;

function ownVariables(directory: string): Map<string, string> {
  const path = join(directory, ".env");
  return existsSync(path) ? parseEnvFile(readTextSync(path), path) : new Map();
}

/** The maximum number of mounted secrets to redact. A container has few. */
const MAX_MOUNTED = 256;

/** Registers all mounted secrets for redaction: tools can read even those that no configuration names. */
function rememberMounted(directory: string): void {
  for (const name of namesIn(directory).slice(0, MAX_MOUNTED)) {
    try {
      readMounted(directory, name);
    } catch {
      // If a configuration names this file, its lookup reports the problem.
    }
  }
}

function namesIn(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return []; // most machines have no such directory
  }
}

/** Reads a mounted secret. Accepts only plain variable names, so that no name leads to another file. */
function mounted(directory: string, name: string): string | undefined {
  return /^[A-Za-z_]\w*$/.test(name) ? readMounted(directory, name) : undefined;
}

function readMounted(directory: string, name: string): string | undefined {
  try {
    const value = readUserFileSync(join(directory, name), { limit: MOUNTED_LIMIT })
      .toString("utf8")
      .replace(/\r?\n$/, "");
    rememberSecret(value, certaintyInSource(name) ?? "named");
    return value;
  } catch (error) {
    if (error instanceof UnreadableFileError && error.kind !== "refused") return undefined; // missing or unreadable
    throw error;
  }
}
