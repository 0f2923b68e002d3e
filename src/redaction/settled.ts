import { openField } from "./assignment/contexts.ts";
import { openSection } from "./generic/kubernetes.ts";

/**
 * Returns the length of the lines that are settled at the end of which a text pauses: lines that no later text can make
 * a part of a secret. Not settled are the start of a known value with several lines (`known` has their spellings), lines
 * of base64 that may belong to a private key, lines that are continued on the next, the `data` of what may be a
 * Kubernetes Secret, and a value that may get its name later.
 */
export function settledLength(lines: string, known: readonly string[]): number {
  const open = [beginningOf(known, lines), openLines(lines), openSection(lines), startOfLine(lines, openField(lines))];
  return Math.min(lines.length, ...open.filter((at) => at !== undefined));
}

function startOfLine(text: string, at: number | undefined): number | undefined {
  return at === undefined ? undefined : text.lastIndexOf("\n", at - 1) + 1;
}

/** Returns where a text ends with complete lines of one of the values; undefined if it does not. */
function beginningOf(values: readonly string[], text: string): number | undefined {
  const lengths = values.flatMap((value) =>
    [...value.matchAll(/\n/g)].map(({ index }) => index + 1).filter((length) => text.endsWith(value.slice(0, length))),
  );
  return lengths.length > 0 ? text.length - Math.max(...lengths) : undefined;
}

/** A line that is continued, or that may be a line of a private key, perhaps quoted in source code. */
const OPEN_LINE = /[\\=]\r?$|[A-Za-z0-9+/]{40}={0,2}[\\nr"',;+\s]{0,8}$/;
/** The part of a line that tells whether it is open. */
const LINE_TAIL = 64;

/** Returns the start of the last lines that are open; undefined if the last line is not. */
function openLines(text: string): number | undefined {
  let open: number | undefined;
  for (let end = text.length - 1; end > 0; ) {
    const start = text.lastIndexOf("\n", end - 1) + 1;
    if (!OPEN_LINE.test(text.slice(Math.max(start, end - LINE_TAIL), end))) break;
    open = start;
    end = start - 1;
  }
  return open;
}
