import { describe, expect, test } from "bun:test";
import { defineHook } from "../../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../../src/engine/executor.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import { StopReason } from "../../../src/lib/errors.ts";
import type { HookOutput } from "../../../src/protocol/output.ts";
import type { ApprovalAnswer, ApprovalRequest } from "../../../src/runtime/events/front-end.ts";
import type { Permissions } from "../../../src/runtime/permissions/permissions.ts";
import { type Answers, converse, entry, fakeShell, type Setup, tool } from "../harness.ts";

const rules = (more: Partial<Permissions>): Permissions => ({ allow: [], ask: [], deny: [], ...more });
const says = (permission_decision: string, more: object = {}): HookOutput => ({
  hook_specific_output: { permission_decision, permission_decision_reason: `said ${permission_decision}`, ...more },
});
const refuse = async (): Promise<ApprovalAnswer> => ({ kind: "reject" });

/** Runs one tool call, and returns how it was decided. */
async function decide(setup: Setup, cmd = "make") {
  const ran: string[] = [];
  const [first = fakeShell(ran)] = setup.tools ?? [];
  const run = await converse({
    ...setup,
    tools: [first],
    steps: [{ calls: [{ name: first.name, arguments: { cmd } }] }, "ok"],
  });
  const decided = run.inputs("on_tool_approval_decision");
  expect(decided).toHaveLength(1);
  const asked = run.events();
  const from = asked.indexOf("after_llm_call") + 1;
  const chain = asked.slice(from, asked.indexOf("on_tool_approval_decision"));
  const response = String(run.model.requests[1]?.at(-1)?.content);
  return { ...run, ran, source: decided[0]?.approval_source, decision: decided[0]?.approval_decision, chain, response };
}

const CIRCUMSTANCES: Record<string, Setup> = {
  "an allow rule": { permissions: rules({ allow: ["shell"] }) },
  "the mode that never asks": { mode: "autonomous" },
  "a read-only tool": { tools: [tool("look", () => ({ text: "seen" }), { readOnly: true })] },
  "an ask rule": { permissions: rules({ ask: ["shell"] }) },
  "nothing that decides": {},
};

describe("pre_tool_use verdicts, by the earlier decision", () => {
  const allows = ["team_permissions_allow", "yolo", "readonly_hint"];
  const table: [string, HookOutput | undefined, string[]][] = [
    ["deny", says("deny"), Array(5).fill("pre_tool_use_hook_deny")],
    ["a block", { decision: "block", reason: "no" }, Array(5).fill("pre_tool_use_hook_deny")],
    ["ask", says("ask"), Array(5).fill("user_rejected")],
    [
      "allow",
      says("allow"),
      ["team_permissions_allow", "yolo", "pre_tool_use_hook_allow", "user_rejected", "pre_tool_use_hook_allow"],
    ],
    ["nothing", undefined, [...allows, "user_rejected", "user_rejected"]],
  ];
  const cases = table.flatMap(([name, output, sources]) =>
    Object.entries(CIRCUMSTANCES).map(([circumstance, setup], index) => ({
      name,
      output,
      circumstance,
      setup,
      source: sources[index],
    })),
  );
  test.each(cases)("$name with $circumstance: $source", async ({ output, setup, source }) => {
    const run = await decide({ ...setup, answers: { pre_tool_use: () => output }, askApproval: refuse });
    expect(run.source).toBe(source!);
    expect(run.events()).toContain("pre_tool_use");
  });
});

test("a deny rule skips the default lane, under --yolo too", async () => {
  const run = await decide({ mode: "autonomous", permissions: rules({ deny: ["shell:cmd=make*"] }) });
  expect(run.source).toBe("team_permissions_deny");
  expect(run.chain).toEqual(["tool_input_transform", "tool_guard"]);
  expect(run.response).toBe("Tool 'shell' is denied by permissions configuration.");
  expect(run.ran).toEqual([]);
});

