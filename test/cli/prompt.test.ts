import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { held, setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

describe("the prompt", () => {
  test("answers each line in one session until /exit", async () => {
    const { server, cwd, events } = setUp(
      { welcome_message: "Welcome aboard" },
      { text: "first answer" },
      { text: "second answer" },
    );
    const run = start(cwd);
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
    expect(server.requests[1]?.messages.slice(-3).map(({ content }) => content)).toEqual([
      "one",
      "first answer",
      "two",
    ]);
    expect(events().map(({ hook_event_name, reason }) => [hook_event_name, reason])).toEqual([
      ["session_start", undefined],
      ["turn_end", "normal"],
      ["turn_end", "normal"],
      ["session_end", "prompt_input_exit"],
    ]);
  });

  test("end of file at the idle prompt ends the session", async () => {
    const { cwd, events } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  });

  test("Ctrl+C at the idle prompt says that a second one leaves, and the second leaves", async () => {
    const { cwd, events } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("\x03");
    await run.sees("Ctrl+C again leaves");
    run.press("\x03");
    expect(await run.child.exited).toBe(0);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  });

  test("Ctrl+C while the agent works cancels the answer and stays", async () => {
    const { cwd, events } = setUp({}, shell("touch started; sleep 304.1"), { text: "after" });
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("go\r");
    await until(() => existsSync(join(cwd, "started")));
    run.child.kill("SIGINT");
    await run.sees("(canceled)");
    await run.sees("> ");
    expect(events().find(({ hook_event_name }) => hook_event_name === "turn_end")).toMatchObject({
      reason: "canceled",
    });
    run.press("again\r");
    await run.sees("after");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });
});

describe("the line", () => {
  test("is edited with the keys of a shell, including wide characters", async () => {
    const { server, cwd } = setUp({}, { text: "done" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("wörld 漢字");
    await run.sees("漢字");
    run.press("\x7f!\x01Hello \x1b[F?\x1b[D\x1b[D\x1b[D\x1b[3~\r");
    await run.sees("done");
    expect(server.requests[0]?.messages.at(-1)?.content).toBe("Hello wörld !?");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("can have several rows, after a backslash or by pasting", async () => {
    const { server, cwd } = setUp({}, { text: "one" }, { text: "two" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("first\\\rsecond\r");
    await run.sees("one");
    await run.sees("> ");
    run.press("\x1b[200~a\r\nb\x1b[2");
    run.press("01~c\r");
    await run.sees("two");
    const sent = (request: number) => server.requests[request]?.messages.at(-1)?.content;
    expect([sent(0), sent(1)]).toEqual(["first\nsecond", "a\nbc"]);
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(run.sent()).toContain("\x1b[?2004l");
  });

  test("has a history that outlives the process and that only the user can read", async () => {
    const { server, cwd } = setUp({}, { text: "answer one" }, { text: "answer two" });
    const first = start(cwd);
    await first.sees("> ");
    first.press("remember\\\rme\r");
    await first.sees("answer one");
    await first.sees("> ");
    first.press("\x04");
    await first.child.exited;
    const file = join(cwd, ".home", ".hooksh", "prompt-history");
    expect(readFileSync(file, "utf8")).toBe(`${JSON.stringify("remember\nme")}\n`);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    const second = start(cwd);
    await second.sees("> ");
    second.press("\x1b[A\r");
    await second.sees("answer two");
    expect(server.requests[1]?.messages.at(-1)?.content).toBe("remember\nme");
    second.press("\x04");
    await second.child.exited;
  });

  test("Ctrl+C clears it, and a second one ends the session", async () => {
    const { server, cwd, events } = setUp({});
    const run = start(cwd);
    await run.sees("> ");
    run.press("never sent");
    await run.sees("never sent");
    run.press("\x03");
    await run.sees("Ctrl+C again leaves");
    run.press("\x03");
    expect(await run.child.exited).toBe(0);
    expect(server.requests).toEqual([]);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  });
});

describe("while the agent works", () => {
  test("a line waits for the next step, and is shown as queued", async () => {
    const { server, cwd, events } = setUp({}, shell("touch started; while [ ! -e go ]; do sleep 0.05; done"), {
      text: "finished",
    });
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("begin\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("also this\r");
    await run.sees("(queued) also this");
    writeFileSync(join(cwd, "go"), "");
    await run.sees("finished");
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({ role: "user", content: "also this" });
    expect(events().find(({ hook_event_name }) => hook_event_name === "user_steering_messages_submit")).toMatchObject({
      steering_messages: ["also this"],
    });
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("the sixth line is refused and put back, and a line sent with Tab waits for the answer", async () => {
    const { step, release } = held("first answer");
    const { server, cwd } = setUp({}, step, { text: "second answer" }, { text: "third answer" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("begin\r");
    await until(() => server.requests.length === 1);
    for (const line of ["1", "2", "3", "4", "5"]) {
      run.press(`line ${line}\r`);
      await run.sees(`(queued) line ${line}`);
    }
    run.press("line 6\r");
    await run.sees("queue is full");
    await run.sees("line 6");
    run.press("\x15and then\t");
    await run.sees("(queued for after the answer) and then");
    release();
    await run.sees("first answer");
    await run.sees("third answer");
    expect(server.requests[1]?.messages.at(-1)?.content.match(/line \d/g)).toEqual([
      "line 1",
      "line 2",
      "line 3",
      "line 4",
      "line 5",
    ]);
    expect(server.requests[2]?.messages.at(-1)?.content).toBe("and then");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("an unfinished line is kept for the next prompt", async () => {
    const { step, release } = held("an answer");
    const { server, cwd } = setUp({}, step, { text: "another" });
    const run = start(cwd);
    await run.sees("> ");
    run.press("begin\r");
    await until(() => server.requests.length === 1);
    run.press("half a");
    await run.sees("half a");
    release();
    await run.sees("an answer");
    await run.sees("> half a");
    run.press(" line\r");
    await run.sees("another");
    expect(server.requests[1]?.messages.at(-1)?.content).toBe("half a line");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("queued lines are shown again after a cancellation and sent with the next message", async () => {
    const { server, cwd } = setUp({}, shell("touch started; sleep 304.2"), { text: "on it" }, { text: "later done" });
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("begin\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("for later\t");
    await run.sees("(queued for after the answer) for later");
    run.press("\x1b");
    await run.sees("(canceled)");
    await run.sees("sent with your next message) for later");
    run.press("now\r");
    await run.sees("later done");
    expect(server.requests[2]?.messages.at(-1)?.content).toBe("for later");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("Ctrl+C pressed twice leaves, after the last hooks have run", async () => {
    const slow = { type: "command", command: "touch ending; sleep 1; cat >> events.log" };
    const { cwd, events } = setUp({ hooks: { turn_end: [slow] } }, shell("touch started; sleep 304.3"));
    const run = start(cwd, ["--yolo"]);
    await run.sees("> ");
    run.press("begin\r");
    await until(() => existsSync(join(cwd, "started")));
    run.press("\x03");
    await until(() => existsSync(join(cwd, "ending")));
    run.press("\x03");
    expect(await run.child.exited).toBe(130);
    expect(events().slice(-2)).toMatchObject([
      { hook_event_name: "turn_end", reason: "canceled" },
      { hook_event_name: "session_end", reason: "prompt_input_exit" },
    ]);
  });

  test("a spinner shows that the agent works, and is removed again", async () => {
    const { step, release } = held("an answer");
    const { cwd } = setUp({}, step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("begin\r");
    await run.sees("thinking 1 s");
    release();
    await run.sees("an answer");
    const [, after = ""] = run.sent().split("an answer");
    expect(after).not.toContain("thinking");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });
});
