import { describe, expect, test } from "bun:test";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { textOf } from "../../src/model/messages/message.ts";
import type { BuiltinInput } from "../../src/protocol/builtin.ts";
import type { HookOutput } from "../../src/protocol/output.ts";
import { startSession } from "../../src/runtime/conversation/session-lifecycle.ts";
import { submitInput } from "../../src/runtime/conversation/slash-commands.ts";
import { messagesOf } from "../../src/runtime/session/session.ts";
import { begin, fakeShell, type Run, type Setup } from "./harness.ts";
import { assembled } from "./team/assembled.ts";

const calls = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, arguments: input }] });
const SKILL = "---\ndescription: d\n---\nDo A. !`ls`\n";
const FORKED = "---\ndescription: d\ncontext: fork\n---\nDo F.\n";
const FILES = {
  ".agents/skills/a/SKILL.md": SKILL,
  ".agents/skills/a/notes/more.md": "More of A.",
  ".agents/skills/f/SKILL.md": FORKED,
};
const INLINE = { name: "x", description: "d", instructions: "Do X." };
const REJECTED = "skill content rejected by policy";
const NO_ANSWER = `${REJECTED} (hook "answer": no explicit verdict)`;

type Answer = (input: BuiltinInput) => HookOutput | undefined;

/** Starts a run of an agent with skills and this answer of its guard. */
async function withSkills(guard: Answer | undefined, setup: Setup): Promise<Run & { directory: string }> {
  const { agent, directory } = await assembled({ skills: ["local", INLINE] }, { files: FILES, file: {} });
  const answers = { ...setup.answers, ...(guard && { skill_content_guard: guard }) };
  const skills = agent.skills ?? [];
  const run = await begin({ mode: "autonomous", ...setup, answers, agent: { skills, ...setup.agent } });
  return { ...run, directory };
}

const approve: Answer = () => ({ continue: true });
const block: Answer = () => ({ decision: "block", reason: "UNTRUSTED" });
const guarded = (run: Run) => run.inputs("skill_content_guard").map(({ skill }) => skill);
const lastResult = (run: Run) => run.model.requests.at(-1)?.at(-1)?.content;
const sends = (run: Run, text: string) =>
  submitInput(run.runtime, run.session, { text, files: [] }, new AbortController().signal, () => {});

describe("a text of a skill", () => {
  test.each([
    ["read_skill", { name: "a" }, "a", "SKILL.md", SKILL],
    ["read_skill_file", { skill_name: "a", path: "notes/more.md" }, "a", "notes/more.md", "More of A."],
    ["run_skill", { name: "f", task: "t" }, "f", "SKILL.md", FORKED],
  ])("that %s reads is judged whole, with its path", async (tool, input, name, file, content) => {
    const run = await withSkills(block, { steps: [calls(tool, input), "ok"] });
    await run.say("go");
    const path = join(run.directory, ".agents/skills", name, file);
    expect(guarded(run)).toEqual([{ name, source: "local", path, content }]);
    expect(lastResult(run)).toBe(REJECTED);
  });

  test("of the agent file has no path", async () => {
    const run = await withSkills(approve, { steps: [calls("read_skill", { name: "x" }), "ok"] });
    await run.say("go");
    expect(guarded(run)).toEqual([{ name: "x", source: "inline", content: "Do X." }]);
    expect(lastResult(run)).toBe("Do X.");
  });

  test("that is rejected makes only its call fail, which hooks on the response see", async () => {
    const ran: string[] = [];
    const run = await withSkills(block, {
      steps: [calls("read_skill", { name: "a" }), "done"],
      tools: [fakeShell(ran)],
      mode: "autonomous",
    });
    const { reason } = await run.say("go");
    expect(reason).toBe("normal");
    expect(ran).toEqual([]);
    const response = { tool_response: REJECTED, tool_error: true };
    expect(run.inputs("tool_response_transform")).toEqual([expect.objectContaining(response)]);
    expect(run.inputs("post_tool_use")).toEqual([expect.objectContaining(response)]);
    expect(run.events().slice(run.events().indexOf("on_tool_approval_decision"))).toEqual([
      "on_tool_approval_decision",
      "skill_content_guard",
      "tool_response_transform",
      "post_tool_use",
      "turn_end",
      "turn_start",
      "before_llm_call",
      "after_llm_call",
      "stop",
      "turn_end",
      "on_user_input",
    ]);
    expect(JSON.stringify([run.session, run.reports])).not.toContain("UNTRUSTED");
  });

  test("that is approved is used, its commands included", async () => {
    const ran: string[] = [];
    const setup: Setup = {
      steps: [calls("read_skill", { name: "a" }), "done"],
      tools: [fakeShell(ran)],
      mode: "autonomous",
    };
    const run = await withSkills(approve, setup);
    await run.say("go");
    expect(ran).toEqual(["ls"]);
    expect(lastResult(run)).toEndWith("Do A. ran ls");
  });

  test("is rejected by a guard that gives no answer, and the response says which", async () => {
    const run = await withSkills(() => undefined, { steps: [calls("read_skill", { name: "x" }), "ok"] });
    await run.say("go");
    expect(lastResult(run)).toBe(NO_ANSWER);
  });

  test("is the one that was judged, also if its file changes meanwhile", async () => {
    const guard: Answer = ({ skill }) => {
      writeFileSync(skill?.path ?? "", "evil");
      return { continue: true };
    };
    const run = await withSkills(guard, { steps: [calls("read_skill", { name: "a" }), "ok"] });
    await run.say("go");
    expect(lastResult(run)).toEndWith("Do A. !`ls`");
    expect(readFileSync(join(run.directory, ".agents/skills/a/SKILL.md"), "utf8")).toBe("evil");
  });

  test("of a forked skill is judged before its session exists, which then uses it", async () => {
    const steps = [calls("run_skill", { name: "f", task: "t" }), "done", "ok"];
    const run = await withSkills(approve, { steps });
    await run.say("go");
    const events = run.events();
    expect(events.indexOf("skill_content_guard")).toBeLessThan(events.lastIndexOf("session_start"));
    expect(run.inputs("skill_content_guard")[0]?.session_id).toBe(run.session.id);
    expect(run.model.requests[1]?.some(({ content }) => content?.endsWith("Do F."))).toBe(true);

    const rejected = await withSkills(block, { steps: [steps[0] ?? "", "ok"] });
    await rejected.say("go");
    expect(rejected.events().filter((event) => event === "session_start")).toHaveLength(1);
    expect(rejected.session.items.some(({ kind }) => kind === "subsession")).toBe(false);
  });

  test("is judged each time: approvals are not kept", async () => {
    let asked = 0;
    const run = await withSkills(() => ({ continue: ++asked === 1 }), {
      steps: [calls("read_skill", { name: "x" }), calls("read_skill", { name: "x" }), "ok"],
    });
    await run.say("go");
    expect(run.model.requests.map((request) => request.at(-1)?.content)).toEqual(["go", "Do X.", REJECTED]);
  });

  test("is judged whatever the rules allow, and without a guard not at all", async () => {
    const steps = [calls("read_skill", { name: "x" }), "ok"];
    const yolo = await withSkills(block, { steps, grants: { allow: ["*"], ask: [], deny: [] } });
    await yolo.say("go");
    expect(lastResult(yolo)).toBe(REJECTED);
    const free = await withSkills(undefined, { steps });
    await free.say("go");
    expect(lastResult(free)).toBe("Do X.");
  });
});

