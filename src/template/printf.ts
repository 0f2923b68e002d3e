import { printValue } from "./print-value.ts";
import { kindOf } from "./template-values.ts";

const VERB = /%([-+# 0]*)(\d*)(?:\.(\d*))?([^]?)/gu;
/** Maximum width and precision of a value. */
const MAX_WIDTH = 10_000;

interface Spec {
  flags: string;
  width: number;
  /** Undefined if the format has none. */
  precision: number | undefined;
}

/**
 * Formats values like `printf`. A verb that does not fit its value leaves a note in the text, such as `%!d(string=x)`.
 */
export function formatValues(format: string, values: readonly unknown[]): string {
  let used = 0;
  const text = format.replace(VERB, (_all, ...groups: (string | undefined)[]) => {
    const [flags = "", width = "", decimals, verb] = groups;
    if (verb === "%") return "%";
    if (!verb) return "%!(NOVERB)";
    if (used >= values.length) return `%!${verb}(MISSING)`;
    const spec = { flags, width: limited(width), precision: decimals === undefined ? undefined : limited(decimals) };
    return formatOne(verb, spec, values[used++]);
  });
  const extra = values.slice(used).map((value) => `${kindOf(value)}=${printValue(value)}`);
  return extra.length > 0 ? `${text}%!(EXTRA ${extra.join(", ")})` : text;
}

function limited(digits: string): number {
  return Math.min(Number(digits), MAX_WIDTH);
}

function formatOne(verb: string, spec: Spec, value: unknown): string {
  const text = verbText(verb, spec, value);
  if (text === undefined) return `%!${verb}(${kindOf(value)}=${printValue(value)})`;
  const { flags, width } = spec;
  if (flags.includes("-")) return text.padEnd(width);
  if (!flags.includes("0") || typeof value !== "number") return text.padStart(width);
  const sign = /^[+-]/.exec(text)?.[0] ?? "";
  return sign + text.slice(sign.length).padStart(width - sign.length, "0");
}

function verbText(verb: string, spec: Spec, value: unknown): string | undefined {
  if (verb === "v") return printValue(value);
  if (verb === "T") return kindOf(value);
  if (verb === "t") return typeof value === "boolean" ? String(value) : undefined;
  if (typeof value === "number") return numberText(verb, spec, value);
  if (verb === "s") return cut(printValue(value), spec.precision);
  if (typeof value !== "string") return undefined;
  if (verb === "q") return JSON.stringify(cut(value, spec.precision));
  if (verb === "x") return Buffer.from(value).toString("hex");
  if (verb === "X") return Buffer.from(value).toString("hex").toUpperCase();
  return undefined;
}

function cut(text: string, precision: number | undefined): string {
  return precision === undefined ? text : Array.from(text).slice(0, precision).join("");
}

const BASES: Record<string, number> = { b: 2, o: 8, x: 16, X: 16 };

function numberText(verb: string, { flags, precision }: Spec, value: number): string | undefined {
  const plus = flags.includes("+") && value >= 0 ? "+" : "";
  const decimals = Math.min(precision ?? 6, 100);
  switch (verb) {
    case "s":
      return String(value);
    case "d":
      return Number.isInteger(value) ? plus + String(value) : undefined;
    case "f":
    case "F":
      return plus + value.toFixed(decimals);
    case "e":
      return plus + value.toExponential(decimals).replace(/e([+-])(\d)$/, "e$10$2");
    case "g":
      return plus + String(precision === undefined ? value : Number(value.toPrecision(Math.max(1, decimals))));
    case "c":
      return value >= 0 && value <= 0x10ffff ? String.fromCodePoint(value) : undefined;
    case "U":
      return `U+${value.toString(16).toUpperCase().padStart(4, "0")}`;
    default: {
      const base = BASES[verb];
      if (base === undefined || !Number.isInteger(value)) return undefined;
      const text = value.toString(base);
      return plus + (verb === "X" ? text.toUpperCase() : text);
    }
  }
}
