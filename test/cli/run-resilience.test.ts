/** Runs with a provider that cuts answers off, limits the rate or is overloaded, and runs whose reader closes the pipe. */
import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor, fakeOpenAI, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { sentByScript, startAtTerminal } from "../helpers/terminal-run.ts";

const serve = modelServers();

const OBSERVED = ["session_start", "before_llm_call", "after_llm_call", "on_error", "stop", "turn_end", "session_end"];

/** An agent for a script, with hooks that log their events. */
function prepare(script: Step[], keys: Record<string, unknown> = {}, server = serve(...script)) {
  const hook = { type: "command", command: "cat >> events.log" };
  const hooks = Object.fromEntries(OBSERVED.map((event) => [event, [hook]]));
  const cwd = tempDir({ "agent.yaml": agentFor(server, { hooks, ...keys }) });
  const inputs = () =>
    readFileSync(join(cwd, "events.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { server, cwd, inputs, events: () => inputs().map(({ hook_event_name }) => hook_event_name) };
}

const piece = (content: string) =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content } }] })}\n\n`;

/** An answer whose connection breaks off after a text. */
const cutAfter =
  (...texts: string[]): Step =>
  () => {
    const body = new ReadableStream({
      start(controller) {
        for (const text of texts) controller.enqueue(new TextEncoder().encode(piece(text)));
        setTimeout(() => controller.error(new Error("cut")), 100); // so that the pieces arrive before the end
      },
    });
    return new Response(body, { headers: { "content-type": "text/event-stream" } });
  };

const refuse =
  (status: number, headers: Record<string, string> = {}, error: object = { message: "slow down" }): Step =>
  () =>
    Response.json({ error }, { status, headers });

const SOON = { "retry-after-ms": "30" };
const shell = (cmd: string, text = ""): Step => ({ text, calls: [{ name: "shell", arguments: { cmd } }] });

describe("an answer that is cut off starts again", () => {
  const script = (): Step[] => [cutAfter("The answer ", "is for"), { text: "The answer is forty-two." }];

  test("in a pipe, which gets only the complete answer", async () => {
    const { cwd } = prepare(script());
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "The answer is forty-two.\n" });
    expect(ran.stderr).toBe("⚠️  the answer was cut off and starts again with fake/model\n");
  });

  test("on a terminal, after a line that says so", async () => {
    const { cwd } = prepare(script());
    const sent = await sentByScript(cwd, "$0 run agent.yaml go < /dev/null 2> err.txt");
    expect(Bun.stripANSI(sent)).toContain(
      "The answer is for\r\n⚠️  the answer was cut off and starts again with fake/model\r\nThe answer is forty-two.\r\n",
    );
    expect(readFileSync(join(cwd, "err.txt"), "utf8")).toBe("");
  });

  test("at the prompt, after a line that says so", async () => {
    const { cwd } = prepare(script());
    const run = startAtTerminal(cwd, ["run", "agent.yaml"], { env: { NO_COLOR: "1" } });
    await run.sees(">");
    run.press("go\r");
    await run.sees("The answer is for");
    await run.sees("⚠️  the answer was cut off and starts again with fake/model");
    await run.sees("The answer is forty-two.");
    await run.sees("> ");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("in --json, after an event that voids the streamed pieces", async () => {
    const { cwd, events } = prepare(script());
    const { code, lines } = await hooksh(["run", "agent.yaml", "--json", "go"], { cwd });
    expect(code).toBe(0);
    let text = "";
    for (const event of lines()) {
      if (event["type"] === "agent_choice") text += String(event["content"]);
      if (event["type"] === "model_restarted") text = "";
    }
    expect(text).toBe("The answer is forty-two.");
    expect(events()).toEqual(["session_start", "before_llm_call", "after_llm_call", "stop", "turn_end", "session_end"]);
  });

  test("in the next run of the session, if the process is killed during the answer", async () => {
    const hangs: Step = () =>
      new Response(
        new ReadableStream({
          start: (controller) => controller.enqueue(new TextEncoder().encode(piece("The answer is for"))),
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const { cwd, server } = prepare([hangs, { text: "Here I am." }]);
    const args = ["run", "agent.yaml", "--session", "s"];
    const child = Bun.spawn([binary(), ...args, "--json", "first"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    for await (const chunk of child.stdout) if (new TextDecoder().decode(chunk).includes("agent_choice")) break;
    child.kill("SIGKILL");
    await child.exited;
    expect(await hooksh([...args, "second"], { cwd })).toMatchObject({ code: 0, stdout: "Here I am.\n" });
    expect(JSON.stringify(server.requests[1]?.messages)).not.toContain("The answer is for");
  });

  test("never after Ctrl+C during the answer: a pipe gets no part of it", async () => {
    const started = Promise.withResolvers<void>();
    const hangs: Step = () =>
      new Response(
        new ReadableStream({
          start: (controller) => {
            controller.enqueue(new TextEncoder().encode(piece("The answer is for")));
            started.resolve();
          },
        }),
        { headers: { "content-type": "text/event-stream" } },
      );
    const { cwd, events } = prepare([hangs]);
    const child = Bun.spawn([binary(), "run", "agent.yaml", "go"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    await started.promise;
    child.kill("SIGINT");
    expect(await child.exited).toBe(130);
    expect(await child.stdout.text()).toBe("");
    expect(events().at(-1)).toBe("session_end");
  });

  test("and is not written to a pipe if it never becomes complete", async () => {
    const { cwd } = prepare([cutAfter("half"), cutAfter("half"), cutAfter("half")]);
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toContain("error: model failed");
  });

  test("if the conversation turns out too long during the answer", async () => {
    const tooLong = `data: ${JSON.stringify({ error: { code: "context_length_exceeded", message: "too long" } })}\n\n`;
    const fails: Step = () =>
      new Response(piece("half") + tooLong, { headers: { "content-type": "text/event-stream" } });
    const long = "All of it. ".repeat(4000);
    const { cwd } = prepare([{ text: long }, fails, { text: "A summary." }, { text: "The answer." }]);
    const ran = await hooksh(["run", "agent.yaml", "first", "second"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: `${long}\nThe answer.\n` });
  });

  test("an earlier answer is kept", async () => {
    const { cwd } = prepare([shell("echo hi", "First I look."), cutAfter("It sa"), { text: "It says hi." }]);
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(ran.code).toBe(0);
    expect(ran.stdout).toStartWith("First I look.\n");
    expect(ran.stdout).toEndWith("\nIt says hi.\n");
  });
});

describe("a busy provider is waited for", () => {
  test.each<[name: string, refusal: Step, reason: string]>([
    ["429 with a time", refuse(429, SOON), "HTTP 429: slow down"],
    ["429 without a time", refuse(429), "HTTP 429: slow down"],
    [
      "429 of Gemini",
      refuse(
        429,
        {},
        { message: "Quota exceeded.\nPlease retry.", status: "RESOURCE_EXHAUSTED", details: [{ retryDelay: "0.1s" }] },
      ),
      "HTTP 429: Quota exceeded. Please retry.",
    ],
  ])("%s", async (_name, refusal, reason) => {
    const { cwd, server, events } = prepare([refusal, refusal, { text: "Here I am." }]);
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "Here I am.\n" });
    expect(server.requests).toHaveLength(3);
    const lines = ran.stderr.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    for (const line of lines) {
      expect(line).toMatch(/^⚠️ {2}waiting \d+ s for fake\/model \(/);
      expect(line).toEndWith(` (${reason}), Ctrl+C to stop`);
    }
    expect(events()).toEqual(["session_start", "before_llm_call", "after_llm_call", "stop", "turn_end", "session_end"]);
  });

  test.each([503, 529])("%i, after its retries", async (status) => {
    const refusal = refuse(status, {}, { message: "no room" });
    const { cwd } = prepare([refusal, refusal, refusal, { text: "Here I am." }]);
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "Here I am.\n" });
    expect(ran.stderr).toMatch(
      new RegExp(`^⚠️  waiting \\d s for fake/model \\(HTTP ${status}: no room\\), Ctrl\\+C to stop\n$`),
    );
  });

  test("with an event of --json", async () => {
    const { cwd } = prepare([refuse(429, SOON), { text: "ok" }]);
    const { code, lines } = await hooksh(["run", "agent.yaml", "--json", "go"], { cwd });
    expect(code).toBe(0);
    const waits = lines().filter(({ type }) => type === "model_waiting");
    expect(waits).toMatchObject([
      {
        model: "fake/model",
        reason: "HTTP 429: slow down",
        status: 429,
        waited_ms: 0,
        max_wait_ms: 300_000,
        wait_ms: expect.any(Number),
        session_id: expect.any(String),
        agent_name: "root",
      },
    ]);
  });

  test("and a replay does not wait", async () => {
    const { cwd, server } = prepare([refuse(429, SOON), { text: "Here I am." }]);
    const recorded = await hooksh(["run", "agent.yaml", "--record=tape", "go"], { cwd });
    server.stop();
    const tape = readFileSync(join(cwd, "tape.yaml"), "utf8");
    await Bun.write(join(cwd, "tape.yaml"), tape.replace(/(retry-after-ms:\s+- )"30"/, '$1"100000"'));
    const replayed = await hooksh(["run", "agent.yaml", "--fake", "tape.yaml", "go"], { cwd });
    expect(replayed).toMatchObject({ code: 0, stdout: recorded.stdout });
    expect(replayed.stderr).toContain("waiting 100 s");
  });

  test("even after a cut-off answer, which stays void", async () => {
    const overloaded = `data: ${JSON.stringify({ error: { type: "overloaded_error", message: "Overloaded, try again in 3s" } })}\n\n`;
    const fails: Step = () =>
      new Response(piece("half") + overloaded, { headers: { "content-type": "text/event-stream" } });
    const { cwd } = prepare([fails, { text: "whole" }]);
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: "whole\n" });
    expect(ran.stderr).toContain("⚠️  waiting 3 s for fake/model (Overloaded, try again in 3s)");
  });

  test.each(["SIGINT", "SIGTERM"] as const)(
    "until %s, which ends the run at once after its last hooks",
    async (signal) => {
      const { cwd, inputs } = prepare([refuse(429, { "retry-after": "600" })], { fallback: { max_wait: "1h" } });
      const child = Bun.spawn([binary(), "run", "agent.yaml", "go"], {
        cwd,
        env: cleanEnv(cwd),
        stdin: "ignore",
        stdout: "pipe",
        stderr: "pipe",
      });
      let said = "";
      for await (const chunk of child.stderr) {
        said += new TextDecoder().decode(chunk);
        if (said.includes("waiting")) break;
      }
      child.kill(signal);
      expect(await child.exited).toBe(130);
      expect(inputs().slice(-2)).toMatchObject([
        { hook_event_name: "turn_end", reason: "canceled" },
        { hook_event_name: "session_end" },
      ]);
    },
  );

  test("until the process is killed, and the next run continues the session", async () => {
    const { cwd, server } = prepare([refuse(429, { "retry-after": "100" }), { text: "Here I am." }]);
    const args = ["run", "agent.yaml", "--session", "s"];
    const child = Bun.spawn([binary(), ...args, "first"], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    for await (const chunk of child.stderr) if (new TextDecoder().decode(chunk).includes("waiting")) break;
    child.kill("SIGKILL");
    await child.exited;
    expect(await hooksh([...args, "second"], { cwd })).toMatchObject({ code: 0, stdout: "Here I am.\n" });
    const said = server.requests[1]?.messages
      .filter(({ role }) => role === "user")
      .map(({ content }) => content)
      .join("\n");
    expect(said).toMatch(/first\s+second/);
  });

  test("until Ctrl+C, which returns to the prompt", async () => {
    const { cwd } = prepare([refuse(429, { "retry-after": "100" }), { text: "Here I am." }]);
    const run = startAtTerminal(cwd, ["run", "agent.yaml"]);
    await run.sees(">");
    run.press("go\r");
    await run.sees("waiting 100 s for fake/model (HTTP 429: slow down)");
    run.press("\x03");
    await run.sees("(canceled)");
    run.press("again\r");
    await run.sees("Here I am.");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
  });

  test("even by the call that compacts the conversation", async () => {
    const tooLong = refuse(400, {}, { message: "too long", code: "context_length_exceeded" });
    const long = "All of it. ".repeat(4000);
    const { cwd } = prepare([
      { text: long },
      tooLong,
      refuse(429, SOON),
      { text: "A summary." },
      { text: "The answer." },
    ]);
    const ran = await hooksh(["run", "agent.yaml", "first", "second"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: `${long}\nThe answer.\n` });
    expect(ran.stderr).toContain("waiting 1 s for fake/model (HTTP 429: slow down)");
  });

  test("unless it fails for good: then the run fails, and takes no other text for its answer", async () => {
    const tooLong = refuse(400, {}, { message: "too long", code: "context_length_exceeded" });
    const { cwd, server } = prepare([{ text: "Hello." }, tooLong, refuse(401)]);
    const ran = await hooksh(["run", "agent.yaml", "first", "second"], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: "Hello.\n" });
    expect(ran.stderr).toContain("error: the conversation is not compacted: ");
    expect(server.requests).toHaveLength(3);
  });

  test("but not by a model hook, which has a deadline", async () => {
    const judge = { type: "model", model: "fake/judge", prompt: "May it run?", schema: "pre_tool_use_decision" };
    const { cwd, server } = prepare([shell("touch made"), refuse(429, SOON), { text: "All right." }], {
      hooks: { pre_tool_use: [{ hooks: [judge] }] },
    });
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran.stdout).toContain("HTTP 429: slow down");
    expect(ran.stderr).not.toContain("waiting");
    expect(server.requests).toHaveLength(3);
    expect(existsSync(join(cwd, "made"))).toBe(false);
  });

  test("unless the agent file forbids it", async () => {
    const { cwd } = prepare([refuse(429, SOON)], { fallback: { max_wait: 0 } });
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran).toMatchObject({ code: 1, stdout: "" });
    expect(ran.stderr).toMatch(/^error: model failed: .* HTTP 429: slow down\n$/);
  });

  test.each<[name: string, refusal: Step, said: RegExp]>([
    [
      "it wants a long wait",
      refuse(429, { "retry-after": "7200" }),
      /the provider asks to wait 2 h, and hooksh waits at most 2 min; .*fallback\.max_wait/,
    ],
    [
      "the quota is used up",
      refuse(429, SOON, { message: "You exceeded your current quota", code: "insufficient_quota" }),
      /waiting does not help: .*quota/,
    ],
    [
      "the limit is one for a day",
      refuse(429, SOON, { message: "Limit on requests per day (RPD)" }),
      /waiting does not help: the daily limit/,
    ],
  ])("not if %s", async (_name, refusal, said) => {
    const { cwd, server, events } = prepare([refusal]);
    const ran = await hooksh(["run", "agent.yaml", "go"], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(said);
    expect(server.requests).toHaveLength(1);
    expect(events()).toEqual(["session_start", "before_llm_call", "on_error", "turn_end", "session_end"]);
  });
});

describe("an answer that reached the output limit", () => {
  const chunk = (delta: object, finish: string | null = null) =>
    `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason: finish }] })}\n\n`;
  const limited =
    (delta: object): Step =>
    () =>
      new Response(`${chunk(delta)}${chunk({}, "length")}data: [DONE]\n\n`, {
        headers: { "content-type": "text/event-stream" },
      });

  test("is printed with a warning", async () => {
    const { cwd } = prepare([limited({ content: "The first half" })]);
    expect(await hooksh(["run", "agent.yaml", "go"], { cwd })).toMatchObject({
      code: 0,
      stdout: "The first half\n",
      stderr:
        "⚠️  fake/model reached its output limit, so the answer is incomplete: ask it to continue, or raise max_tokens of the model\n",
    });
  });

  test("in a tool call does not run the call, and the model gets an error result", async () => {
    const call = {
      index: 0,
      id: "call_1",
      type: "function",
      function: { name: "shell", arguments: '{"cmd":"touch made"}' },
    };
    const { cwd, server } = prepare([limited({ tool_calls: [call] }), { text: "In parts, then." }]);
    const ran = await hooksh(["run", "agent.yaml", "--yolo", "go"], { cwd });
    expect(ran).toMatchObject({
      code: 0,
      stdout: expect.stringContaining("Not run: shell(cmd: touch made): The tool call was not run: "),
    });
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(server.requests[1]?.messages.at(-1)).toMatchObject({
      role: "tool",
      content: expect.stringContaining("length limit"),
    });
  });
});

describe("a run ends when the reader of its output closes the pipe", () => {
  /** Runs a shell pipeline. Returns its output and the exit codes of its parts. */
  async function pipeline(cwd: string, line: string) {
    const script = `${line}; printf '%s ' "\${PIPESTATUS[@]}"`;
    const child = Bun.spawn(["bash", "-c", script, binary()], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [stdout, stderr] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    return { stdout, stderr };
  }

  test.each([
    ["as text", ""],
    ["with --json", "--json"],
  ])("%s", async (_name, flag) => {
    // The second step is requested only if the call is made before the failed write is noticed.
    const server = fakeOpenAI([
      shell("touch started; while [ ! -e gone ]; do sleep 0.05; done", "Now I begin."),
      shell(`sleep 303.4${process.pid}`),
    ]);
    const { cwd, events, inputs } = prepare([], {}, server);
    const { stdout, stderr } = await pipeline(
      cwd,
      `"$0" run agent.yaml --yolo ${flag} go | { head -1; while [ ! -e started ]; do sleep 0.05; done; exec <&-; touch gone; }`,
    );
    expect(stdout).toMatch(flag ? /^\{"type":.*\}\n141 0 $/ : /^Now I begin\.\n141 0 $/);
    expect(stderr).toBe("");
    expect(
      inputs()
        .filter(({ hook_event_name }) => hook_event_name === "turn_end")
        .at(-1),
    ).toMatchObject({ reason: "canceled" });
    expect(events().at(-1)).toBe("session_end");
    expect(Bun.spawnSync(["pgrep", "-f", `sleep 303.4${process.pid}`]).stdout.toString()).toBe("");
    server.stop();
  });

  test("in the middle of an answer of 2 MB", async () => {
    const end = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: {}, finish_reason: "stop" }] })}\n\n`;
    const long = `${piece("word ".repeat(1000)).repeat(400)}${end}data: [DONE]\n\n`;
    const answer = () => new Response(long, { headers: { "content-type": "text/event-stream" } });
    // Not the log of all events: the end of the run may kill a hook while it writes one that holds the answer.
    const { cwd } = prepare([answer], { hooks: { session_end: [{ type: "command", command: "touch ended" }] } });
    expect(await pipeline(cwd, `"$0" run agent.yaml go | head -c 5`)).toEqual({ stdout: "word 141 0 ", stderr: "" });
    expect(existsSync(join(cwd, "ended"))).toBe(true);
  });

  test("even while it writes nothing", async () => {
    const { cwd, events } = prepare([shell(`sleep 303.5${process.pid}`, "Now I begin.")]);
    const { stdout, stderr } = await pipeline(cwd, `"$0" run agent.yaml --yolo go | head -1`);
    expect({ stdout, stderr }).toEqual({ stdout: "Now I begin.\n141 0 ", stderr: "" });
    expect(events().at(-1)).toBe("session_end");
    expect(Bun.spawnSync(["pgrep", "-f", `sleep 303.5${process.pid}`]).stdout.toString()).toBe("");
  });
});

