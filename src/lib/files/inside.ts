import { sep } from "node:path";

/** True if `path` is `directory` or is below it. Both are absolute and normalised. */
export function isInside(path: string, directory: string): boolean {
  const [inner, outer] = [fold(path), fold(directory)];
  return inner === outer || inner.startsWith(outer.endsWith(sep) ? outer : outer + sep);
}

/** Names that differ only in case are one file on most systems other than Linux. */
function fold(path: string): string {
  return process.platform === "linux" ? path : path.normalize("NFC").toLowerCase();
}
