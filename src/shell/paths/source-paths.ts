import { UNKNOWN } from "./path-text.ts";

/** Calls that change files, beyond those that labels know. */
export const WRITE_CALLS =
  /\b(?:write|writelines|append\w*|appendFile\w*|copy\w*|cp\w*|rename\w*|move\w*|chmod\w*|chown\w*|link\w*|symlink\w*|mkdir\w*|touch|truncate\w*|unlink\w*|remove\w*|rm\w*|replace|put|spew|dump|save)\b|\bopen\s*\(?[^)\n]{0,200}["'][rbt]*[awx+>]|["']\s*[+]?>{1,2}/;

/** Calls that change all below a directory. */
export const DELETES_TREES =
  /rmtree|rm_r|remove_tree|rimraf|recursive|RemoveAll|removeSync|emptyDir|rename|move|replace|copytree|cpSync|chmod/;

/** The texts of a source in quotes. */
export function literalsIn(source: string): string[] {
  const found = source.matchAll(
    /"((?:[^"\\\n]|\\[^])*)"|'((?:[^'\\\n]|\\[^])*)'|`((?:[^`\\]|\\[^])*)`|\bq[qw]?[({/]([^)}/]*)[)}/]/g,
  );
  return [...found].map(([, a, b, c, d]) => (a ?? b ?? c ?? d ?? "").replace(/\$\{[^}]*\}|\$\w+|\{\w+\}/g, UNKNOWN));
}

/** The literals that can be paths, and those that several of them make together: `join(home, ".claude", "x.json")`. */
export function pathsOf(literals: readonly string[]): string[] {
  const parts = literals.filter((text) => text !== "" && text.length < 1024 && !/\n/.test(text));
  return parts.flatMap((part, at) => {
    const joined = [2, 3, 4].flatMap((count) => {
      const several = parts.slice(at, at + count);
      return several.length === count && several.some((text) => text.includes("."))
        ? [several.join("/"), several.join("")]
        : [];
    });
    return [part, ...joined];
  });
}
