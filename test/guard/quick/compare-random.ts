import { expect } from "bun:test";
import { bothWays, type Did } from "../../helpers/both-ways.ts";
import { randomCall } from "./random-calls.ts";

/** How many calls are made at a time. */
const AT_A_TIME = 4;

/** Makes the calls of `count` seeds both ways. Fails with the seeds of those that differ, and what the first one did. */
export async function expectSameOfRandom({ from, count }: { from: number; count: number }): Promise<void> {
  const seeds = Array.from({ length: count }, (_, at) => from + at);
  const wrong: { seed: number; quick: Did; engine: Did }[] = [];
  const worker = async () => {
    for (let seed = seeds.shift(); seed !== undefined; seed = seeds.shift()) {
      const { quick, engine } = await bothWays(randomCall(seed));
      if (!Bun.deepEquals(inOrder(quick), inOrder(engine))) wrong.push({ seed, quick, engine });
    }
  };
  await Promise.all(Array.from({ length: AT_A_TIME }, worker));
  const [first] = wrong.sort((one, other) => one.seed - other.seed);
  if (!first) return;
  console.error(`seeds with a difference: ${wrong.map(({ seed }) => seed).join(" ")}`);
  expect({ seed: first.seed, ...inOrder(first.quick) }).toEqual({ seed: first.seed, ...inOrder(first.engine) });
}

/** Hooks run at once: what they left is in no order. */
function inOrder(did: Did): Did {
  return { ...did, ran: did.ran.split("\n").sort().join("\n") };
}
