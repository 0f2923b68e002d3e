import type { Effect } from "./effect.ts";

/**
 * What programs lead to, beside the rows of the label of a command line. A row is in the language of those; `<x>` asks for an
 * operand, and `@name` may also be a mark of `marks.ts`. Effects that `--dry-run` prevents need no term for it.
 */
export type EffectRows = Readonly<Partial<Record<Effect, readonly string[]>>>;
