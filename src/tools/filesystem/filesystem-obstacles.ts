import { errorText } from "../../lib/errors.ts";
import type { Machine, Obstacle } from "../toolset-row.ts";
import { openAccess } from "./access.ts";
import { loadPatternParser } from "./load-pattern-parser.ts";

interface FilesystemEntry {
  allow_list?: readonly string[];
  deny_list?: readonly string[];
}

/**
 * Returns the access rules that cannot be resolved or read on this machine: the toolset does not start without them.
 */
export async function filesystemObstacles(
  entry: FilesystemEntry,
  { workingDir, env }: Machine,
): Promise<readonly Obstacle[]> {
  const parsePatterns = await loadPatternParser();
  const problemOf = (rules: { allow?: readonly string[]; deny?: readonly string[] }): string | undefined => {
    try {
      openAccess({ workingDir, env, rules, parsePatterns });
      return undefined;
    } catch (error) {
      return errorText(error);
    }
  };
  const ignoreFile = problemOf({});
  if (ignoreFile !== undefined) return [{ path: [], message: ignoreFile }];
  return [["allow_list", "allow"] as const, ["deny_list", "deny"] as const].flatMap(([key, rule]) =>
    (entry[key] ?? []).flatMap((path, index) => {
      const message = problemOf({ [rule]: [path] });
      return message === undefined ? [] : [{ path: [key, index], message: message.replace(`${key}: `, "") }];
    }),
  );
}