describe("a slash command of a skill", () => {
  test("is an error if the skill is rejected, and nothing is sent or recorded", async () => {
    const run = await withSkills(block, { steps: [] });
    expect(await sends(run, "/a please").catch(String)).toBe(`RejectedSkillError: ${REJECTED}`);
    expect(messagesOf(run.session)).toEqual([]);
    expect(run.inputs("user_prompt_submit")).toEqual([]);
  });

  test("sends the skill if it is approved", async () => {
    const run = await withSkills(approve, { steps: ["ok"] });
    await sends(run, "/x please");
    expect(lastResult(run)).toContain("Do X.");
    expect(guarded(run)).toHaveLength(1);
  });

  test("that the user cancels while the guard works is no error", async () => {
    const stop = new AbortController();
    const run = await withSkills(
      () => {
        stop.abort();
        return { continue: true };
      },
      { steps: [] },
    );
    const message = { text: "/x", files: [] };
    const end = await submitInput(run.runtime, run.session, message, stop.signal, () => {});
    expect(end).toEqual({ reason: "canceled" });
  });
});

/** Starts a run of an agent that an agent file with prompt files describes. */
async function withPromptFiles(more: Record<string, unknown>, files: Record<string, string>, setup: Setup) {
  const found = await assembled(more, { files, file: {} });
  const { hooks } = found.agent;
  const run = await begin({ ...setup, agent: { hooks } });
  run.session.workingDir = found.directory;
  return { ...run, directory: found.directory };
}

const guardHook = (command: string) => ({ prompt_file_guard: [{ name: "judge", type: "command", command }] });
const APPROVE = `echo '{"continue":true}'`;
const PROMPT_REJECTED = "prompt file rejected by policy";

