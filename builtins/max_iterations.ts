import { parseInteger } from "../src/lib/text/integer.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { BLOCK } from "../src/protocol/output.ts";

/** Blocks every model call after the given number. Without a positive number it never blocks. */
export const run = defineBuiltin((input, [first]) => {
  const limit = parseInteger(first) ?? 0;
  if (limit <= 0 || input.iteration === undefined || input.iteration <= limit) return undefined;
  return {
    decision: BLOCK,
    reason: `Agent terminated: max_iterations builtin reached its limit of ${limit} model call(s).`,
  };
});
