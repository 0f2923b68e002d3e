/** The safety modes, from the one that asks the user about most tool calls to the one that asks about none. */
export const SAFETY_MODES = ["strict", "balanced", "restricted", "autonomous"] as const;

export type SafetyMode = (typeof SAFETY_MODES)[number];

export function isSafetyMode(text: unknown): text is SafetyMode {
  return SAFETY_MODES.some((mode) => mode === text);
}
