import { describe, expect, test } from "bun:test";
import { pause, rejectOnAbort, settleWithin } from "../../src/lib/settle-within.ts";
import { settled } from "../helpers/settled.ts";

const never = new Promise<never>(() => {});
const HOUR_MS = 3_600_000;

describe("settleWithin", () => {
  test("returns the first of the result, the timeout and the abort", async () => {
    const controller = new AbortController();
    const limits = { ms: HOUR_MS, signal: controller.signal };
    expect(await settleWithin(Promise.resolve(1), limits)).toEqual({ kind: "done", value: 1 });
    expect(await settled(settleWithin(Promise.reject(new Error("no")), limits))).toThrow("no");
    expect(await settleWithin(never, { ...limits, ms: 1 })).toEqual({ kind: "timed_out" });
    const waiting = settleWithin(never, limits);
    controller.abort();
    expect(await waiting).toEqual({ kind: "aborted" });
    expect(await settleWithin(never, limits)).toEqual({ kind: "aborted" });
  });

  test("leaves neither a timer nor a listener, nor a rejection without a handler", async () => {
    // A process that ends by itself has no timer left; one with an unhandled rejection does not end with 0.
    const program = `
      import { settleWithin } from ${JSON.stringify(`${import.meta.dir}/../../src/lib/settle-within.ts`)};
      import { getEventListeners } from "node:events";
      const { signal } = new AbortController();
      await settleWithin(Promise.resolve(), { ms: ${HOUR_MS}, signal });
      const late = Promise.withResolvers();
      await settleWithin(late.promise, { ms: 1, signal });
      late.reject(new Error("late"));
      await Bun.sleep(1);
      console.log(getEventListeners(signal, "abort").length);`;
    const child = Bun.spawn([process.execPath, "-e", program], { stdout: "pipe", stderr: "inherit" });
    expect([await child.stdout.text(), await child.exited]).toEqual(["0\n", 0]);
  });

  test("waits longer than a timer can count", async () => {
    const work = Promise.withResolvers<string>();
    setTimeout(work.resolve, 5, "done");
    expect(await settleWithin(work.promise, { ms: Infinity })).toEqual({ kind: "done", value: "done" });
  });
});

test("rejectOnAbort and pause throw the reason of the abort", async () => {
  const signal = AbortSignal.abort(new Error("enough"));
  expect(await settled(rejectOnAbort(never, signal))).toThrow("enough");
  expect(await settled(pause(HOUR_MS, signal))).toThrow("enough");
  const { signal: open } = new AbortController();
  expect(await rejectOnAbort(Promise.resolve("value"), open)).toBe("value");
  await pause(1, open);
});
