import { nearest } from "../lib/text/nearest.ts";
import type { GenericLevel, RedactionOptions } from "./redact.ts";

/** The levels of the search for credentials without a vendor's mark, from the fewest hits to the most. */
export const GENERIC_LEVELS = ["off", "on", "strict"] as const satisfies readonly GenericLevel[];

const LEVEL_ARGS = new Map(GENERIC_LEVELS.map((level) => [`generic=${level}`, level]));
const LABEL_ARG = "label";
const KNOWN = [...LEVEL_ARGS.keys(), LABEL_ARG];

/**
 * The options that the arguments of `redact_secrets` set: `generic=off`, `generic=on` or `generic=strict`, and `label`.
 * Returns the problem as a text for any other argument, and for one that is given twice.
 */
export function parseRedactionArgs(args: readonly string[]): RedactionOptions | string {
  const options: RedactionOptions = {};
  for (const arg of args) {
    const level = LEVEL_ARGS.get(arg);
    if (level !== undefined) {
      if (options.generic !== undefined) return "redact_secrets takes one generic=LEVEL, not two";
      options.generic = level;
    } else if (arg === LABEL_ARG) {
      if (options.label) return "redact_secrets takes label once, not twice";
      options.label = true;
    } else return unknownArg(arg);
  }
  return options;
}

/** Returns the problem with the arguments of `redact_secrets`; undefined if they are valid. */
export function redactionArgsProblem(args: readonly string[]): string | undefined {
  const parsed = parseRedactionArgs(args);
  return typeof parsed === "string" ? parsed : undefined;
}

/** Returns the arguments of `redact_secrets` that set these options. */
export function redactionArgs({ generic, label = false }: RedactionOptions): string[] {
  return [...(generic === undefined ? [] : [`generic=${generic}`]), ...(label ? [LABEL_ARG] : [])];
}

function unknownArg(arg: string): string {
  const close = nearest(arg, KNOWN);
  const advice = close === undefined ? `known are ${KNOWN.join(", ")}` : `did you mean ${close}?`;
  return `redact_secrets: unknown argument ${JSON.stringify(arg)}: ${advice}`;
}
