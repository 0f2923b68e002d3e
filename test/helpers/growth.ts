/** How many times as large the larger input of a comparison is. */
const FACTOR = 16;

/** A smaller cost counts as this much: what takes a few microseconds cannot be compared. */
const LEAST = 0.1;

/** A comparison fails only after this many tries: the time of a moment at which the machine is busy does not count. */
const TRIES = 10;

/** If the smaller of two inputs takes longer than this, inputs a fourth as large say as much. */
const ENOUGH_MS = 2;

/** Inputs that are smaller than this stay: what is fixed of their cost would count too much. */
const LARGE = 100_000;

/**
 * Expects that the work on an input takes processor time in proportion to its size: sixteen times the input takes at
 * most 64 times as much. Quadratic work takes 256 times as much. `prepare` makes an input and returns the work on it;
 * only the work is measured. `size` is the size of the larger input, for which the work should take 10 ms or more.
 */
export async function expectLinear(size: number, prepare: (size: number) => () => unknown): Promise<void> {
  const cost = (size: number) => costOf(prepare(size));
  const isSlow = async () => (await cost(Math.ceil(size / FACTOR))) > ENOUGH_MS;
  const isEnough = size >= LARGE && (await isSlow()) && (await isSlow());
  await expectGrowth(4 * FACTOR, isEnough ? size / 4 : size, cost);
}

/** Expects that the work takes at most four times as much processor time for sixteen times the input. */
export async function expectConstant(size: number, prepare: (size: number) => () => unknown): Promise<void> {
  await expectGrowth(4, size, (size) => costOf(prepare(size)));
}

/**
 * Expects that sixteen times the input costs at most `limit` times as much, in milliseconds of processor time or in any
 * other unit. Of several tries, the least counts.
 */
export async function expectGrowth(
  limit: number,
  size: number,
  cost: (size: number) => number | Promise<number>,
): Promise<void> {
  let [small, large] = [Number.POSITIVE_INFINITY, Number.POSITIVE_INFINITY];
  for (let tries = 0; tries < TRIES; tries++) {
    for (let n = 0; n < FACTOR; n++) small = Math.min(small, await cost(Math.ceil(size / FACTOR)));
    large = Math.min(large, await cost(size));
    if (large <= limit * Math.max(small, LEAST)) return;
  }
  throw new Error(`${FACTOR} times the input costs ${(large / small).toFixed(1)} times as much; the limit is ${limit}`);
}

/** Returns the processor time in milliseconds that `work` takes in this process: other programs do not count. */
export function cpuTime(work: () => unknown): number {
  const stop = startCpuTime();
  work();
  return stop();
}

/** Starts to measure the processor time of this process; the returned function returns it in milliseconds. */
function startCpuTime(): () => number {
  const before = process.cpuUsage();
  return () => {
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  };
}

/** Resolves with the processor time in milliseconds that prepared work takes. */
async function costOf(work: () => unknown): Promise<number> {
  const stop = startCpuTime();
  await work();
  return stop();
}
