import { compileEagerly, isStandalone } from "./platform.ts";

let isOptimized = false;

/**
 * Makes the JIT compile code as soon as that pays off. The executable starts with late compilation, because compiling
 * costs a short command more than it gains.
 */
export function optimizeForLongRun(): void {
  if (isOptimized || !isStandalone()) return;
  isOptimized = true;
  compileEagerly();
}
