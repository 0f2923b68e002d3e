import { isMark, type Word } from "../word.ts";

/** Represents an expansion whose value the line does not show. No path holds this character. */
export const UNKNOWN = "\0";

/** A word as the text of a path: file name patterns and braces as they are, {@link UNKNOWN} for other expansions. */
export function pathText({ units, dynamic, text }: Word): string {
  return dynamic ? units.map((unit) => (isMark(unit) ? UNKNOWN : unit)).join("") : text;
}

/** With more alternatives, the braces of a word count as `*`. */
const MAX_ALTERNATIVES = 1024;

/** Innermost braces with a comma or a range. */
const BRACES = /\{([^{}]*(?:,|\.\.)[^{}]*)\}/;

/** The paths that braces make: `a{b,c}` gives `ab` and `ac`. A range such as `{1..9}` becomes `*`. */
export function expandAlternatives(text: string): string[] {
  const left = [text];
  const paths = new Set<string>();
  for (let path = left.pop(); path !== undefined; path = left.pop()) {
    const [whole, inside = ""] = BRACES.exec(path) ?? [];
    if (whole === undefined) paths.add(path);
    else
      for (const part of inside.includes(",") ? inside.split(",") : ["*"]) left.push(path.replace(whole, () => part));
    if (left.length + paths.size > MAX_ALTERNATIVES) return [text.replace(/\{.*\}/s, "*")];
  }
  return [...paths];
}
