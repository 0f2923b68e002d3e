import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { setUp, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

const command = (text: string) => ({ type: "command", name: "guard", command: text });
/** A hook that refuses an answer with the word, and logs its input. */
const NO_PRICE = command('tee -a inputs.log | grep -q PRICE && { echo "leave out the price" >&2; exit 2; }; exit 0');
const REWRITING = command(
  `grep -q PRICE && echo '{"hook_specific_output":{"updated_response":"It is cheap."}}'; exit 0`,
);
/** A hook that lets the agent stop once the file `done` exists. */
const DONE = command("[ -e done ] || { echo make the file done >&2; exit 2; }");
const shell = (cmd: string): Step => ({ calls: [{ name: "shell", arguments: { cmd } }] });

/** A project with an agent that has these hooks, and a model that plays the script. */
function project(script: Step[], hooks: Record<string, object>, keys: Record<string, unknown> = {}) {
  const server = serve(...script);
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, ...keys }) });
  return { server, cwd, run: (...args: string[]) => hooksh(["run", "agent.yaml", "--yolo", ...args], { cwd }) };
}

const texts = (messages: { role: string; content: string }[] = []) =>
  messages.filter(({ role }) => role !== "system").map(({ role, content }) => [role, content]);

describe("stop_guard", () => {
  test("keeps the agent at work until it lets it stop, and says why on standard error", async () => {
    const { run, server } = project([{ text: "Done." }, shell("touch done"), { text: "Made it." }], {
      stop_guard: DONE,
    });
    const ran = await run("go");
    expect(ran).toMatchObject({ code: 0, stderr: "⚠️  stop_guard: the agent goes on (1 of 8): make the file done\n" });
    expect(ran.stdout).toStartWith("Done.\n");
    expect(ran.stdout).toEndWith("Made it.\n");
    expect(texts(server.requests[1]?.messages)).toEqual([
      ["user", "go"],
      ["assistant", "Done."],
      ["user", "You cannot stop yet: make the file done"],
    ]);
  });

  test("gives up after max_guard_retries, and the run still succeeds", async () => {
    const hooks = { stop_guard: command("exit 2") };
    const { run } = project([{ text: "One." }, { text: "Two." }], hooks, { max_guard_retries: 1 });
    const ran = await run("go");
    expect(ran).toMatchObject({ code: 0, stdout: "One.\nTwo.\n" });
    expect(ran.stderr).toContain("the agent stops although hooks refuse, max_guard_retries (1) is reached");
  });

  test("does not outlast --max-iterations", async () => {
    const { cwd } = project([{ text: "One." }, { text: "Two." }], { stop_guard: command("exit 2") });
    const ran = await hooksh(["run", "agent.yaml", "--max-iterations", "2", "go"], { cwd });
    expect(ran.code).toBe(124);
    expect(ran.stderr).toContain("stopped by --max-iterations 2: root has taken 2 iterations; to continue: ");
  });

  test("that fails lets the agent stop, unless on_error is block", async () => {
    const failing = command("exit 1");
    const lenient = project([{ text: "One." }], { stop_guard: failing });
    expect((await lenient.run("go")).stderr).toContain('stop_guard hook failed to execute: hook "guard": exited with');
    const strict = project(
      [{ text: "One." }, { text: "Two." }],
      { stop_guard: { ...failing, on_error: "block" } },
      {
        max_guard_retries: 1,
      },
    );
    expect((await strict.run("go")).stdout).toBe("One.\nTwo.\n");
  });

  test("is part of the conversation of a resumed session", async () => {
    const { run, server } = project([{ text: "Done." }, shell("touch done"), { text: "Made it." }, { text: "Sure." }], {
      stop_guard: DONE,
    });
    await run("--session", "s", "go");
    expect((await run("--session", "s", "thanks")).code).toBe(0);
    expect(texts(server.requests[3]?.messages)).toContainEqual(["user", "You cannot stop yet: make the file done"]);
    expect(texts(server.requests[3]?.messages).at(-1)).toEqual(["user", "thanks"]);
  });
});

