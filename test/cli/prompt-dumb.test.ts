import { describe, expect, test } from "bun:test";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const dumb = { env: { TERM: "dumb" } };

describe("a dumb terminal", () => {
  test("shows a whole conversation without any escape sequence", async () => {
    const { server, cwd, events } = setUp(
      { welcome_message: "Welcome" },
      shell("touch started; while [ ! -e go ]; do sleep 0.05; done"),
      { text: "finished" },
      { text: "goodbye" },
    );
    const run = start(cwd, [], dumb);
    await run.sees("Welcome");
    await run.sees("> ");
    run.press("begin\\\nhere\n");
    await run.sees("[n]o:");
    run.press("y");
    await until(() => existsSync(join(cwd, "started")));
    run.press("also this\n");
    await run.sees("(queued) also this");
    writeFileSync(join(cwd, "go"), "");
    await run.sees("finished");
    await run.sees("> ");
    run.press("bye\n");
    await run.sees("goodbye");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(run.sent()).not.toContain("\x1b");
    expect(server.requests[0]?.messages.at(-1)?.content).toBe("begin\nhere");
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  });

  test("a key typed before a question does not answer it", async () => {
    const { cwd } = setUp({}, shell("touch started; while [ ! -e go ]; do sleep 0.05; done"), shell("touch made"), {
      text: "finished",
    });
    const run = start(cwd, [], dumb);
    await run.sees("> ");
    run.press("begin\n");
    await run.sees("[n]o:");
    run.press("y");
    await until(() => existsSync(join(cwd, "started")));
    run.press("y");
    await run.sees("y");
    writeFileSync(join(cwd, "go"), "");
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("finished");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("pasted text and an arrow key do not answer a question, and Escape cancels the answer", async () => {
    const { cwd, events } = setUp({}, shell("touch made"));
    const run = start(cwd, [], dumb);
    await run.sees("> ");
    run.press("begin\n");
    await run.sees("[n]o:");
    for (const keys of ["yes", "\x1b[A", "é"]) {
      await Bun.sleep(600); // a pause: one key would count
      run.press(keys);
    }
    await Bun.sleep(600);
    expect(run.shown()).toEndWith("[n]o: ");
    run.press("\x1b");
    await run.sees("^C");
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(events().find(({ hook_event_name }) => hook_event_name === "turn_end")).toMatchObject({
      reason: "canceled",
    });
  });

  test("the end of input cancels a question, and then leaves", async () => {
    const { cwd, events } = setUp({}, shell("touch made"));
    const run = start(cwd, [], dumb);
    await run.sees("> ");
    run.press("begin\n");
    await run.sees("[n]o:");
    run.press("\x04");
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(events().at(-1)).toMatchObject({ hook_event_name: "session_end", reason: "prompt_input_exit" });
  });

  test("each pasted line is a message", async () => {
    const { server, cwd } = setUp({}, { text: "first answer" }, { text: "second answer" });
    const run = start(cwd, [], dumb);
    await run.sees("> ");
    run.press(`one ${"é".repeat(1500)}\ntwo\n`);
    await run.sees("second answer");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    const sent = server.requests.map(({ messages }) => messages.at(-1)?.content);
    expect(sent).toEqual([`one ${"é".repeat(1500)}`, "two"]);
  });

  test("Ctrl+C cancels the answer, and leaves the idle prompt", async () => {
    const { cwd, events } = setUp({}, shell("touch started; sleep 304.4"));
    const run = start(cwd, ["--yolo"], dumb);
    await run.sees("> ");
    run.press("begin\n");
    await until(() => existsSync(join(cwd, "started")));
    run.press("\x03");
    await run.sees("(canceled)");
    await run.sees("> ");
    run.press("\x03");
    expect(await run.child.exited).toBe(0);
    expect(events().slice(-2)).toMatchObject([{ reason: "canceled" }, { reason: "prompt_input_exit" }]);
  });
});

describe("colours", () => {
  test.each([
    ["are there", {}, [], true],
    ["are off with NO_COLOR", { NO_COLOR: "1" }, [], false],
    ["are off with --no-color", {}, ["--no-color"], false],
  ])("%s", async (_name, env, args, colored) => {
    const { cwd } = setUp({}, shell("true"), { text: "finished" });
    const run = start(cwd, ["--yolo", ...args, "go"], { env });
    await run.sees("finished");
    await run.child.exited;
    expect(/\x1b\[3\dm/.test(run.sent())).toBe(colored);
    expect(/\x1b\[\d+m/.test(run.sent())).toBe(colored);
  });
});
