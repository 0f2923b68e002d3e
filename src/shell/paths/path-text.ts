import { isMark, type Word } from "../word.ts";

/** Represents an expansion whose value the line does not show. No path holds this character. */
export const UNKNOWN = "\0";

/** A word as the text of a path: file name patterns and braces as they are, {@link UNKNOWN} for other expansions. */
export function pathText({ units, dynamic, text }: Word): string {
  return dynamic ? units.map((unit) => (isMark(unit) ? UNKNOWN : unit)).join("") : text;
}

/** With more alternatives, the braces of a word count as `*`. */
const MAX_ALTERNATIVES = 1024;
/** The same with more work than this many pieces, and as many more as 16 times the word's length. */
const MAX_WORK = 65_536;

/** A brace that is open: the texts that each finished part may be, and those of the part that is being read. */
interface OpenBrace {
  parts: string[][];
  texts: string[];
}

/**
 * The paths that braces make, in the order of a shell: `a{b,c}` gives `ab` and `ac`. A range such as `{1..9}` becomes `*`.
 * Takes time linear in the length.
 */
export function expandAlternatives(text: string): string[] {
  if (!text.includes("{")) return [text];
  let left = MAX_WORK + 16 * text.length;
  let open: OpenBrace = { parts: [], texts: [""] };
  const around: OpenBrace[] = [];
  const append = (texts: readonly string[]) => {
    const count = open.texts.length * texts.length;
    left -= count;
    if (count > MAX_ALTERNATIVES || left < 0) return false;
    open.texts = open.texts.flatMap((before) => texts.map((one) => before + one));
    return true;
  };
  /** Adds a brace that is none to the one around it, as text. */
  const appendText = ({ parts, texts }: OpenBrace, end: string) =>
    append(["{"]) && parts.every((part) => append(part) && append([","])) && append(texts) && append([end]);
  const takes = (piece: string, at: number, pieces: readonly string[]): boolean => {
    if (piece === "{") {
      around.push(open);
      open = { parts: [], texts: [""] };
      return true;
    }
    const outer = around.at(-1);
    if (piece === "," && outer) {
      open.parts.push(open.texts);
      open.texts = [""];
      return true;
    }
    if (piece !== "}" || !outer) return append([piece]);
    const closed = open;
    open = outer;
    around.pop();
    if (closed.parts.length > 0) return append([...new Set([...closed.parts.flat(), ...closed.texts])]);
    const isRange = pieces[at - 2] === "{" && pieces[at - 1]?.includes("..");
    return isRange ? append(["*"]) : appendText(closed, "}");
  };
  let isRead = (text.match(/[{},]|[^{},]+/g) ?? []).every(takes);
  for (let outer = around.pop(); isRead && outer; outer = around.pop()) {
    const unclosed = open;
    open = outer;
    isRead = appendText(unclosed, "");
  }
  const length = open.texts.reduce((sum, one) => sum + one.length, 0);
  if (isRead && length <= MAX_WORK + 16 * text.length) return [...new Set(open.texts)];
  return [`${text.slice(0, text.indexOf("{"))}*${text.slice(text.lastIndexOf("}") + 1)}`];
}
