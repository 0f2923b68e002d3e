import { readdirSync, statSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { type Env, homeDirectory } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { isInside, isMissing } from "../../lib/files/paths.ts";

/** The files of docker-agent; a file that does not exist is undefined. */
export interface SourcePlaces {
  sessions: string | undefined;
  /** `config.yaml`, or `aliases.yaml` of early versions. */
  config: string | undefined;
  aliases: string | undefined;
  /** The directory that holds `hooks.d` and `.env`. */
  configDirectory: string | undefined;
  /** Names in the data directory that are not imported. */
  others: readonly string[];
}

const DATABASE = "session.db";

/**
 * Returns the files in docker-agent's directories, or those that `--from` names: a directory that holds sessions,
 * configuration or both, or a session database. Throws a {@link UserError} if there is nothing to import.
 */
export function sourcePlaces(from: string | undefined, env: Env): SourcePlaces {
  if (from !== undefined && statSync(from, { throwIfNoEntry: false })?.isFile())
    return { ...NOWHERE, sessions: resolve(from) };
  const { data, config } = directoriesOf(from, env);
  const found = (folder: string, name: string) => (isMissing(join(folder, name)) ? undefined : join(folder, name));
  const places: SourcePlaces = {
    sessions: found(data, DATABASE),
    config: found(config, "config.yaml"),
    aliases: found(config, "aliases.yaml"),
    configDirectory: isMissing(config) ? undefined : config,
    others: from === undefined ? othersIn(data) : [],
  };
  const hasAny = places.sessions ?? places.config ?? places.aliases ?? found(config, "hooks.d");
  if (hasAny !== undefined) return places;
  throw new UserError(
    from === undefined
      ? `docker-agent: neither ${join(data, DATABASE)} nor ${join(config, "config.yaml")} exists: name its directory with --from`
      : `${from}: has neither ${DATABASE} nor config.yaml`,
  );
}

const NOWHERE: SourcePlaces = {
  sessions: undefined,
  config: undefined,
  aliases: undefined,
  configDirectory: undefined,
  others: [],
};

/** https://docs.docker.com/ai/docker-agent/features/cli/#global-flags */
function directoriesOf(from: string | undefined, env: Env): { data: string; config: string } {
  if (from !== undefined) return { data: resolve(from), config: resolve(from) };
  const home = homeDirectory(env);
  const config = env["DOCKER_AGENT_CONFIG_DIR"] || env["CAGENT_CONFIG_DIR"] || join(home, ".config/cagent");
  const data = env["DOCKER_AGENT_DATA_DIR"] || join(home, ".cagent");
  return { data: resolve(data), config: resolve(config) };
}

/** Files that hold nothing to import: the database and its companions, and debug logs. */
const NOTHING = /^session\.db|\.log(?:\.\d+)?$|^\./;

function othersIn(directory: string): string[] {
  try {
    return readdirSync(directory)
      .filter((name) => !NOTHING.test(name))
      .sort();
  } catch {
    return []; // no such directory
  }
}

/** Returns a path for the report, with `~` for the home directory. */
export function shownPath(path: string): string {
  const home = homeDirectory();
  return home !== "" && isInside(path, home) ? join("~", relative(home, path)) : path;
}
