import { plainValue, sortedKeys } from "./template-values.ts";

/** What an action prints for a value that is not there. */
export const NO_VALUE = "<no value>";

/**
 * A value as `print` shows it. Lists and maps look as in the reference, `[a b]` and `map[key:value]`; whole numbers
 * are never written with an exponent.
 */
export function printValue(value: unknown): string {
  const plain = plainValue(value);
  if (plain === undefined || plain === null) return "<nil>";
  if (Array.isArray(plain)) return `[${plain.map(printValue).join(" ")}]`;
  if (typeof plain !== "object") return String(plain);
  const map = plain as Record<string, unknown>;
  return `map[${sortedKeys(map)
    .map((key) => `${key}:${printValue(map[key])}`)
    .join(" ")}]`;
}

/** Values side by side, with a blank between two when neither is a string. */
export function printAll(values: readonly unknown[]): string {
  return values
    .map((value, index) => {
      const bare = typeof value === "string" || index === 0 || typeof values[index - 1] === "string";
      return bare ? printValue(value) : ` ${printValue(value)}`;
    })
    .join("");
}
