/**
 * Returns the file of a source without the line: `hooks.yaml` for `hooks.yaml:4`. A hook that moves to another line is
 * still the same hook. A source that is no file, such as a flag, is returned as it is.
 */
export function fileOf(source: string): string {
  return source.replace(/(:\d+){1,2}$/, "");
}
