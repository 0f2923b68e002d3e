import type { HostCall } from "../dialects/dialect.ts";
import type { Executor } from "../engine/executor.ts";
import type { Log } from "../engine/handler.ts";
import type { Directories, Env } from "../lib/env.ts";
import type { AnyResult } from "../protocol/result.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { TestStep } from "./test-case.ts";

export interface StepToDispatch {
  /** Opens an executor with the hooks of the case; the step collects what it dispatches. */
  open: (options?: { workingDir: string; env?: Env; host?: HostCall }) => Executor;
  step: TestStep;
  payload: Payload;
  settings: { directories: Directories; log: Log; signal: AbortSignal };
}

/** Dispatches the events of one step. Returns the verdict as another agent reads it, if it goes to one. */
export type StepDispatch = (step: StepToDispatch) => Promise<AnyResult | undefined>;
