const NAMES = /^[A-Za-z0-9_:-]+(?:\|[A-Za-z0-9_:-]+)*$/;

/** The names that a pattern stands for when it is nothing but names with `|` between them; undefined for any other. */
export function literalNames(pattern: string): string[] | undefined {
  return NAMES.test(pattern) ? pattern.split("|") : undefined;
}
