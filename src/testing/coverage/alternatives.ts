/**
 * Splits a matcher at the `|` that separates its alternatives: `shell|edit_.*` has two. Not inside brackets, groups or
 * escapes, nor if the whole is a group.
 */
export function alternativesOf(matcher: string): string[] {
  const parts = [""];
  let depth = 0;
  let inClass = false;
  for (const [token] of matcher.matchAll(/\\Q[^]*?(?:\\E|$)|\\?[^]/g)) {
    if (token === "[") inClass = true;
    else if (token === "]") inClass = false;
    else if (token === "(" && !inClass) depth++;
    else if (token === ")" && !inClass) depth--;
    if (token === "|" && depth === 0 && !inClass) parts.push("");
    else parts.push(`${parts.pop()}${token}`);
  }
  return parts;
}
