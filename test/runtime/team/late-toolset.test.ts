import { expect, test } from "bun:test";
import { lateToolset } from "../../../src/runtime/team/late-toolset.ts";
import type { Toolset } from "../../../src/tools/tool.ts";
import { tool } from "../harness.ts";

const NEVER = new AbortController().signal;

/** A late toolset whose attempts end when the test says so. */
function held(patienceMs?: number) {
  const attempts: (PromiseWithResolvers<Toolset> & { signal: AbortSignal })[] = [];
  const reported: string[] = [];
  const toolset = lateToolset(
    {
      reason: "not there",
      isAutomatic: true,
      start: (signal) => {
        attempts.push({ ...Promise.withResolvers<Toolset>(), signal });
        return attempts.at(-1)!.promise;
      },
      onStart: () => reported.push("started"),
      onFailure: (reason) => reported.push(reason),
    },
    patienceMs,
  );
  return { toolset, attempts, reported };
}

const names = (toolset: Toolset) => toolset.tools.map(({ name }) => name);

test("one attempt is made at a time, and none after one that succeeded", async () => {
  const { toolset, attempts, reported } = held();
  const first = toolset.retry?.(NEVER);
  await toolset.retry?.(NEVER);
  expect(attempts).toHaveLength(1);
  attempts[0]?.reject(new Error("no luck"));
  await first;
  const second = toolset.retry?.(NEVER);
  expect(attempts).toHaveLength(2);
  expect(names(toolset)).toEqual([]);
  attempts[1]?.resolve({ tools: [tool("late", () => ({ text: "" }))], instructions: "How to." });
  await second;
  await toolset.retry?.(NEVER);
  expect(attempts).toHaveLength(2);
  expect([names(toolset), toolset.instructions, reported]).toEqual([["late"], "How to.", ["no luck", "started"]]);
});

test("a cancel ends the wait, not the attempt", async () => {
  const { toolset, attempts } = held();
  const cancel = new AbortController();
  const waiting = toolset.retry?.(cancel.signal);
  cancel.abort();
  await waiting;
  expect(attempts[0]?.signal.aborted).toBe(false);
  await toolset.retry?.(cancel.signal);
  attempts[0]?.resolve({ tools: [tool("late", () => ({ text: "" }))] });
  await Bun.sleep(0);
  expect(names(toolset)).toEqual(["late"]);
});

test("no attempt starts in a cancelled run or after the end", async () => {
  const { toolset, attempts } = held();
  await toolset.retry?.(AbortSignal.abort());
  await toolset.close?.();
  await toolset.retry?.(NEVER);
  expect(attempts).toEqual([]);
});

test("a toolset that starts after its run has ended is closed", async () => {
  const { toolset, attempts, reported } = held();
  void toolset.retry?.(NEVER);
  const closing = toolset.close?.();
  expect(attempts[0]?.signal.aborted).toBe(true);
  let closed = 0;
  attempts[0]?.resolve({ tools: [tool("late", () => ({ text: "" }))], close: async () => void closed++ });
  await closing;
  expect([closed, names(toolset), reported]).toEqual([1, [], []]);
});

test("a started toolset is closed with its wrapper", async () => {
  const { toolset, attempts } = held();
  const waiting = toolset.retry?.(NEVER);
  let closed = 0;
  attempts[0]?.resolve({ tools: [], close: async () => void closed++ });
  await waiting;
  await toolset.close?.();
  expect(closed).toBe(1);
});

test("attempts that do not end delay the conversation only up to the limit in total", async () => {
  const { toolset, attempts } = held(2000);
  // Timers end in the order of their times, however busy the machine is.
  const earlier = Bun.sleep(1900).then(() => "earlier");
  const first = toolset.retry?.(NEVER);
  expect(await Promise.race([first, earlier])).toBe("earlier");
  await first;
  attempts[0]?.reject(new Error("no luck"));
  await Bun.sleep(0);
  const second = toolset.retry?.(NEVER).then(() => "no wait");
  expect(await Promise.race([second, Bun.sleep(1500)])).toBe("no wait");
  expect(attempts).toHaveLength(2);
  const farewell = toolset.close?.();
  attempts[1]?.reject(new Error("ended"));
  await farewell;
});
