/**
 * Drops fields whose value is undefined, null, false, an empty string, an empty list or an empty object. Keeps zero,
 * because it can be a measurement.
 */
export function omitEmpty<T extends object>(fields: T): { [K in keyof T]?: Exclude<T[K], undefined> } {
  const kept = Object.entries(fields).filter(([, value]) => !isBlank(value));
  return Object.fromEntries(kept) as { [K in keyof T]?: Exclude<T[K], undefined> };
}

function isBlank(value: unknown): boolean {
  if (value === undefined || value === null || value === "" || value === false) return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
