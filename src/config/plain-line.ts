/** A line without characters that change what a terminal shows, or where: each stands there as an escape (`\u202e`). */
export function plainLine(line: string): string {
  return line.replace(
    /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g,
    (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
