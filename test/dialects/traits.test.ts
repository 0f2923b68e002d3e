import { expect, test } from "bun:test";
import type { Dialect } from "../../src/dialects/dialect.ts";
import { DIALECTS, type DialectName, dialectRow } from "../../src/dialects/names.ts";
import { codec } from "./codec.ts";

async function dialectsWith(trait: (dialect: Dialect) => boolean | undefined): Promise<string[]> {
  const names = Object.keys(DIALECTS) as DialectName[];
  const loaded = await Promise.all(names.map(async (name) => ({ name, ...(await dialectRow(name).load()) })));
  return loaded
    .filter(({ dialect }) => trait(dialect))
    .map(({ name }) => name)
    .sort();
}

test("these hosts do not limit continuations, or it is unknown whether they do", async () => {
  const expected = ["agy", "codex", "droid", "gemini", "openhands", "vscode"];
  expect(await dialectsWith(({ countsContinuations }) => countsContinuations)).toEqual(expected);
});

test("these hosts read standard error as the answer if standard output is empty", async () => {
  expect(await dialectsWith(({ readsStandardError }) => readsStandardError)).toEqual(["gemini", "qwen"]);
});

test("every dialect calls itself by its name", async () => {
  for (const name of Object.keys(DIALECTS) as DialectName[])
    expect((await dialectRow(name).load()).dialect.name).toBe(name);
});

test("Gemini CLI gets the reason of an allow; Kimi Code's severities and errors", async () => {
  const gemini = await codec("gemini");
  const call = { session_id: "g", cwd: "/w", hook_event_name: "BeforeTool", tool_name: "glob", tool_input: {} };
  expect(gemini.say(call, { pre_tool_use: { decision: "allow", decision_reason: "safe" } }).out).toEqual({
    decision: "allow",
    reason: "safe",
  });
  const kimi = await codec("kimi");
  const event = { session_id: "m", cwd: "/w", hook_event_name: "Notification", body: "b", severity: "critical" };
  expect(kimi.saw(event)["notification_level"]).toBe("error");
  const failed = { ...event, hook_event_name: "StopFailure", error_message: "limit", error: { code: "x" } };
  expect(kimi.saw(failed)["notification_message"]).toBe("limit");
});
