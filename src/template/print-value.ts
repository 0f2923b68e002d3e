import { plainValue, sortedKeys } from "./template-values.ts";

/** The text that an action prints for an absent value. */
export const NO_VALUE = "<no value>";

/**
 * Formats a value as `print` does. Lists and maps look like those of Go's text/template, `[a b]` and `map[key:value]`;
 * whole numbers never have an exponent.
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

/** Formats values in a row, with a space between two values that are not strings. */
export function printAll(values: readonly unknown[]): string {
  return values
    .map((value, index) => {
      const bare = typeof value === "string" || index === 0 || typeof values[index - 1] === "string";
      return bare ? printValue(value) : ` ${printValue(value)}`;
    })
    .join("");
}