test("a reader that closes the pipe after the last answer does not end the stop hooks", async () => {
  const { cwd, inputs } = prepare([{ text: "All done." }]);
  const file = JSON.parse(readFileSync(join(cwd, "agent.yaml"), "utf8"));
  file.agents.root.hooks.stop = [{ type: "command", command: "sleep 2.5; touch stopped" }];
  await Bun.write(join(cwd, "agent.yaml"), JSON.stringify(file));
  const child = Bun.spawn(
    ["bash", "-c", `"$0" run agent.yaml go | head -1; printf '%s ' "\${PIPESTATUS[@]}"`, binary()],
    {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    },
  );
  expect(await child.stdout.text()).toBe("All done.\n0 0 ");
  expect(existsSync(join(cwd, "stopped"))).toBe(true);
  expect(inputs().find(({ hook_event_name }) => hook_event_name === "turn_end")).toMatchObject({ reason: "normal" });
});

describe("a full disk", () => {
  test("under standard output of a run is reported, and ends it", async () => {
    const { cwd, events } = prepare([shell("true", "Now I begin.")]);
    const child = Bun.spawn(["/bin/sh", "-c", `"$0" run agent.yaml --yolo go > /dev/full`, binary()], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await child.stderr.text()).toBe("error: cannot write to standard output: no space left on device\n");
    expect(await child.exited).toBe(1);
    expect(events().at(-1)).toBe("session_end");
  });

  test("under that of another command is reported", async () => {
    const cwd = tempDir();
    const child = Bun.spawn(["/bin/sh", "-c", `"$0" version > /dev/full`, binary()], {
      cwd,
      env: cleanEnv(cwd),
      stdout: "pipe",
      stderr: "pipe",
    });
    expect(await child.stderr.text()).toBe("cannot write to standard output: no space left on device\n");
    expect(await child.exited).toBe(1);
  });
});

