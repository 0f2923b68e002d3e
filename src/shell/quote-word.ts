/** Returns a text as one word for a POSIX shell: as it is if no shell reads a character of it as syntax, else in quotes. */
export function quoteWord(text: string): string {
  return /^[\w@%+=:,./-]+$/.test(text) ? text : singleQuoted(text);
}

/** Returns a text in single quotes, for a POSIX shell. */
export function singleQuoted(text: string): string {
  return `'${text.replaceAll("'", String.raw`'\''`)}'`;
}
