import { parsePattern } from "../../pattern/parse-pattern.ts";
import { compileProgram, makeMatcher } from "../../pattern/program.ts";
import type { Language } from "./language.ts";

const matchers = new Map<string, (text: string) => boolean>();

/** True if a text is in a language. */
export function includes(language: Language, text: string): boolean {
  switch (language.kind) {
    case "leaf": {
      let matches = matchers.get(language.key);
      if (!matches) {
        const rest = language.contains ? "(?s:.*)" : "";
        matches = makeMatcher(
          compileProgram(parsePattern(`(?:${language.expression})${rest}`), Number.POSITIVE_INFINITY),
        );
        matchers.set(language.key, matches);
      }
      return matches(text);
    }
    case "not":
      return !includes(language.of, text);
    case "word":
      return includes(language.of, text.split(" ", 1)[0] ?? "");
    case "both":
      return language.of.every((one) => includes(one, text));
    case "either":
      return language.of.some((one) => includes(one, text));
  }
}

/** Finds the first of a few texts that is in a language. */
export function findAmong(texts: readonly string[]): (language: Language) => string | undefined {
  return (language) => texts.find((text) => includes(language, text));
}
