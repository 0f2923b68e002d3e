import type { Env } from "../../lib/env.ts";

const CODES = { bold: 1, dim: 2, red: 31, yellow: 33, cyan: 36 } as const;

/** Colours a text, or leaves it as it is. */
export type Paint = (style: keyof typeof CODES, text: string) => string;

/** Colours when they are wanted. */
export function painter(colors: boolean): Paint {
  return (style, text) => (colors ? `\x1b[${CODES[style]}m${text}\x1b[0m` : text);
}

/** True for a terminal that understands escape sequences. */
export function supportsEscapes(env: Env): boolean {
  return env["TERM"] !== undefined && env["TERM"] !== "" && env["TERM"] !== "dumb";
}

/** True when a terminal may be coloured. Source: config-and-cli 9.2. */
export function shouldUseColors(env: Env, noColor: boolean | undefined): boolean {
  return supportsEscapes(env) && !noColor && !env["NO_COLOR"];
}
