/**
 * Returns the size to cut the largest items to so that all of them fit into `total`; smaller items keep their size.
 * Infinity if everything fits.
 */
export function fairShare(sizes: readonly number[], total: number): number {
  let left = total;
  const ascending = sizes.toSorted((one, other) => one - other);
  for (const [index, size] of ascending.entries()) {
    const share = left / (ascending.length - index);
    if (size > share) return Math.max(0, Math.floor(share));
    left -= size;
  }
  return Infinity;
}
