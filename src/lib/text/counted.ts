/** Formats a count with its noun: `1 line`, `3,016 entries`. `many` is the plural; `one` with an s by default. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}
