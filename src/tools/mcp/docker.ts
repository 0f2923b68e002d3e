import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Env } from "../../lib/env.ts";
import { ConfigError } from "../../lib/errors.ts";
import { runProcess } from "../../lib/process/process.ts";
import { MCP_SERVER_DID_NOT_START } from "./bounds.ts";
import { CATALOG_NAME, DOCKER_HINT } from "./check-mcp.ts";

const PROBE_MS = 20_000;

/** A server from Docker's catalog. */
export interface DockerServer {
  /** Its name in the catalog. */
  name: string;
  /** The server's settings. */
  config: Readonly<Record<string, unknown>> | undefined;
  cwd: string;
  env: Env;
}

/** The gateway command that runs a server. */
export interface Gateway {
  command: string;
  args: string[];
  /** Removes the temporary files. Never throws. */
  cleanUp(): Promise<void>;
}

/**
 * Prepares a server from Docker's catalog, which runs behind the gateway of the docker command's `mcp` plugin. Throws a
 * {@link ConfigError} that says what is missing on this machine.
 */
export async function prepareGateway({ name, config, cwd, env }: DockerServer): Promise<Gateway> {
  if (!CATALOG_NAME.test(name)) throw new ConfigError(`ref: ${JSON.stringify(name)} is not a valid server name`);
  const command = ["docker", "mcp", "version"];
  const { end } = await runProcess({
    command,
    cwd,
    env,
    deadlineMs: PROBE_MS,
    stdoutLimit: 0,
    overflow: "drop",
    stderrLimit: 0,
  });
  if (end.kind === "not_started")
    throw new ConfigError(`ref: docker:${name} needs the docker command: ${DOCKER_HINT}`, {
      help: MCP_SERVER_DID_NOT_START,
    });
  if (end.kind !== "exited" || end.code !== 0) {
    throw new ConfigError(`ref: docker:${name} needs the MCP plugin of the docker command: ${DOCKER_HINT}`, {
      help: MCP_SERVER_DID_NOT_START,
    });
  }
  const args = ["mcp", "gateway", "run", "--servers", name];
  if (!config) return { command: "docker", args, cleanUp: async () => {} };
  const directory = await mkdtemp(join(tmpdir(), "hooksh-mcp-"));
  const file = join(directory, "config.yaml");
  await writeFile(file, JSON.stringify({ [name]: config }), { mode: 0o600 });
  return {
    command: "docker",
    args: [...args, "--config", file],
    cleanUp: () => rm(directory, { recursive: true, force: true }).catch(() => {}), // the system cleans up temporary directories
  };
}
