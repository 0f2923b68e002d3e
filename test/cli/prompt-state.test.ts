import { expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { converse, type Exchange, setUp, shell, start, type TerminalRun } from "../helpers/terminal-run.ts";

/** Talks to the agent of a directory until `/exit`, and gives what was shown. */
async function talk(cwd: string, args: readonly string[], typed: readonly Exchange[]): Promise<TerminalRun> {
  const run = start(cwd, args);
  await converse(run, [["", "> "], ...typed, ["/exit\r"]]);
  expect(await run.child.exited).toBe(0);
  return run;
}

/** Adds keys to the agent file of a directory. */
function extend(cwd: string, change: (file: { agents: Record<string, object> }) => object): void {
  const path = join(cwd, "agent.yaml");
  writeFileSync(path, JSON.stringify(change(JSON.parse(readFileSync(path, "utf8")))));
}

test("/context shows what fills the window, /cost what each agent asked of each model, /compact once what it replaced", async () => {
  const transfer = { agent: "helper", task: "look", expected_output: "what is there" };
  const { cwd } = setUp(
    {
      model: "priced",
      sub_agents: ["helper"],
      add_prompt_files: ["NOTES.md"],
      hooks: { session_start: [{ type: "builtin", command: "add_date" }] },
    },
    { calls: [{ name: "transfer_task", arguments: transfer }] },
    { text: "nothing there" },
    { text: "it is empty", usage: { prompt: 1000, completion: 20 } },
    { text: "They looked.", usage: { prompt: 600, completion: 12 } },
  );
  writeFileSync(join(cwd, "NOTES.md"), "Be brief. ".repeat(40));
  extend(cwd, (file) => ({
    ...file,
    agents: { ...file.agents, helper: { model: "fake/other", description: "Helps", instruction: "Look." } },
    models: {
      priced: {
        provider: "fake",
        model: "model",
        cost: { input: 1, output: 10 },
        provider_opts: { context_size: 2000 },
      },
    },
  }));
  const run = await talk(
    cwd,
    ["--yolo"],
    [
      [
        "/context\r",
        "Estimate of the next request to fake/model: ",
        " of 2,000 tokens (",
        "I instructions ",
        "T tool definitions ",
        "    shell ",
        "    transfer ",
        "H context from hooks, prompt files ",
        ". free ",
        "It is compacted at 90 %.",
        "The provider has not counted it yet.",
      ],
      ["go\r", "it is empty"],
      [
        "/context\r",
        "[IIIIITTTTTTTTHHHH",
        "U messages of the user ",
        "M messages of the model ",
        "R tool results ",
        "The provider counted 1,000 tokens in the last request and 20 in its answer (fake/model).",
      ],
      [
        "/cost\r",
        "over $0.0013 so far; the last call read 1,000 tokens and wrote 20",
        "root · fake/model    2 calls  1,010 read  25 written  $0.0013",
        "helper · fake/other   1 call     10 read   5 written  cost unknown",
      ],
      ["/compact\r", "(compacted: a summary of about ", " tokens replaces 4 messages of about "],
      ["/context\r", "S summary of a compaction ", "The provider has not counted it yet."],
      ["/compact\r", "(nothing to compact)"],
    ],
  );
  expect(run.shown().split("compacted: ")).toHaveLength(2);
  // Only a request loads the prompt files.
  const loaded = [...run.shown().matchAll(/H context from hooks, prompt files +(\d+)/g)].map(([, tokens]) =>
    Number(tokens),
  );
  expect(loaded[0]).toBeLessThan(100);
  expect(loaded[1]).toBeGreaterThan(100);
});

test("/permissions shows rules with their source and changes those of the session, which a resume keeps", async () => {
  const { cwd } = setUp(
    {},
    shell("touch made"),
    { text: "it is made" },
    shell("touch more"),
    { text: "refused first" },
    shell("touch other"),
    { text: "asked then" },
    shell("touch late"),
    { text: "still asked" },
  );
  extend(cwd, (file) => ({ ...file, permissions: { deny: ["shell:cmd=rm*"] } }));
  await talk(
    cwd,
    ["--session", "mine"],
    [
      ["/permissions\r", "Safety mode: default", "deny shell:cmd=rm* (agent file)"],
      ["/permissions allow Bash(touch:*)\r", "error: ", "so write shell:cmd=touch *"],
      ["/permissions allow shell:cmd=touch*; rm *\r", "error: ", "covers single commands"],
      ["/permissions forget it\r", "error: expected /permissions allow|ask|deny|remove RULE"],
      ["/permissions deny shel\r", "(deny shel in this session; no tool of this run has that name)"],
      ["/permissions remove shel\r", "(removed from this session: deny shel)"],
      ["/permissions remove shell:cmd=rm*\r", "error: the rule shell:cmd=rm* stands in a file"],
      ["/permissions allow shell:cmd=rm*\r", "hooks and deny rules still apply; a deny rule wins over it)"],
      [
        "/permissions allow shell:cmd=touch*\r",
        "(allow shell:cmd=touch* in this session; hooks and deny rules still apply)",
      ],
      ["make\r", "it is made"],
      () => expect(existsSync(join(cwd, "made"))).toBe(true),
      ["/permissions deny shell:cmd=touch more\r", "(deny shell:cmd=touch more in this session)"],
      ["more\r", 'rule "shell:cmd=touch more" of the session permissions', "refused first"],
      ["/permissions remove shell:cmd=touch*\r", "(removed from this session: allow shell:cmd=touch*)"],
      ["/permissions ask shell:cmd=touch*\r", "(ask shell:cmd=touch* in this session)"],
      ["/yolo\r", "without asking"],
      ["other\r", "[n]o:"],
      ["n", "asked then"],
    ],
  );
  await talk(
    cwd,
    ["--session", "mine"],
    [
      ["/permissions\r", "deny shell:cmd=touch more (this session)", "ask shell:cmd=touch* (this session)"],
      ["late\r", "[n]o:"],
      ["t", "still asked"],
      ["/permissions\r", "allow shell:cmd=touch* (this session)"],
      ["/permissions remove shell:cmd=touch*\r", "allow shell:cmd=touch*, ask shell:cmd=touch*)"],
    ],
  );
  for (const name of ["more", "other"]) expect(existsSync(join(cwd, name))).toBe(false);
});

test("/tasks lists the commands and agents of the background without secrets, and stops one", async () => {
  const { cwd } = setUp(
    {
      redact_secrets: true,
      sub_agents: ["helper"],
      toolsets: [{ type: "background_jobs" }, { type: "background_agents" }],
    },
    { calls: [{ name: "run_background_job", arguments: { cmd: "./serve" } }] },
    { calls: [{ name: "run_background_agent", arguments: { agent: "helper", task: "look around" } }] },
    { text: "it is done" },
    { text: "it is done" },
  );
  extend(cwd, (file) => ({
    ...file,
    agents: { ...file.agents, helper: { model: "fake/other", description: "Helps", instruction: "Look." } },
  }));
  const token = "ghp_".concat("Zk3vQ8mT1xYb7nLr5cWd2sHf9jKp4aEu6gRo");
  writeFileSync(join(cwd, "serve"), `#!/bin/sh\necho "ready with ${token}"\nprintf 'no end of '\nexec sleep 600\n`, {
    mode: 0o700,
  });
  const run = await talk(
    cwd,
    ["--yolo"],
    [
      ["/tasks\r", "nothing works in the background"],
      ["go\r", "it is done"],
      ["/tasks\r", "  running, started ", "    ready with ", "helper: look around", "/tasks stop ID stops one"],
      (run) => run.pressesUntil("/tasks\r", "  completed, started "),
      ["/tasks end it\r", "error: expected /tasks or /tasks stop ID"],
      ["/tasks stop job_0\r", 'error: no task "job_0"; running: job_'],
      ["/tasks stop\r", " is being stopped)", " stopped)"],
      ["/tasks\r", "  stopped, started ", "    no end of"],
      ["/tasks stop\r", "error: nothing runs in the background"],
    ],
  );
  expect(run.shown()).not.toContain(token);
});

test("/mcp shows servers and restarts them; their prompts are commands, shown and seen by hooks before they are sent", async () => {
  const hook = { type: "command", command: "cat >> prompts.log; ! grep -q forbidden prompts.log || exit 2" };
  const fixture = join(import.meta.dir, "../fixtures/mcp/server.ts");
  const mcp = { type: "mcp", command: process.execPath };
  const { cwd, server } = setUp(
    {
      hooks: { user_prompt_submit: [hook] },
      toolsets: [
        { ...mcp, name: "fix", args: [fixture, "prompts", "calls.log"] },
        { ...mcp, name: "gone", command: "./late" },
        { ...mcp, name: "never", command: "./missing", lifecycle: { restart: "never" } },
      ],
    },
    { text: "reviewed" },
  );
  await talk(
    cwd,
    ["--yolo"],
    [
      [
        "/mcp\r",
        "fix  connected, ",
        " tools, 3 prompts",
        "    /mcp__fix__review_it NUMBER [FOCUS]  Review a pull request",
        "    /mcp__fix__huge",
        'gone  not connected: the command "',
        'late" was not found: ',
        "never  not connected: ",
        "/mcp restart NAME starts one again",
      ],
      ["/help all\r", "/mcp__fix__review_it", "Review a pull request (NUMBER [FOCUS])"],
      ["/mcp__fix__revi", "Review a pull request"],
      [
        "\x15/mcp__fix__review_it\r",
        "error: /mcp__fix__review_it: number is missing; expected /mcp__fix__review_it NUMBER [FOCUS]",
      ],
      ["/mcp__fix__huge\r", 'error: MCP server fix: the prompt "huge" has 100000 bytes, more than 65536'],
      ["/mcp__fix__none\r", 'error: MCP server fix: the prompt "none" is empty'],
      ["/mcp__fix__none of it\r", "error: /mcp__fix__none: too many arguments; expected /mcp__fix__none"],
      ["/mcp__fix__no\r", "error: unknown command /mcp__fix__no"],
      () => expect(server.requests).toEqual([]),
      [
        '/mcp__fix__review_it "4 5" all of it\r',
        "(the prompt review it of the MCP server fix is sent as your message:)",
        '/exit is no command here \\x1b[2J {"number":"4 5","focus":"all of it"}',
        "[assistant]",
        "I shall look.",
        "[image/png left out]",
        "reviewed",
      ],
      ["/mcp__fix__review_it forbidden\r", "is sent as your message:)", "error"],
      ["/mcp restart nothing\r", 'error: no MCP server "nothing"; configured: fix, gone, never'],
      ["/mcp restart gone\r", "error: ", "was not found"],
      () =>
        writeFileSync(join(cwd, "late"), `#!/bin/sh\nexec '${process.execPath}' '${fixture}' prompts\n`, {
          mode: 0o700,
        }),
      ["/mcp restart gone\r", "(gone: connected, "],
      ["/mcp restart fix\r", "(fix: connected, "],
      ["/mcp__gone__none\r", "is empty"],
    ],
  );
  const sent = server.requests[0]?.messages.at(-1)?.content ?? "";
  expect(sent).toStartWith('/exit is no command here \u001b[2J {"number":"4 5","focus":"all of it"}');
  expect(JSON.parse(readFileSync(join(cwd, "prompts.log"), "utf8").split("\n", 1)[0] ?? "")).toMatchObject({
    prompt: sent,
  });
  expect(server.requests).toHaveLength(1);
});
