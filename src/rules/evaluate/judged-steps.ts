import type { EventFacts, Step } from "../../facts/facts.ts";

/** The steps that rules are evaluated at: at least one, for what holds of a call whatever it runs. */
export function judgedSteps({ call }: EventFacts): readonly (Step | undefined)[] {
  const steps = call?.steps ?? [];
  return steps.some((step) => !isAllowOnly(step)) ? steps : [...steps, undefined];
}

/** True for a step that only `allow` must cover: an assignment alone, a redirection of another step. */
export function isAllowOnly(step: Step | undefined): boolean {
  return step?.allowOnly === true;
}
