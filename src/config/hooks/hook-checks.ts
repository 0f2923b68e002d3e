import { checkModelHook } from "../../protocol/shapes.ts";
import type { Path, Problem } from "../yaml/document.ts";
import { matcherProblem } from "./matcher-problem.ts";
import { type HookChecks, readHooks } from "./read-hooks.ts";

/** The checks of hooks at loading: their matchers, and the templates and response shapes of model hooks. */
export const HOOK_CHECKS: HookChecks = { matcher: matcherProblem, model: checkModelHook };

/** Returns the problems of a hooks block under {@link HOOK_CHECKS}. */
export function checkHooksBlock(value: unknown, path: Path): Problem[] {
  return readHooks(value, path, HOOK_CHECKS).problems;
}
