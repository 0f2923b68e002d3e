import { once } from "../../lib/once.ts";
import type { Fit, PathValue } from "../facts.ts";
import type { Place } from "../place.ts";
import { bestFit, worstFit } from "./fits.ts";
import { fitsHome, fitsOutside, fitsProject, fitsTemporary } from "./path-areas.ts";
import type { Need, PathForm } from "./path-form.ts";
import { PathPatterns } from "./path-patterns.ts";
import { listedSet } from "./path-sets.ts";
import { fitsRoots } from "./roots.ts";
import { isPathSet, type PathSetName } from "./set-names.ts";

export { keptPlace } from "./kept-place.ts";

/** Whether one spelling of a path fits a set or pattern. */
type FormTest = (form: PathForm, need: Need) => Fit;

export interface PathTestOptions {
  /** The sets that the rule's file defines. */
  own: { paths: Readonly<Record<string, readonly string[]>> };
  place: Place;
}

/**
 * Compiles names of sets and patterns of paths. The test says whether a path fits one of them.
 *
 * `need` says what has to fit if the path leads through links or is removed with all that lies below it. `either`: the path
 * as spelled, the one it leads to, or something below: for a restricting rule's conditions, and for those under a `not`
 * (`not`, `not_in`) of an `allow`. `both`: the spelled path and the one it leads to, whole: for an `allow`, and for the
 * conditions under a `not` of a restricting rule.
 */
export function pathTest(
  patterns: readonly string[],
  { own, place }: PathTestOptions,
): (value: PathValue, need: Need) => Fit {
  const tests = once(() => testsOf(patterns, own.paths, place));
  return (value, need) => {
    const forms = value.resolved === undefined ? [value.path] : [value.path, value.resolved];
    const fits = forms.map((path) => bestFit(tests().map((test) => test({ ...value, path }, need))));
    return need === "either" ? bestFit(fits) : worstFit(fits);
  };
}

function testsOf(patterns: readonly string[], own: PathTestOptions["own"]["paths"], place: Place): FormTest[] {
  const tests: FormTest[] = [];
  const covers: string[] = [];
  for (const pattern of patterns) {
    const ownSet = Object.hasOwn(own, pattern) ? own[pattern] : undefined;
    if (ownSet) covers.push(...ownSet);
    else if (isPathSet(pattern)) tests.push(builtInTest(pattern, place));
    else covers.push(pattern);
  }
  if (covers.length > 0) {
    const ignoreCase = place.platform === "darwin" || place.platform === "win32";
    const set = new PathPatterns([{ covers }], place, { homes: [], ignoreCase, elsewhere: "either" });
    tests.push((form, need) => set.fit(form, need));
  }
  return tests;
}

function builtInTest(name: PathSetName, place: Place): FormTest {
  switch (name) {
    case "project":
      return (form, need) => fitsProject(form, need, place);
    case "tmp":
      return (form) => fitsTemporary(form, place);
    case "outside":
      return (form) => fitsOutside(form, place);
    case "home":
      return (form, need) => fitsHome(form, need, place);
    case "roots":
      return (form, need) => fitsRoots(form, need, place);
    default:
      return (form, need) => listedSet(name, place).fit(form, need);
  }
}
