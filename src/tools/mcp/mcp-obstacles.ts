import { existsSync } from "node:fs";
import { delimiter, join, resolve } from "node:path";
import { type Env, homeDirectory, variableName } from "../../lib/env.ts";
import { errorText } from "../../lib/errors.ts";
import { findExecutable } from "../../lib/platform.ts";
import { startProblem } from "../../lib/process/start-problem.ts";
import { urlObstacles } from "../http/check-url.ts";
import { commandDirectory } from "../run-command.ts";
import type { Machine, Obstacle } from "../toolset-row.ts";
import { DOCKER_HINT } from "./check-mcp.ts";

interface ServerEntry {
  command?: string;
  ref?: string;
  remote?: { url: string };
  env?: Readonly<Record<string, string>>;
  working_dir?: string;
  allow_private_ips?: boolean;
}

/** Returns why the server of an `mcp` entry cannot be started on, or reached from, this machine. */
export async function mcpObstacles(entry: ServerEntry, machine: Machine): Promise<readonly Obstacle[]> {
  const { command, ref, remote } = entry;
  if (remote) return urlObstacles(["remote", "url"], remote.url, entry);
  const env: Env = { ...machine.env, ...entry.env };
  let directory: string;
  try {
    directory = commandDirectory(entry.working_dir, machine.workingDir);
  } catch (error) {
    return [{ path: ["working_dir"], message: errorText(error) }];
  }
  const at = (path: "command" | "ref", message: string | undefined) =>
    message === undefined ? [] : [{ path: [path], message }];
  if (command !== undefined) return at("command", commandProblem(command, directory, env));
  return ref?.startsWith("docker:") ? at("ref", dockerProblem(ref, env)) : [];
}

/** Returns why a program cannot start; undefined if there is no known problem. */
function commandProblem(command: string, directory: string, env: Env): string | undefined {
  const shown = JSON.stringify(command);
  const path = command.includes("/") ? resolve(directory, command) : findProgram(command, env);
  if (path === undefined) return `the command ${shown} was not found in PATH: install it, or give its whole path`;
  const problem = startProblem(path);
  if (!problem) return undefined;
  return `the command ${shown}: ${problem.text}${problem.text.endsWith(path) ? "" : `: ${path}`}`;
}

/** Returns the path of a program in `PATH`, or else of a file with its name that is not executable. */
function findProgram(name: string, env: Env): string | undefined {
  const path = env[variableName(env, "PATH")] ?? "";
  const inPath = (): string | undefined =>
    path
      .split(delimiter)
      .filter(Boolean)
      .map((folder) => join(folder, name))
      .find((file) => existsSync(file));
  return findExecutable(name, path) ?? inPath();
}

/** The folders in which the docker command looks for plugins, besides the user's own. */
const PLUGIN_FOLDERS = ["/usr/local/lib", "/usr/local/libexec", "/usr/lib", "/usr/libexec"].map(
  (folder) => `${folder}/docker/cli-plugins`,
);

function dockerProblem(ref: string, env: Env): string | undefined {
  if (commandProblem("docker", "/", env) !== undefined) return `${ref} needs the docker command: ${DOCKER_HINT}`;
  if (process.platform === "win32") return undefined; // the plugin folder depends on the installation
  const own = env["DOCKER_CONFIG"] || join(homeDirectory(env), ".docker");
  const folders = [
    join(own, "cli-plugins"),
    ...PLUGIN_FOLDERS,
    "/Applications/Docker.app/Contents/Resources/cli-plugins",
  ];
  if (folders.some((folder) => existsSync(join(folder, "docker-mcp")))) return undefined;
  return `${ref} needs the MCP plugin of the docker command: ${DOCKER_HINT}`;
}
