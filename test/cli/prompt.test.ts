import { afterEach, describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { agentFor, type FakeOpenAI, fakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const servers: FakeOpenAI[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.stop();
});

/** A run at a real pseudo-terminal: what it shows, and keys to press. */
function startAtTerminal(cwd: string, args: string[]) {
  let screen = "";
  let seen = 0;
  let waiting: (() => void) | undefined;
  const child = Bun.spawn([binary(), "run", "agent.yaml", ...args], {
    cwd,
    env: cleanEnv(cwd, { TERM: "xterm" }),
    terminal: {
      cols: 100,
      rows: 30,
      data: (_terminal, data) => {
        screen += new TextDecoder().decode(data);
        waiting?.();
      },
    },
  });
  return {
    child,
    press: (keys: string) => void child.terminal?.write(keys),
    /** Waits until a text is shown, behind what was last waited for. */
    async sees(text: string): Promise<void> {
      const deadline = Date.now() + 15_000;
      for (;;) {
        const shown = Bun.stripANSI(screen);
        const at = shown.indexOf(text, seen);
        if (at >= 0) {
          seen = at + text.length;
          return;
        }
        if (Date.now() > deadline) throw new Error(`never saw ${JSON.stringify(text)} in ${JSON.stringify(shown.slice(seen))}`);
        await Promise.race([new Promise<void>((resolve) => (waiting = resolve)), Bun.sleep(100)]);
      }
    },
  };
}

function setUp(keys: Record<string, unknown>, ...script: Step[]) {
  const server = fakeOpenAI(script);
  servers.push(server);
  const hook = { type: "command", command: "cat >> events.log" };
  const hooks = { session_start: [hook], turn_end: [hook], session_end: [hook], on_tool_approval_decision: [hook] };
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, ...keys }) });
  const events = () => readFileSync(join(cwd, "events.log"), "utf8").trim().split("\n").map((line) => JSON.parse(line) as Record<string, unknown>);
  return { server, cwd, events };
}

const shell = (cmd: string) => ({ calls: [{ name: "shell", arguments: { cmd } }] });

describe("the prompt", () => {
  test("answers line after line in one session, and /exit leaves it", async () => {
    const { server, cwd, events } = setUp({ welcome_message: "Welcome aboard" }, { text: "first answer" }, { text: "second answer" });
    const run = startAtTerminal(cwd, []);
    await run.sees("Welcome aboard");
    await run.sees("> ");
    run.press("one\r");
    await run.sees("first answer");
    await run.sees("> ");
    run.press("two\r");
    await run.sees("second answer");
    await run.sees("> ");
    run.press("/exit\r");
    expect(await run.child.exited).toBe(0);
    expect(server.requests[1]?.messages.slice(-3).map(({ content }) => content)).toEqual(["one", "first answer", "two"]);
    expect(events().map(({ hook_event_name, reason }) => [hook_event_name, reason])).toEqual([
      ["session_start", undefined], ["turn_end", "normal"], ["turn_end", "normal"], ["session_end", "prompt_input_exit"],
    ]);
  }, 40_000);

  test.each([["end of file", "\x04"], ["Ctrl+C", "\x03"]])("%s at the idle prompt ends the session", async (_name, key) => {
    const { cwd, events } = setUp({});
    const run = startAtTerminal(cwd, []);
    await run.sees("> ");
    run.press(key);
    expect(await run.child.exited).toBe(0);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  }, 40_000);

  test("Ctrl+C while the agent works cancels the answer and stays", async () => {
    const { cwd, events } = setUp({}, shell("touch started; sleep 304.1"), { text: "after" });
    const run = startAtTerminal(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("go\r");
    for (let n = 0; n < 200 && !existsSync(join(cwd, "started")); n++) await Bun.sleep(50);
    run.child.kill("SIGINT");
    await run.sees("(canceled)");
    await run.sees("> ");
    expect(events().find(({ hook_event_name }) => hook_event_name === "turn_end")).toMatchObject({ reason: "canceled" });
    run.press("again\r");
    await run.sees("after");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  }, 40_000);
});

describe("an approval", () => {
  test.each([
    ["y", true, "user_approved"], ["t", true, "user_approved_tool"], ["a", true, "user_approved_session"], ["n", false, "user_rejected"],
  ])("key %s", async (key, runs, source) => {
    const { cwd, events } = setUp({}, shell("touch made"), { text: "finished" });
    const run = startAtTerminal(cwd, ["go"]);
    await run.sees("root wants to run shell(cmd: touch made)");
    await run.sees("[n]o: ");
    run.press(key);
    await run.sees("finished");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(runs);
    expect(events().find(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision")).toMatchObject({ approval_source: source });
  }, 40_000);

  test("Ctrl+C at the question cancels the call, and the call does not run", async () => {
    const { cwd, events } = setUp({}, shell("touch made"));
    const run = startAtTerminal(cwd, ["go"]);
    await run.sees("[n]o: ");
    run.press("\x03");
    expect(await run.child.exited).toBe(130);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(events().find(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision")).toMatchObject({ approval_decision: "canceled", approval_source: "context_canceled" });
  }, 40_000);
});
