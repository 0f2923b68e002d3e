import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import * as v from "valibot";
import { parse } from "yaml";

/** A mutant that no test can or needs to catch, and why. */
const explanation = v.strictObject({
  file: v.string(),
  /**
   * The line without the white space around it: the explanation still applies if the line moves, but not if it changes.
   */
  line: v.string(),
  /** The changes of the line that are explained, as the run prints them. */
  changes: v.pipe(v.array(v.string()), v.minLength(1)),
  reason: v.pipe(v.string(), v.minLength(10)),
});

export type Explanation = v.InferOutput<typeof explanation>;

export const EXPLAINED_FILE = "test/mutation/explained.yaml";

/** Reads the explained survivors. Throws on a field that is missing or unknown. */
export function readExplanations(root: string): Explanation[] {
  const path = join(root, EXPLAINED_FILE);
  if (!existsSync(path)) return [];
  return v.parse(v.array(explanation), parse(readFileSync(path, "utf8")) ?? []);
}
