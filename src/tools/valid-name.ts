/** The longest name of a tool that all providers take. */
const LONGEST = 64;

/** A name made from a text that every provider takes: Gemini wants a letter or `_` at its beginning. */
export function validToolName(text: string): string {
  return text
    .replace(/[^A-Za-z0-9_-]/g, "_")
    .replace(/^(?![A-Za-z_])/, "_")
    .slice(0, LONGEST);
}

/** Why providers would refuse every request with a tool of this name; undefined if they take it. */
export function toolNameProblem(name: string): string | undefined {
  if (/^[A-Za-z0-9_-]+$/.test(name) && name.length <= LONGEST) return undefined;
  return `${JSON.stringify(name)} cannot be the name of a tool: models take up to ${LONGEST} letters, digits, _ and -`;
}
