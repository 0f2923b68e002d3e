/**
 * Waits for a promise. Returns a function that returns its value or throws its error, for
 * `expect(await settled(promise)).toThrow("why")`.
 *
 * `.rejects` and `.resolves` of `expect(promise)` run the event loop from inside one of its own ticks until the promise
 * settles. Bun then runs no `setImmediate` until a timer ends: a wait of milliseconds took from 5 to 28 seconds.
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
