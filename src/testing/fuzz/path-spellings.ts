import { pick } from "./dice.ts";
import { type Spelling, splice } from "./spelling.ts";

/** Other spellings of the path of a file. */
export const PATH_SPELLINGS: readonly Spelling[] = [
  {
    name: "./ in front",
    keeps: "file",
    respell: (path, dice) => (isRelative(path) ? `${pick(dice, ["./", "././", ".//"])}${path}` : undefined),
  },
  slash("/./", ["/./", "/././"]),
  slash("several slashes", ["//", "///"]),
  {
    name: "up and down",
    keeps: "file",
    respell: (path, dice) => {
      const parts = [...path.matchAll(/(?<=^|\/)([^/]+)\//g)].filter(
        ([, part]) => !/^(?:\.{1,2}|~.*)$/.test(part ?? ""),
      );
      const found = pick(dice, parts);
      return found && splice(path, found.index, found.index, `${found[1]}/../`);
    },
  },
  {
    name: "above the root",
    keeps: "file",
    respell: (path, dice) => (path.startsWith("/") ? `${pick(dice, ["/..", "/../.."])}${path}` : undefined),
  },
  {
    name: "/proc/self",
    keeps: "machine",
    respell: (path) =>
      path.startsWith("/") ? `/proc/self/root${path}` : isRelative(path) ? `/proc/self/cwd/${path}` : undefined,
  },
  {
    name: "case of a name",
    keeps: "machine",
    respell: (path, dice) => {
      const found = pick(dice, [...path.matchAll(/[a-z]+/g)]);
      return found && splice(path, found.index, found.index + found[0].length, found[0].toUpperCase());
    },
  },
  {
    name: "backslashes",
    keeps: "machine",
    respell: (path) => (path.includes("/") ? path.replaceAll("/", "\\") : undefined),
  },
  {
    name: "dot or blank behind",
    keeps: "machine",
    respell: (path, dice) => `${path}${pick(dice, [".", " ", "::$DATA"])}`,
  },
  {
    name: "percent encoding",
    keeps: "looks",
    respell: (path, dice) => {
      const found = pick(dice, [...path.matchAll(/[./\w]/g)]);
      return found && splice(path, found.index, found.index + 1, `%${found[0].charCodeAt(0).toString(16)}`);
    },
  },
  { name: "file URL", keeps: "looks", respell: (path) => (path.startsWith("/") ? `file://${path}` : undefined) },
];

function isRelative(path: string): boolean {
  return !/^[/~]|^[A-Za-z]:/.test(path) && path !== "";
}

function slash(name: string, replacements: readonly string[]): Spelling {
  return {
    name,
    keeps: "file",
    respell: (path, dice) => {
      const found = pick(dice, [...path.matchAll(/(?<=[^:/])\/(?!\/)/g)]);
      return found && splice(path, found.index, found.index + 1, pick(dice, replacements) ?? "/");
    },
  };
}
