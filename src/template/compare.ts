import { kindOf } from "./template-values.ts";

/**
 * True if two strings, numbers or booleans are equal. An absent value equals only an absent value. Throws for lists,
 * maps and mixed kinds.
 */
export function equals(a: unknown, b: unknown): boolean {
  const first = a ?? null;
  const second = b ?? null;
  if (first === null || second === null) return first === second;
  for (const value of [first, second]) {
    if (typeof value === "object") throw new Error(`cannot compare a ${kindOf(value)}`);
  }
  checkSameKind(first, second);
  return first === second;
}

/** True if the first number or string is less than the second. Strings compare by bytes. Throws for other kinds. */
export function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  checkSameKind(a, b);
  throw new Error(`${kindOf(a)} has no order`);
}

function checkSameKind(a: unknown, b: unknown): void {
  if (kindOf(a) !== kindOf(b)) throw new Error(`cannot compare ${kindOf(a)} with ${kindOf(b)}`);
}
