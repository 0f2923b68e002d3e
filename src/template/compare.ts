import { kindOf } from "./template-values.ts";

/** True for equal strings, numbers or booleans. Nothing equals only nothing. Throws for lists, maps and mixed kinds. */
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

/** The order of two numbers or of two strings, by their bytes. Throws for everything else. */
export function isLess(a: unknown, b: unknown): boolean {
  if (typeof a === "number" && typeof b === "number") return a < b;
  if (typeof a === "string" && typeof b === "string") return Buffer.compare(Buffer.from(a), Buffer.from(b)) < 0;
  checkSameKind(a, b);
  throw new Error(`${kindOf(a)} has no order`);
}

function checkSameKind(a: unknown, b: unknown): void {
  if (kindOf(a) !== kindOf(b)) throw new Error(`cannot compare ${kindOf(a)} with ${kindOf(b)}`);
}
