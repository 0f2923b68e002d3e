/** The safety modes, from the one that lets the fewest tool calls run without asking to the one that lets all run. */
export const SAFETY_MODES = ["strict", "plan", "accept-edits", "balanced", "restricted", "autonomous"] as const;

export type SafetyMode = (typeof SAFETY_MODES)[number];

export function isSafetyMode(text: unknown): text is SafetyMode {
  return SAFETY_MODES.some((mode) => mode === text);
}
