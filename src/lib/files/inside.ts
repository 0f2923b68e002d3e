import { sep } from "node:path";

/** True if `path` is `directory` or below it. Both must be absolute and normalised. */
export function isInside(path: string, directory: string): boolean {
  const [inner, outer] = [fold(path), fold(directory)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Most systems other than Linux ignore case in file names. */
function fold(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}