describe("response_guard", () => {
  test("keeps a refused answer off standard output and out of the session", async () => {
    const { run, server, cwd } = project([{ text: "The PRICE is 5." }, { text: "It is cheap." }], {
      response_guard: NO_PRICE,
    });
    const ran = await run("--quiet", "--session", "s", "go");
    expect(ran).toMatchObject({ code: 0, stdout: "It is cheap.\n" });
    expect(ran.stderr).toBe(
      "⚠️  response_guard: the answer is not shown, the model answers again (1 of 8): leave out the price\n",
    );
    expect(JSON.stringify(server.requests)).not.toContain("PRICE");
    const exported = await hooksh(["sessions", "export", "s"], { cwd });
    expect(exported.stdout).toContain("It is cheap.");
    expect(exported.stdout).not.toContain("PRICE");
    expect(readFileSync(join(cwd, "inputs.log"), "utf8")).toContain("The PRICE is 5.");
  });

  test.each([
    ["refuses", NO_PRICE],
    ["rewrites", REWRITING],
  ])("that %s an answer keeps it out of --json", async (_what, hook) => {
    const script = [{ text: "The PRICE is 5." }, { text: "It is cheap." }];
    const { run } = project(hook === NO_PRICE ? script : script.slice(0, 1), { response_guard: hook });
    const ran = await run("--json", "go");
    expect(ran.code).toBe(0);
    expect(ran.stdout).not.toContain("PRICE");
    const shown = ran.lines().filter(({ type }) => type === "agent_choice");
    expect(shown.map(({ content }) => content).join("")).toBe("It is cheap.");
  });

  test("ends the run with an error if the model cannot give an answer that it accepts", async () => {
    const script = [{ text: "The PRICE is 5." }, { text: "PRICE: 5" }];
    const { run } = project(script, { response_guard: NO_PRICE }, { max_guard_retries: 1 });
    const ran = await run("go");
    expect(ran).toMatchObject({ code: 1, stdout: "[The answer was withheld: leave out the price]\n" });
    expect(ran.stderr).toMatch(
      /error: response_guard hooks withheld the answer after 1 retry: leave out the price\n {2}by guard \(agent\.yaml:\d+\), \d+ ms\n$/,
    );
  });

  test.each(["exit 1", "sleep 60", 'echo \'{"updatedResponse":"x"}\'', "/nonexistent/guard"])(
    "withholds the answer at once if its hook fails: %s",
    async (text) => {
      const { run } = project([{ text: "The PRICE is 5." }], {
        response_guard: { ...command(text), timeout: 1, on_error: "ignore" },
      });
      const ran = await run("go");
      expect(ran.code).toBe(1);
      expect(ran.stdout).toStartWith("[The answer was withheld: response_guard hook failed to execute: hook");
      expect(ran.stdout + ran.stderr).not.toContain("PRICE");
    },
  );

  test("and stop_guard work together: only an accepted answer is asked to go on", async () => {
    const script = [{ text: "The PRICE is 5." }, { text: "Fine." }, shell("touch done"), { text: "Made it." }];
    const { run } = project(script, { response_guard: NO_PRICE, stop_guard: DONE });
    const { stderr } = await run("go");
    expect(stderr.match(/⚠️ {2}\w+/g)).toEqual(["⚠️  response_guard", "⚠️  stop_guard"]);
  });
});

describe("at a terminal", () => {
  test("a refused answer never appears, and the prompt is there for the next message", async () => {
    const keys = { hooks: { response_guard: NO_PRICE }, max_guard_retries: 1 };
    const { cwd } = setUp(keys, { text: "PRICE 5" }, { text: "PRICE: 5" }, { text: "Hello." });
    const run = start(cwd);
    await run.sees("> ");
    run.press("cost?\r");
    await run.sees("the model answers again (1 of 1): leave out the price");
    await run.sees("[The answer was withheld: leave out the price]");
    await run.sees("> ");
    run.press("hi\r");
    await run.sees("Hello.");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(run.sent()).not.toContain("PRICE");
  });

  test("Ctrl+C while a guard runs ends the turn without the answer", async () => {
    const slow = command("touch started; sleep 304.2");
    const { cwd, events } = setUp({ hooks: { response_guard: slow } }, { text: "PRICE 5" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("go\r");
    await until(() => existsSync(join(cwd, "started")));
    run.child.kill("SIGINT");
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    await run.child.exited;
    expect(run.sent()).not.toContain("PRICE");
    expect(events()).toContainEqual(expect.objectContaining({ hook_event_name: "turn_end", reason: "canceled" }));
  });
});

describe("dispatch", () => {
  const dispatch = async (hooks: object, event: object, ...args: string[]) => {
    const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks) });
    return hooksh(["dispatch", "--hooks-file", "hooks.yaml", ...args], { cwd, input: JSON.stringify(event) });
  };
  const answered = { hook_event_name: "response_guard", stop_response: "The PRICE is 5." };

  test("judges stop_guard", async () => {
    const event = { hook_event_name: "stop_guard", stop_response: "Done.", stop_hook_active: true };
    const ran = await dispatch({ stop_guard: DONE }, event);
    expect(ran).toMatchObject({ code: 2 });
    expect(ran.lines()).toEqual([{ decision: "block", reason: "make the file done" }]);
    const wrong = await dispatch({ stop_guard: DONE }, { ...event, stop_hook_active: "yes" });
    expect(wrong.stderr).toContain("stop_hook_active: expected");
  });

  test("judges response_guard, in every format", async () => {
    const hooks = { response_guard: REWRITING };
    expect((await dispatch(hooks, answered)).lines()).toEqual([
      { hook_specific_output: { hook_event_name: "response_guard", updated_response: "It is cheap." } },
    ]);
    expect((await dispatch(hooks, answered, "--output", "result")).lines()).toEqual([
      { event: "response_guard", allowed: true, updated_response: "It is cheap." },
    ]);
    expect((await dispatch(hooks, answered, "--output", "text")).stdout).toContain("answer now: It is cheap.");
    expect(await dispatch({ response_guard: command("exit 1") }, answered)).toMatchObject({ code: 2 });
  });

  test("strict_output allows updated_response only where it has an effect", async () => {
    const hook = { ...REWRITING, strict_output: true };
    expect((await dispatch({ response_guard: hook }, answered)).code).toBe(0);
    const ran = await dispatch({ stop: hook }, { ...answered, hook_event_name: "stop" }, "--output", "result");
    expect(ran.stdout).toContain("stop does not support updated_response");
  });
});
