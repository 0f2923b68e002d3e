/** Returns the candidate closest to a mistyped word; undefined if none is close enough to be what the user meant. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = Math.max(1, Math.floor(word.length / 3)) + 1;
  for (const candidate of candidates) {
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < bestDistance) [best, bestDistance] = [candidate, distance];
  }
  return best;
}

/** Returns the first of the names closest to a word, within two edits, of a word of three letters within one. */
export function nearestWithinTwo(word: string, names: Iterable<string>): string | undefined {
  let best: string | undefined;
  let bestDistance = 3;
  for (const name of names) {
    const distance = editDistance(word.toLowerCase(), name.toLowerCase());
    const shorter = Math.min(word.length, name.length);
    if (distance < bestDistance && distance < shorter && (distance < 2 || shorter > 3)) {
      [best, bestDistance] = [name, distance];
    }
  }
  return best;
}

/**
 * Returns the name closest to a word, else the shortest that begins with it, else one that it continues after a dash or an
 * underscore: `allow` for `allow_list`, `claude-code` for `claude`.
 */
export function nearestName(word: string, names: Iterable<string>): string | undefined {
  const known = [...names];
  const close = nearest(word, known);
  if (close !== undefined || word.length < 4) return close;
  const written = word.toLowerCase();
  const isContinued = (name: string) => name.length > 3 && /^[-_]/.test(written.slice(name.length));
  return known
    .filter((name) => name.startsWith(written) || (written.startsWith(name) && isContinued(name)))
    .sort((a, b) => a.length - b.length)[0];
}

/**
 * Returns the number of insertions, deletions, substitutions and swaps of neighbours that turn one word into the other.
 */
function editDistance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 8) return Infinity;
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substituted = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const isSwap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      next.push(
        Math.min(substituted, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1, isSwap ? (before[j - 2] ?? 0) + 1 : Infinity),
      );
    }
    [before, row] = [row, next];
  }
  return row[b.length] ?? Infinity;
}
