import type { Env } from "../lib/env.ts";

const CODES = { bold: 1, dim: 2, red: 31, green: 32, yellow: 33, cyan: 36 } as const;

/** Colours a text, or returns it unchanged if colours are off. */
export type Paint = (style: keyof typeof CODES, text: string) => string;

/** Returns a function that colours text if `colors` is true. */
export function painter(colors: boolean): Paint {
  return (style, text) => (colors ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
}

/** True if the terminal understands escape sequences. */
export function supportsEscapes(env: Env): boolean {
  return env["TERM"] !== undefined && env["TERM"] !== "" && env["TERM"] !== "dumb";
}

/** True unless the terminal has no colours, or `--no-color` or NO_COLOR (https://no-color.org) turns them off. */
export function shouldUseColors(env: Env, noColor: boolean | undefined): boolean {
  return supportsEscapes(env) && !noColor && !env["NO_COLOR"];
}
