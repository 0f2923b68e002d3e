/** Shortly before the limit of a test (scripts/with-bun.sh), so that a wait in vain says what did not happen. */
const LIMIT_MS = 280_000;

/** Waits until something is so. */
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  const end = performance.now() + LIMIT_MS;
  while (!(await holds())) {
    if (performance.now() > end) throw new Error(`waited in vain for ${holds.toString()}`);
    await Bun.sleep(10);
  }
}
