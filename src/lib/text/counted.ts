/** Formats a count with its noun: `1 line`, `3,016 entries`. `many` is the plural; `one` with an s by default. */
export function counted(count: number, one: string, many = `${one}s`): string {
  return `${count.toLocaleString("en")} ${count === 1 ? one : many}`;
}

/** Returns `, 2 of them only observe`; nothing for none. */
export function onlyObserving(count: number): string {
  return count === 0 ? "" : `, ${count} of them only observe${count === 1 ? "s" : ""}`;
}
