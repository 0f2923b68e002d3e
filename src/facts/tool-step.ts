import { type HostTouch, NO_VALUES, type PathTouch, type Value } from "../shell/steps/program-facts.ts";
import { EFFECTS, type HostValue, type PathValue, type Step } from "./facts.ts";
import type { Place } from "./place.ts";
import { resolvePath } from "./resolve-path.ts";
import { pathTest } from "./sets/path-test.ts";
import type { ToolTouches } from "./tool-touches.ts";

/** The step of a tool that runs no command. */
export function toolStep(touches: Partial<ToolTouches>, place: Place): Step {
  const { hosts = [], sends = [], effects = [], opaque = false } = touches;
  const resolved = (paths: readonly PathTouch[] = [], read = false): PathValue[] =>
    paths.flatMap((path) => resolvePath(path, { directories: [""], place, read, elsewhere: false }));
  const reads = resolved(touches.reads, true);
  const writes = resolved(touches.writes);
  return {
    command: undefined,
    program: [],
    verb: [],
    flags: NO_VALUES,
    args: NO_VALUES,
    commandLine: NO_VALUES,
    env: NO_VALUES,
    effect: { values: inOrder([...effects, ...effectsOfPaths(reads, writes, place)]), open: false },
    reads,
    writes,
    paths: [...reads, ...writes, ...resolved(touches.lists, true)],
    hosts: hosts.map(hostValue),
    sends: sends.map(hostValue),
    ref: NO_VALUES,
    target: NO_VALUES,
    opaque,
    unquoted: [],
    cover: "rule",
    assigns: [],
  };
}

function hostValue({ host, port, sure }: HostTouch): HostValue {
  return { host, sure, ...(port === undefined ? {} : { port }) };
}

/** Reading credentials reveals them, and writing a file that runs later is persistence. */
function effectsOfPaths(reads: readonly PathValue[], writes: readonly PathValue[], place: Place): Value[] {
  return [
    ...effectIf("reveals", certaintyIn("credentials", reads, place)),
    ...effectIf("persistence", certaintyIn("startup", writes, place)),
  ];
}

function effectIf(text: string, certainty: Certainty): Value[] {
  return certainty === "no" ? [] : [{ text, sure: certainty === "certain" }];
}

type Certainty = "certain" | "possible" | "no";

/** Whether one of the paths is in a built-in set. */
export function certaintyIn(set: string, paths: readonly PathValue[], place: Place): Certainty {
  if (paths.length === 0) return "no";
  const test = pathTest([set], { own: { paths: {} }, place });
  const fits = paths.map((path) => ({ fit: test(path, "either"), sure: path.sure }));
  if (fits.some(({ fit, sure }) => fit === "all" && sure)) return "certain";
  return fits.some(({ fit }) => fit === "all" || fit === "some") ? "possible" : "no";
}

/** Each effect once, certain if it is certain anywhere, in the order of the list of effects. */
function inOrder(effects: readonly Value[]): Value[] {
  return EFFECTS.flatMap((name) => {
    const same = effects.filter(({ text }) => text === name);
    return same.length === 0 ? [] : [{ text: name, sure: same.some(({ sure }) => sure) }];
  });
}
