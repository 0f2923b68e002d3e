import type { Fit, HostValue, PathValue } from "../../facts/facts.ts";
import type { Place } from "../../facts/place.ts";
import type * as Hosts from "../../facts/sets/host-test.ts";
import type * as Paths from "../../facts/sets/path-test.ts";
import { memoize } from "../../lib/once.ts";
import type * as Words from "../../shell/steps/parse-words.ts";
import type { OwnSets } from "../rule.ts";

/** The tests of values that know sets, places and programs. */
export interface RuleTests {
  /** `need` says whether the path as spelled or without links must fit, or both. */
  path: (patterns: readonly string[], own: OwnSets) => (value: PathValue, need: "either" | "both") => Fit;
  host: (patterns: readonly string[], own: OwnSets) => (value: HostValue) => Fit;
  /** The names of a flag in the facts of programs; the first is the one that is shown. */
  flag: (programs: readonly string[], flag: string) => readonly string[];
}

/**
 * The tests of calls in a place. Each list of patterns is compiled once for all calls in the same place, but hosts once for
 * each call: their sets are read from files that a call may change. The code of each kind is loaded with its first test
 * (cold start).
 */
export const testsAt = memoize((place: Place): RuleTests => {
  // A list of patterns belongs to one rule, so its sets need no key of their own.
  const hosts = new WeakMap<readonly string[], ReturnType<RuleTests["host"]>>();
  let paths: ReturnType<typeof testsOfPaths> | undefined;
  return {
    path(patterns, own) {
      paths ??= testsOfPaths(pathTests().keptPlace(place));
      return kept(paths, patterns, () => pathTests().pathTest(patterns, { own, place: pathTests().keptPlace(place) }));
    },
    host: (patterns, own) => kept(hosts, patterns, () => hostTests().hostTest(patterns, { own, place })),
    flag: (programs, flag) => words().normalFlag(programs, flag),
  };
});

const testsOfPaths = memoize((_place: Place) => new WeakMap<readonly string[], ReturnType<RuleTests["path"]>>());

function kept<T>(known: WeakMap<readonly string[], T>, patterns: readonly string[], make: () => T): T {
  let test = known.get(patterns);
  if (!test) known.set(patterns, (test = make()));
  return test;
}

const pathTests = () => require("../../facts/sets/path-test.ts") as typeof Paths;
const hostTests = () => require("../../facts/sets/host-test.ts") as typeof Hosts;
const words = () => require("../../shell/steps/parse-words.ts") as typeof Words;
