/** The maximum length of a tool name that all providers accept. */
const MAX_LENGTH = 64;

/** Converts a text to a tool name that every provider accepts. For Gemini it must begin with a letter or `_`. */
export function validToolName(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, MAX_LENGTH);
}

/** Returns why providers would refuse every request with a tool of this name; undefined if they accept it. */
export function toolNameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= MAX_LENGTH) return undefined;
  return `${JSON.stringify(name)} cannot be the name of a tool: models take up to ${MAX_LENGTH} letters, digits, _ and -`;
}
