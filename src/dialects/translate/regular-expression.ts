import { errorText, type Help } from "../../lib/errors.ts";
import { compilePattern } from "../../pattern/pattern.ts";

const MATCHER_NOT_TRANSLATED: Help = {
  cause:
    "RE2, the language of matchers in hooksh, has no look-around and no back-references, and some agents take only one name or no expression at all.",
  cure: "Write the matcher as names separated by `|`, or test the arguments inside the hook.",
};

/** The regular expressions of another agent: JavaScript's without the `u` flag, Rust's, or Python's. */
export type Flavor = "js" | "rust" | "python";

export type Translation = { pattern: string } | { problem: string };

/**
 * Translates a regular expression to hooksh's syntax (RE2) so that it matches the same names. Returns a problem if RE2
 * cannot express it (look-around, back-references) or if it is not valid.
 */
export function translateExpression(text: string, flavor: Flavor): Translation {
  const reader = new ExpressionReader(text, flavor);
  const pattern = reader.read();
  if (reader.problem !== undefined) return { problem: reader.problem };
  try {
    compilePattern(pattern);
    return { pattern };
  } catch (error) {
    return { problem: errorText(error) };
  }
}

/** Escapes with the same meaning in every flavor and in RE2. */
const SHARED_ESCAPES = /^[dDwWsSbBnrtfv]$/;

/** Letters whose escapes differ: JavaScript reads them as the letter itself, RE2 does not. */
const LETTER = /^[A-Za-z]$/;

const LOOK_AROUND = /^\(\?<?[=!]/;

/** Copies an expression and replaces what RE2 would read in another way. */
class ExpressionReader {
  static readonly help: Help = MATCHER_NOT_TRANSLATED;
  problem: string | undefined;
  private at = 0;
  private readonly text: string;
  private readonly flavor: Flavor;

  constructor(text: string, flavor: Flavor) {
    this.text = text;
    this.flavor = flavor;
  }

  read(): string {
    let pattern = "";
    while (this.at < this.text.length && this.problem === undefined) pattern += this.next();
    return pattern;
  }

  private next(): string {
    const rest = this.text.slice(this.at);
    if (LOOK_AROUND.test(rest)) return this.fail("look-around such as (?!...) cannot be expressed in RE2");
    if (rest.startsWith("(?P=")) return this.fail("a back-reference cannot be expressed in RE2");
    if (this.flavor === "rust" && /^\(\?[a-zA-Z-]*[xRu]/.test(rest))
      return this.fail("the flags x, u and R are not supported");
    const char = this.text[this.at++] ?? "";
    if (char === "\\") return this.escape(false);
    return char === "[" ? this.characterClass() : char;
  }

  private escape(isInClass: boolean): string {
    const char = this.text[this.at++];
    if (char === undefined) return this.fail("it ends with a backslash");
    if (/[1-9]/.test(char) || (char === "k" && this.text[this.at] === "<"))
      return this.fail("a back-reference cannot be expressed in RE2");
    if (char === "b" && isInClass) return this.flavor === "rust" ? this.fail("\\b in a class") : "\\x08";
    if (SHARED_ESCAPES.test(char)) return `\\${char}`;
    if (this.flavor === "js") return this.scriptEscape(char);
    return LETTER.test(char) && !/^[xAzpPa]$/.test(char) ? this.fail(`\\${char} is not supported`) : `\\${char}`;
  }

  private scriptEscape(char: string): string {
    const digits = { x: 2, u: 4 }[char];
    if (digits !== undefined) {
      const code = this.text.slice(this.at, this.at + digits);
      if (!new RegExp(`^[0-9a-fA-F]{${digits}}$`).test(code)) return char;
      this.at += digits;
      return `\\x{${code}}`;
    }
    if (char === "0") return "\\x00";
    if (char === "c") return this.fail("\\c is not supported");
    return LETTER.test(char) || char === "_" ? char : `\\${char}`;
  }

  private characterClass(): string {
    const negated = this.text[this.at] === "^";
    if (negated) this.at++;
    if (this.flavor === "js" && this.text[this.at] === "]") {
      this.at++;
      return negated ? "(?s:.)" : "[^\\x00-\\x{10FFFF}]";
    }
    let inside = "";
    for (let first = true; this.problem === undefined; first = false) {
      const char = this.text[this.at++];
      if (char === undefined) return this.fail("a class is not closed");
      if (char === "]" && !first) break;
      inside += this.inClass(char);
    }
    return `[${negated ? "^" : ""}${inside}]`;
  }

  private inClass(char: string): string {
    if (char === "\\") return this.escape(true);
    if (this.flavor === "rust" && (char === "[" || /^(&&|--|~~)/.test(char + (this.text[this.at] ?? ""))))
      return this.fail("sets inside a class are not supported");
    return char === "[" || char === "]" ? `\\${char}` : char;
  }

  private fail(problem: string): string {
    this.problem ??= problem;
    return "";
  }
}

/** Quotes a text so that, as a pattern, it matches itself only. */
export function quoteLiteral(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}

/** The kinds of glob: those of Rust's globset, which also know `{a,b}`, and those of Python's fnmatch. */
export type GlobKind = "globset" | "fnmatch";

/** Translates a glob to a pattern. */
export function translateGlob(glob: string, kind: GlobKind): Translation {
  let pattern = "";
  let open = 0;
  for (let at = 0; at < glob.length; at++) {
    const char = glob[at] ?? "";
    const end =
      char === "["
        ? glob.indexOf("]", at + (/^\[!?\]/.test(glob.slice(at)) ? glob.slice(at).indexOf("]") + 1 : 1))
        : -1;
    if (char === "*") pattern += ".*";
    else if (char === "?") pattern += ".";
    else if (end > 0) {
      pattern += globClass(glob.slice(at + 1, end));
      at = end;
    } else if (kind === "globset" && char === "\\") pattern += quoteLiteral(glob[++at] ?? "");
    else if (kind === "globset" && char === "{") {
      pattern += "(?:";
      open++;
    } else if (kind === "globset" && open > 0 && (char === "," || char === "}")) {
      pattern += char === "," ? "|" : ")";
      if (char === "}") open--;
    } else pattern += quoteLiteral(char);
  }
  return open > 0 ? { problem: "a { is not closed" } : { pattern };
}

function globClass(inside: string): string {
  const negated = inside.startsWith("!");
  const members = (negated ? inside.slice(1) : inside).replace(/[\\[\]^]/g, "\\$&");
  return `[${negated ? "^" : ""}${members}]`;
}
