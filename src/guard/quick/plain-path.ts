/** True for an absolute path that is written as the system resolves it, but for links. */
export function isPlainPath(path: string): boolean {
  return path.startsWith("/") && !/\/(?:\/|\.{1,2}(?:\/|$)|$)|\0/.test(path.length > 1 ? path : "");
}
