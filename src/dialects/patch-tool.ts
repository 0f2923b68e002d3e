import type { Payload } from "../protocol/rewrite.ts";
import type { HostTool } from "./dialect.ts";

/** The paths in the lines of a patch that name files. */
function patchPaths(patch: unknown): string[] {
  if (typeof patch !== "string") return [];
  const lines = patch.matchAll(/^\*\*\* (?:(?:Update|Add|Delete) File|Move to): (.+?)\r?$/gm);
  return [...new Set([...lines].map(([, path = ""]) => path))];
}

/**
 * A tool that takes a patch of several files as one text. Hooks see `{path, paths, patch}`; it writes and edits.
 * `fields`: the host's fields for the text, of which a call has one.
 */
export function patchTool(names: readonly string[], ...fields: readonly [string, ...string[]]): HostTool {
  const fieldOf = (input: Payload) => fields.find((field) => Object.hasOwn(input, field)) ?? fields[0];
  return {
    is: "edit_file",
    also: ["write_file"],
    names,
    fields: fields.map((field) => [field, "patch"]),
    read: (input) => {
      const { [fieldOf(input)]: patch, path: _path, paths: _paths, ...rest } = input;
      const paths = patchPaths(patch);
      return { ...rest, ...(paths.length > 0 ? { path: paths[0], paths } : {}), patch };
    },
    // The host cannot take a changed path without a changed patch.
    write: ({ path, paths, patch, ...rest }, original) => {
      const field = fieldOf(original);
      const before = patchPaths(original[field]);
      const isSame = path === before[0] && JSON.stringify(paths ?? []) === JSON.stringify(before);
      return isSame || patch !== original[field] ? { [field]: patch, ...rest } : undefined;
    },
  };
}
