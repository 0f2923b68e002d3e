/** Returns a function that is true the first time it gets a key: for warnings that are given once. */
export function firstTime<Key>(): (key: Key) => boolean {
  const seen = new Set<Key>();
  return (key) => !seen.has(key) && seen.add(key).has(key);
}
