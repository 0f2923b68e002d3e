/**
 * The built-in sets of paths and hosts: the one list for documentation, schemas and error messages. What they hold is in
 * path-sets.ts and host-sets.ts.
 */

/** The built-in sets of paths, each with a line about it. */
export const PATH_SETS = {
  project: "the top directory of the git work tree, else the working directory, and all below",
  tmp: "below a directory for temporary files",
  outside: "what is in neither `project` nor `tmp`",
  home: "the home directory and all below",
  roots:
    "`/`, the directories directly below it, home directories, the top of the project and its `.git`, or all that is in one of these",
  system: "directories of the operating system and of installed programs",
  generated: "what builds and package managers make: `node_modules`, `dist`, `*.min.js`",
  lockfiles: "lock files of package managers",
  ci: "what continuous integration runs, and who owns code",
  instructions: "what agents are told: `CLAUDE.md`, `AGENTS.md`, rules, skills",
  startup: "what runs at login, at boot or later, and git's configuration",
  credentials: "files that hold secrets: keys, tokens, `.env`, histories",
  guards: "hooks, settings and rules of agents, of hooksh and of git",
} as const;

export type PathSetName = keyof typeof PATH_SETS;

/** The built-in sets of hosts, each with a line about it. */
export const HOST_SETS = {
  loopback: "this machine: `127.0.0.0/8`, `::1`, `localhost`",
  private: "private and link-local networks, `*.local`, `*.internal`, `*.lan`",
  metadata: "services that give a cloud machine its credentials",
  registries: "the hosts that lock files and the configuration of package managers name",
  forges: "GitHub, GitLab, Bitbucket, Codeberg",
  project: "the hosts of the git remotes",
} as const;

export type HostSetName = keyof typeof HOST_SETS;

export function isPathSet(name: string): name is PathSetName {
  return Object.hasOwn(PATH_SETS, name);
}

export function isHostSet(name: string): name is HostSetName {
  return Object.hasOwn(HOST_SETS, name);
}

/** True if a pattern of paths or hosts can only be the name of a set: it has no dot, slash or wildcard. */
export function isBareWord(text: string): boolean {
  return /^[A-Za-z_][\w-]*$/.test(text);
}
