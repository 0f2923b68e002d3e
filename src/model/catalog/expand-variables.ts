/** Returns the value of a variable; undefined if it is not set. */
export interface VariableLookup {
  (name: string): string | undefined;
  /** Returns the env file of the command line that sets a variable; undefined if its value comes from elsewhere. */
  envFileOf?(name: string): string | undefined;
}

/**
 * Replaces `${NAME}`, `${env.NAME}` and `$NAME` in `model` and `base_url`. A variable that is unset or empty is listed
 * in `missing`, and its name stays in the text. Never throws.
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