test("a judge is skipped for calls that an allow rule covers, and asked in every mode and under a grant", async () => {
  const asked: string[] = [];
  const registry = newRegistry().register("model", () => ({
    run: async (input) => {
      asked.push(String(input.value["safety_policy"] ?? "none"));
      return { kind: "returned", output: says("allow") };
    },
  }));
  const skipped = { tools: [fakeShell()], permissions: rules({ allow: ["shell"] }), mode: "strict" };
  const judge = defineHook({ type: "model", model: "openai/judge", prompt: "judge", schema: "pre_tool_use_decision" });
  const hooks = new Executor([{ ...entry("pre_tool_use", "default", ""), hook: judge }], { registry });
  const steps = (cmd = "make") => [{ calls: [{ name: "shell", arguments: { cmd } }] }, "ok"];
  await converse({ steps: steps(), agent: { hooks }, ...skipped });
  await converse({ steps: steps(), agent: { hooks }, ...skipped, grants: rules({ allow: ["shell"] }) });
  expect(asked).toEqual([]);
  const ran: string[] = [];
  await converse({ steps: steps(), tools: [fakeShell(ran)], agent: { hooks }, mode: "strict" });
  await converse({ steps: steps("ls"), tools: [fakeShell(ran)], agent: { hooks }, mode: "balanced" });
  await converse({ steps: steps("id"), tools: [fakeShell(ran)], agent: { hooks }, mode: "autonomous" });
  const grants = rules({ allow: ["shell"] });
  await converse({ steps: steps("pwd"), tools: [fakeShell(ran)], agent: { hooks }, grants });
  expect(asked).toEqual(["strict", "balanced", "autonomous", "none"]);
  expect(ran).toEqual(["make", "ls", "id", "pwd"]);
  const preempt = new Executor([{ ...entry("pre_tool_use", "preempt", ""), hook: judge }], { registry });
  await converse({ steps: steps(), agent: { hooks: preempt }, ...skipped });
  expect(asked).toHaveLength(5);
});

