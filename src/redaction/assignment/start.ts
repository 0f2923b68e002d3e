import { classOf, skip } from "../classes.ts";

const SPACE = " \t\r\n";
const CLOSERS = classOf(`"'\`]*) \t\\`);
const OPERATORS = classOf("=:>|?");
const OPENERS = classOf(`${SPACE}"'\`\\=`);
const SEPARATORS = classOf(`${SPACE}"'\`\\,-`);

/**
 * The start of the value that an operator assigns to the name ending at `at`, or that follows it as the `value` of a
 * pair; undefined if neither is there. {@link placesOf} knows more ways.
 */
export function valueStart(text: string, at: number): number | undefined {
  const closed = skip(text, CLOSERS, at, 8);
  const operator = skip(text, OPERATORS, closed, 4);
  // The result of a call is not a value of its last argument: `sign('', 'secret') => 'f7f9'`.
  if (text.startsWith("=>", closed) && text.slice(at, closed).includes(")")) return undefined;
  if (operator > closed) return skip(text, OPENERS, text.startsWith(":-", operator - 1) ? operator + 1 : operator, 8);
  return pairedValueStart(text, closed);
}

/** The start of the value in a list of pairs: `- name: X`, then `value: y` on the next line or in the same object. */
function pairedValueStart(text: string, at: number): number | undefined {
  const label = skip(text, SEPARATORS, at, 40);
  if (label === at || text.slice(label, label + 5).toLowerCase() !== "value") return undefined;
  const closed = skip(text, CLOSERS, label + 5, 8);
  const operator = skip(text, OPERATORS, closed, 4);
  return operator > closed ? skip(text, OPENERS, operator, 8) : undefined;
}
