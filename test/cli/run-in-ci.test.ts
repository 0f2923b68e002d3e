import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { marked } from "marked";
import { binary, cleanEnv, hooksh, type RunOptions } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

const shell = (cmd: string): Step => ({ calls: [{ name: "shell", arguments: { cmd } }] });
const block = { name: "strict", type: "command", command: "echo 'not here' >&2; exit 2" };
const BLOCKING = { hooks: { pre_tool_use: [{ matcher: "shell", hooks: [block] }] } };
const ASKING = {
  hooks: {
    pre_tool_use: [{ matcher: "shell", hooks: [{ ...block, name: "careful", command: `echo '{"decision": "ask"}'` }] }],
  },
};

interface Trial {
  script: Step[];
  keys?: Record<string, unknown>;
  /** Top-level keys of the agent file. */
  file?: object;
  args?: string[];
  env?: RunOptions["env"];
  /** What other programs wrote to the step summary. */
  earlier?: string;
}

async function attempt({ script, keys = {}, file = {}, args = [], env = {} }: Trial) {
  const server = serve(...script);
  const agent = { ...JSON.parse(agentFor(server, keys)), ...file };
  const cwd = tempDir({ "agent.yaml": JSON.stringify(agent, undefined, 1) });
  return { cwd, ...(await hooksh(["run", "agent.yaml", ...args, "go"], { cwd, env })) };
}

describe("--fail-on-denied", () => {
  const script = [shell("touch made"), { text: "could not." }];
  const background = [{ type: "shell" }, { type: "background_agents" }];
  const helper = (server: { url: string }) => JSON.parse(agentFor(server)).agents.root;

  test.each<[string, Trial]>([
    ["blocked by a hook", { script, keys: BLOCKING, args: ["--yolo"] }],
    ["denied by a rule", { script, file: { permissions: { deny: ["shell"] } }, args: ["--yolo"] }],
    ["denied by the safety mode", { script, args: ["--safety", "restricted"] }],
    ["refused without a terminal", { script }],
    ["refused because a hook asks", { script, keys: ASKING }],
  ])("exits with 3 if a call was %s", async (_name, trial) => {
    const ran = await attempt({ ...trial, args: [...(trial.args ?? []), "--fail-on-denied"] });
    expect({ code: ran.code, answered: ran.stdout.endsWith("could not.\n") }).toEqual({ code: 3, answered: true });
    expect(ran.stderr).toBe("1 call denied, see standard output\n");
  });

  test.each<[string, Trial, number]>([
    ["without the flag", { script, keys: BLOCKING, args: ["--yolo"] }, 0],
    ["if every call ran", { script: [shell("true"), { text: "ok" }], args: ["--yolo", "--fail-on-denied"] }, 0],
    [
      "for mistakes of the model",
      { script: [{ calls: [{ name: "rm", arguments: {} }] }, { text: "ok" }], args: ["--fail-on-denied"] },
      0,
    ],
    ["for a call that failed", { script: [shell("false"), { text: "ok" }], args: ["--yolo", "--fail-on-denied"] }, 0],
  ])("does not %s", async (_name, trial, code) => {
    expect((await attempt(trial)).code).toBe(code);
  });

  test("wins over an error of the model and over a limit", async () => {
    const broken = () => Response.json({ error: { message: "no" } }, { status: 400 });
    const failed = await attempt({ script: [shell("touch made"), broken], args: ["--fail-on-denied"] });
    expect(failed.code).toBe(3);
    const limited = await attempt({ script: [shell("touch made")], args: ["--fail-on-denied", "--max-turns", "1"] });
    expect(limited.code).toBe(3);
    expect(limited.stderr).toContain("stopped by --max-turns 1");
  });

  test("loses against an interrupt", async () => {
    const server = serve(shell("touch made"), () => new Promise<Response>(() => {}));
    const cwd = tempDir({ "agent.yaml": agentFor(server) });
    const child = Bun.spawn([binary(), "run", "agent.yaml", "--fail-on-denied", "go"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "ignore",
    });
    await until(() => server.requests.length >= 2);
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
  });

  test("counts the calls of sub-agents and of agents in the background, which are shown with their name", async () => {
    const task = (name: string): Step => ({
      calls: [{ name, arguments: { agent: "helper", task: "t", expected_output: "o" } }],
    });
    const transferred = serve(task("transfer_task"), shell("touch made"), { text: "no" }, { text: "could not" });
    const file = JSON.parse(agentFor(transferred, { sub_agents: ["helper"] }));
    file.agents.helper = helper(transferred);
    const cwd = tempDir({ "agent.yaml": JSON.stringify(file) });
    const ran = await hooksh(["run", "agent.yaml", "--fail-on-denied", "go"], { cwd });
    expect({ code: ran.code, shown: ran.stdout.includes("Denied shell(cmd: touch made)") }).toEqual({
      code: 3,
      shown: true,
    });

    const served = serve(
      task("run_background_agent"),
      () => answers(),
      () => answers(),
      () => answers(),
    );
    let asked = 0;
    let hasEnded = false;
    // The requests of both agents arrive in any order: the first one to the helper gets the call.
    const answers = () => {
      const request = served.requests.at(-1);
      const isHelper = JSON.stringify(request?.messages).includes("Another agent has given you a task");
      const hasCalled = request?.messages.some(({ role }) => role === "tool");
      if (isHelper && !hasCalled) return reply({ name: "shell", arguments: '{"cmd":"touch made"}' });
      if (isHelper) hasEnded = true;
      return isHelper || asked++ > 0 ? reply() : until(() => hasEnded).then(() => reply());
    };
    const other = JSON.parse(agentFor(served, { sub_agents: ["helper"], toolsets: background }));
    other.agents.helper = helper(served);
    const folder = tempDir({
      "agent.yaml": JSON.stringify({ ...other, permissions: { allow: ["run_background_agent"] } }),
    });
    const done = await hooksh(["run", "agent.yaml", "--fail-on-denied", "go"], { cwd: folder });
    expect(done.code).toBe(3);
    expect(done.stdout).toContain("[helper] Denied shell(cmd: touch made): it needs your approval");
  });
});