describe("guards", () => {
  const denials: [string, string, Answers][] = [
    ["tool_guard", "tool_guard_deny", { tool_guard: () => says("deny") }],
    ["preempt lane", "pre_tool_use_hook_deny", { preempt: () => says("deny") }],
    [
      "preempt lane that blocks",
      "pre_tool_use_hook_deny",
      { preempt: () => ({ continue: false, stop_reason: "said deny" }) },
    ],
    [
      "tool_input_transform",
      "tool_input_transform_deny",
      {
        tool_input_transform: () => ({ decision: "block", reason: "said deny" }),
      },
    ],
  ];
  test.each(denials)("a deny of the %s holds under --yolo and an allow rule", async (_name, source, answers) => {
    const run = await decide({ mode: "autonomous", permissions: rules({ allow: ["*"] }), answers });
    expect(run.source).toBe(source);
    const [event] = source.split(/_hook_deny|_deny/);
    expect(run.response).toBe(`The tool call was rejected by a ${event} hook. Reason: said deny`);
    expect(run.events()).not.toContain("post_tool_use");
  });

  test("a tool_guard ask leaves the call to the user, despite any allow and permission_request", async () => {
    const run = await decide({
      mode: "autonomous",
      permissions: rules({ allow: ["shell"] }),
      grants: rules({ allow: ["shell"] }),
      answers: {
        tool_guard: () => says("ask"),
        pre_tool_use: () => says("allow"),
        permission_request: () => says("allow"),
      },
      askApproval: refuse,
    });
    expect(run.source).toBe("user_rejected");
    expect(run.chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use", "on_user_input"]);
  });

  test("a deny of the default lane holds after a guard's ask", async () => {
    const answers: Answers = { tool_guard: () => says("ask"), pre_tool_use: () => says("deny") };
    const run = await decide({ answers, askApproval: async () => ({ kind: "once" }) });
    expect(run.source).toBe("pre_tool_use_hook_deny");
  });

  test.each([
    ["the preempt lane", { preempt: () => says("ask") }],
    ["the default lane", { pre_tool_use: () => says("ask") }],
  ] satisfies [string, Answers][])(
    "a grant in the session answers an ask of %s, no other rule",
    async (_name, answers) => {
      const granted = await decide(
        { grants: rules({ allow: ["shell:cmd=make*"] }), answers, askApproval: refuse },
        "make test",
      );
      expect(granted.source).toBe("session_permissions_allow");
      const stretched = await decide(
        { grants: rules({ allow: ["shell"] }), answers, askApproval: refuse },
        "make; rm x",
      );
      expect(stretched.source).toBe("user_rejected");
      const configured = await decide({ permissions: rules({ allow: ["shell"] }), answers, askApproval: refuse });
      expect(configured.source).toBe("user_rejected");
    },
  );

  test("a grant answers pre_tool_use only, not a tool_guard that also asks", async () => {
    const answers: Answers = { tool_guard: () => says("ask"), preempt: () => says("ask") };
    const run = await decide({ grants: rules({ allow: ["shell"] }), answers, askApproval: refuse });
    expect(run.source).toBe("user_rejected");
  });

  test("an allow of a guard decides nothing", async () => {
    const answers: Answers = { tool_guard: () => says("allow"), preempt: () => says("allow") };
    expect((await decide({ answers, askApproval: refuse })).source).toBe("user_rejected");
  });

  test("a guard's ask denies the call if no user can be asked", async () => {
    const run = await decide({ mode: "autonomous", answers: { tool_guard: () => says("ask") } });
    expect(run.source).toBe("non_interactive_deny");
    expect(run.response).toContain("non-interactive");
    expect(run.inputs("on_user_input")).toHaveLength(1);
  });
});

test("a refusal without a reason does not take the reason of a hook that agrees", async () => {
  const agrees = JSON.stringify(says("allow"));
  const commands = ["exit 2", `echo '${agrees}'`];
  const hooks = commands.map((command) => {
    const hook = defineHook({ type: "command", command });
    return { ...entry("pre_tool_use", "default", ""), hook };
  });
  const steps = [{ calls: [{ name: "shell", arguments: { cmd: "make" } }] }, "ok"];
  const run = await converse({ steps, tools: [fakeShell()], agent: { hooks: new Executor(hooks) } });
  const [response] = run.reported("tool_call_response");
  expect(response).toMatchObject({
    outcome: "blocked",
    response: "The tool call was rejected by a pre_tool_use hook.",
    reason: "The tool call was rejected by a pre_tool_use hook.",
    hooks: [{ name: "exit 2" }],
  });
});

test("without any hook, a call that nothing decides is put to the user", async () => {
  const steps = [{ calls: [{ name: "shell", arguments: { cmd: "make" } }] }, "ok"];
  const asked: ApprovalRequest[] = [];
  const askApproval = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
    asked.push(request);
    return { kind: "reject" };
  };
  const run = await converse({ steps, tools: [fakeShell()], agent: { hooks: new Executor([]) }, askApproval });
  expect(asked).toMatchObject([{ metadata: { safety_label: "unknown" }, hooks: [] }]);
  expect(run.reported("tool_call_response")[0]?.outcome).toBe("rejected");
});

test("a run that is stopped while a hook decides says why", async () => {
  const stop = new AbortController();
  const answers: Answers = { tool_guard: () => void stop.abort(new StopReason("out of time")) };
  const steps = [{ calls: [{ name: "shell", arguments: { cmd: "make" } }] }];
  const run = await converse({ answers, steps, tools: [fakeShell()], signal: stop.signal });
  expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
    approval_decision: "canceled",
    approval_reason: "out of time",
  });
});

