import type { Fit, HostValue, PathValue } from "../../facts/facts.ts";
import { once } from "../../lib/once.ts";
import { compileSearch } from "../../pattern/search.ts";
import { HOLE } from "../../shell/steps/invocation.ts";
import { FACT_TABLE } from "../fact-table.ts";
import type { FactName, OwnSets } from "../rule.ts";
import { type At, type FactValue, textsOf } from "./fact-values.ts";
import { compileText, type TextFit } from "./text-pattern.ts";

/** How a value fits patterns. `need` says whether one spelling of a path must fit or all. */
export type Fitter = (value: FactValue, at: At, need: "either" | "both") => Fit;

function best(fits: readonly TextFit[]): TextFit {
  return fits.includes("all") ? "all" : fits.includes("some") ? "some" : "none";
}

function worst(fits: readonly TextFit[]): TextFit {
  return fits.includes("none") ? "none" : fits.includes("some") ? "some" : "all";
}

/** Compiles the patterns of a condition on a fact. */
export function compilePatterns(fact: FactName, patterns: readonly string[], sets: OwnSets): Fitter {
  const { values } = FACT_TABLE[fact];
  if (values === "path") return (value, at, need) => at.tests.path(patterns, sets)(value as PathValue, need);
  if (values === "host") return (value, at) => at.tests.host(patterns, sets)(value as HostValue);
  if (fact === "flags") return compileFlags(patterns);
  const texts = compileTexts(patterns, FACT_TABLE[fact].anyCase === true);
  if (fact === "verb") return (value) => best(patterns.map((pattern, index) => verbFit(value, pattern, texts[index])));
  return (value) => {
    const [text = ""] = textsOf(value);
    return best(texts.map((fits) => fits(text)));
  };
}

function compileTexts(patterns: readonly string[], anyCase: boolean): ((text: string) => TextFit)[] {
  return patterns.map((pattern) => compileText(pattern, anyCase));
}

/** A pattern of a verb may name fewer levels than the verb has. */
function verbFit(value: FactValue, pattern: string, fits: ((text: string) => TextFit) | undefined): TextFit {
  const levels = (textsOf(value)[0] ?? "").split(" ");
  return fits?.(levels.slice(0, pattern.split(" ").length).join(" ")) ?? "none";
}

/** Flags have the names that the programs of the step give them. */
function compileFlags(patterns: readonly string[]): Fitter {
  const known = new Map<string, ((text: string) => TextFit)[]>();
  return (value, at) => {
    const programs = (at.step?.program ?? []).map(({ text }) => text);
    const key = programs.join(" ");
    let texts = known.get(key);
    if (!texts) {
      texts = compileTexts(
        patterns.flatMap((flag) => at.tests.flag(programs, flag)),
        false,
      );
      if (known.size < MAX_KNOWN) known.set(key, texts);
    }
    const [text = ""] = textsOf(value);
    return best(texts.map((fits) => fits(text)));
  };
}

/** Programs whose flags are kept for the next call. */
const MAX_KNOWN = 100;

/** Compiles the regular expression of a condition. */
export function compileMatches(fact: FactName, expression: string): Fitter {
  // Reading the rule has checked the expression. Most are never tried.
  const search = once(() => compileSearch(expression, HOLE));
  const isPlace = FACT_TABLE[fact].values !== "text";
  return (value, _at, need) => {
    const texts = textsOf(value);
    const fits = texts.map(search());
    const fit = need === "either" ? best(fits) : worst(fits);
    return fit === "some" && isPlace && texts[0]?.startsWith(HOLE) ? "unknown" : fit;
  };
}
