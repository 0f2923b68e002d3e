import { Marked, type Token, Tokenizer, type Tokens } from "marked";
import type { Theme } from "../../theme.ts";

/**
 * Text beyond these limits is shown as it is: marked takes quadratic or cubic time for marks without a partner, and for
 * long words that could be mail addresses.
 */
const MAX_UNMATCHED = 30;
const MAX_RUNS = 300;
const MAX_RUN = 64;
const MAX_BRACKETS = 200;
const MAX_ADDRESS = 300;

/** Only `~~` strikes text out: `~5 and ~6` are numbers. */
class InlineTokenizer extends Tokenizer {
  override del(...source: Parameters<Tokenizer["del"]>): Tokens.Del | undefined {
    const token = super.del(...source);
    return token?.raw.startsWith("~~") ? token : undefined;
  }
}

const marked = new Marked();
marked.setOptions({ tokenizer: new InlineTokenizer() });

/**
 * Returns Markdown text of one paragraph, heading or cell in the styles of a theme. Escapes no control characters. A
 * link shows its text and, if it differs, its target. HTML is text. Text that cannot be read as Markdown is unchanged.
 */
export function styleInline(text: string, theme: Theme): string {
  if (!/[*_`~[\]<\\@]|:\/\/|www\./.test(text) || isCostly(text)) return text;
  try {
    return styleTokens(new marked.Lexer(marked.defaults).inlineTokens(text), theme);
  } catch {
    return text;
  }
}

/** True if marked could take long for the text. */
function isCostly(text: string): boolean {
  if (text.split("[").length > MAX_BRACKETS) return true;
  if (text.includes("@") && text.split(/\s/).some((word) => word.length > MAX_ADDRESS)) return true;
  const runs = [...text.matchAll(/(?<before>^|[^])(?<mark>[*_~])\k<mark>*(?=(?<after>[^]?))/g)];
  const unmatched = ["*", "_", "~"].map((mark) => unmatchedOf(runs.filter(({ groups }) => groups?.["mark"] === mark)));
  if (runs.some(([run]) => run.length > MAX_RUN)) return true;
  return runs.length > MAX_RUNS || unmatched.some((count) => count > MAX_UNMATCHED);
}

/** Returns how many runs of a mark can only begin something, beyond those that can only end it. */
function unmatchedOf(runs: readonly RegExpExecArray[]): number {
  const canBegin = runs.filter(({ groups }) => /\S/.test(groups?.["after"] ?? ""));
  const canEnd = runs.filter(({ groups }) => /\S/.test(groups?.["before"] ?? ""));
  return canBegin.length - canEnd.length;
}

function styleTokens(tokens: readonly Token[], theme: Theme): string {
  return tokens.map((token) => styleToken(token, theme)).join("");
}

function styleToken(token: Tokens.Generic, theme: Theme): string {
  const inside = () => styleTokens(token.tokens ?? [], theme);
  switch (token.type) {
    case "strong":
      return theme.style("bold", inside());
    case "em":
      return theme.style("italic", inside());
    case "del":
      return theme.name === "none" ? `~~${inside()}~~` : theme.style("strike", inside());
    case "codespan":
      return styleCode(String(token["text"]), theme);
    case "link":
      return styleLink(token as Tokens.Link, inside(), theme);
    case "image":
      return styleLink(token as Tokens.Image, (token as Tokens.Image).text, theme);
    case "br":
      return "\n";
    case "escape":
      return String(token["text"]);
    case "text":
      return token.tokens === undefined ? String(token["text"]) : inside();
    default:
      return token.raw;
  }
}

function styleCode(text: string, theme: Theme): string {
  return theme.name === "none" ? `\`${text}\`` : theme.style("code", text);
}

/** Shows the target of a link too, unless the text is the target. */
function styleLink({ href, title, text }: Tokens.Link | Tokens.Image, label: string, theme: Theme): string {
  const link = theme.style("link", label);
  if (!title && [text, `mailto:${text}`, `http://${text}`].includes(href)) return link;
  const target = title ? `${href} "${title}"` : href;
  return `${link}${label === "" ? "" : " "}${theme.style("url", `(${target})`)}`;
}

/** Ends styles that continue in the next row, so that each row can be drawn on its own. */
export function closeStyles(row: string): string {
  return row.includes("\x1b") ? `${row}\x1b[0m` : row;
}
