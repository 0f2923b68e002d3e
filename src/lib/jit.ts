import { compileEagerly, isStandalone } from "./platform.ts";

let isExpected = false;

/**
 * Says that this process will run for a while: from now on code is compiled as soon as it pays. The executable starts the
 * other way round, because compiling costs a short command more than it gains.
 */
export function optimizeForLongRun(): void {
  if (isExpected || !isStandalone()) return;
  isExpected = true;
  compileEagerly();
}
