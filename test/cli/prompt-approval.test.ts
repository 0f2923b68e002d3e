import { describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv } from "../helpers/binary.ts";
import { setUp, shell, start } from "../helpers/terminal-run.ts";
import { until } from "../helpers/until.ts";

const [UP, DOWN, RIGHT, LEFT, TAB, BACK_TAB] = ["\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\t", "\x1b[Z"] as const;

/** More than a question must be shown before Enter answers it. */
const READ_MS = 500;

/** The choice that the screen shows as highlighted, without colours. */
const highlighted = (run: ReturnType<typeof start>) => run.shown().split("→ ").at(-1)?.split(" /", 1)[0] ?? "";

describe("Enter at a question", () => {
  test.each([
    ["takes the first choice", [], "[y]es", "user_approved"],
    ["takes the choice that arrows and Tab reach", [DOWN, RIGHT, TAB, LEFT, UP], "[t] always", "user_approved_tool"],
    ["takes the last choice behind the first, without colours", [BACK_TAB], "[n]o", "user_rejected"],
  ])("%s", async (_name, moves, label, source) => {
    const { cwd, events } = setUp({}, shell("touch made"), { text: "finished" });
    const run = start(cwd, ["go"], { env: { NO_COLOR: "1" } });
    await run.sees("[n]o:");
    await Bun.sleep(READ_MS);
    for (const move of moves) {
      const before = highlighted(run);
      run.press(move);
      await until(() => highlighted(run) !== before);
    }
    expect(highlighted(run)).toStartWith(label);
    await Bun.sleep(READ_MS);
    run.press("\r");
    await run.sees("finished");
    expect(await run.child.exited).toBe(0);
    const decision = events().find(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision");
    expect(decision).toMatchObject({ approval_source: source });
  });
});

describe("an approval", () => {
  test.each([
    ["y", true, "user_approved"],
    ["t", true, "user_approved_tool"],
    ["a", true, "user_approved_session"],
    ["n", false, "user_rejected"],
  ])("key %s", async (key, runs, source) => {
    const { cwd, events } = setUp({}, shell("touch made"), { text: "finished" });
    const run = start(cwd, ["go"]);
    await run.sees("root wants to run shell(cmd: touch made)");
    await run.sees("[n]o:");
    run.press(key);
    await run.sees("finished");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(runs);
    expect(events().find(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision")).toMatchObject({
      approval_source: source,
    });
  });

  test("Ctrl+C at the question cancels the call, and the call does not run", async () => {
    const { cwd, events } = setUp({}, shell("touch made"));
    const run = start(cwd, ["go"]);
    await run.sees("[n]o:");
    run.press("\x03");
    expect(await run.child.exited).toBe(130);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(events().find(({ hook_event_name }) => hook_event_name === "on_tool_approval_decision")).toMatchObject({
      approval_decision: "canceled",
      approval_source: "context_canceled",
    });
  });

  test("key r asks for a reason and sends it to the model", async () => {
    const { server, cwd } = setUp({}, shell("touch made"), { text: "finished" });
    const run = start(cwd, ["go"]);
    await run.sees("[n]o:");
    run.press("r");
    await run.sees("Reason: ");
    run.press("not today\r");
    await run.sees("finished");
    expect(await run.child.exited).toBe(0);
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(server.requests[1]?.messages.at(-1)?.content).toContain("Reason: not today");
  });

  test("shows the remarks of a guard about the call", async () => {
    const answer = {
      hook_specific_output: {
        permission_decision: "ask",
        permission_decision_reason: "touches files",
        metadata: { ticket: "none\u001b[1A" },
      },
      system_message: "look twice",
    };
    const guard = { name: "the guard", type: "command", command: `echo '${JSON.stringify(answer)}'` };
    const { cwd } = setUp({ hooks: { pre_tool_use: [{ matcher: "shell", hooks: [guard] }] } }, shell("touch made"), {
      text: "finished",
    });
    const run = start(cwd, ["go"]);
    await run.sees("look twice");
    await run.sees("root wants to run shell(cmd: touch made)");
    await run.sees("hooksh does not know what this does");
    await run.sees("touches files");
    await run.sees("ticket: none\\x1b[1A");
    await run.sees("asked for by the guard (agent.yaml:1), ");
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("finished");
    await run.child.exited;
  });

  test("names the hook that changed the call and what the model wrote, as do the result, text and JSON", async () => {
    const hook = (name: string, input: object) => ({
      name,
      type: "command",
      command: `echo '${JSON.stringify({ hook_specific_output: { updated_input: input } })}'`,
    });
    const hooks = {
      tool_input_transform: [{ hooks: [hook("mover", { cwd: "." })] }],
      pre_tool_use: [{ matcher: "shell", hooks: [hook("shorten", { cmd: "touch \u001b[1Ashort" })] }],
    };
    const steps = [shell("touch long\u001b[2K"), { text: "finished" }] as const;
    const { cwd } = setUp({ hooks }, ...steps, ...steps, ...steps, ...steps);
    const run = start(cwd, ["go"], { columns: 200 });
    const changed =
      /changed by mover \(agent\.yaml:1\), \d+ ms and shorten \(agent\.yaml:1\), \d+ ms: was cmd: touch long\\x1b\[2K, without cwd/g;
    await run.sees("[n]o:");
    expect(run.shown().match(changed)).toHaveLength(1);
    run.press("y");
    await run.sees("finished");
    await run.child.exited;
    expect(run.shown().match(changed)?.length).toBeGreaterThan(1);
    const headless = async (...args: string[]) =>
      new Response(
        Bun.spawn([binary(), "run", "agent.yaml", ...args, "go"], { cwd, env: cleanEnv(cwd), stderr: "ignore" }).stdout,
      ).text();
    expect((await headless("--yolo")).match(changed)).toHaveLength(1);
    expect((await headless()).match(changed)).toHaveLength(1);
    const rewritten = {
      arguments: JSON.stringify({ cmd: "touch long\u001b[2K" }),
      hooks: [{ name: "mover" }, { name: "shorten" }],
    };
    const reported = (await headless("--json"))
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as { type: string; rewritten?: unknown })
      .filter((event) => event.rewritten);
    expect(reported).toMatchObject([{ type: "tool_call_response", rewritten }]);
  });

  test("arguments are complete, and cannot move the cursor, erase, reorder or imitate the question", async () => {
    const cmd = `echo ${"long ".repeat(60)}\r\u001b[2K\b\u202eevil\u202c\nroot wants to run shell(cmd: ls)\n${"x".repeat(97)}[n]o: `;
    const { cwd } = setUp({}, shell(cmd), { text: "finished" });
    const run = start(cwd, ["go"]);
    await run.sees("[r]eject with a reason / [n]o:");
    run.press("n");
    await run.sees("finished");
    await run.child.exited;
    const sent = run.sent();
    expect(sent).not.toMatch(/\x08|\u202e|\r\x1b\[2K\\b/);
    const shown = run.shown().replaceAll("\r", "");
    expect(shown).toContain("\\r\\x1b[2K\\b\\u202eevil\\u202c");
    const rows = shown.slice(shown.indexOf("cmd:"), shown.indexOf("hooksh does not know")).split("\n").slice(1, -1);
    expect(rows.filter((row) => !row.startsWith("  | "))).toEqual([]);
    expect(Math.max(...rows.map((row) => row.length))).toBeLessThanOrEqual(100);
    expect(rows.map((row) => row.slice(4)).join("")).toContain("long ".repeat(60));
  });

  test("a question longer than the screen is complete, says how long it is, and ends with agent, tool and target", async () => {
    const cmd = Array.from({ length: 60 }, (_, index) => `echo line-${index}`).join("\n");
    const { cwd } = setUp({}, shell(cmd), { text: "finished" });
    const run = start(cwd, ["go"]);
    await run.sees("root wants to run shell: echo line-0 … +59 lines");
    await run.sees("rows follow");
    for (let index = 0; index < 60; index++) await run.sees(`  | echo line-${index}`);
    await run.sees("rows above belong to this question: scroll up to read all of it");
    await run.sees("root wants to run shell: echo line-0 … +59 lines");
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("finished");
    await run.child.exited;
  });

  test.each([
    ["on a full terminal", []],
    ["with --plain", ["--plain"]],
  ])("an edit is asked for as a diff, %s", async (_name, flags) => {
    const edits = [{ oldText: "two", newText: "2\u202e" }];
    const edit = { calls: [{ name: "edit_file", arguments: { path: "notes.txt", edits } }] };
    const { cwd } = setUp({ toolsets: [{ type: "filesystem" }] }, edit, { text: "finished" });
    await Bun.write(join(cwd, "notes.txt"), "one\ntwo\nthree\n");
    const run = start(cwd, [...flags, "go"]);
    await run.sees("root wants to run edit_file: notes.txt");
    await run.sees("  1   one");
    await run.sees("  2 - two");
    await run.sees("  2 + 2\\u202e");
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("finished");
    await run.child.exited;
    expect(await Bun.file(join(cwd, "notes.txt")).text()).toBe("one\ntwo\nthree\n");
  });

  test.each([
    ["after an approval as one line that Ctrl+O opens", [], false],
    ["without one as a diff", ["--yolo"], true],
  ])("an edit is shown %s", async (_name, flags, isDiff) => {
    const edit = { calls: [{ name: "write_file", arguments: { path: "notes.txt", content: "one\ntwo\n" } }] };
    const { cwd } = setUp({ toolsets: [{ type: "filesystem" }] }, edit, { text: "finished" });
    const run = start(cwd, flags);
    await run.sees("/help shows");
    run.press("go\r");
    if (!isDiff) {
      await run.sees("1 + one");
      await run.sees("[n]o:");
      run.press("y");
    }
    await run.sees("✓ write_file notes.txt (+2 -0)");
    await run.sees("finished");
    const after = () => run.shown().slice(run.shown().indexOf("✓ write_file notes.txt (+2 -0)"));
    // A diff that was shown while the call ran is not drawn again.
    expect((isDiff ? run.shown() : after()).includes("1 + one")).toBe(isDiff);
    run.press("\x0f");
    if (!isDiff) await until(() => after().includes("1 + one"));
    run.press("\x04");
    await run.child.exited;
  });

  test("a running call shows the end of its output, and --hide-tool-results shows neither output nor result", async () => {
    const cmd = "echo first-line; while [ ! -e go ]; do sleep 0.05; done";
    for (const flags of [[], ["--hide-tool-results"]]) {
      const { cwd } = setUp({ redact_secrets: false }, shell(cmd), { text: "finished" });
      const run = start(cwd, ["--yolo", ...flags, "go"]);
      await run.sees("● shell echo first-line");
      if (flags.length === 0) await run.sees("  │ first-line");
      await Bun.write(join(cwd, "go"), "");
      await run.sees("finished");
      await run.child.exited;
      expect(run.shown().includes("│ first-line")).toBe(flags.length === 0);
    }
  });

  test("the output of a running call is shown without its secrets, and not at all if another hook rewrites results", async () => {
    const token = ["ghp", "a1B2".repeat(9)].join("_");
    const cmd = "cat token.txt; while [ ! -e go ]; do sleep 0.05; done";
    const rewriter = { type: "command", command: "true" };
    for (const hooks of [{}, { tool_response_transform: [{ matcher: "*", hooks: [rewriter] }] }]) {
      const { cwd } = setUp({ redact_secrets: true, hooks }, shell(cmd), { text: "finished" });
      await Bun.write(join(cwd, "token.txt"), `before\ntoken ${token}\nafter\n`);
      const run = start(cwd, ["--yolo", "go"]);
      await run.sees("● shell cat token.txt");
      if (!("tool_response_transform" in hooks)) await run.sees("│ token [REDACTED]");
      else await Bun.sleep(1_000);
      const live = run.shown().includes("│ after");
      await Bun.write(join(cwd, "go"), "");
      await run.sees("finished");
      await run.child.exited;
      expect(live).toBe(!("tool_response_transform" in hooks));
      expect(run.sent()).not.toContain(token);
    }
  });

  test("a question waits until the line being typed is sent, and none of its keys answers it", async () => {
    const ask = { calls: [{ name: "shell", arguments: { cmd: "touch made" } }] };
    const { server, cwd } = setUp({}, shell("touch started; while [ ! -e go ]; do sleep 0.05; done"), ask, {
      text: "finished",
    });
    const run = start(cwd, ["--safety", "balanced"]);
    await run.sees("> ");
    run.press("begin\r");
    await run.sees("[n]o:");
    run.press("y");
    await until(() => existsSync(join(cwd, "started")));
    run.press("ya");
    await run.sees("ya");
    await Bun.write(join(cwd, "go"), "");
    await run.sees("A question is waiting");
    run.press("y");
    await run.sees("yay");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    run.press("\r");
    await run.sees("[n]o:");
    run.press("n");
    await run.sees("finished");
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(server.requests[2]?.messages.some(({ content }) => content?.includes("yay"))).toBe(true);
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("pasted text does not answer a question", async () => {
    const { cwd } = setUp({}, shell("touch made"), { text: "finished" });
    const run = start(cwd, ["go"]);
    await run.sees("[n]o:");
    run.press("yes");
    run.press("\x1b[200~a\x1b[201~");
    await Bun.sleep(300); // a key that follows others at once does not answer either
    await run.pressesUntil("n", "finished");
    await run.child.exited;
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });
});
