/** Looks up a variable: the value, or undefined when nothing sets it. */
export type VariableLookup = (name: string) => string | undefined;

/**
 * Replaces `${NAME}`, `${env.NAME}` and `$NAME`. A variable that is unset or empty is named in `missing` and leaves its
 * name in the text; nothing is thrown.
 *
 * Source: config-and-cli 3 (`model`, `base_url`).
 */
export function expandVariables(text: string, env: VariableLookup): { text: string; missing: string[] } {
  const missing: string[] = [];
  const expanded = text.replace(
    /\$\{(?:env\.)?([A-Za-z_]\w*)\}|\$([A-Za-z_]\w*)/g,
    (_whole, braced?: string, plain?: string) => {
      const name = braced ?? plain ?? "";
      const value = env(name);
      if (value) return value;
      missing.push(name);
      return name;
    },
  );
  return { text: expanded, missing };
}