describe("hooks that allow", () => {
  test.each([
    ["pre_tool_use", "pre_tool_use_hook_allow"],
    ["permission_request", "permission_request_hook_allow"],
  ] as const)("%s is named with its reason", async (event, source) => {
    const run = await decide({ answers: { [event]: () => says("allow") } });
    expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
      approval_source: source,
      approval_reason: "said allow",
      approval_hooks: [{ event, name: "answer", source: "test" }],
    });
  });
});

describe("--ask allow", () => {
  const asking: [string, Answers][] = [
    ["tool_guard", { tool_guard: () => says("ask") }],
    ["the preempt lane", { preempt: () => says("ask") }],
    ["the default lane", { pre_tool_use: () => says("ask") }],
  ];
  test.each(asking)("runs a call that a hook on %s asks about, and names the hook", async (_name, answers) => {
    const run = await decide({ allowsAsked: true, answers, askApproval: refuse });
    expect(run.ran).toEqual(["make"]);
    expect(run.inputs("on_tool_approval_decision")[0]).toMatchObject({
      approval_source: "ask_flag_allow",
      approval_reason: "--ask allow",
      approval_hooks: [{ message: "said ask" }],
    });
  });

  test("does not run a call that no hook asks about", async () => {
    expect((await decide({ allowsAsked: true, askApproval: refuse })).source).toBe("user_rejected");
  });

  test("does not run a call that a rule asks about, also after a rewrite", async () => {
    const permissions = rules({ ask: ["shell:cmd=rm*"] });
    const asks: Answers = { pre_tool_use: () => says("ask") };
    const direct = await decide({ allowsAsked: true, permissions, answers: asks, askApproval: refuse }, "rm x");
    expect(direct.source).toBe("user_rejected");
    const rewrites: Answers = { pre_tool_use: () => says("ask", { updated_input: { cmd: "rm x" } }) };
    const rewritten = await decide({ allowsAsked: true, permissions, answers: rewrites, askApproval: refuse });
    expect(rewritten.source).toBe("user_rejected");
  });
});