describe("a prompt file", () => {
  test("that is approved is part of the request", async () => {
    const more = { add_prompt_files: ["A.md"], hooks: guardHook(APPROVE) };
    const run = await withPromptFiles(more, { "A.md": "rules" }, { steps: ["ok"] });
    await run.say("hi");
    expect(run.model.requests[0]?.some(({ content }) => content?.includes("rules"))).toBe(true);
  });

  test("that is rejected stops the turn: no model is called", async () => {
    const hooks = {
      ...guardHook("cat > seen.json; echo UNTRUSTED >&2; exit 2"),
      ...Object.fromEntries(
        ["turn_start", "before_llm_call", "notification", "on_error", "turn_end"].map((event) => [
          event,
          [{ type: "command", command: `cat >> log; echo >> log` }],
        ]),
      ),
    };
    const run = await withPromptFiles({ add_prompt_files: ["A.md"], hooks }, { "A.md": "rules" }, { steps: [] });
    const end = await run.say("hi");
    expect(end).toEqual({
      reason: "hook_blocked",
      error: { code: "hook_blocked", message: PROMPT_REJECTED },
    });
    const lines = readFileSync(join(run.directory, "log"), "utf8").trim().split("\n").filter(Boolean);
    const logged = lines.map((line) => JSON.parse(line) as BuiltinInput);
    expect(logged.map(({ hook_event_name }) => hook_event_name)).toEqual([
      "turn_start",
      "notification",
      "on_error",
      "turn_end",
    ]);
    expect(logged[1]).toMatchObject({ notification_level: "error", notification_message: PROMPT_REJECTED });
    expect(logged.at(-1)).toMatchObject({ reason: "hook_blocked" });
    const seen = JSON.parse(readFileSync(join(run.directory, "seen.json"), "utf8"));
    expect(seen).toMatchObject({ session_id: run.session.id, agent_name: "root", source: "loaded" });
    expect(run.reported("error")).toMatchObject([
      { error: PROMPT_REJECTED, hooks: [{ event: "prompt_file_guard", name: "judge", exit_code: 2 }] },
    ]);
    expect(run.reported("hook_finished")).toContainEqual(
      expect.objectContaining({ hook_event: "prompt_file_guard", allowed: false, message: PROMPT_REJECTED }),
    );
    expect(JSON.stringify([run.reports, run.session])).not.toContain("UNTRUSTED");
  });

  test("is judged anew in each turn", async () => {
    const command = "if [ -e asked ]; then exit 2; fi; touch asked; echo '{\"continue\":true}'";
    const more = { add_prompt_files: ["A.md"], hooks: guardHook(command) };
    const run = await withPromptFiles(more, { "A.md": "rules" }, { steps: ["first"] });
    expect((await run.say("hi")).reason).toBe("normal");
    expect((await run.say("again")).reason).toBe("hook_blocked");
  });

  test("that cannot be read stops the turn, if there is a guard", async () => {
    const more = { add_prompt_files: ["A.md"], hooks: guardHook(APPROVE) };
    const run = await withPromptFiles(more, {}, { steps: [] });
    Bun.spawnSync(["ln", "-s", "A.md", join(run.directory, "A.md")]);
    const end = await run.say("hi");
    expect(end.error?.message).toBe(`${PROMPT_REJECTED} (${join(run.directory, "A.md")}: cannot be read)`);
  });

  test("that session_start loaded and a guard rejected stops every turn, until it is approved", async () => {
    const hooks = {
      ...guardHook("if [ -e fine ]; then echo '{\"continue\":true}'; else exit 2; fi"),
      session_start: [{ type: "builtin", command: "add_prompt_files", args: ["A.md"] }],
    };
    const run = await withPromptFiles({ hooks }, { "A.md": "rules" }, { steps: ["ok"] });
    const start = () => startSession(run.runtime, run.session, "resume", new AbortController().signal);
    await start();
    expect((await run.say("hi")).reason).toBe("hook_blocked");
    expect((await run.say("again")).reason).toBe("hook_blocked");
    writeFileSync(join(run.directory, "fine"), "");
    await start();
    expect((await run.say("now")).reason).toBe("normal");
    expect(run.model.requests[0]?.some(({ content }) => content?.includes("rules"))).toBe(true);
  });

  test("that a prompt loaded and a guard rejected stops its turn, and no later one", async () => {
    const hooks = {
      ...guardHook("exit 2"),
      user_prompt_submit: [{ type: "builtin", command: "add_prompt_files", args: ["A.md"] }],
    };
    const run = await withPromptFiles({ hooks }, { "A.md": "rules" }, { steps: ["ok"] });
    expect((await run.say("hi")).reason).toBe("hook_blocked");
    Bun.spawnSync(["rm", join(run.directory, "A.md")]);
    expect((await run.say("again")).reason).toBe("normal");
  });

  test("of a sub-session stops that session, and its caller gets an error", async () => {
    const found = await assembled(
      { add_prompt_files: ["A.md"], hooks: guardHook("exit 2") },
      { files: { "A.md": "rules" }, file: {} },
    );
    const run = await begin({
      steps: [calls("transfer_task", { agent: "helper", task: "t", expected_output: "o" }), "ok"],
      agent: { subAgents: ["helper"] },
      others: () => [{ ...found.agent, name: "helper" }],
    });
    run.session.workingDir = found.directory;
    expect((await run.say("hi")).reason).toBe("normal");
    expect(lastResult(run)).toBe(PROMPT_REJECTED);
  });
});

test("the record holds no rejected text", async () => {
  const run = await withSkills(block, { steps: [calls("read_skill", { name: "x" }), "ok"] });
  await run.say("go");
  expect(messagesOf(run.session).some(({ message }) => textOf(message).includes("Do X."))).toBe(false);
});
