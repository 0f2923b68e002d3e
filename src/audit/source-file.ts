/**
 * Returns the file of a hook's source: `/p/hooks.yaml` for `/p/hooks.yaml: hooks.stop[0]` and for `/p/hooks.yaml:4`. A
 * hook that moves within its file is still the same hook. Returns other sources, such as a
 * flag, unchanged.
 */
export function fileOf(source: string): string {
  return source.replace(/: (?:hooks|settings|agents)\b.*$|(?::\d+){1,2}$/, "");
}
