/** True for an absolute path that is written as the system resolves it, but for links. */
export function isPlainPath(path: string): boolean {
  if (path === "/") return true;
  const within = `${path}/`;
  for (const odd of ["//", "/./", "/../", "\0"]) if (within.includes(odd)) return false;
  return path.startsWith("/");
}
