const LITERAL_NAMES = /^[A-Za-z0-9_:-]+(?:\|[A-Za-z0-9_:-]+)*$/;

/** The names in a pattern that consists only of names separated by `|`; undefined for any other pattern. */
export function literalNames(pattern: string): string[] | undefined {
  return LITERAL_NAMES.test(pattern) ? pattern.split("|") : undefined;
}
