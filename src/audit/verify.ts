import type { Help } from "../lib/errors.ts";
import { AUDIT_VERSION, digestOf, isDigest, NO_LINE } from "./entry.ts";
import { auditMonths, monthFile, withOpenFile } from "./files.ts";
import { whileLocked } from "./lock.ts";
import { parseEntry } from "./parse-entry.ts";
import { readBlocks, visitLines } from "./read-blocks.ts";

export const AUDIT_CHAIN_BROKEN: Help = {
  cause: "Lines were changed, removed, inserted or cut off since they were written.",
  cure: "Compare with a copy of the log, and with the digest kept for `--expect`.",
};

/** A file of the log and how much of it to verify. */
export interface VerifiedFile {
  path: string;
  /** In bytes; a line that is being written is beyond it. */
  size: number;
}

export interface Verification {
  files: number;
  lines: number;
  /** The digest of the last line; {@link NO_LINE} for an empty log. */
  head: string;
  /** What the first line continues; {@link NO_LINE} if it is the beginning of the log. */
  start: string;
  /** The expected digest was that of a line. */
  hasExpected: boolean;
  /** The lines that are not entries, at most {@link MOST_PROBLEMS}, and the first break of the chain. */
  problems: readonly ChainProblem[];
}

/** A line that is not an entry, or a break of the chain. */
export interface ChainProblem {
  file: string;
  /** Counted from 1. */
  line: number;
  message: string;
  /** The digests that a break of the chain is about. */
  expected?: string;
  found?: string;
}

const LOCK_WAIT_MS = 2000;

/** How many lines that are not entries a verification names. */
const MOST_PROBLEMS = 100;

/**
 * Returns the files of the log in a folder, measured while no line is being written. Without the lock, which a copy on a
 * read-only disk does not give, a file may end in half a line.
 */
export async function filesOfLog(folder: string): Promise<VerifiedFile[]> {
  const measure = () => auditMonths(folder).map((month) => fileToVerify(monthFile(folder, month)));
  if (measure().length === 0) return [];
  try {
    return await whileLocked(folder, LOCK_WAIT_MS, measure);
  } catch {
    return measure();
  }
}

/** Returns a file as it is now. Throws a `UserError` if it cannot be read. */
export function fileToVerify(path: string): VerifiedFile {
  return { path, size: withOpenFile(path, ({ size }) => size) };
}

export interface VerifyOptions {
  /** The files hold the log from its beginning. */
  isComplete: boolean;
  /** The digest of a line that must be in the files. */
  expect?: string | undefined;
}

/**
 * Verifies that every line is an entry and holds the digest of the line before it, over all files in order. Stops at the
 * first break of the chain. A line that is not an entry, such as one that a killed process left incomplete, is a problem
 * but not a break: the next line continues it.
 */
export function verifyFiles(files: readonly VerifiedFile[], { isComplete, expect }: VerifyOptions): Verification {
  const chain = new Chain(isComplete, expect);
  for (const { path, size } of files) {
    if (!chain.isBroken) verifyFile(chain, path, size);
  }
  const { lines, last, start = NO_LINE, hasExpected, problems } = chain;
  return { files: files.length, lines, head: last?.digest ?? NO_LINE, start, hasExpected, problems };
}

function verifyFile(chain: Chain, file: string, size: number): void {
  let line = 0;
  let bytes: Uint8Array = new Uint8Array();
  for (const block of readBlocks(file, { to: size })) {
    visitLines(block.bytes, (start, end) => {
      const next = block.bytes.subarray(start, end);
      bytes = next;
      chain.next(next, { file, line: ++line });
    });
    if (chain.isBroken) return;
  }
  // No line continues the last one yet, so a change in it breaks no chain.
  const entry = line > 0 ? parseEntry(new TextDecoder().decode(bytes)) : undefined;
  if (typeof entry === "string") chain.report({ file, line }, entry);
}

interface Place {
  file: string;
  line: number;
}

/** The links of the lines so far, up to the first break. */
class Chain {
  static readonly help: Help = AUDIT_CHAIN_BROKEN;
  lines = 0;
  last: (Place & { prev: string; digest: string }) | undefined;
  start: string | undefined;
  hasExpected = false;
  isBroken = false;
  readonly problems: ChainProblem[] = [];
  readonly #isComplete: boolean;
  readonly #expect: string | undefined;

  constructor(isComplete: boolean, expect: string | undefined) {
    this.#isComplete = isComplete;
    this.#expect = expect;
  }

  next(bytes: Buffer, place: Place): void {
    if (this.isBroken) return;
    const prev = prevOf(bytes);
    if (typeof prev === "string") this.#compare(prev, place);
    else this.report(place, prev.problem);
    if (this.isBroken) return;
    this.lines++;
    this.last = { ...place, prev: typeof prev === "string" ? prev : "", digest: digestOf(bytes) };
    this.hasExpected ||= this.last.digest === this.#expect;
  }

  report({ file, line }: Place, message: string): void {
    const last = this.problems.at(-1);
    if (this.problems.length >= MOST_PROBLEMS || (last?.file === file && last.line === line)) return;
    this.problems.push({ file, line, message });
  }

  #break({ file, line }: Place, message: string, digests: { expected: string; found: string }): void {
    this.isBroken = true;
    this.problems.push({ file, line, message, ...digests });
  }

  #compare(found: string, { file, line }: Place): void {
    const { last } = this;
    this.start ??= found;
    const expected = last?.digest ?? (this.#isComplete ? NO_LINE : this.start);
    if (found === expected) return;
    const digests = { expected, found };
    if (last === undefined) {
      this.#break({ file, line }, "the log does not begin here: lines or files before this line were removed", digests);
    } else if (found === last.prev) {
      this.#break(last, `this line was inserted: ${file}:${line} continues the line before it`, digests);
    } else {
      const lost = file === last.file ? "lines after it" : "lines or files after it";
      const cause = `it was changed, or ${lost} were removed or moved`;
      this.#break(last, `the chain breaks: ${file}:${line} does not continue this line; ${cause}`, digests);
    }
  }
}

/** `{"v":1,"time":"2026-11-23T01:10:23.123Z","prev":"sha256:...",`: where hooksh writes the digest. */
const PREV_KEY = Buffer.from('Z","prev":"');
const PREV_START = `{"v":${AUDIT_VERSION},"time":"2026-11-23T01:10:23.123`.length;
const DIGEST_START = PREV_START + PREV_KEY.length;
const DIGEST_END = DIGEST_START + NO_LINE.length;

/** Returns the digest in a line; parses the line only if it is not written as hooksh writes it. */
function prevOf(line: Buffer): string | { problem: string } {
  if (line.length > DIGEST_END && line.compare(PREV_KEY, 0, PREV_KEY.length, PREV_START, DIGEST_START) === 0) {
    const digest = line.toString("latin1", DIGEST_START, DIGEST_END);
    if (isDigest(digest) && line[line.length - 1] === 0x7d) return digest; // }
  }
  const entry = parseEntry(line.toString());
  return typeof entry === "string" ? { problem: entry } : entry.prev;
}
