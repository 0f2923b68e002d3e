import { checkModelHook } from "../../protocol/reply-schemas.ts";
import type { Path, Problem } from "../yaml/document.ts";
import { policyProblem } from "./evaluator-policy.ts";
import { matcherProblem } from "./hook-filter.ts";
import { type HookChecks, readHooks } from "./read-hooks.ts";

/**
 * The checks of hooks at loading: their matchers, the templates and response shapes of model hooks, and the policies of
 * evaluator hooks.
 */
export const HOOK_CHECKS: HookChecks = { matcher: matcherProblem, model: checkModelHook, policy: policyProblem };

/** Returns the problems of a hooks block under {@link HOOK_CHECKS}. */
export function checkHooksBlock(value: unknown, path: Path): Problem[] {
  return readHooks(value, path, HOOK_CHECKS).problems;
}
