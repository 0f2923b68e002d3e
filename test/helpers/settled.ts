/**
 * Waits for a promise. Returns a function that returns its value or throws its error, for
 * `expect(await settled(promise)).toThrow("why")`.
 *
 * `.rejects` and `.resolves` of `expect(promise)` run the event loop from inside one of its own ticks until the promise
 * settles. Bun can then lose the exit of a process, and the test waits until its limit
 * (https://github.com/oven-sh/bun/issues/43697).
 */
export async function settled<T>(promise: Promise<T> | T): Promise<() => T> {
  try {
    const value = await promise;
    return () => value;
  } catch (error) {
    return () => {
      throw error;
    };
  }
}
