import { Marked, type Token, Tokenizer, type Tokens } from "marked";
import type { Theme } from "../theme.ts";

/** Text with more marks than this is shown as it is: marked compares each mark with those behind it. */
const MAX_MARKS = 200;

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
 * Returns Markdown text of one paragraph, heading or cell with the looks of a theme. Escapes no control characters. A
 * link shows its text and, if it differs, its target. HTML is text. Text that cannot be read as Markdown is unchanged.
 */
export function styleInline(text: string, theme: Theme): string {
  if (!/[*_`~[\]<\\@]|:\/\/|www\./.test(text) || countMarks(text) > MAX_MARKS) return text;
  try {
    return styleTokens(new marked.Lexer(marked.defaults).inlineTokens(text), theme);
  } catch {
    return text;
  }
}

function countMarks(text: string): number {
  let count = 0;
  for (let at = 0; at < text.length; at++) if ("*_[`@<".includes(text.charAt(at))) count += 1;
  return count;
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
