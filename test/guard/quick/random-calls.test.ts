import { test } from "bun:test";
import { expectSameOfRandom } from "./compare-random.ts";

test("random calls do the same both ways", () => expectSameOfRandom({ from: 1, count: 60 }), 60_000);
