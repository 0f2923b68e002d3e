/**
 * The fields whose value is worth writing: neither undefined nor an empty text, false, an empty list or an empty
 * object. Zero stays, because it can be a measurement.
 *
 * Source: hooks 2.4.
 */
export function omitEmpty<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => !isBlank(value));
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
