import type { Payload } from "../protocol/rewrite.ts";
import { patchFiles } from "../shell/patch-files.ts";
import type { HostTool } from "./dialect.ts";
import { toOwnInput } from "./own-input.ts";
import { toHostInput } from "./tools.ts";

function patchPaths(patch: unknown): string[] {
  if (typeof patch !== "string") return [];
  return [...new Set(patchFiles(patch).map(({ path }) => path))];
}

/** A host that has the command `apply_patch` in its shell, with the patch behind `<<`, in an argument or in a file. */
const IN_SHELL = /\bapply_?patch\b(?!\.)/;

/** The folder into which a command line goes first. */
const FOLDER = /(?:^|["'\s;&(])cd\s+(?:--\s+)?(["']?)([^"'\s;&|]+)\1\s*(?:&&|;|\n)/;

/**
 * The shell of a host that has a command for patches, in a call that applies one: it writes and edits files, and guards
 * of these see their paths. A patch from elsewhere has none, and the guards are asked all the same.
 */
export function patchInShell(shell: HostTool): HostTool {
  const commandOf = (input: Payload) => (typeof input["command"] === "string" ? input["command"] : "");
  const facts = (input: Payload): Payload => {
    const command = commandOf(input);
    const folder = FOLDER.exec(command)?.[2];
    const named = patchPaths(command);
    const paths = named.map((path) => (folder === undefined || path.startsWith("/") ? path : `${folder}/${path}`));
    return paths.length > 0 ? { path: paths[0], paths } : {};
  };
  return {
    ...shell,
    also: ["edit_file", "write_file"],
    when: (input) => IN_SHELL.test(commandOf(input)) && isPatched(commandOf(input)),
    read: (input) => ({ ...toOwnInput(shell, input), ...facts(input) }),
    // The host cannot take a changed path without a changed patch. No call of hooksh's tools is written as one.
    write: ({ path, paths, ...rest }, original) => {
      const before = facts(original);
      const isSame = path === before["path"] && JSON.stringify(paths ?? []) === JSON.stringify(before["paths"] ?? []);
      return isSame && Object.keys(original).length > 0 ? toHostInput(shell, rest, original) : undefined;
    },
  };
}

/** True if a command line gives `apply_patch` a patch: in itself, or from a file, a pipe or another command. */
function isPatched(command: string): boolean {
  return (
    command.includes("*** ") ||
    /\|\s*(?:\S*\/)?apply_?patch\b|\bapply_?patch["']?\s*(?:["']?[$<`]|["']?\*|$)/m.test(command)
  );
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
