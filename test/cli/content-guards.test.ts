import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../src/audit/entry.ts";
import { hooksh, type Ran } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { setUp, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

/** What a guard says that must not be passed on. */
const SAID = "UNTRUSTED";

const REPLIES: Record<string, () => Response> = {
  "no verdict": () => reply(`{"decision":"deny","reason":"${SAID}","${SAID}":1}`),
  "a denial": () => reply(`{"decision":"deny","reason":"${SAID}"}`),
  "an error": () => Response.json({ error: { message: SAID } }, { status: 400 }),
};

function reply(content: string): Response {
  const chunk = (delta: object, finish: string | null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "fake", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const body = `${chunk({ role: "assistant", content }, null)}${chunk({}, "stop")}data: [DONE]\n\n`;
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

/** Guards that say it in every way. */
const GUARDS: Record<string, object> = {
  "that blocks with a reason": {
    command: `echo ${SAID} >&2; echo '{"decision":"block","reason":"${SAID}","system_message":"${SAID}"}'`,
  },
  "that blocks by exit code": { command: `echo ${SAID}; echo ${SAID} >&2; exit 2` },
  "that fails": { command: `echo ${SAID}; echo ${SAID} >&2; exit 1` },
  "that prints text": { command: `echo ${SAID}` },
  "that is killed": { command: `echo ${SAID}; echo ${SAID} >&2; kill -9 $$` },
  "that hangs": { command: `echo ${SAID}; echo ${SAID} >&2; sleep 600`, timeout: 1 },
  "in TypeScript that throws": { type: "builtin", command: "./guard.ts" },
};

const FILES = {
  "guard.ts": `export default () => { console.error("${SAID}"); throw new Error("${SAID}"); };`,
  "STYLE.md": "Use tabs.",
  "data/.keep": "",
  ".agents/skills/digest/SKILL.md": "---\ndescription: Makes digests\n---\nMake a digest.\n",
};

const WATCHED = ["--data-dir=data", "--debug", "--log-file=debug.log", "--record-events=events", "--trace=trace.jsonl"];
const CONTENT = { OTEL_INSTRUMENTATION_GENAI_CAPTURE_MESSAGE_CONTENT: "span_only" };

/** Where a command wrote what a guard said: its output, or a file of its directory that the test did not write. */
function leaks(cwd: string, ran: Ran): string[] {
  const files = readdirSync(cwd, { recursive: true, encoding: "utf8" })
    .filter((name) => !["guard.ts", "agent.yaml", "hooks.json"].includes(name) && !name.endsWith(".hooktest.yaml"))
    .filter((name) => statSync(join(cwd, name)).isFile())
    .map((name) => [name, readFileSync(join(cwd, name), "latin1")] as const);
  const written = [["standard output", ran.stdout] as const, ["standard error", ran.stderr] as const, ...files];
  return written.filter(([, text]) => text.includes(SAID)).map(([name]) => name);
}

/** The entries of the audit log. */
function auditEntries(cwd: string): AuditEntry[] {
  const folder = join(cwd, "data/audit");
  const files = readdirSync(folder).filter((name) => name.endsWith(".jsonl"));
  const lines = files.flatMap((name) => readFileSync(join(folder, name), "utf8").trim().split("\n"));
  return lines.map((line) => JSON.parse(line) as AuditEntry);
}

const named = (guard: object) => ({ name: "judge", type: "command", ...guard });

describe.each(Object.entries(GUARDS))("of a guard %s", (_name, guard) => {
  const SKILL = { name: "digest", source: "inline", content: "Make a digest." };
  const event = JSON.stringify({ hook_event_name: "skill_content_guard", session_id: "s1", skill: SKILL });

  test("dispatch passes nothing on", async () => {
    for (const output of ["hook", "result", "text"]) {
      const cwd = tempDir({ ...FILES, "hooks.json": JSON.stringify({ skill_content_guard: [named(guard)] }) });
      const args = ["dispatch", "--hooks-file=hooks.json", `--output=${output}`, "--details", ...WATCHED];
      const ran = await hooksh(args, { cwd, input: event, env: CONTENT });
      expect(ran.code).toBe(2);
      expect(ran.stderr).toContain("skill content rejected by policy");
      expect(leaks(cwd, ran)).toEqual([]);
      for (const file of ["debug.log", "events/s1.jsonl", "trace.jsonl"])
        expect(existsSync(join(cwd, file))).toBe(true);
      expect(auditEntries(cwd)).toMatchObject([{ event: "skill_content_guard", decision: "block" }]);
    }
  });

  test("run passes nothing on, for a skill and for a prompt file", async () => {
    const model = serve({ calls: [{ name: "read_skill", arguments: { name: "digest" } }] }, { text: "Done." });
    const agent = (event: string, more: object) =>
      agentFor(model, { skills: true, hooks: { [event]: [named(guard)] }, ...more });
    const cwd = tempDir({ ...FILES, "agent.yaml": agent("skill_content_guard", {}) });
    const ran = await hooksh(["run", "agent.yaml", "--json", ...WATCHED, "go"], { cwd, env: CONTENT });
    expect(ran.code).toBe(0);
    expect(model.requests[1]?.messages.at(-1)?.content).toStartWith("skill content rejected by policy");
    expect(JSON.stringify(model.requests)).not.toContain(SAID);
    expect(leaks(cwd, ran)).toEqual([]);

    const other = tempDir({ ...FILES, "agent.yaml": agent("prompt_file_guard", { add_prompt_files: ["STYLE.md"] }) });
    for (const json of [[], ["--json"]]) {
      const stopped = await hooksh(["run", "agent.yaml", ...json, ...WATCHED, "go"], { cwd: other, env: CONTENT });
      expect(stopped.code).toBe(1);
      expect(stopped.stdout + stopped.stderr).toContain("prompt file rejected by policy");
      expect(leaks(other, stopped)).toEqual([]);
    }
  });

  test("hooksh test and replay report nothing of it", async () => {
    const hooks = { skill_content_guard: [named(guard)] };
    const cases = {
      hooks: "hooks.json",
      tests: [{ name: "approves", event: "skill_content_guard", skill: SKILL, expect: { decision: "none" } }],
    };
    const cwd = tempDir({
      ...FILES,
      "hooks.json": JSON.stringify(hooks),
      "a.hooktest.yaml": JSON.stringify(cases),
    });
    for (const format of ["--junit=junit.xml", "--json"]) {
      const ran = await hooksh(["test", "a.hooktest.yaml", format], { cwd });
      expect(ran.code).toBe(1);
      expect(ran.stdout + ran.stderr).toContain("block");
      expect(leaks(cwd, ran)).toEqual([]);
    }
    const record = ["dispatch", "--hooks-file=hooks.json", "--record-events=events"];
    await hooksh(record, { cwd, input: event });
    writeFileSync(
      join(cwd, "hooks.json"),
      JSON.stringify({ skill_content_guard: [named({ command: `echo ${SAID}` })] }),
    );
    const replayed = await hooksh(["replay", "events", "--hooks-file=hooks.json"], { cwd });
    expect(leaks(cwd, replayed)).toEqual([]);
  });
});

describe.each(Object.entries(REPLIES))("of a judge with %s", (_name, answer) => {
  test("nothing is passed on, also not to a trace with content", async () => {
    const model = serve(answer);
    const judge = {
      type: "model",
      model: "fake/judge",
      schema: "guard_decision",
      prompt: "{{ .PromptFile | toJSON }}",
    };
    const cwd = tempDir({
      ...FILES,
      "agent.yaml": agentFor(model, {
        add_prompt_files: ["STYLE.md"],
        hooks: { prompt_file_guard: [{ ...judge, name: "judge" }] },
      }),
    });
    const ran = await hooksh(["run", "agent.yaml", "--json", ...WATCHED, "go"], { cwd, env: CONTENT });
    expect(ran.code).toBe(1);
    const [question] = model.requests;
    expect(question?.messages.at(-1)?.content).toBe(
      JSON.stringify({ path: join(cwd, "STYLE.md"), content: "Use tabs." }),
    );
    expect(leaks(cwd, ran)).toEqual([]);
  });
});

test("the audit log names the file and the digest of its text", async () => {
  const cwd = tempDir({
    ...FILES,
    "hooks.json": JSON.stringify({
      turn_start: [{ type: "builtin", command: "add_prompt_files", args: ["STYLE.md"] }],
      prompt_file_guard: [named({ command: `echo '{"continue":true}'` })],
    }),
  });
  const input = JSON.stringify({ hook_event_name: "turn_start", cwd });
  await hooksh(["dispatch", "--hooks-file=hooks.json", "--data-dir=data"], { cwd, input });
  const [entry] = auditEntries(cwd).filter(({ event }) => event === "prompt_file_guard");
  const digest = new Bun.CryptoHasher("sha256").update("Use tabs.").digest("hex");
  expect(entry).toMatchObject({
    path: join(cwd, "STYLE.md"),
    content: `sha256:${digest}`,
    hooks: [{ name: "judge", outcome: "answered", exit_code: 0 }],
  });
  expect(JSON.stringify(entry)).not.toContain("Use tabs");
  expect(await hooksh(["audit", "verify", "--data-dir=data"], { cwd })).toMatchObject({ code: 0 });
});

test("run takes a guard from a flag, for --prompt-file too", async () => {
  const model = serve();
  const cwd = tempDir({ ...FILES, "agent.yaml": agentFor(model, {}) });
  const args = ["run", "agent.yaml", "--prompt-file=STYLE.md", "--hook=prompt_file_guard=exit 2", "--yolo", "go"];
  const ran = await hooksh(args, { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("prompt file rejected by policy");
});

test("a rejected slash command is an error and sends nothing", async () => {
  const model = serve();
  const hooks = { skill_content_guard: [named({ command: "exit 2" })] };
  const cwd = tempDir({ ...FILES, "agent.yaml": agentFor(model, { skills: true, hooks }) });
  const ran = await hooksh(["run", "agent.yaml", "/digest please"], { cwd });
  expect(ran.code).toBe(1);
  expect(ran.stderr).toContain("skill content rejected by policy");
});

test("at the prompt a rejected slash command is an error, and goes back into the line", async () => {
  const { server, cwd } = setUp({
    skills: true,
    hooks: { skill_content_guard: [named({ command: "echo x >> asked; exit 2" })] },
  });
  mkdirSync(join(cwd, ".agents/skills/digest"), { recursive: true });
  writeFileSync(join(cwd, ".agents/skills/digest/SKILL.md"), FILES[".agents/skills/digest/SKILL.md"]);
  const run = start(cwd);
  await run.sees("> ");
  run.press("/digest of today\r");
  await run.sees("error: skill content rejected by policy");
  const asked = () => readFileSync(join(cwd, "asked"), "utf8").length / 2;
  // Enter sends the line once more.
  await until(() => {
    if (asked() === 1) run.press("\r");
    return asked() > 1;
  });
  // To the start of the line, and cut what stands behind.
  run.press("\x01/exit\x0b\r");
  expect(await run.child.exited).toBe(0);
  expect(server.requests).toEqual([]);
});

test("a stub approves with allow, and rejects without an answer", async () => {
  const event = "event: prompt_file_guard, source: loaded, prompt_file: { content: x }";
  const cwd = tempDir({
    "hooks.json": JSON.stringify({ prompt_file_guard: [named({ command: "exit 1" })] }),
    "a.hooktest.yaml": `hooks: hooks.json
tests:
  - { ${event}, stubs: { judge: allow }, expect: { decision: none } }
  - { ${event}, stubs: { judge: block }, expect: { decision: block } }
  - { ${event}, stubs: { judge: none }, expect: { decision: block } }
`,
  });
  const ran = await hooksh(["test", "a.hooktest.yaml"], { cwd });
  expect([ran.code, ran.stdout + ran.stderr]).toEqual([0, expect.stringContaining("3 passed")]);
});

test("hooksh explain says which hooks judge the files that others load", async () => {
  const cwd = tempDir({
    "hooks.json": JSON.stringify({
      turn_start: [{ type: "builtin", command: "add_prompt_files", args: ["STYLE.md"] }],
      prompt_file_guard: [named({ command: "true" })],
    }),
  });
  const explain = async (event: string) =>
    (await hooksh(["hooks", "explain", "--hooks-file=hooks.json", `--event=${event}`], { cwd })).stdout;
  expect(await explain("turn_start")).toContain("judges each file that add_prompt_files loads");
  expect(await explain("stop")).toContain("for prompt_file_guard only");
});

describe("the configuration of a content guard", () => {
  const validate = async (event: string, hook: object) => {
    const cwd = tempDir({ "hooks.json": JSON.stringify({ [event]: [hook] }) });
    return hooksh(["validate", "hooks.json"], { cwd });
  };

  test.each([
    ["a matcher", { matcher: "*", hooks: [named({ command: "true" })] }],
    ["preempt_yolo", { preempt_yolo: true, hooks: [named({ command: "true" })] }],
    ["rewrite", named({ command: "true", rewrite: true })],
    ["a model without guard_decision", named({ type: "model", model: "fake/m", prompt: "?" })],
    ["an evaluator", named({ type: "evaluator", evaluator: "e" })],
    ["a condition on a tool", named({ command: "true", if: "shell" })],
  ])("must not have %s", async (_name, hook) => {
    for (const event of ["skill_content_guard", "prompt_file_guard"])
      expect((await validate(event, hook)).code).toBe(1);
  });

  test.each([
    [{ on_error: "ignore" }, "on_error: ignore has no effect on skill_content_guard: a hook that fails blocks"],
    [{ on_error: "warn" }, "on_error: warn has no effect on skill_content_guard: a hook that fails blocks"],
    [
      { other_exit_codes: "allow" },
      "other_exit_codes: allow has no effect on skill_content_guard: only exit code 0 approves",
    ],
  ])("gets a notice for %j", async (keys, notice) => {
    const ran = await validate("skill_content_guard", named({ command: "true", ...keys }));
    expect(ran.code).toBe(0);
    expect(ran.stdout + ran.stderr).toContain(notice);
  });

  test("has no flags of its own", async () => {
    const ran = await hooksh(["dispatch", "--hook-skill-content-guard=true"], { cwd: tempDir() });
    expect(ran.code).not.toBe(0);
    expect(ran.stderr).toContain("--hook-skill-content-guard");
  });
});
