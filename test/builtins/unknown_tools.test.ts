import { expect, test } from "bun:test";
import { BUILTINS } from "../../builtins/index.ts";
import { run } from "../../builtins/unknown_tools.ts";

const call = (host: object | undefined, event = "pre_tool_use") =>
  run({ hook_event_name: event, tool_name: "New", ...(host ? { host } : {}) } as never, ["ask"], {} as never);

test("it decides only on a call of another agent's tool that hooksh does not know", async () => {
  expect(await call({ dialect: "claude", unknown_tool: true })).toMatchObject({
    hook_specific_output: { permission_decision: "ask", permission_decision_reason: expect.stringContaining("New") },
  });
  expect(await call({ dialect: "claude" })).toBeUndefined();
  expect(await call(undefined)).toBeUndefined();
  expect(await call({ unknown_tool: true }, "post_tool_use")).toBeUndefined();
});

test("it takes one argument", () => {
  const { argsProblem } = BUILTINS.unknown_tools;
  expect([["ask"], ["deny"]].map((args) => argsProblem(args))).toEqual([undefined, undefined]);
  for (const args of [[], ["allow"], ["ask", "deny"]]) expect(argsProblem(args)).toBeString();
});
