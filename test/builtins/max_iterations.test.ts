import { expect, test } from "bun:test";
import { run } from "../../builtins/max_iterations.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";

const call = async (iteration: number | undefined, ...args: string[]) =>
  (
    await callBuiltin(
      run,
      { hook_event_name: "before_llm_call", ...(iteration === undefined ? {} : { iteration }) },
      args,
    )
  ).output;

test("allows the call that reaches the limit, and blocks the next", async () => {
  expect(await call(2, "2")).toBeUndefined();
  expect(await call(3, "2")).toEqual({
    decision: "block",
    reason: "Agent terminated: max_iterations builtin reached its limit of 2 model call(s).",
  });
});

test.each([[], [""], ["many"], ["0"], ["-3"], ["2.5"], ["0x1"]])("never blocks with %p", async (...args) => {
  expect(await call(99, ...args)).toBeUndefined();
});

test("never blocks when the calls are not counted", async () => {
  for (const iteration of [undefined, 0, -1]) expect(await call(iteration, "1")).toBeUndefined();
});
