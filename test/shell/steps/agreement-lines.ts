import { ATTACKS } from "../../../src/testing/attacks/run-attacks.ts";
import * as corpus from "../corpus.ts";

/** Every command line of the corpora and of the attacks. */
export const ALL_LINES: readonly string[] = [...new Set([...Object.values(corpus).flatMap(linesIn), ...attackLines()])];

function linesIn(part: unknown): string[] {
  if (typeof part === "string") return [part];
  return typeof part === "object" && part !== null ? Object.values(part).flatMap(linesIn) : [];
}

function attackLines(): string[] {
  return Object.values(ATTACKS)
    .flat()
    .flatMap(({ input }) => (typeof input["cmd"] === "string" ? [input["cmd"]] : []));
}
