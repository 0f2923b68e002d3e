import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { loadUserHooks } from "../../../src/config/hooks/hook-sources.ts";
import { Executor } from "../../../src/engine/executor.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import type { HookOutput } from "../../../src/protocol/output.ts";
import type { ApprovalAnswer } from "../../../src/runtime/events/front-end.ts";
import { NO_PERMISSIONS, type Permissions } from "../../../src/runtime/permissions/permissions.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { converse, entry, fakeShell, type Setup } from "../harness.ts";

const permissions = (more: Partial<Permissions>): Permissions => ({ ...NO_PERMISSIONS, ...more });
const refuse = async (): Promise<ApprovalAnswer> => ({ kind: "reject" });

interface Options extends Setup {
  /** What the hooks say, by `EVENT` or `preempt`. */
  says?: Readonly<Record<string, HookOutput>>;
  cmds?: readonly string[];
  /** The run ends with the calls. */
  ends?: boolean;
}

/** Runs calls of the shell under rules and a hook on every event of the call; returns what was decided and which hooks ran. */
async function decide(rules: string, { says = {}, cmds = ["make"], ends = false, ...setup }: Options = {}) {
  const folder = tempDir({ "hooks.yaml": `rules: [${rules}]\n` });
  const directories = { config: folder, data: join(folder, "data"), cache: join(folder, "cache") };
  const hooksFiles = [join(folder, "hooks.yaml")];
  const loaded = await loadUserHooks({ directories, hooksFiles, noUserHooks: true, warn: () => {} });
  const registry = newRegistry();
  const events: string[] = [];
  const decided: (string | undefined)[] = [];
  registry.registerBuiltin("answer", (input) => {
    events.push(input.hook_event_name);
    if (input.hook_event_name === "on_tool_approval_decision") decided.push(input.approval_source);
    return says[input.hook_event_name];
  });
  registry.registerBuiltin("preempt", () => {
    events.push("preempt");
    return says["preempt"];
  });
  const on = ["tool_guard", "pre_tool_use", "permission_request", "on_tool_approval_decision"] as const;
  const entries = [
    ...on.map((event) => entry(event, "default", "answer")),
    entry("pre_tool_use", "preempt", "preempt"),
  ];
  const hooks = new Executor(entries, { registry, rules: loaded.rules, directories, workingDir: folder });
  const ran: string[] = [];
  const calls = cmds.map((cmd) => ({ name: "shell", arguments: { cmd } }));
  const run = await converse({
    ...setup,
    agent: { hooks },
    tools: [fakeShell(ran)],
    steps: [{ calls }, ...(ends ? [] : ["ok"])],
  });
  return { ...run, ran, source: decided[0], hookEvents: events };
}

const DENY = "{ name: r, deny: not here, when: { program: make } }";
const ASK = "{ name: r, ask: 'sure?', when: { program: make } }";
const ALLOW = "{ name: r, allow: harmless, when: { program: make } }";

describe("what decides", () => {
  const cases: [string, string, Options, string][] = [
    ["a denial holds in every mode", DENY, { mode: "autonomous" }, "rules_deny"],
    [
      "a denial holds against an allow rule of permissions",
      DENY,
      { permissions: permissions({ allow: ["shell"] }) },
      "rules_deny",
    ],
    ["an allow asks nobody", ALLOW, { askApproval: refuse }, "rules_allow"],
    [
      "permissions may deny what a rule allows",
      ALLOW,
      { permissions: permissions({ deny: ["shell"] }) },
      "team_permissions_deny",
    ],
    [
      "permissions may ask about what a rule allows",
      ALLOW,
      { permissions: permissions({ ask: ["shell"] }), askApproval: refuse },
      "user_rejected",
    ],
    [
      "a hook may deny what a rule allows",
      ALLOW,
      { says: { pre_tool_use: { decision: "block", reason: "no" } } },
      "pre_tool_use_hook_deny",
    ],
    [
      "a hook may ask about what a rule allows",
      ALLOW,
      { says: { preempt: { hook_specific_output: { permission_decision: "ask" } } }, askApproval: refuse },
      "user_rejected",
    ],
    ["an ask holds in the mode that never asks", ASK, { mode: "autonomous", askApproval: refuse }, "user_rejected"],
    [
      "a grant of the session answers an ask",
      ASK,
      { grants: permissions({ allow: ["shell"] }) },
      "session_permissions_allow",
    ],
    ["nobody to ask is a denial", ASK, {}, "non_interactive_deny"],
    [
      "a rule may answer the question",
      "{ on: permission_request, allow: fine, when: { program: make } }",
      {},
      "rules_allow",
    ],
    [
      "a rule may refuse the question",
      "{ on: permission_request, deny: no, when: { program: make } }",
      {},
      "rules_deny",
    ],
  ];
  test.each(cases)("%s", async (_name, rules, options, source) => {
    expect((await decide(rules, options)).source).toBe(source);
  });
});

test("a rule's denial comes before the guards, and the model reads it", async () => {
  const { ran, hookEvents, model, reported } = await decide(DENY);
  expect(ran).toEqual([]);
  expect(hookEvents).toEqual(["on_tool_approval_decision"]);
  expect(String(model.requests[1]?.at(-1)?.content)).toMatch(/rejected by a rule\. Reason: not here \[r at /);
  expect(reported("hook_blocked")[0]?.hooks).toMatchObject([{ name: "r", type: "rule", outcome: "blocked" }]);
});

test("stop also ends the run: the other calls of the batch are skipped and the model is not asked again", async () => {
  const { ran, model, reported } = await decide("{ stop: enough, when: { program: rm } }", {
    cmds: ["rm x", "make"],
    ends: true,
    mode: "autonomous",
  });
  expect(ran).toEqual([]);
  expect(model.requests).toHaveLength(1);
  expect(reported("tool_call_response").map(({ outcome }) => outcome)).toEqual(["blocked", "skipped"]);
  expect(reported("error")[0]?.error).toContain("enough");
});

test("rules are judged again after a rewrite and can only tighten", async () => {
  const rewrite = { hook_specific_output: { updated_input: { cmd: "rm -r x" } } };
  const options = { says: { pre_tool_use: rewrite }, mode: "autonomous" };
  expect((await decide("{ deny: no, when: { program: rm } }", options)).source).toBe("rules_deny");
  const { source, ran } = await decide(ALLOW, { says: { pre_tool_use: rewrite }, askApproval: refuse });
  expect([source, ran]).toEqual(["user_rejected", []]);
});

test("a warning is said once and the call goes on", async () => {
  const { ran, reported } = await decide("{ warn: careful, when: { program: make } }", { mode: "autonomous" });
  expect(ran).toEqual(["make"]);
  expect(reported("warning").filter(({ message }) => message.startsWith("careful"))).toHaveLength(1);
});

test("a call that was approved counts for the next one of its batch", async () => {
  const { ran } = await decide("{ deny: twice, when: { program: make }, more_than: { n: 1 } }", {
    cmds: ["make", "make"],
    mode: "autonomous",
  });
  expect(ran).toEqual(["make"]);
});
