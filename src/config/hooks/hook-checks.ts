import { checkModelHook } from "../../protocol/shapes.ts";
import type { Path, Problem } from "../yaml/document.ts";
import { matcherProblem } from "./matcher-problem.ts";
import { type HookChecks, readHooks } from "./read-hooks.ts";

/** Everything that is checked of hooks before they run: matchers, and the templates and shapes of model hooks. */
export const HOOK_CHECKS: HookChecks = { matcher: matcherProblem, model: checkModelHook };

/** The problems of a hooks block with the checks that loading applies. */
export function checkHooksBlock(value: unknown, path: Path): Problem[] {
  return readHooks(value, path, HOOK_CHECKS).problems;
}
