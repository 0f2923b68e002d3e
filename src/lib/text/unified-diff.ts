const CONTEXT = 3;
/** Above this many pairs of lines, the lines between the first and the last difference are shown as replaced. */
const MAX_PAIRS = 4_000_000;

/** A line of both texts (` `) or of only one. */
export interface DiffLine {
  mark: " " | "-" | "+";
  text: string;
}

/**
 * Returns the differences of two texts as a unified diff, without a line for the files. Empty if the texts are equal.
 * Undefined means a file that does not exist.
 */
export function unifiedDiff(before: string | undefined, after: string | undefined): string {
  const lines = diffLines(before, after);
  const changed = lines.flatMap(({ mark }, index) => (mark === " " ? [] : [index]));
  const hunks: { from: number; to: number }[] = [];
  for (const index of changed) {
    const last = hunks.at(-1);
    if (last && index - CONTEXT <= last.to) last.to = Math.min(index + CONTEXT + 1, lines.length);
    else hunks.push({ from: Math.max(0, index - CONTEXT), to: Math.min(index + CONTEXT + 1, lines.length) });
  }
  return hunks.map(({ from, to }) => hunkText(lines, from, to)).join("\n");
}

/** Compares two texts line by line; ignores whether the last line ends. Undefined means a file that does not exist. */
export function diffLines(before: string | undefined, after: string | undefined): DiffLine[] {
  return compare(linesOf(before), linesOf(after));
}

function linesOf(text: string | undefined): string[] {
  if (text === undefined || text === "") return [];
  return text.replace(/\n$/, "").split("\n");
}

function hunkText(lines: readonly DiffLine[], from: number, to: number): string {
  const range = (other: DiffLine["mark"]) => {
    const start = lines.slice(0, from).filter(({ mark }) => mark !== other).length;
    const count = lines.slice(from, to).filter(({ mark }) => mark !== other).length;
    return `${count === 0 ? start : start + 1},${count}`;
  };
  const head = `@@ -${range("+")} +${range("-")} @@`;
  return [head, ...lines.slice(from, to).map(({ mark, text }) => `${mark}${text}`)].join("\n");
}

function compare(before: readonly string[], after: readonly string[]): DiffLine[] {
  let start = 0;
  while (start < before.length && start < after.length && before[start] === after[start]) start++;
  let end = 0;
  while (end < before.length - start && end < after.length - start && before.at(-1 - end) === after.at(-1 - end)) end++;
  const same = (lines: readonly string[]) => lines.map((text): DiffLine => ({ mark: " ", text }));
  return [
    ...same(before.slice(0, start)),
    ...middle(before.slice(start, before.length - end), after.slice(start, after.length - end)),
    ...same(before.slice(before.length - end)),
  ];
}

/** Compares by the longest common subsequence. */
function middle(before: readonly string[], after: readonly string[]): DiffLine[] {
  const only = (mark: "-" | "+", lines: readonly string[]) => lines.map((text): DiffLine => ({ mark, text }));
  if (before.length * after.length > MAX_PAIRS) return [...only("-", before), ...only("+", after)];
  const width = after.length + 1;
  const common = new Uint32Array((before.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      common[i * width + j] = before[i] === after[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
  const lines: DiffLine[] = [];
  let [i, j] = [0, 0];
  while (i < before.length && j < after.length) {
    if (before[i] === after[j]) {
      lines.push({ mark: " ", text: before[i++] ?? "" });
      j++;
    } else if (at(i + 1, j) >= at(i, j + 1)) lines.push(...only("-", before.slice(i, ++i)));
    else lines.push(...only("+", after.slice(j, ++j)));
  }
  return [...lines, ...only("-", before.slice(i)), ...only("+", after.slice(j))];
}