/** A complete answer, or a call of a tool. */
function reply(call?: { name: string; arguments: string }): Response {
  const delta = call
    ? { tool_calls: [{ index: 0, id: `call_${crypto.randomUUID()}`, type: "function", function: call }] }
    : { content: "done" };
  const choices = [{ index: 0, delta, finish_reason: call ? "tool_calls" : "stop" }];
  const chunk = { id: "c", object: "chat.completion.chunk", created: 1, model: "fake", choices };
  return new Response(`data: ${JSON.stringify(chunk)}\n\ndata: [DONE]\n\n`, {
    headers: { "content-type": "text/event-stream" },
  });
}

describe("the report of calls that did not run", () => {
  test("names each with its reason, its hook and how to allow it, once however often it was tried", async () => {
    const file = { permissions: { deny: ["shell:cmd=rm *"] } };
    const script = [shell("touch made"), shell("touch made"), shell("rm -r x"), { text: "done" }];
    const { stderr } = await attempt({ script, file, args: ["--json"] });
    expect(stderr).toBe(
      "3 calls denied:\n" +
        "  shell(cmd: touch made) (2 times): it needs your approval, and with --json nobody is asked\n" +
        '    to allow it: run it at a terminal without --json, where you are asked; use --yolo; or add to permissions.allow: "shell:cmd=touch*"\n' +
        '  shell(cmd: rm -r x): rule "shell:cmd=rm *" of the permissions configuration\n' +
        "    to allow it: change or remove the rule, which holds in every mode\n",
    );
    const blocked = await attempt({
      script: [shell("touch made"), { text: "done" }],
      keys: BLOCKING,
      args: ["--json"],
    });
    expect(blocked.stderr).toMatch(
      /^1 call denied:\n {2}shell\(cmd: touch made\): not here\n {4}by strict \(agent\.yaml:\d+\); to allow it, change or remove the hook\n$/,
    );
  });

  test("is one line where the calls were named when they happened, whole if nobody reads them", async () => {
    const server = serve(shell("touch made"), { text: "done" }, shell("touch made"), { text: "done" });
    const cwd = tempDir({
      "agent.yaml": agentFor(server, {
        hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ ...block, command: "exit 7" }] }] },
      }),
    });
    const run = async (redirection: string) => {
      const script = `"${binary()}" run agent.yaml go ${redirection} | cat >shown`;
      await Bun.spawn(["sh", "-c", script], { cwd, env: cleanEnv(cwd), stdin: "ignore" }).exited;
      return readFileSync(join(cwd, "shown"), "utf8");
    };
    const why = "pre_tool_use hook failed: exited with status 7";
    expect(await run("2>&1")).toMatch(
      new RegExp(
        `^Denied shell\\(cmd: touch made\\): ${why}[^"]*\n  by strict \\(.*\ndone\n1 call denied, see above\n$`,
      ),
    );
    expect(await run("2>&1 >/dev/null")).toMatch(
      new RegExp(
        `^1 call denied:\n  shell\\(cmd: touch made\\): ${why}[^"]*\n    by strict .*; to allow it, change or remove the hook\n$`,
      ),
    );
  });

  test("escapes what the model wrote, and is limited", async () => {
    const script = Array.from({ length: 25 }, (_, index) => shell(`touch \u001b[2J\n${index}`));
    const { stderr } = await attempt({ script: [...script, { text: "done" }], args: ["--json"] });
    expect(stderr).toContain("touch \\x1b[2J\\n0)");
    expect(stderr).not.toContain("\u001b");
    expect(stderr.split("\n").filter((line) => line.startsWith("  shell("))).toHaveLength(20);
    expect(stderr).toEndWith("  and 5 others\n");
  });
});

