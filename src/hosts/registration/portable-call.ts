import { isAbsolute, relative, sep } from "node:path";
import type { HostFiles } from "../../dialects/host-file.ts";
import type { HostPlace } from "../../dialects/host-paths.ts";
import { type Help, UserError } from "../../lib/errors.ts";
import { findExecutable } from "../../lib/platform.ts";
import { type InstallTarget, installTarget } from "./host-plan.ts";
import type { DispatchCall } from "./own-command.ts";

const FILE_THAT_A_TEAM_SHARES: Help = {
  cause:
    "`install --project` writes no path of this machine into a file of the project: it names `hooksh` without a path, and files by their place in the project.",
  cure: "Move the hooks file into the project, put hooksh on the `PATH`, or use `--user`. Claude Code has a file for this machine, which `install` uses then.",
};

/** The parts of a {@link DispatchCall} that are the same for every event of a registration. */
type SharedCall = Pick<DispatchCall, "program" | "dialect" | "hooksFile" | "directories">;

/**
 * Returns a call for a file that a team shares: `hooksh` without a path, and files by their place in the project. Returns
 * a text if there is no such call: what the line would have to name.
 */
function portableCall(
  call: SharedCall,
  { projectFolder }: HostFiles,
  { project, platform }: { project: string; platform: string },
): SharedCall | string {
  if (projectFolder === undefined || platform === "win32")
    return "this agent has no variable for the folder of the project";
  const paths = [call.hooksFile, ...Object.values(call.directories ?? {})].filter((path) => path !== undefined);
  const outside = paths.find((path) => !isInside(path, project));
  if (outside !== undefined) return `${outside} is outside the project`;
  if (findExecutable("hooksh") === undefined) return "hooksh is not on PATH";
  const portable = (path: string) => {
    const below = relative(project, path).replaceAll(sep, "/");
    return projectFolder === "." ? below || "." : `${projectFolder}/${below}`;
  };
  return {
    ...call,
    program: ["hooksh"],
    hooksFile: call.hooksFile === undefined ? undefined : portable(call.hooksFile),
    directories: Object.fromEntries(
      Object.entries(call.directories ?? {}).map(([flag, path]) => [flag, portable(path)]),
    ),
  };
}

function isInside(path: string, folder: string): boolean {
  const below = relative(folder, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

/**
 * Finds where a registration goes. For a project: into the file that a team shares if nothing in it depends on this
 * machine, else into the agent's file for this project on this machine, with a note. Throws a {@link UserError} if there
 * is no such file, unless the agent cannot name the project in any way.
 */
export function sharedTarget(
  target: InstallTarget,
  call: SharedCall,
  place: HostPlace,
): { target: InstallTarget; shared: SharedCall; note?: string } {
  const { host, files, file, path } = target;
  if (file.scope !== "project") return { target, shared: call };
  const portable = portableCall(call, files, place);
  if (typeof portable !== "string") return { target, shared: portable };
  if (files.files.some(({ scope, install }) => scope === "local" && install)) {
    const note = `${portable}, so ${path}, which a team shares, is left alone`;
    return { target: installTarget(host, "local", place), shared: call, note };
  }
  if (files.projectFolder !== undefined && place.platform !== "win32")
    throw new UserError(`${portable}, so ${path}, which a team shares, cannot name it; change that, or use --user`, {
      help: FILE_THAT_A_TEAM_SHARES,
    });
  const note = `${path} names files of this machine, because ${portable}: do not share it`;
  return { target, shared: call, note };
}

sharedTarget.help = FILE_THAT_A_TEAM_SHARES;
