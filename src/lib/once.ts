/**
 * Returns `make` with a cache of its results by object identity, which lasts as long as the object. Only for objects
 * that never change.
 */
export function memoize<K extends object, T>(make: (of: K) => T): (of: K) => T {
  const known = new WeakMap<K, { made: T }>();
  return (of) => {
    let entry = known.get(of);
    if (!entry) known.set(of, (entry = { made: make(of) }));
    return entry.made;
  };
}

/**
 * As {@link memoize}, for every item of a list. An item at the same place as in the list before, as in a conversation that
 * grows, costs a comparison instead of a look-up.
 */
export function memoizeEach<K extends object, T>(make: (of: K) => T): (list: readonly K[]) => readonly T[] {
  const one = memoize(make);
  let [items, results]: [readonly K[], readonly T[]] = [[], []];
  return (list) => {
    const made = list.map((of, at) => (items[at] === of ? (results[at] as T) : one(of)));
    [items, results] = [[...list], made];
    return made;
  };
}

/** Returns a function that is true the first time it gets a key: for warnings that are given once. */
export function firstTime<Key>(): (key: Key) => boolean {
  const seen = new Set<Key>();
  return (key) => !seen.has(key) && seen.add(key).has(key);
}

/** Returns a function that runs `make` at its first call, and returns that result at every call. */
export function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}
