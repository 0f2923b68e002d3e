import { basename } from "node:path";

/** True if a path or its file name matches one of the patterns: `package-lock.json`, `*.pem`, `docs/**`. */
export function matchesAny(path: string, patterns: readonly string[]): boolean {
  return patterns.some((pattern) => {
    const glob = new Bun.Glob(pattern);
    return glob.match(path) || glob.match(basename(path));
  });
}
