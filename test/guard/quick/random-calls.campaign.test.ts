/** More random calls; HOOKSH_TEST_SEED and HOOKSH_TEST_COUNT choose others. */
import { test } from "bun:test";
import { expectSameOfRandom } from "./compare-random.ts";

const from = Number(process.env["HOOKSH_TEST_SEED"] ?? 1000);
const count = Number(process.env["HOOKSH_TEST_COUNT"] ?? 600);

test("many random calls do the same both ways", () => expectSameOfRandom({ from, count }), 1_200_000);
