import type { Env } from "../lib/env.ts";
import { nearest } from "../lib/text/nearest.ts";

/** The environment variables that hooksh reads. */
const VARIABLES = [
  "HOOKSH_CACHE_DIR",
  "HOOKSH_CAPTURE",
  "HOOKSH_CONFIG_DIR",
  "HOOKSH_DATA_DIR",
  "HOOKSH_DEBUG",
  "HOOKSH_DEFAULT_MODEL",
  "HOOKSH_HOOK_DIR",
  "HOOKSH_LOG_FILE",
  "HOOKSH_SAFETY",
  "HOOKSH_YOLO",
];

/** Other names for the address of a provider. Without it, requests go past the gateway that was meant. */
const ADDRESS = /^(OPENAI|ANTHROPIC)_(?:API_)?(?:BASE_?URL|BASE|URL|ENDPOINT|HOST)$/;

/** Returns a warning for each environment variable whose name looks like a typo of one that hooksh reads. */
export function mistypedVariables(env: Env): string[] {
  return Object.keys(env).flatMap((name) => {
    const [, vendor] = ADDRESS.exec(name) ?? [];
    if (vendor !== undefined) {
      const address = `${vendor}_BASE_URL`;
      return env[address] === undefined ? [`${name} is set and has no effect, did you mean ${address}?`] : [];
    }
    if (!name.startsWith("HOOKSH_") || VARIABLES.includes(name)) return [];
    const close = nearest(
      name.slice("HOOKSH_".length),
      VARIABLES.map((known) => known.slice("HOOKSH_".length)),
    );
    return close === undefined ? [] : [`${name} is set and has no effect, did you mean HOOKSH_${close}?`];
  });
}
