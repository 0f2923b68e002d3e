import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { loadUserHooks } from "../../src/config/hooks/hook-sources.ts";
import type { DispatchRecord } from "../../src/engine/dispatch-record.ts";
import { Executor } from "../../src/engine/executor.ts";
import type { EventName, EventPayload } from "../../src/protocol/events.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** An executor with the hooks and rules of one hooks file, and the records of its dispatches. */
async function open(hooks: string) {
  const folder = tempDir({ "hooks.yaml": hooks });
  const directories = { config: folder, data: join(folder, "data"), cache: join(folder, "cache") };
  const { entries, rules } = await loadUserHooks({
    directories,
    hooksFiles: [join(folder, "hooks.yaml")],
    noUserHooks: true,
    warn: () => {},
  });
  const records: DispatchRecord[] = [];
  const env = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/sh", HOME: folder };
  const executor = new Executor(entries, {
    rules,
    directories,
    env,
    workingDir: folder,
    observers: [() => ({ settled: (record) => void records.push(record) })],
  });
  return { executor, records, folder };
}

const call = (cmd: string, more: object = {}) => ({
  session_id: "s1",
  tool_name: "shell",
  tool_input: { cmd },
  ...more,
});
const hook = (command: string, group = "") =>
  `pre_tool_use: [{ ${group}hooks: [{ type: command, command: '${command}' }] }]\n`;
const answer = (specific: object) =>
  `echo '${JSON.stringify({ hook_specific_output: specific })}'`.replaceAll("'", "''");

