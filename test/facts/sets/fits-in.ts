import type { Fit, PathValue } from "../../../src/facts/facts.ts";
import { type Place, placeOf } from "../../../src/facts/place.ts";
import { resolvePath } from "../../../src/facts/resolve-path.ts";
import { bestFit, worstFit } from "../../../src/facts/sets/fits.ts";
import { pathTest } from "../../../src/facts/sets/path-test.ts";
import { HOLE } from "../../../src/shell/steps/invocation.ts";

/** A place in a directory, with the home directory `.home` below it, and no repository above. */
export function placeIn(cwd: string, more: Partial<Parameters<typeof placeOf>[0]> = {}): Place {
  return placeOf({ cwd, env: { HOME: `${cwd}/.home`, GIT_CEILING_DIRECTORIES: cwd, ...more.env }, ...without(more) });
}

function without({ cwd: _cwd, env: _env, ...rest }: Partial<Parameters<typeof placeOf>[0]>) {
  return rest;
}

export type TouchOptions = Partial<Pick<PathValue, "extent" | "read" | "elsewhere" | "glob">> & {
  directory?: string;
};

/** The values of a word: `$X` is an expansion, wildcards are a pattern of names. */
export function valuesOf(word: string, place: Place, options: TouchOptions = {}): PathValue[] {
  const { extent = "itself", read = false, elsewhere = false, glob = /[*?[{]/.test(word), directory = "" } = options;
  const path = word.replaceAll("$X", HOLE);
  return resolvePath({ path, glob, sure: true, extent }, { directories: [directory], place, read, elsewhere });
}

/** Whether a word fits patterns: the best of its values if that is enough, else the worst. */
export function fit(
  patterns: readonly string[],
  word: string,
  place: Place,
  { need = "either", ...options }: TouchOptions & { need?: "either" | "both" } = {},
): Fit {
  const test = pathTest(patterns, { own: { paths: {} }, place });
  const fits = valuesOf(word, place, options).map((value) => test(value, need));
  return need === "either" ? bestFit(fits) : worstFit(fits);
}

/** The words of a line of words that do not fit as said. */
export function unfit(
  expected: Fit,
  set: string,
  words: readonly string[],
  place: Place,
  options?: TouchOptions,
): string[] {
  return words.flatMap((word) => {
    const found = fit([set], word, place, options);
    return found === expected ? [] : [`${word}: ${found}`];
  });
}
