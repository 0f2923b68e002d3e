import { expect, test } from "bun:test";
import { compactSession, startSession, submitMessage } from "../../src/runtime/conversation/session-lifecycle.ts";
import type { FrontEnd } from "../../src/runtime/events/front-end.ts";
import { NO_PERMISSIONS } from "../../src/runtime/permissions/permissions.ts";
import { createSession, type Session } from "../../src/runtime/session/session.ts";
import { createRuntime, type Journal } from "../../src/runtime/stream/runtime.ts";
import type { Step } from "../helpers/scripted-model.ts";
import { type Answers, agentOf, fakeShell, hooksFor, type LoggedInput, script } from "./harness.ts";

/** Runs a session with a journal, and returns the journal's state at every step. */
function journaled(steps: Step[], answers: Answers = {}) {
  const log: LoggedInput[] = [];
  const known: string[] = [];
  const journal: Journal = {
    append: (_session, item) => known.push(item.kind === "message" ? item.message.role : item.kind),
    update: () => known.push("update"),
  };
  const root = agentOf("root", script(steps), hooksFor("root", log, answers), [fakeShell()]);
  const team = { agents: new Map([["root", root]]), startAgent: "root", permissions: NO_PERMISSIONS };
  const frontEnd: FrontEnd = { report: () => {}, askApproval: async () => ({ kind: "tool" }) };
  const runtime = createRuntime({ team, frontEnd, env: {}, journal });
  const session: Session = createSession(process.cwd(), { safetyMode: "autonomous" });
  return { runtime, session, known, signal: new AbortController().signal };
}

test("the journal of a session without messages stays empty", async () => {
  const { runtime, session, known, signal } = journaled([]);
  await startSession(runtime, session, "startup", signal);
  expect(known).toEqual([]);
});

test("post_tool_use finds the result in the journal, after_llm_call does not find the answer", async () => {
  const seen: Record<string, string[]> = {};
  const run = journaled([{ calls: [{ name: "shell", arguments: { cmd: "a" } }] }, "done"], {
    after_llm_call: () => void (seen["after_llm_call"] ??= [...run.known]),
    post_tool_use: () => void (seen["post_tool_use"] = [...run.known]),
  });
  await submitMessage(run.runtime, run.session, "hi", run.signal);
  expect(seen["after_llm_call"]).toEqual(["user"]);
  expect(seen["post_tool_use"]?.filter((kind) => kind !== "update")).toEqual(["user", "assistant", "tool"]);
});

test("a grant is stored as soon as the user gives it", async () => {
  const run = journaled([{ calls: [{ name: "shell", arguments: { cmd: "make" } }] }, "done"], {
    post_tool_use: () => void run.known.push("done"),
  });
  delete run.session.safetyMode;
  await submitMessage(run.runtime, run.session, "hi", run.signal);
  const between = run.known.slice(run.known.indexOf("assistant") + 1, run.known.indexOf("done"));
  expect(between).toEqual(["update", "update", "tool"]);
});

test("errors and summaries are separate entries", async () => {
  const run = journaled(["first", "the summary"], {
    user_prompt_submit: ({ prompt }) => (prompt === "bad" ? { decision: "block", reason: "no" } : undefined),
  });
  await submitMessage(run.runtime, run.session, "hi", run.signal);
  await compactSession(run.runtime, run.session, "", run.signal);
  await submitMessage(run.runtime, run.session, "bad", run.signal);
  expect(run.known.filter((kind) => kind !== "update")).toEqual(["user", "assistant", "summary", "user", "error"]);
  expect(JSON.parse(JSON.stringify(run.session))).toEqual(run.session);
});