describe("rewrites", () => {
  const toRm = (decision?: string): Answers => ({
    pre_tool_use: () => says(decision ?? "", { updated_input: { cmd: "rm x" } }),
  });

  test("all later hooks and the tool see the arguments that tool_input_transform returns", async () => {
    const answers: Answers = {
      tool_input_transform: () => ({ hook_specific_output: { updated_input: { cmd: "clean" } } }),
    };
    const run = await decide({ mode: "autonomous", answers });
    expect(run.inputs("tool_guard")[0]?.tool_input).toEqual({ cmd: "clean" });
    expect(run.ran).toEqual(["clean"]);
    expect(run.chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use"]);
  });

  test("rewritten arguments that a rule denies are denied by it", async () => {
    const run = await decide({ permissions: rules({ deny: ["shell:cmd=rm *"] }), answers: toRm("allow") });
    expect(run.source).toBe("team_permissions_deny");
  });

  test("rewritten arguments lose the rule that allowed the original ones", async () => {
    const permissions = rules({ allow: ["shell:cmd=make"] });
    const run = await decide({ permissions, answers: toRm("allow"), askApproval: refuse });
    expect(run.source).toBe("user_rejected");
    expect(run.chain).not.toContain("permission_request");
  });

  test("rewritten arguments that are judged alike keep the approval", async () => {
    const allowed = await decide({ answers: toRm("allow"), askApproval: refuse });
    expect(allowed.source).toBe("pre_tool_use_hook_allow");
    const ruled = await decide({ permissions: rules({ allow: ["shell"] }), answers: toRm(), askApproval: refuse });
    expect(ruled.source).toBe("team_permissions_allow");
    expect([allowed.ran, ruled.ran]).toEqual([["rm x"], ["rm x"]]);
  });

  test("a rule that allows only the rewritten arguments has no effect", async () => {
    const run = await decide({
      permissions: rules({ allow: ["shell:cmd=rm *"] }),
      answers: toRm(),
      askApproval: refuse,
    });
    expect(run.source).toBe("user_rejected");
  });

  test("a guard may refuse the rewritten arguments", async () => {
    const refuseRm: Answers["tool_guard"] = ({ tool_input }) =>
      tool_input?.["cmd"] === "rm x" ? says("deny") : undefined;
    const run = await decide({ mode: "autonomous", answers: { ...toRm(), tool_guard: refuseRm } });
    expect(run.source).toBe("tool_guard_deny");
    expect(run.chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use", "tool_guard"]);
  });

  test("a rewrite that changes nothing is not judged again", async () => {
    const answers: Answers = { pre_tool_use: () => says("allow", { updated_input: { cmd: "make" } }) };
    expect((await decide({ answers })).chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use"]);
  });
});

describe("permission_request", () => {
  test("an allow runs the call without a question", async () => {
    const run = await decide({ answers: { permission_request: () => says("allow") }, askApproval: refuse });
    expect(run.source).toBe("permission_request_hook_allow");
    expect(run.ran).toEqual(["make"]);
    expect(run.reported("tool_call_confirmation")).toHaveLength(0);
  });

  const refusals: [string, HookOutput][] = [
    ["deny", says("deny")],
    ["block", { decision: "block", reason: "said deny" }],
  ];
  test.each(refusals)("a %s rejects the call", async (_name, output) => {
    const run = await decide({
      answers: { permission_request: () => output },
      askApproval: async () => ({ kind: "once" }),
    });
    expect(run.source).toBe("permission_request_hook_deny");
    expect(run.response).toBe("The tool call was rejected by a permission_request hook. Reason: said deny");
  });

  test("it is not dispatched for a read-only tool that no guard holds back", async () => {
    const run = await decide({ ...CIRCUMSTANCES["a read-only tool"], answers: {} });
    expect(run.chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use"]);
  });
});

describe("rules and modes", () => {
  const cases: [string, Setup, string][] = [
    [
      "a session deny beats a team allow",
      {
        grants: rules({ deny: ["shell"] }),
        permissions: rules({ allow: ["shell"] }),
      },
      "session_permissions_deny",
    ],
    [
      "a team deny beats a session allow",
      {
        grants: rules({ allow: ["shell"] }),
        permissions: rules({ deny: ["shell"] }),
      },
      "team_permissions_deny",
    ],
    [
      "a session allow beats a team ask",
      {
        grants: rules({ allow: ["shell"] }),
        permissions: rules({ ask: ["shell"] }),
      },
      "session_permissions_allow",
    ],
    [
      "a session ask beats a team allow",
      {
        grants: rules({ ask: ["shell"] }),
        permissions: rules({ allow: ["shell"] }),
      },
      "user_rejected",
    ],
    [
      "deny beats allow in one level",
      { permissions: rules({ deny: ["sh*"], allow: ["shell"] }) },
      "team_permissions_deny",
    ],
    [
      "allow beats ask in one level",
      { permissions: rules({ ask: ["sh*"], allow: ["shell"] }) },
      "team_permissions_allow",
    ],
    [
      "an allow rule holds in strict",
      { mode: "strict", permissions: rules({ allow: ["shell"] }) },
      "team_permissions_allow",
    ],
    ["a team ask yields to autonomous", { mode: "autonomous", permissions: rules({ ask: ["shell"] }) }, "yolo"],
    ["a team ask holds in strict", { mode: "strict", permissions: rules({ ask: ["shell"] }) }, "user_rejected"],
    ["a session ask holds in autonomous", { mode: "autonomous", grants: rules({ ask: ["shell"] }) }, "user_rejected"],
    ["plan denies what an allow rule allows", { mode: "plan", permissions: rules({ allow: ["*"] }) }, "mode_plan"],
    ["plan denies what a grant allows", { mode: "plan", grants: rules({ allow: ["*"] }) }, "mode_plan"],
    [
      "plan denies what a hook allows",
      { mode: "plan", answers: { pre_tool_use: () => says("allow"), permission_request: () => says("allow") } },
      "mode_plan",
    ],
    ["plan runs a read-only tool", { mode: "plan", ...CIRCUMSTANCES["a read-only tool"] }, "readonly_hint"],
    [
      "plan denies a read-only tool that destroys",
      { mode: "plan", tools: [tool("drop", () => ({ text: "" }), { readOnly: true, destructive: true })] },
      "mode_plan",
    ],
    [
      "a guard is asked in plan mode",
      { mode: "plan", ...CIRCUMSTANCES["a read-only tool"], answers: { pre_tool_use: () => says("deny") } },
      "pre_tool_use_hook_deny",
    ],
    [
      "accept-edits runs a read-only tool",
      { mode: "accept-edits", ...CIRCUMSTANCES["a read-only tool"] },
      "readonly_hint",
    ],
    ["restricted denies what is not known to be safe", { mode: "restricted" }, "mode_restricted"],
    ["balanced asks about what is not known to be safe", { mode: "balanced" }, "user_rejected"],
    ["an unknown mode asks", { mode: "loose" }, "user_rejected"],
    ["balanced runs a read-only tool", { mode: "balanced", ...CIRCUMSTANCES["a read-only tool"] }, "mode_balanced"],
    [
      "restricted runs a read-only tool",
      { mode: "restricted", ...CIRCUMSTANCES["a read-only tool"] },
      "mode_restricted",
    ],
    ["strict asks about a read-only tool", { mode: "strict", ...CIRCUMSTANCES["a read-only tool"] }, "user_rejected"],
    [
      "a destructive hint outranks a read-only one",
      { tools: [tool("drop", () => ({ text: "" }), { readOnly: true, destructive: true })] },
      "user_rejected",
    ],
  ];
  test.each(cases)("%s", async (_name, setup, source) => {
    expect((await decide({ ...setup, askApproval: refuse })).source).toBe(source);
  });
});

describe("a command line", () => {
  const labels = { safe: "git status", destructive: "rm -rf x", unknown: "make" };
  const cases = [
    { mode: undefined, expected: ["deny user_rejected", "deny user_rejected", "deny user_rejected"] },
    { mode: "strict", expected: ["deny user_rejected", "deny user_rejected", "deny user_rejected"] },
    { mode: "plan", expected: ["deny mode_plan", "deny mode_plan", "deny mode_plan"] },
    { mode: "accept-edits", expected: ["deny user_rejected", "deny user_rejected", "deny user_rejected"] },
    { mode: "balanced", expected: ["allow mode_balanced", "deny user_rejected", "deny user_rejected"] },
    { mode: "restricted", expected: ["allow mode_restricted", "deny mode_restricted", "deny mode_restricted"] },
    { mode: "autonomous", expected: ["allow yolo", "allow yolo", "allow yolo"] },
  ];
  test.each(cases)("in mode $mode: safe, destructive, unknown: $expected", async ({ mode, expected }) => {
    const setup = mode === undefined ? {} : { mode };
    const runs = await Promise.all(Object.values(labels).map((cmd) => decide({ ...setup, askApproval: refuse }, cmd)));
    expect(runs.map(({ decision, source }) => `${decision} ${source}`)).toEqual(expected);
    const shown = runs.map((run) => String(run.inputs("on_tool_approval_decision")[0]?.safety_label));
    expect(shown).toEqual(Object.keys(labels));
  });

  test("gets a new label when it is rewritten, and loses the approval of the old label", async () => {
    const answers: Answers = { pre_tool_use: () => says("allow", { updated_input: { cmd: "rm -rf x" } }) };
    const run = await decide({ mode: "balanced", answers, askApproval: refuse }, "git status");
    expect(run.source).toBe("user_rejected");
    expect(run.inputs("on_tool_approval_decision")[0]?.safety_label).toBe("destructive");
  });
});

describe("a call that nobody can approve says why, and how to allow it:", () => {
  const [terminal, nobody] = ["run it at a terminal, where you are asked", ", and this run has no"];
  const asks: Answers = { tool_guard: () => says("ask") };
  const toRm: Answers = { pre_tool_use: () => says("", { updated_input: { cmd: "rm x" } }) };
  const change = "change or remove the rule, which holds in every mode";
  const needs = `it needs your approval${nobody} terminal to ask at`;
  const wants = `a hook wants your approval${nobody} terminal to ask at`;
  const ruled = `permissions.ask wants your approval: "sh*"${nobody} terminal to ask at`;
  const unsafe = "Tool 'shell' is denied by the safety mode restricted: the call is not known to be safe.";
  const cases: [string, Setup, string, string, string][] = [
    ["nothing decides", {}, "make", needs, `${terminal}; use --yolo; or add to permissions.allow: "shell:cmd=make*"`],
    [
      "a call that looks safe",
      { mode: "strict" },
      "git status",
      needs,
      `${terminal}; use --safety balanced; or add to permissions.allow: "shell:cmd=git*"`,
    ],
    ["one rule would not do", {}, "make; id", needs, `${terminal}; or use --yolo`],
    ["a hook asks", { answers: asks }, "make", wants, `${terminal}; or use --ask allow`],
    ["a rule asks", { permissions: rules({ ask: ["look", "sh*"] }) }, "make", ruled, `${terminal}; or use --yolo`],
    [
      "a hook and a rule ask",
      { answers: asks, grants: rules({ ask: ["sh*"] }) },
      "make",
      wants,
      `${terminal}; or use --ask allow and --yolo`,
    ],
    [
      "a rewrite leaves an allow rule",
      { answers: toRm, permissions: rules({ allow: ["shell:cmd=make"] }) },
      "make",
      needs,
      `${terminal}: the call needs your answer in every mode`,
    ],
    [
      "the mode denies",
      { mode: "restricted" },
      "make",
      unsafe,
      'choose another --safety mode, or add to permissions.allow: "shell:cmd=make*"',
    ],
    ["the mode denies several commands", { mode: "restricted" }, "make; id", unsafe, "choose another --safety mode"],
    [
      "a rule of the file denies",
      { permissions: rules({ deny: ["look", "sh*"] }) },
      "make",
      'rule "sh*" of the permissions configuration',
      change,
    ],
    [
      "a rule of the session denies",
      { grants: rules({ deny: ["sh*", "shell"] }) },
      "make",
      'rule "sh*" of the session permissions',
      change,
    ],
  ];
  test.each(cases)("%s", async (_name, setup, cmd, reason, hint) => {
    const run = await decide(setup, cmd);
    expect(run.reported("tool_call_response")[0]).toMatchObject({ reason, hint });
  });
});

describe("the user", () => {
  const answers: [ApprovalAnswer, string][] = [
    [{ kind: "once" }, "user_approved"],
    [{ kind: "tool" }, "user_approved_tool"],
    [{ kind: "balanced" }, "user_approved_balanced"],
    [{ kind: "session" }, "user_approved_session"],
    [{ kind: "reject", reason: "not today" }, "user_rejected"],
  ];
  test.each(answers)("the answer %o is recorded as %s", async (answer, source) => {
    const run = await decide({ askApproval: async () => answer });
    expect(run.source).toBe(source);
    expect(run.chain.slice(-2)).toEqual(["permission_request", "on_user_input"]);
    expect(run.ran).toEqual(answer.kind === "reject" ? [] : ["make"]);
    if (answer.kind === "reject") expect(run.response).toBe("The user rejected the tool call. Reason: not today");
  });

  const twice = (answer: ApprovalAnswer, cmds: [string, string]) => {
    const asked: ApprovalRequest[] = [];
    const askApproval = async (request: ApprovalRequest) => {
      asked.push(request);
      return asked.length === 1 ? answer : ({ kind: "reject" } as const);
    };
    const steps = [...cmds.map((cmd) => ({ calls: [{ name: "shell", arguments: { cmd } }] })), "ok"];
    return converse({ steps, tools: [fakeShell()], askApproval });
  };

  test('"always this tool" covers the same program, and not what follows a semicolon', async () => {
    const sources = async (cmd: string) => {
      const run = await twice({ kind: "tool" }, ["git status", cmd]);
      expect(run.session.permissions.allow).toEqual(["shell:cmd=git*"]);
      return run.inputs("on_tool_approval_decision")[1]?.approval_source;
    };
    expect(await sources("GIT log -1")).toBe("session_permissions_allow");
    expect(await sources("gitk")).toBe("user_rejected");
    expect(await sources("git log; rm x")).toBe("user_rejected");
  });

  test('"everything" turns on the mode that never asks', async () => {
    const run = await twice({ kind: "session" }, ["a", "b"]);
    expect(run.session.safetyMode).toBe("autonomous");
    expect(run.inputs("on_tool_approval_decision")[1]).toMatchObject({
      approval_source: "yolo",
      safety_policy: "autonomous",
    });
  });

  test("sees the details from hooks and the label, those of the guard last", async () => {
    const seen: ApprovalRequest[] = [];
    const metadata = (values: Record<string, string>): HookOutput => ({ hook_specific_output: { metadata: values } });
    const run = await decide({
      answers: {
        permission_request: () => metadata({ a: "request", b: "request", safety_label: "request" }),
        pre_tool_use: () => metadata({ b: "pre", c: "pre" }),
        tool_guard: () => metadata({ c: "guard" }),
      },
      askApproval: async (request) => {
        seen.push(request);
        return { kind: "once" };
      },
    });
    expect(seen[0]?.metadata).toMatchObject({ a: "request", b: "pre", c: "guard", safety_label: "unknown" });
    expect(run.reported("tool_call_confirmation")[0]?.metadata).toEqual({ ...seen[0]?.metadata });
    expect(run.inputs("on_tool_approval_decision")[0]?.safety_label).toBe("unknown");
  });

  test("sees each hook that asks once, even if it also judged rewritten arguments", async () => {
    const seen: ApprovalRequest[] = [];
    await decide({
      answers: {
        tool_guard: () => says("ask"),
        preempt: () => says("ask"),
        pre_tool_use: () => says("", { updated_input: { cmd: "clean" } }),
      },
      askApproval: async (request) => {
        seen.push(request);
        return { kind: "reject" };
      },
    });
    expect(seen[0]?.hooks.map(({ event, name }) => `${event} ${name}`)).toEqual([
      "tool_guard answer",
      "pre_tool_use preempt",
    ]);
  });

  test("sees why a hook asks, in the mode that never asks too", async () => {
    const seen: ApprovalRequest[] = [];
    const askApproval = async (request: ApprovalRequest): Promise<ApprovalAnswer> => {
      seen.push(request);
      return { kind: "once" };
    };
    await decide({ answers: { tool_guard: () => says("ask") }, askApproval }, "rm -rf x");
    expect(seen[0]?.metadata).toMatchObject({ reason: "said ask", safety_label: "destructive", blast_radius: "high" });
    const asked = await decide({ mode: "autonomous", answers: { pre_tool_use: () => says("ask") }, askApproval });
    expect(asked.source).toBe("user_approved");
    expect(seen[1]?.metadata).toMatchObject({ reason: "said ask" });
    const finished = asked.reported("hook_finished").find(({ hook_event }) => hook_event === "pre_tool_use");
    expect(finished).toMatchObject({ allowed: true, decision: "ask" });
  });

  test("without a user the call is denied, and no question is reported", async () => {
    const run = await decide({});
    expect(run.source).toBe("non_interactive_deny");
    expect(run.chain).toEqual(["tool_input_transform", "tool_guard", "pre_tool_use", "permission_request"]);
  });
});