describe("an empty message", () => {
  test.each([[[""]], [["  \n"]], [["first", ""]]])("%j is wrong usage", async (messages) => {
    const { cwd, server } = prepare([]);
    const ran = await hooksh(["run", "agent.yaml", ...messages], { cwd });
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toMatch(/^(the message|message 2) is empty: /);
    expect(server.requests).toEqual([]);
    expect(existsSync(join(cwd, "events.log"))).toBe(false);
  });

  test("of a slash command is an error", async () => {
    const { cwd, server } = prepare([], { commands: { nothing: "${args}" } });
    const ran = await hooksh(["run", "agent.yaml", "/nothing"], { cwd });
    expect(ran).toMatchObject({
      code: 1,
      stdout: "",
      stderr: "/nothing: the text of this command is empty, so nothing is sent\n",
    });
    expect(server.requests).toEqual([]);
  });

  test("at the prompt is not sent", async () => {
    const { cwd, server } = prepare([{ text: "Here I am." }]);
    const run = startAtTerminal(cwd, ["run", "agent.yaml"]);
    await run.sees(">");
    run.press("\r  \rgo\r");
    await run.sees("Here I am.");
    run.press("\x04");
    expect(await run.child.exited).toBe(0);
    expect(server.requests).toHaveLength(1);
  });
});

test("steered answers start on new lines", async () => {
  const go = Promise.withResolvers<void>();
  const slow: Step = () =>
    new Response(
      new ReadableStream({
        async start(controller) {
          controller.enqueue(new TextEncoder().encode(piece("The first answer")));
          await go.promise;
          controller.enqueue(
            new TextEncoder().encode(
              'data: {"id":"c","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n',
            ),
          );
          controller.close();
        },
      }),
      { headers: { "content-type": "text/event-stream" } },
    );
  const { cwd } = prepare([slow, { text: "The second answer" }]);
  const run = startAtTerminal(cwd, ["run", "agent.yaml"]);
  await run.sees(">");
  run.press("go\r");
  await run.sees("The first answer");
  run.press("and this\r");
  await run.sees("(queued) and this");
  go.resolve();
  await run.sees("The second answer");
  run.press("\x04");
  expect(await run.child.exited).toBe(0);
  const rows = run.shown().split(/[\r\n]+/);
  expect(rows).toContain("The first answer");
  expect(rows).toContain("The second answer");
});
