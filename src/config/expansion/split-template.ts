import type { Expression } from "./expression.ts";
import { parseExpression } from "./parse-expression.ts";

/** A piece of a template; `text` is the piece as written. */
export type TemplatePart =
  | { kind: "text"; text: string }
  | { kind: "expression"; expression: Expression; text: string };

const MAX_LENGTH = 4096;
/** After this many invalid expressions the rest of the text is taken as it is, so that splitting takes linear time. */
const MAX_FAILURES = 1000;

/**
 * Splits a text at its `${…}` expressions. A closing brace inside quotes, backticks or other braces does not end one.
 * An invalid expression counts as text up to its first closing brace, so that later expressions are still found.
 */
export function splitTemplate(text: string): TemplatePart[] {
  const parts: TemplatePart[] = [];
  let from = 0;
  let failures = 0;
  for (let at = text.indexOf("${"); at >= 0 && failures < MAX_FAILURES; ) {
    const end = expressionEnd(text, at + 2);
    const expression = end < 0 ? undefined : parseExpression(text.slice(at + 2, end));
    if (expression) {
      if (at > from) parts.push({ kind: "text", text: text.slice(from, at) });
      parts.push({ kind: "expression", expression, text: text.slice(at, end + 1) });
      from = end + 1;
      at = text.indexOf("${", from);
    } else {
      failures++;
      at = text.indexOf("${", end < 0 ? at + 2 : text.indexOf("}", at));
    }
  }
  if (from < text.length) parts.push({ kind: "text", text: text.slice(from) });
  return parts;
}

/** Returns the position of the brace that closes an expression, or -1. */
function expressionEnd(text: string, start: number): number {
  const open: string[] = ["{"];
  const limit = Math.min(text.length, start + MAX_LENGTH);
  for (let at = start; at < limit; at++) {
    const char = text[at] ?? "";
    const inside = open.at(-1) ?? "";
    if (char === "\\") at++;
    else if (inside === "{") {
      if (char === "{" || char === '"' || char === "'" || char === "`") open.push(char);
      else if (char === "}") {
        open.pop();
        if (open.length === 0) return at;
      }
    } else if (char === inside) open.pop();
    else if (inside === "`" && text.startsWith("${", at)) {
      open.push("{");
      at++;
    }
  }
  return -1;
}
