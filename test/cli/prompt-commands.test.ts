import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { sh } from "../helpers/call-builtin.ts";
import { held, setUp, shell, start, type TerminalRun } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

async function leave(run: TerminalRun): Promise<void> {
  run.press("/exit\r");
  expect(await run.child.exited).toBe(0);
}

async function enter(run: TerminalRun, line: string, then: string): Promise<void> {
  run.press(`${line}\r`);
  await run.sees(then);
}

describe("a command at the prompt", () => {
  test.each([["/clear"], ["/new"]])(
    "%s ends the session and starts another with the same mode and no memory",
    async (command) => {
      const { server, cwd, events } = setUp({}, { text: "first answer" }, { text: "second answer" });
      const run = start(cwd, ["--safety", "balanced"]);
      await run.sees("> ");
      await enter(run, "one", "first answer");
      await enter(run, command, "(new session)");
      await enter(run, "two", "second answer");
      await enter(run, "/permissions", "Safety mode: balanced");
      await leave(run);
      expect(server.requests[1]?.messages.map(({ content }) => content)).not.toContain("one");
      const lives = events().filter(({ hook_event_name }) => String(hook_event_name).startsWith("session_"));
      expect(lives.map(({ hook_event_name, source, reason }) => [hook_event_name, source ?? reason])).toEqual([
        ["session_start", "startup"],
        ["session_end", "clear"],
        ["session_start", "clear"],
        ["session_end", "prompt_input_exit"],
      ]);
      expect(lives[1]?.["session_id"]).toBe(lives[0]?.["session_id"]);
      expect(lives[2]?.["session_id"]).not.toBe(lives[0]?.["session_id"]);
    },
  );

  test("runs when Enter is pressed while its completions are shown, also if its name is not complete", async () => {
    const { cwd } = setUp({}, { text: "first answer" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "one", "first answer");
    run.press("/cos");
    await run.sees("Show tokens and cost");
    run.press("\r");
    await run.sees("the cost is unknown; the last call read");
    await leave(run);
  });

  test("/clear and /exit while the agent works cancel its answer first", async () => {
    const { server, cwd, events } = setUp({}, held("never").step, held("never").step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("one\r");
    await until(() => server.requests.length === 1);
    await enter(run, "/clear", "(new session)");
    run.press("two\r");
    await until(() => server.requests.length === 2);
    await leave(run);
    const ends = events().filter(
      ({ hook_event_name }) => hook_event_name === "turn_end" || hook_event_name === "session_end",
    );
    expect(ends.map(({ reason }) => reason)).toEqual(["canceled", "clear", "canceled", "prompt_input_exit"]);
  });

  test("/yolo lets tools run without asking, and ask again", async () => {
    const { cwd } = setUp({}, shell("touch made"), { text: "finished" }, shell("touch more"), { text: "done again" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/yolo", "without asking");
    await enter(run, "go", "finished");
    expect(existsSync(join(cwd, "made"))).toBe(true);
    await enter(run, "/yolo", "tools ask again");
    await enter(run, "go on", "[n]o:");
    run.press("n");
    await run.sees("done again");
    expect(existsSync(join(cwd, "more"))).toBe(false);
    await leave(run);
  });

  test("!COMMAND shows its output and adds it to the next request, and no tool hook runs", async () => {
    const { server, cwd, events } = setUp(
      { hooks: { pre_tool_use: [{ matcher: "*", hooks: [{ type: "command", command: "cat >> events.log" }] }] } },
      { text: "I see" },
    );
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "!printf 'out\\033[2Jput'; exit 3", "output");
    await run.sees("(exit code 3)");
    await enter(run, "what was that?", "I see");
    const sent = JSON.stringify(server.requests[0]?.messages);
    expect(sent).toContain("exit code 3");
    expect(sent).toContain("what was that?");
    expect(run.sent()).not.toContain("\x1b[2J");
    await leave(run);
    expect(events().map(({ hook_event_name }) => hook_event_name)).toEqual([
      "session_start",
      "turn_end",
      "session_end",
    ]);
  });

  test("/help, /tools, /cost, /permissions and /sessions show the state without asking a model", async () => {
    const { server, cwd } = setUp(
      { commands: { greet: { instruction: "Say hello to ${args}", description: "Greets somebody" } } },
      { text: "hello Ann" },
    );
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/help", "/compact [WHAT TO KEEP]");
    await run.sees("Greets somebody");
    expect(run.shown()).not.toContain("/undo");
    await enter(run, "/tools", "shell(cmd");
    await enter(run, "/cost", "$0.0000");
    await enter(run, "/permissions", "Safety mode: default: tools that only read run");
    await run.sees("no rules");
    expect(server.requests).toEqual([]);
    await enter(run, "/greet Ann", "hello Ann");
    await enter(run, "/sessions", "/greet Ann");
    await run.sees("/resume ID continues one");
    await leave(run);
  });

  test("an unknown name is an error with a suggestion, and never sent; a path is a message", async () => {
    const { server, cwd } = setUp({}, { text: "no idea" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/hepl me", "unknown command /hepl, did you mean /help?");
    await enter(run, "/undo it, please", "start with --snapshot");
    expect(server.requests).toEqual([]);
    await enter(run, "/etc/hosts is broken", "no idea");
    expect(server.requests[0]?.messages.at(-1)?.content).toBe("/etc/hosts is broken");
    await leave(run);
  });

  test("/model makes the agent use another model, and names what is wrong with an unknown one", async () => {
    const { server, cwd } = setUp({}, { text: "from the other" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/model nothing", "error: ");
    await enter(run, "/model fake/other", "(root uses fake/other from now on)");
    await enter(run, "hello", "from the other");
    expect(server.requests[0]).toMatchObject({ model: "other" });
    await enter(run, "/model", "in use");
    await run.escape();
    await leave(run);
  });

  test("/agents shows the agents of the team and lets another one answer", async () => {
    const { server, cwd } = setUp({ sub_agents: ["helper"] }, { text: "helped" });
    const file = JSON.parse(readFileSync(join(cwd, "agent.yaml"), "utf8"));
    file.agents.helper = { model: "fake/small", description: "Helps", instruction: "I am the helper." };
    writeFileSync(join(cwd, "agent.yaml"), JSON.stringify(file));
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/agents helpr", 'no agent "helpr", did you mean helper?');
    run.press("/agents\r");
    await run.sees("root (answers now)");
    await run.sees("fake/small · Helps");
    run.press("help");
    await run.sees("helper");
    run.press("\r");
    await run.sees("(helper answers from now on)");
    await enter(run, "hello", "helped");
    expect(server.requests[0]?.messages[0]?.content).toContain("I am the helper.");
    await leave(run);
  });

  test("/hooks shows what is in force, where it is configured, and how each hook ended last", async () => {
    const guard = { name: "the guard", type: "command", command: "echo no >&2; exit 2" };
    const note = { name: "a note", type: "command", command: "true" };
    const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [guard, note] }] };
    const { cwd } = setUp({ hooks }, shell("touch made"), { text: "finished" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "/hooks", "pre_tool_use on shell: the guard (agent.yaml:1); last: not run yet");
    await enter(run, "go", "finished");
    await enter(run, "/hooks", "the guard (agent.yaml:1); last: deny, ");
    await run.sees("a note (agent.yaml:1); last: silent, ");
    await leave(run);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("/export writes the session to a new file and never over another", async () => {
    const { cwd } = setUp({}, { text: "the answer" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "hello", "the answer");
    await run.sees("> ");
    await enter(run, "/export out.json", "(written to ");
    expect(JSON.parse(readFileSync(join(cwd, "out.json"), "utf8"))).toMatchObject({ title: "hello" });
    await enter(run, "/export out.json", "not written");
    await enter(run, "/copy", "in the clipboard");
    expect(run.sent()).toContain(`\x1b]52;c;${Buffer.from("the answer").toString("base64")}\x07`);
    await leave(run);
  });

  test("leaving says how to continue; a resumed session shows its last exchange and asks again after --yolo", async () => {
    const { cwd } = setUp({}, { text: "the answer" }, shell("touch made"), { text: "finished" });
    const first = start(cwd, ["--yolo"]);
    await first.sees("> ");
    await enter(first, "hello", "the answer");
    first.press("/quit\r");
    await first.sees("To continue: hooksh run agent.yaml --session ");
    await first.child.exited;
    const id = /--session (\S+)/.exec(first.shown())?.[1] ?? "";
    const second = start(cwd, ["--session", id]);
    await second.sees("tools ask again now");
    await second.sees("Resumed: hello");
    await second.sees("the answer");
    await second.sees("> ");
    await enter(second, "go", "[n]o:");
    second.press("n");
    await second.sees("finished");
    await leave(second);
    const third = start(cwd);
    await third.sees("> ");
    await enter(third, `/resume ${id}`, "Resumed: hello");
    await enter(third, "/resume nothing", 'no stored session "nothing"');
    await leave(third);
  });

  test("/resume keeps the directory and the mode that flags chose, and refuses a directory that is gone", async () => {
    const { cwd } = setUp({}, { text: "the answer" });
    const [gone, chosen] = [join(cwd, "gone"), join(cwd, "chosen")];
    for (const directory of [gone, chosen]) cpSync(join(cwd, "agent.yaml"), join(directory, "agent.yaml"));
    const first = start(cwd, ["--working-dir", gone, "--safety", "balanced"]);
    await first.sees("> ");
    await enter(first, "hello", "the answer");
    first.press("/quit\r");
    await first.sees("To continue: hooksh run agent.yaml --session ");
    await first.child.exited;
    const id = /--session (\S+)/.exec(first.shown())?.[1] ?? "";
    const second = start(cwd, ["--safety", "restricted"]);
    await second.sees("> ");
    await enter(second, `/resume ${id}`, "Resumed: hello");
    await enter(second, "/permissions", "Safety mode: restricted");
    await leave(second);
    rmSync(gone, { recursive: true });
    const third = start(cwd);
    await third.sees("> ");
    await enter(third, `/resume ${id}`, "name a directory with --working-dir");
    await leave(third);
    const fourth = start(cwd, ["--working-dir", chosen]);
    await fourth.sees("> ");
    await enter(fourth, `/resume ${id}`, "Resumed: hello");
    await enter(fourth, "!basename $PWD-here", "chosen-here");
    await leave(fourth);
  });

  test("/back keeps the mode that /yolo returns to", async () => {
    const { cwd } = setUp({}, { text: "first answer" });
    const run = start(cwd, ["--safety", "restricted"]);
    await run.sees("> ");
    await enter(run, "/yolo", "(tools run without asking");
    await enter(run, "one", "first answer");
    await run.sees("> ");
    await enter(run, "/back", "Go back to the message");
    run.press("\r");
    await run.sees("(back before this message");
    run.press("\x15/yolo\r");
    await run.sees("(tools ask again: safety mode restricted)");
    await leave(run);
  });

  test("Esc Esc goes back to an earlier message in a new session, which does not know what came after", async () => {
    const script = [{ text: "first answer" }, { text: "second answer" }, { text: "third answer" }];
    const { server, cwd, events } = setUp({}, ...script);
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "one", "first answer");
    await run.sees("> ");
    await enter(run, "two", "second answer");
    await run.sees("> ");
    run.press("\x1b");
    await run.sees("Escape again goes back");
    run.press("\x1b");
    await run.sees("Go back to the message");
    run.press("\r");
    await run.sees("(back before this message");
    await run.sees("> two");
    run.press(" changed\r");
    await run.sees("third answer");
    expect(server.requests[2]?.messages.map(({ content }) => content).slice(-3)).toEqual([
      "one",
      "first answer",
      "two changed",
    ]);
    await leave(run);
    const lives = events().filter(({ hook_event_name }) => String(hook_event_name).startsWith("session_"));
    expect(lives.map(({ source, reason }) => source ?? reason)).toEqual([
      "startup",
      "clear",
      "resume",
      "prompt_input_exit",
    ]);
  });

  test("one that has to wait runs after the answer, and not after a cancellation", async () => {
    const { step, release } = held("first answer");
    const { server, cwd } = setUp({}, step, held("never").step);
    const run = start(cwd);
    await run.sees("> ");
    run.press("one\r");
    await until(() => server.requests.length === 1);
    await enter(run, "!echo ran-$((1+1))", "(runs after the answer)");
    release();
    await run.sees("ran-2");
    run.press("two\r");
    await until(() => server.requests.length === 2);
    await enter(run, "!touch never", "(runs after the answer)");
    run.press("\x03");
    await run.sees("(not run) !touch never");
    await leave(run);
    expect(existsSync(join(cwd, "never"))).toBe(false);
  });

  test("/compact replaces the conversation with a summary", async () => {
    const { server, cwd } = setUp({}, { text: "first answer" }, { text: "SUMMARY" }, { text: "second answer" });
    const run = start(cwd);
    await run.sees("> ");
    await enter(run, "one", "first answer");
    await enter(run, "/compact keep the names", "(compacted)");
    expect(JSON.stringify(server.requests[1]?.messages)).toContain("keep the names");
    await enter(run, "two", "second answer");
    expect(JSON.stringify(server.requests[2]?.messages)).toContain("SUMMARY");
    await leave(run);
  });
});

describe("snapshots at the prompt", () => {
  test("/undo undoes the last turn, /snapshots restores the original state", async () => {
    const { cwd } = setUp(
      {},
      shell("echo one > a.txt"),
      { text: "did one" },
      shell("echo two > a.txt"),
      { text: "did two" },
      shell("echo three > a.txt"),
      { text: "did three" },
    );
    writeFileSync(join(cwd, "a.txt"), "zero\n");
    sh(cwd, "git init -q && printf '.home\\nevents.log\\n' > .gitignore && git add . && git commit -q -m first");
    const content = () => readFileSync(join(cwd, "a.txt"), "utf8");
    const run = start(cwd, ["--yolo", "--snapshot"]);
    await run.sees("> ");
    await enter(run, "/undo", "Nothing to undo");
    for (const word of ["one", "two", "three"]) await enter(run, `make ${word}`, `did ${word}`);
    await enter(run, "/undo", "restored a.txt");
    expect(content()).toBe("two\n");
    await enter(run, "/snapshots", "(original)");
    await run.sees("Restore the state before number");
    run.press("\r");
    await enter(run, "/snapshots", "(original)");
    await run.sees("Restore the state before number");
    run.press("7\r");
    await run.sees("no snapshot");
    expect(content()).toBe("two\n");
    await enter(run, "/snapshots", "(original)");
    await run.sees("Restore the state before number");
    run.press("0\r");
    await run.sees("restored a.txt");
    expect(content()).toBe("zero\n");
    await leave(run);
  });
});
