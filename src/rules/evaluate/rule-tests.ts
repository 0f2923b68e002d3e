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
 * The tests of calls in a place. Lists of patterns are compiled once. The code of each kind is loaded with its first test
 * (cold start).
 */
export const testsAt = memoize((place: Place): RuleTests => {
  // A list of patterns belongs to one rule, so its sets need no key of their own.
  const paths = new WeakMap<readonly string[], ReturnType<RuleTests["path"]>>();
  const hosts = new WeakMap<readonly string[], ReturnType<RuleTests["host"]>>();
  const kept = <T>(known: WeakMap<readonly string[], T>, patterns: readonly string[], make: () => T): T => {
    let test = known.get(patterns);
    if (!test) known.set(patterns, (test = make()));
    return test;
  };
  return {
    path: (patterns, own) => kept(paths, patterns, () => pathTests().pathTest(patterns, { own, place })),
    host: (patterns, own) => kept(hosts, patterns, () => hostTests().hostTest(patterns, { own, place })),
    flag: (programs, flag) => words().normalFlag(programs, flag),
  };
});

const pathTests = () => require("../../facts/sets/path-test.ts") as typeof Paths;
const hostTests = () => require("../../facts/sets/host-test.ts") as typeof Hosts;
const words = () => require("../../shell/steps/parse-words.ts") as typeof Words;
