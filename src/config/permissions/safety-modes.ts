/** How much is asked of the user before a tool runs. */
export const SAFETY_MODES = ["strict", "balanced", "restricted", "autonomous"] as const;

/** See {@link SAFETY_MODES}. */
export type SafetyMode = (typeof SAFETY_MODES)[number];

/** True when a text names a mode. */
export function isSafetyMode(text: unknown): text is SafetyMode {
  return SAFETY_MODES.some((mode) => mode === text);
}