describe("a denial of a rule", () => {
  const rules = "rules: [{ name: rm, deny: not here, when: { program: rm } }]\n";

  test.each(["", "preempt_yolo: true, "])("keeps the hooks of every lane from running (%s)", async (group) => {
    const { executor, folder, records } = await open(rules + hook("touch ran", group));
    const { result, deciders } = await executor.dispatch("pre_tool_use", call("rm x"), { details: true });
    expect(result).toMatchObject({
      allowed: false,
      decision: "deny",
      message: expect.stringMatching(/^not here \[rm at /),
    });
    expect(existsSync(join(folder, "ran"))).toBe(false);
    expect(await deciders()).toMatchObject([{ name: "rm", type: "rule", stage: "rules", outcome: "blocked" }]);
    expect(records[0]).toMatchObject({ runs: [], rules: [{ name: "rm", verdict: "deny", sure: "certain" }] });
  });

  test("leaves other calls to the hooks", async () => {
    const { executor, folder } = await open(rules + hook("touch ran"));
    expect(await executor.dispatch("pre_tool_use", call("ls"))).toEqual({ allowed: true });
    expect(existsSync(join(folder, "ran"))).toBe(true);
  });
});

describe("lanes", () => {
  const rules = "rules: [{ warn: seen, when: { tool: shell } }]\n";

  test("rules run once, with the first lane", async () => {
    const { executor } = await open(rules);
    const on = async (lane: "preempt" | "default") => executor.dispatch("pre_tool_use", call("ls"), { lane });
    expect(await on("preempt")).toMatchObject({ system_message: expect.stringContaining("seen") });
    expect(await on("default")).toEqual({ allowed: true });
  });

  test("rules count as configured on the first lane of their events", async () => {
    const { executor } = await open(rules);
    expect(executor.has("pre_tool_use")).toBe(true);
    expect(executor.has("pre_tool_use", "preempt")).toBe(true);
    expect(executor.has("pre_tool_use", "default")).toBe(false);
    expect(executor.has("post_tool_use")).toBe(false);
  });

  test("a verdict that the caller has is not asked for again", async () => {
    const { executor } = await open(rules);
    const judged = await executor.judgeByRules("pre_tool_use", call("ls"));
    expect(judged?.warnings).toHaveLength(1);
    const { rules: used } = await executor.dispatch("pre_tool_use", call("ls"), {
      details: true,
      judged: { ...judged!, decision: "deny", messages: ["as given"] },
    });
    expect(used?.messages).toEqual(["as given"]);
  });
});

describe("a rewrite of the input", () => {
  const rewrite = hook(answer({ updated_input: { cmd: "rm -r x" } }));

  test("is judged again", async () => {
    const { executor } = await open(`rules: [{ deny: not here, when: { program: rm } }]\n${rewrite}`);
    expect(await executor.dispatch("pre_tool_use", call("ls"))).toMatchObject({ allowed: false, decision: "deny" });
  });

  test("loses what a rule allowed before", async () => {
    const { executor } = await open(`rules: [{ allow: reads, when: { program: ls } }]\n${rewrite}`);
    const result = await executor.dispatch("pre_tool_use", call("ls"));
    expect(result.decision).toBeUndefined();
    expect(result.modified_input).toEqual({ cmd: "rm -r x" });
  });
});

test("an observing rule and an observing executor decide nothing", async () => {
  const { executor } = await open("rules: [{ name: r, mode: observe, deny: no, when: { program: rm } }]\n");
  const result = await executor.dispatch("pre_tool_use", call("rm x"));
  expect(result.allowed).toBe(true);
  expect(result.system_message).toStartWith("rule r only observes: it would have denied: no");
});

describe("other events", () => {
  const cases: [string, EventName, object, object][] = [
    [
      "{ on: user_prompt_submit, deny: no, when: { text: '*deploy*' } }",
      "user_prompt_submit",
      { prompt: "deploy" },
      { allowed: false },
    ],
    ["{ on: session_start, context: Speak English }", "session_start", {}, { additional_context: "Speak English" }],
    [
      "{ on: permission_request, allow: reads, when: { program: ls } }",
      "permission_request",
      call("ls"),
      { permission_allowed: true },
    ],
    ["{ on: post_tool_use, stop: enough, when: { program: ls } }", "post_tool_use", call("ls"), { allowed: false }],
  ];
  test.each(cases)("%s", async (rule, event, payload, expected) => {
    const { executor } = await open(`rules: [${rule}]\n`);
    const input = { session_id: "s1", ...payload } as EventPayload<EventName>;
    expect(await executor.dispatch(event, input)).toMatchObject(expected);
  });
});

describe("the agent of an event that names none", () => {
  const rules = "rules: [{ deny: no, when: { program: rm }, agents: helper }]\n";
  test.each([
    ["helper", undefined, false],
    ["root", undefined, true],
    ["root", "helper", false],
  ])("is the one that the executor is for: %s, named %s", async (agent, named, allowed) => {
    const { folder, executor } = await open(rules);
    const own = new Executor([], { rules: executor.rules, agent, workingDir: folder });
    const payload = call("rm x", named === undefined ? {} : { agent_name: named });
    expect((await own.dispatch("pre_tool_use", payload)).allowed).toBe(allowed);
  });
});

describe("the past of a session", () => {
  const rules = "rules: [{ deny: enough, when: { program: git }, more_than: { n: 1 } }]\n";
  const push = (id: string) => call("git push", { tool_use_id: id });

  test("counts calls that passed", async () => {
    const { executor } = await open(rules);
    expect((await executor.dispatch("pre_tool_use", push("a"))).allowed).toBe(true);
    expect((await executor.dispatch("pre_tool_use", push("b"))).allowed).toBe(false);
  });

  test("a caller of single lanes says when a call passed", async () => {
    const { executor } = await open(rules);
    await executor.dispatch("pre_tool_use", push("a"), { lane: "preempt" });
    expect((await executor.dispatch("pre_tool_use", push("b"), { lane: "preempt" })).allowed).toBe(true);
    await executor.recordForRules("pre_tool_use", push("b"));
    expect((await executor.dispatch("pre_tool_use", push("c"), { lane: "preempt" })).allowed).toBe(false);
  });

  test("an event without a session of its own denies", async () => {
    const { executor } = await open(rules);
    const payload = { ...push("a"), session_id: "dispatch-0c2f" };
    expect(await executor.dispatch("pre_tool_use", payload)).toMatchObject({
      allowed: false,
      message: expect.stringContaining("names no session"),
    });
  });

  test("nothing is written unless a rule asks about it", async () => {
    const { executor, folder } = await open("rules: [{ deny: no, when: { program: rm } }]\n");
    await executor.dispatch("pre_tool_use", push("a"));
    expect(existsSync(join(folder, "data/history"))).toBe(false);
  });
});

test("an allow rule keeps models from being asked", async () => {
  const model = "pre_tool_use: [{ hooks: [{ type: model, model: m, prompt: p, schema: pre_tool_use_decision }] }]\n";
  const { executor, records } = await open(`rules: [{ allow: reads, when: { program: ls } }]\n${model}`);
  expect((await executor.dispatch("pre_tool_use", call("ls"))).decision).toBe("allow");
  expect(records[0]?.runs).toEqual([]);
});

test("rules that cannot be evaluated deny what one of them may stop", async () => {
  const { executor, folder } = await open("rules: [{ deny: no, when: { program: rm } }]\n");
  const [rule] = executor.rules;
  const broken = { ...rule!, agents: [null as unknown as string] };
  const own = new Executor([], { rules: [broken], workingDir: folder });
  expect(await own.dispatch("pre_tool_use", call("rm x"))).toMatchObject({
    allowed: false,
    message: expect.stringContaining("the rules on pre_tool_use could not be evaluated"),
  });
  expect(readFileSync(join(folder, "hooks.yaml"), "utf8")).toContain("rules");
});
