import type { Expression } from "./expression.ts";

/** The maximum nesting, so that hostile input cannot overflow the stack. */
const MAX_DEPTH = 50;

/** Binary operators from the lowest precedence to the highest. All are left-associative. */
const LEVELS = [["??", "||"], ["&&"], ["===", "!==", "==", "!="], ["+"]] as const;

const NAME = /[A-Za-z_$][\w$]*/y;
const TOOL_NAME = /[A-Za-z_][\w-]*(?=\s?\()/y;
const NUMBER = /\d{1,15}(?:\.\d{1,15})?/y;
const ESCAPES: Record<string, string> = { n: "\n", r: "\r", t: "\t", b: "\b", f: "\f", v: "\v", "0": "\0" };

/** Thrown inside the parser for text that is not an expression. */
class NotAnExpression extends Error {}

/** Parses an expression in linear time. Returns undefined for text that is not an expression. */
export function parseExpression(text: string): Expression | undefined {
  const parser = new Parser(text);
  try {
    return parser.whole();
  } catch (error) {
    if (error instanceof NotAnExpression) return undefined;
    throw error;
  }
}

class Parser {
  readonly #text: string;
  #at = 0;
  #depth = 0;

  constructor(text: string) {
    this.#text = text;
  }

  whole(): Expression {
    const expression = this.#choice();
    this.#space();
    if (this.#at < this.#text.length) throw new NotAnExpression();
    return expression;
  }

  #choice(): Expression {
    if (++this.#depth > MAX_DEPTH) throw new NotAnExpression();
    const test = this.#binary(0);
    let expression = test;
    if (this.#take("?")) {
      const yes = this.#choice();
      this.#need(":");
      expression = { kind: "choice", test, yes, no: this.#choice() };
    }
    this.#depth--;
    return expression;
  }

  #binary(level: number): Expression {
    const operators: readonly string[] | undefined = LEVELS[level];
    if (!operators) return this.#unary();
    let left = this.#binary(level + 1);
    for (;;) {
      const operator = operators.find((candidate) => this.#take(candidate));
      if (operator === undefined) return left;
      left = { kind: "binary", operator, left, right: this.#binary(level + 1) };
    }
  }

  #unary(): Expression {
    if (!this.#take("!")) return this.#primary();
    if (++this.#depth > MAX_DEPTH) throw new NotAnExpression();
    const operand = this.#unary();
    this.#depth--;
    return { kind: "not", operand };
  }

  #primary(): Expression {
    this.#space();
    const char = this.#text[this.#at] ?? "";
    if (char === '"' || char === "'") return { kind: "literal", value: this.#quoted(char) };
    if (char === "`") return this.#template();
    if (this.#take("(")) {
      const inner = this.#choice();
      this.#need(")");
      return inner;
    }
    const number = this.#match(NUMBER);
    if (number !== undefined) return { kind: "literal", value: Number(number) };
    const tool = this.#match(TOOL_NAME);
    return tool === undefined ? this.#named() : this.#call(tool);
  }

  #named(): Expression {
    switch (this.#match(NAME)) {
      case "true":
        return { kind: "literal", value: true };
      case "false":
        return { kind: "literal", value: false };
      case "null":
        return { kind: "literal", value: null };
      case "env": {
        this.#need(".");
        return { kind: "variable", name: this.#match(NAME) ?? this.#fail() };
      }
      case "args":
        return this.#args();
      default:
        return this.#fail();
    }
  }

  #args(): Expression {
    if (this.#take("[")) {
      const index = this.#choice();
      this.#need("]");
      return { kind: "arg", index };
    }
    if (!this.#take(".")) return { kind: "args" };
    const member = this.#match(NAME);
    if (member === "length") return { kind: "count" };
    if (member !== "join") return this.#fail();
    this.#need("(");
    if (this.#take(")")) return { kind: "join", separator: { kind: "literal", value: "," } };
    const separator = this.#choice();
    this.#need(")");
    return { kind: "join", separator };
  }

  #call(tool: string): Expression {
    this.#need("(");
    if (this.#take(")")) return { kind: "call", tool, input: { kind: "object", entries: [] } };
    this.#need("{");
    const input = this.#object();
    this.#need(")");
    return { kind: "call", tool, input };
  }

  /** Reads an object after its opening brace. */
  #object(): Expression {
    if (++this.#depth > MAX_DEPTH) throw new NotAnExpression();
    const entries: [string, Expression][] = [];
    while (!this.#take("}")) {
      this.#space();
      const quote = this.#text[this.#at] ?? "";
      const key = quote === '"' || quote === "'" ? this.#quoted(quote) : (this.#match(NAME) ?? this.#fail());
      this.#need(":");
      entries.push([key, this.#take("{") ? this.#object() : this.#choice()]);
      if (this.#take(",")) continue;
      this.#need("}");
      break;
    }
    this.#depth--;
    return { kind: "object", entries };
  }

  #quoted(quote: string): string {
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? "";
      if (char === quote) {
        this.#at++;
        return text;
      }
      text += char === "\\" ? this.#escape() : char;
    }
    return this.#fail();
  }

  /** Reads an escape sequence and returns its character. */
  #escape(): string {
    const char = this.#text[++this.#at] ?? this.#fail();
    if (char !== "u") return ESCAPES[char] ?? char;
    const code = this.#text.slice(this.#at + 1, this.#at + 5);
    if (!/^[0-9A-Fa-f]{4}$/.test(code)) this.#fail();
    this.#at += 4;
    return String.fromCharCode(Number.parseInt(code, 16));
  }

  #template(): Expression {
    const parts: Expression[] = [];
    let text = "";
    for (this.#at++; this.#at < this.#text.length; this.#at++) {
      const char = this.#text[this.#at] ?? "";
      if (char === "`") {
        this.#at++;
        return { kind: "template", parts: [...parts, { kind: "literal", value: text }] };
      }
      if (char === "\\") {
        text += this.#escape();
      } else if (this.#text.startsWith("${", this.#at)) {
        this.#at += 2;
        parts.push({ kind: "literal", value: text }, this.#choice());
        text = "";
        this.#space();
        if (this.#text[this.#at] !== "}") this.#fail();
      } else {
        text += char;
      }
    }
    return this.#fail();
  }

  #space(): void {
    while (" \t\r\n".includes(this.#text[this.#at] ?? "x")) this.#at++;
  }

  #take(token: string): boolean {
    this.#space();
    if (!this.#text.startsWith(token, this.#at)) return false;
    this.#at += token.length;
    return true;
  }

  #need(token: string): void {
    if (!this.#take(token)) this.#fail();
  }

  #match(pattern: RegExp): string | undefined {
    this.#space();
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    this.#at += found?.length ?? 0;
    return found;
  }

  #fail(): never {
    throw new NotAnExpression();
  }
}