test("lines of both streams in one pipe are whole, and in order, however slowly it is read", async () => {
  const long = "x".repeat(400_000);
  const warns = { name: "w", type: "command", command: `echo '{"system_message":"careful"}'` };
  const server = serve({ ...shell("true"), text: long } as Step, { text: `${long}y` });
  const hooks = { after_llm_call: [warns], stop: [warns] };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks }) });
  const command = `"${binary()}" run agent.yaml go 2>&1 | (sleep 1; cat > both.txt)`;
  await Bun.spawn(["sh", "-c", command], { cwd, env: cleanEnv(cwd), stdin: "ignore" }).exited;
  const lines = readFileSync(join(cwd, "both.txt"), "utf8").split("\n");
  const shown = lines.map((line) => (line.length > 1000 ? `${line.length} ${line.at(-1)}` : line.split(":")[0]));
  expect(shown.filter((line) => /^\d{6} /.test(line ?? ""))).toEqual(["400000 x", "400001 y"]);
  const warning = (event: string) => `⚠️  ${event}: careful`;
  expect(lines.filter((line) => line.includes("careful"))).toEqual(
    ["after_llm_call", "after_llm_call", "stop"].map(warning),
  );
  expect(lines.findIndex((line) => line.endsWith("y"))).toBe(lines.indexOf(warning("stop")) - 1);
});

