import { expect, test } from "bun:test";
import { call, makeToolset, temporaryDirectory, toolContext } from "./fixtures.ts";

test("think shows all thoughts of its own toolset, one per line", async () => {
  const context = toolContext(temporaryDirectory());
  const [one, other] = [await makeToolset("think", "/"), await makeToolset("think", "/")];
  expect(await call(one, "think", { thought: "first" }, context)).toEqual({ text: "Thoughts:\nfirst" });
  expect(await call(one, "think", { thought: "second" }, context)).toEqual({ text: "Thoughts:\nfirst\nsecond" });
  expect(await call(other, "think", { thought: "else" }, context)).toEqual({ text: "Thoughts:\nelse" });
});