describe("in a GitHub workflow", () => {
  const COMMANDS =
    "\n  ::error::made up\n::add-mask::x\r::warning::w\n##[error]old\n\u200b::set-output name=a::b\nkeep a::b";
  const isCommand = (line: string) => /^[\s\p{Cf}\p{Cc}]*::/u.test(line) || line.includes("##[");

  async function inWorkflow(trial: Trial) {
    const summary = join(tempDir({ summary: trial.earlier ?? "" }), "summary");
    const env = { GITHUB_ACTIONS: "true", GITHUB_STEP_SUMMARY: summary, ...trial.env };
    const ran = await attempt({ ...trial, env });
    return { ...ran, summary: readFileSync(summary, "utf8") };
  }

  test("denied calls are annotations at the hook that decided, on standard error", async () => {
    const script = [shell("touch a,b: 100%"), { text: "done" }];
    const trial = { script, keys: BLOCKING, args: ["--yolo", "--hide-tool-calls"] };
    const { stdout, stderr } = await inWorkflow(trial);
    expect(stdout).toBe("done\n");
    expect(stderr.split("\n").filter((line) => line.startsWith("::"))).toEqual([
      expect.stringMatching(
        /^::warning file=agent\.yaml,line=\d+,title=hooksh%3A shell denied::shell\(cmd: touch a,b: 100%25\): not here%0ATo allow it: change or remove the hook strict \(agent\.yaml:\d+\)$/,
      ),
    ]);
    const failed = await inWorkflow({ ...trial, script, args: [...trial.args, "--fail-on-denied"] });
    expect(failed.stderr).toContain("\n::error file=agent.yaml,line=");
  });

  test("errors of the run and of its configuration are annotations", async () => {
    const broken = () => Response.json({ error: { message: "no credit" } }, { status: 400 });
    const { stderr } = await inWorkflow({ script: [broken] });
    expect(stderr).toMatch(/^::error title=hooksh run::.*no credit/m);
    const invalid = await inWorkflow({ script: [], keys: { hoks: {} } });
    expect(invalid.code).toBe(1);
    expect(invalid.stderr).toMatch(
      /^::error file=agent\.yaml,line=\d+,col=\d+,title=hooksh run::agent\.yaml:\d+:\d+: /m,
    );
  });

  test.each([
    ["text", []],
    ["text without calls", ["--hide-tool-calls"]],
    ["JSON", ["--json"]],
  ])("no text of a model, a tool or a hook is a workflow command: %s", async (_name, flags) => {
    const script = [shell(`printf '%s' '${COMMANDS}'`), { text: `answer${COMMANDS}` }];
    const warns = { type: "command", command: `cat >&2 <<'END'\nno${COMMANDS}\nEND\nexit 2` };
    const hooks = { stop: [warns] };
    const ran = await inWorkflow({ script, keys: { hooks }, args: ["--yolo", ...flags] });
    const lines = `${ran.stdout}\n${ran.stderr}`.split(/[\r\n]/);
    expect(lines.filter(isCommand)).toEqual([]);
    if (flags.includes("--json")) {
      const answer = ran.lines().filter(({ type }) => type === "agent_choice");
      expect(answer.map(({ content }) => content).join("")).toBe(`answer${COMMANDS}`);
    } else expect(ran.stdout).toContain("keep a::b");
  });

  test("the summary has the calls with their outcomes, and what was denied and how to allow it", async () => {
    const script = [shell("true"), shell("rm -r x"), { text: "done", usage: { prompt: 7, completion: 3 } }];
    const file = { permissions: { allow: ["shell:cmd=true"] } };
    const { summary, stderr } = await inWorkflow({ script, file, earlier: "# Mine\n" });
    expect(stderr).not.toContain("summary");
    expect(summary).toStartWith("# Mine\n## hooksh run\n");
    const text = new DOMText(summary).text;
    expect(text).toContain("Agent root");
    expect(text).toContain("Model fake/model");
    expect(text).toMatch(/Session [0-9a-f-]{36}/);
    expect(text).toContain("Ended answered, exit code 0");
    expect(text).toContain("Tokens 27 in, 13 out");
    expect(text).toContain("1 denied");
    expect(text).toContain("shell(cmd: rm -r x) it needs your approval");
    expect(text).toContain("Tool calls: 1 completed, 1 denied");
  });

  test("no text from outside breaks out of the summary", async () => {
    const evil =
      "`|\n| a | b |\n\n# head\n<img src=x onerror=1>\n[l](http://x.y) https://x.y www.x.y *b* ~~s~~ &amp; \\| $x$";
    const { summary } = await inWorkflow({ script: [shell(evil), { text: "done" }] });
    const html = await marked.parse(summary, { gfm: true });
    expect(html).not.toMatch(/<(img|a|em|strong|del|code|h1)\b/);
    const cells = html.split("<tr>").map((row) => row.split(/<t[dh]>/).length - 1);
    expect(new Set(cells)).toEqual(new Set([0, 2, 3]));
  });

  test("no secret is in the summary, whose escapes would hide it from GitHub's own masks", async () => {
    const env = { DEPLOY_TOKEN: "tok.en-with_marks/17" };
    const { summary } = await inWorkflow({ script: [shell(`curl -H ${env.DEPLOY_TOKEN} x`), { text: "done" }], env });
    expect(summary).toContain("curl");
    expect(new DOMText(summary).text).not.toContain(env.DEPLOY_TOKEN);
  });

  test("the summary leaves what does not fit into GitHub's limit, and says so", async () => {
    const script = [
      ...Array.from({ length: 30 }, (_, index) => shell(`touch ${index} ${"|".repeat(100)}`)),
      { text: "done" },
    ];
    const earlier = "x".repeat(1024 * 1024 - 8000);
    const { summary } = await inWorkflow({ script, earlier });
    expect(Buffer.byteLength(summary)).toBeLessThanOrEqual(1024 * 1024);
    expect(summary).toContain("### Tool calls: 30 denied");
    const full = await inWorkflow({ script: [{ text: "done" }], earlier: "x".repeat(1024 * 1024 - 10) });
    expect(full.code).toBe(0);
    expect(full.stderr).toContain("the step summary of GITHUB_STEP_SUMMARY is full");
  });

  test("the outputs have the whole answer, whatever is in it, without secrets", async () => {
    const output = join(tempDir({ output: "mine=1\n" }), "output");
    const env = { GITHUB_OUTPUT: output, DEPLOY_TOKEN: "tok.en-with_marks/17" };
    const text = `one\nEOF\ndenied=0\nsession<<EOF\r\nnone\nEOF\n${env.DEPLOY_TOKEN} \u001b[2J\n`;
    const ran = await inWorkflow({ script: [shell("touch made"), { text }], args: ["--fail-on-denied"], env });
    const [first, ...outputs] = readFileSync(output, "utf8").split(/(?=^[\w-]+<<hooksh-)/m);
    expect([ran.code, first]).toEqual([3, "mine=1\n"]);
    const values = outputs.map((one) => /^([\w-]+)<<(hooksh-[0-9a-f-]{36})\n([^]*)\n\2\n$/.exec(one)?.slice(1) ?? []);
    expect(Object.fromEntries(values.map(([name, , value]) => [name, value]))).toEqual({
      answer: text.replace(env.DEPLOY_TOKEN, "[REDACTED]"),
      cost: "",
      "exit-code": "3",
      denied: "1",
      session: expect.stringMatching(/^[0-9a-f-]{36}$/),
    });
    const long = await inWorkflow({ script: [{ text: "é".repeat(600_000) }], env });
    expect(long.stderr).toContain("the output answer holds its beginning");
    expect(readFileSync(output, "utf8").length).toBeGreaterThan(500_000);
  });

  test("--no-github turns annotations, outputs and summary off", async () => {
    const output = join(tempDir({ output: "" }), "output");
    const { summary, stderr } = await inWorkflow({
      script: [shell("touch made"), { text: "done" }],
      args: ["--no-github"],
      env: { GITHUB_OUTPUT: output },
    });
    expect([summary, readFileSync(output, "utf8")]).toEqual(["", ""]);
    expect(stderr).not.toContain("::");
  });

  test("there are none elsewhere, and text stays as it is", async () => {
    const { stdout, stderr } = await attempt({ script: [shell("touch made"), { text: "::error::mine" }] });
    expect(stdout).toEndWith("\n::error::mine\n");
    expect(stderr).not.toContain("::");
  });
});

/** The text that a reader of a page sees. */
class DOMText {
  readonly text: string;

  constructor(markdown: string) {
    const html = marked.parse(markdown, { gfm: true, async: false });
    const bare = html.replace(/<[^>]+>/g, " ").replace(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)));
    this.text = bare.replace(/\s+/g, " ");
  }
}
