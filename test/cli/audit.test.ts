import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AuditEntry } from "../../src/audit/entry.ts";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { serve as startServer } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { CALL, EVENT, MONTH, onShell, PASSING, project } from "./audited-project.ts";

const serve = modelServers();

const GUARD = { type: "command", name: "guard", command: "echo use a new branch >&2; exit 2" };

describe("the audit log of dispatch", () => {
  test("has a line for each payload of another agent that no hook could judge, with --output result too", async () => {
    const { dispatch, entries } = project(PASSING);
    const { code } = await dispatch(
      `{"hook_event_name": "PreToolUse"}\n[1]`,
      "--dialect",
      "claude",
      "--output",
      "result",
    );
    expect(code).toBe(1);
    expect(entries()).toMatchObject([
      { decision: "deny", reason: expect.stringContaining("names no tool") },
      { decision: "deny", reason: "an event must be a JSON object" },
    ]);
  });

  test("has a line for each event, with its hooks and without its payload", async () => {
    const { cwd, dispatch, entries } = project(onShell(GUARD, { type: "command", command: "exit 0" }));
    await dispatch();
    await dispatch(JSON.stringify({ ...CALL, tool_name: "read", tool_input: { path: "x" } }));
    expect(entries()).toMatchObject([
      {
        v: 1,
        source: "dispatch",
        session: "s1",
        event: "pre_tool_use",
        tool: "shell",
        call: "c1",
        cwd,
        // The digest of {"cmd":"ls"}.
        input: `sha256:${new Bun.CryptoHasher("sha256").update('{"cmd":"ls"}').digest("hex")}`,
        hooks: [
          {
            name: "guard",
            source: `${cwd}/hooks.yaml: hooks.pre_tool_use[0].hooks[0]`,
            type: "command",
            stage: "concurrent",
            outcome: "blocked",
            exit_code: 2,
            decision: "deny",
            message: "use a new branch",
          },
          { name: "exit 0", outcome: "silent", exit_code: 0 },
        ],
        decision: "deny",
        reason: "use a new branch",
      },
      { event: "pre_tool_use", tool: "read", hooks: [], decision: "none" },
    ]);
    expect(JSON.stringify(entries())).not.toContain('"cmd"');
  });

  test("digests the input before and after a rewrite", async () => {
    const answer = JSON.stringify({ hook_specific_output: { updated_input: { cmd: "ls -l" } } });
    const { dispatch, entries } = project(onShell({ type: "command", command: `echo '${answer}'` }));
    await dispatch();
    const [{ input, enforced } = {}] = entries();
    const digest = (text: string) => `sha256:${new Bun.CryptoHasher("sha256").update(text).digest("hex")}`;
    expect({ input, enforced }).toEqual({ input: digest('{"cmd":"ls"}'), enforced: digest('{"cmd":"ls -l"}') });
  });

  describe("of an agent's call that hooks rewrote", () => {
    const answer = (fields: object) => `echo '${JSON.stringify({ hook_specific_output: fields })}'`;
    const rewriter = { type: "command", name: "dry-run", command: answer({ updated_input: { cmd: "rm -i ghp_x" } }) };
    const redactor = { type: "command", name: "hide", command: answer({ updated_tool_response: "gone" }) };
    const hooks = JSON.stringify({
      pre_tool_use: [{ matcher: "*", hooks: [rewriter] }],
      tool_response_transform: [{ matcher: "*", hooks: [redactor] }],
    });
    const payload = (event: string, tool_name: string, tool_response?: unknown) =>
      JSON.stringify({
        ...{ session_id: "s1", transcript_path: "/t.jsonl", hook_event_name: event, tool_name },
        ...{ tool_input: { command: "rm x" }, tool_response },
      });
    const shell = { stdout: "TOKEN", stderr: "" };

    test.each([
      ["claude", "PreToolUse", "Bash", undefined, "none", "enforced"],
      ["claude", "PostToolUse", "Bash", shell, "none", "enforced"],
      ["claude", "PostToolUse", "Read", { type: "text", file: { content: "TOKEN" } }, "none", "enforced"],
      ["claude", "PostToolUse", "WebFetch", { result: "TOKEN", content: "x" }, "none", "sent"],
      ["claude", "PostToolUse", "Edit", { filePath: "TOKEN" }, "none", "sent"],
      ["codex", "PostToolUse", "Bash", "TOKEN", "none", "enforced"],
      ["vscode", "PreToolUse", "run_in_terminal", undefined, "none", "sent"],
      ["qwen", "PreToolUse", "run_shell_command", undefined, "deny", "refused"],
    ])("%s %s of %s: decision and effect", async (dialect, event, tool, response, decision, effect) => {
      const { dispatch, entries } = project(hooks);
      const ran = await dispatch(payload(event, tool, response), "--dialect", dialect);
      const [entry] = entries();
      const digests = Object.keys(entry ?? {}).filter((key) => ["enforced", "sent"].includes(key));
      expect([entry?.decision, ...digests]).toEqual(effect === "refused" ? [decision] : [decision, effect]);
      expect(entry?.hooks).toMatchObject([{ rewrote: true }]);
      if (effect === "refused") {
        expect(entry?.reason).toBe("a hook rewrote this call, which this host cannot do");
        expect(ran.stdout).toContain(entry?.reason ?? "");
      }
    });

    test("is listed as what hooks made of it, and --details shows both as far as the log holds them", async () => {
      for (const [settings, before, after] of [
        [{}, /before sha256:[0-9a-f]{64}/, /after {2}sha256:[0-9a-f]{64}/],
        [{ audit: { payload: "redacted" } }, /before \{"cmd":"rm x"\}/, /after {2}\{"cmd":"rm -i ghp_x"\}/],
      ] as const) {
        const { dispatch, run } = project(hooks, { settings });
        await dispatch(payload("PreToolUse", "Bash"), "--dialect", "claude");
        await dispatch(payload("PostToolUse", "Bash", shell), "--dialect", "claude");
        await dispatch(payload("PostToolUse", "Edit", { filePath: "x" }), "--dialect", "claude");
        const { stdout } = await run(["audit"]);
        expect(stdout).toMatch(/pre_tool_use +shell +rewritten by dry-run\n/);
        expect(stdout).toMatch(/tool_response_transform +shell +redacted by hide\n/);
        expect(stdout).toMatch(/tool_response_transform +edit_file +redacted by hide; claude may have ignored it\n/);
        const details = await run(["audit", "--details", "--event", "pre_tool_use"]);
        expect(details.stdout).toMatch(before);
        expect(details.stdout).toMatch(after);
        const sent = await run(["audit", "--details", "--tool", "edit_file"]);
        expect(sent.stdout).toMatch(/\n {4}sent {3}(sha256:|gone)/);
      }
    });

    test("holds no secret of what a hook rewrote", async () => {
      const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
      const rewrite = { type: "command", command: answer({ updated_input: { cmd: `echo ${secret}` } }) };
      const { dispatch, log, entries } = project(onShell(rewrite), { settings: { audit: { payload: "redacted" } } });
      await dispatch();
      expect(entries()[0]?.rewritten).toEqual({ tool_input: { cmd: "echo [REDACTED]" } });
      expect(readFileSync(log, "utf8")).not.toContain(secret);
    });
  });

  test("holds no secret of a reason", async () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const { dispatch, log } = project(onShell({ type: "command", command: `echo no ${secret} >&2; exit 2` }));
    await dispatch();
    expect(readFileSync(log, "utf8")).toContain("no [REDACTED]");
    expect(readFileSync(log, "utf8")).not.toContain(secret);
  });

  test("holds the payload, redacted and cut, only if settings.audit asks for it", async () => {
    const secret = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
    const { dispatch, entries } = project(PASSING, { settings: { audit: { payload: "redacted" } } });
    await dispatch(JSON.stringify({ ...CALL, tool_input: { cmd: `echo ${secret}` } }));
    await dispatch(JSON.stringify({ ...CALL, tool_input: { cmd: "x ".repeat(100_000) } }));
    const [first, second] = entries();
    expect(first?.payload).toMatchObject({ tool_name: "shell", tool_input: { cmd: "echo [REDACTED]" } });
    expect(first?.payload_cut).toBeUndefined();
    expect(second?.payload_cut).toBeGreaterThan(200_000);
    expect(JSON.stringify(second).length).toBeLessThan(70_000);
    expect(JSON.stringify(second?.payload)).toContain("characters cut");
  });

  test("is not written with --no-audit or settings.audit: false", async () => {
    const { dispatch, entries } = project(onShell(GUARD));
    expect((await dispatch(EVENT, "--no-audit")).code).toBe(2);
    expect(entries()).toEqual([]);
    const off = project(onShell(GUARD), { settings: { audit: false } });
    expect((await off.dispatch()).code).toBe(2);
    expect((await off.dispatch("nonsense")).code).toBe(2);
    expect(off.entries()).toEqual([]);
  });

  const CLAUDE = {
    session_id: "abc",
    cwd: "/tmp",
    hook_event_name: "PreToolUse",
    tool_use_id: "t1",
    transcript_path: "x",
  };
  const BASH = JSON.stringify({ ...CLAUDE, tool_name: "Bash", tool_input: { command: "ls" } });

  test("names the agent that called", async () => {
    const { dispatch, entries } = project(onShell(GUARD));
    await dispatch(BASH);
    expect(entries()).toMatchObject([
      { host: "claude", host_event: "PreToolUse", event: "pre_tool_use", tool: "shell", call: "t1", decision: "deny" },
    ]);
  });

  test.each([
    ["broken hooks", "pre_tool_use: {bad", [], "hooks.yaml:1:"],
    ["an unknown flag", onShell(GUARD), ["--bogus"], "unknown flag --bogus"],
    ["a deadline", onShell({ type: "command", command: "sleep 5" }), ["--deadline", "200ms"], "no verdict within"],
  ])("has a line for a call that hooksh itself denies: %s", async (_name, hooks, args, reason) => {
    const { dispatch, entries } = project(hooks);
    const ran = await dispatch(BASH, ...args);
    expect(ran.stdout).toContain('"permissionDecision":"deny"');
    expect(entries()).toMatchObject([
      { host: "claude", event: "pre_tool_use", tool: "shell", session: "abc", hooks: [], decision: "deny" },
    ]);
    expect(entries()[0]?.reason).toContain(reason);
  });

  test.each([
    ["an event that cannot be read", onShell(GUARD), "nonsense", "not a JSON object"],
    ["an event without a tool", onShell(GUARD), '{"hook_event_name":"pre_tool_use"}', "tool_name is required"],
    ["broken hooks", "pre_tool_use: {bad", EVENT, "hooks.yaml:1:"],
  ])("has a line for %s", async (_name, hooks, input, reason) => {
    const { dispatch, entries } = project(hooks);
    expect((await dispatch(input)).code).toBe(2);
    expect(entries()).toMatchObject([{ event: "unknown", decision: "deny", hooks: [] }]);
    expect(entries()[0]?.reason).toContain(reason);
  });

  test("a data directory that does not exist is not created for the line of that error", async () => {
    const { cwd } = project(onShell(GUARD));
    const ran = await hooksh(["dispatch", "--hooks-file", "hooks.yaml", "--data-dir", "gone"], { cwd, input: EVENT });
    expect(ran.code).toBe(2);
    expect(existsSync(join(cwd, "gone"))).toBe(false);
  });
});

describe("a log that cannot be written", () => {
  test("is reported once and changes no verdict", async () => {
    const { cwd, dispatch } = project(onShell({ type: "command", command: "exit 0" }));
    writeFileSync(join(cwd, "data", "audit"), "");
    const ran = await dispatch(`${EVENT}\n${EVENT}\n`);
    expect(ran).toMatchObject({ code: 0, stdout: "{}\n{}\n" });
    expect(ran.stderr).toBe(
      `warning: cannot write the audit log: ${cwd}/data/audit/lock: a folder on the way is a file\n`,
    );
  });

  test("is reported to an agent that called, too", async () => {
    const { cwd, dispatch } = project(PASSING);
    writeFileSync(join(cwd, "data", "audit"), "");
    const event = { session_id: "a", cwd, hook_event_name: "BeforeTool", tool_name: "run_shell_command" };
    const ran = await dispatch(JSON.stringify({ ...event, tool_input: { command: "ls" } }), "--dialect", "gemini");
    expect(ran.code).toBe(0);
    expect(ran.stderr + ran.stdout).toContain(`cannot write the audit log: ${cwd}/data/audit/lock`);
  });

  test("is reported to an agent like a trace and a recording that cannot be written", async () => {
    const { cwd, dispatch } = project(PASSING);
    const event = { session_id: "a", cwd, hook_event_name: "PreToolUse", tool_name: "Bash", tool_use_id: "t" };
    const flags = ["--trace", "hooks.yaml/t.jsonl", "--record-events", "hooks.yaml/r"];
    const ran = await dispatch(JSON.stringify({ ...event, tool_input: { command: "ls" } }), ...flags);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toMatch(/^hooksh: \S+hooks\.yaml\/t\.jsonl: cannot write the trace: /m);
    expect(ran.stderr).toMatch(/^hooksh: --record events: events are not recorded: /m);
  });

  test("is no part of a reason that an agent reads on standard error", async () => {
    const { cwd, dispatch } = project(onShell({ type: "command", command: "echo no >&2; exit 2" }));
    writeFileSync(join(cwd, "data", "audit"), "");
    const event = { hook_event_name: "preToolUse", cwd, tool_name: "execute_bash", tool_input: { command: "ls" } };
    const ran = await dispatch(JSON.stringify(event), "--dialect", "kiro");
    expect(ran).toMatchObject({ code: 2, stdout: "", stderr: "no\n" });
  });

  test("is not reported with --no-audit", async () => {
    const { cwd, dispatch } = project(PASSING);
    writeFileSync(join(cwd, "data", "audit"), "");
    expect(await dispatch(EVENT, "--no-audit")).toMatchObject({ code: 0, stdout: "{}\n", stderr: "" });
  });

  test("blocks the event if settings.audit requires it", async () => {
    const { cwd, dispatch } = project(PASSING, { settings: { audit: "required" } });
    mkdirSync(join(cwd, "data", "audit"));
    writeFileSync(join(cwd, "victim"), "");
    symlinkSync(join(cwd, "victim"), join(cwd, "data", "audit", MONTH));
    const ran = await dispatch();
    expect(ran.code).toBe(2);
    expect(JSON.parse(ran.stdout)).toMatchObject({
      decision: "block",
      reason: `cannot write the audit log: ${cwd}/data/audit/${MONTH}: is a symbolic link, which hooksh does not follow here, and settings.audit requires it`,
    });
    expect(readFileSync(join(cwd, "victim"), "utf8")).toBe("");
    const host = { session_id: "a", cwd, hook_event_name: "PreToolUse", transcript_path: "x", tool_use_id: "t" };
    const denied = await dispatch(JSON.stringify({ ...host, tool_name: "Bash", tool_input: { command: "ls" } }));
    expect(denied.stdout).toContain('"permissionDecision":"deny"');
    expect(denied.stdout).toContain("settings.audit requires it");
  });

  /** A file system of 64 KB, all of it used, in its own mount namespace. */
  const onFullDisk = (data: string, command: string[]) => {
    const full = `mount -t tmpfs -o size=64k tmpfs "$0" && mkdir "$0/audit" && touch "$0/audit/lock" && { dd if=/dev/zero of="$0/fill" bs=1k count=65 2>/dev/null; exec "$@"; }`;
    return ["unshare", "--mount", "sh", "-c", full, data, ...command];
  };
  const canMount = Bun.spawnSync(onFullDisk(tempDir(), ["true"])).success;

  test.if(canMount).each([
    [false, 0],
    [true, 2],
  ])("on a full disk, required %p, exits with %d", async (required, code) => {
    const { cwd } = project(PASSING, { settings: { audit: { required } } });
    const flags = ["--hooks-file", "hooks.yaml", "--data-dir", "data", "--config-dir", "config"];
    const child = Bun.spawn(onFullDisk(join(cwd, "data"), [binary(), "dispatch", ...flags]), {
      cwd,
      env: cleanEnv(cwd),
      stdin: Buffer.from(EVENT),
      stderr: "pipe",
    });
    const stderr = await child.stderr.text();
    expect(await child.exited).toBe(code);
    expect(stderr).toMatch(/cannot write the audit log: .*: no space left on the disk/);
  });
});

describe("many processes", () => {
  test("fifty at once leave one chain", async () => {
    const { dispatch, run, entries } = project(PASSING);
    const codes = await Promise.all(Array.from({ length: 50 }, async () => (await dispatch()).code));
    expect(codes).toEqual(Array(50).fill(0));
    expect(entries()).toHaveLength(50);
    const verified = await run(["audit", "verify"]);
    expect(verified).toMatchObject({ code: 0, stderr: "" });
    expect(verified.stdout).toStartWith("50 lines in 1 file: every line continues the line before it\n");
  });
});

describe("hooksh audit", () => {
  /** A log with one denied and two other events. */
  async function logged() {
    const made = project(onShell(GUARD));
    await made.dispatch(JSON.stringify({ ...CALL, session_id: "one", tool_name: "read" }));
    await made.dispatch(JSON.stringify({ ...CALL, session_id: "two" }));
    await made.dispatch(JSON.stringify({ hook_event_name: "stop", session_id: "one", agent_name: "root\u001b[31m" }));
    const select = async (...args: string[]) => (await made.run(["audit", "--json", ...args])).lines();
    return { ...made, select };
  }

  test("prints a line for each decision, newest last, with control characters escaped", async () => {
    const { run } = await logged();
    const { stdout, code } = await run(["audit"]);
    expect(code).toBe(0);
    expect(stdout.split("\n").map((line) => line.replace(/^[\d-]{10} [\d:]{8} /, ""))).toEqual([
      "dispatch     pre_tool_use            read         none",
      "dispatch     pre_tool_use            shell        denied guard: use a new branch",
      "root\\x1b[31m stop                                 none",
      "",
    ]);
  });

  test("says so if there is nothing to list or to verify", async () => {
    const { cwd, run } = project(PASSING);
    const none = `no matching entries in ${join(cwd, "data", "audit")}\n`;
    expect(await run(["audit"])).toMatchObject({ code: 0, stdout: "", stderr: none });
    expect((await run(["audit", "--quiet"])).stderr).toBe("");
    expect((await run(["audit", "--tool", "Bash"])).stderr).toEndWith("/audit: Bash is called shell there\n");
    const { stdout } = await run(["audit", "verify"]);
    expect(stdout).toBe("there are no lines to verify: no decision was logged yet, or the log was removed\n");
  });

  test("filters", async () => {
    const { select } = await logged();
    const sessions = async (...args: string[]) => (await select(...args)).map(({ session }) => session);
    expect(await sessions()).toEqual(["one", "two", "one"]);
    expect(await sessions("--denied")).toEqual(["two"]);
    expect(await sessions("--decision", "none")).toEqual(["one", "one"]);
    expect(await sessions("--session", "two")).toEqual(["two"]);
    expect(await sessions("--hook", "guard")).toEqual(["two"]);
    expect(await sessions("--tool", "read")).toEqual(["one"]);
    expect(await sessions("--event", "stop")).toEqual(["one"]);
    expect(await sessions("--since", "1h")).toHaveLength(3);
    expect(await sessions("--until", "1h")).toEqual([]);
    expect(await sessions("--limit", "2")).toEqual(["two", "one"]);
    expect(await sessions("--host", "claude")).toEqual([]);
  });

  test.each([
    [["--event", "stopp"], "stop"],
    [["--since", "soon"], "--since takes a duration"],
    [["--limit", "x"], "--limit x: not a number"],
    [["--denied", "--decision", "ask"], "exclude each other"],
    [["--format", "csv"], "--format is not a flag of audit list"],
    [["verify", "--denied"], "--denied is not a flag of audit verify"],
    [["verify", "--expect", "abc"], "--expect abc: not a digest"],
    [["report"], "audit takes list, verify or export"],
  ])("%j is a usage error", async (args, message) => {
    const { run } = project(PASSING);
    const ran = await run(["audit", ...args]);
    expect(ran).toMatchObject({ code: 64, stdout: "" });
    expect(ran.stderr).toContain(message);
  });

  test("reports lines that are no entries, lists the others, and verify fails on them", async () => {
    const { run, log } = await logged();
    writeFileSync(log, `${readFileSync(log, "utf8")}{"v":1,"ti`);
    const listed = await run(["audit"]);
    expect(listed.stdout.trim().split("\n")).toHaveLength(3);
    expect(listed.stderr).toBe(`${log}:4: incomplete: its writer was stopped, the disk was full, or it was changed\n`);
    const verified = await run(["audit", "verify"]);
    expect(verified.code).toBe(1);
    expect(verified.stderr).toContain(`${log}:4: incomplete`);
  });

  test("verify names a changed line, and --expect notices a cut-off end", async () => {
    const { run, log } = await logged();
    const { head } = JSON.parse((await run(["audit", "verify", "--json"])).stdout);
    expect((await run(["audit", "verify", "--expect", head])).code).toBe(0);
    const text = readFileSync(log, "utf8");
    writeFileSync(log, `${text.split("\n").slice(0, 2).join("\n")}\n`);
    expect((await run(["audit", "verify"])).code).toBe(0);
    const cut = await run(["audit", "verify", "--expect", head]);
    expect(cut.code).toBe(1);
    expect(cut.stderr).toContain(
      "no line has the expected digest: lines were cut off the end, or the log was replaced",
    );
    writeFileSync(log, text.replace('"deny"', '"none"'));
    const changed = await run(["audit", "verify"]);
    expect(changed).toMatchObject({ code: 1, stdout: "" });
    expect(changed.stderr).toMatch(
      /\.jsonl:2: the chain breaks: .*\.jsonl:3 does not continue this line; it was changed, .*\n {2}expected sha256:[0-9a-f]{64}\n {2}found {4}sha256:/,
    );
  });

  test("verify takes files, such as a copy elsewhere", async () => {
    const { cwd, run, log } = await logged();
    writeFileSync(join(cwd, "copy.jsonl"), readFileSync(log));
    expect((await run(["audit", "verify", "copy.jsonl"])).stdout).toStartWith("3 lines in 1 file");
    const missing = await run(["audit", "verify", "none.jsonl"]);
    expect(missing).toMatchObject({ code: 1, stderr: "none.jsonl: no such file\n" });
  });

  test("export prints the lines as they are, or a table that no spreadsheet calculates", async () => {
    const { run, log, dispatch } = await logged();
    expect((await run(["audit", "export"])).stdout).toBe(readFileSync(log, "utf8"));
    await dispatch(JSON.stringify({ ...CALL, session_id: '=1+1,"x"', tool_name: "read" }));
    const { stdout } = await run(["audit", "export", "--format", "csv", "--session", '=1+1,"x"']);
    const [header = "", row = "", end] = stdout.split("\r\n");
    expect(header).toStartWith("time,source,session,agent,host,");
    expect(row).toContain(`,dispatch,"'=1+1,""x""",,`);
    expect(end).toBe("");
  });

  test("--follow prints entries as they are written", async () => {
    const { cwd, dispatch } = await logged();
    const args = ["audit", "--follow", "--json", "--denied", "--data-dir", "data"];
    const child = Bun.spawn([binary(), ...args], { cwd, env: cleanEnv(cwd), stdout: "pipe", stderr: "pipe" });
    const reader = child.stdout.getReader();
    let seen = "";
    const readUntil = async (lines: number) => {
      while (seen.split("\n").length <= lines) seen += new TextDecoder().decode((await reader.read()).value);
    };
    await readUntil(1);
    await dispatch(JSON.stringify({ ...CALL, session_id: "later" }));
    await readUntil(2);
    expect(JSON.parse(seen.split("\n")[1] ?? "")).toMatchObject({ session: "later", decision: "deny" });
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
  });
});

describe("the audit log of serve", () => {
  const flags = ["--hooks-file", "hooks.yaml", "--data-dir", "data", "--config-dir", "config"];

  test("has a line for each event, and for one that cannot be read, but none for a caller without the token", async () => {
    const { cwd, entries } = project(onShell(GUARD));
    await using server = await startServer(cwd, flags);
    await server.post("/", JSON.parse(EVENT));
    await server.post("/", { hook_event_name: "pre_tool_use" });
    await server.post("/", JSON.parse(EVENT), { headers: { authorization: null } });
    expect(entries()).toMatchObject([
      { source: "serve", tool: "shell", decision: "deny", reason: "use a new branch" },
      { source: "serve", event: "unknown", decision: "deny", reason: expect.stringContaining("tool_name is required") },
    ]);
  });

  test("blocks what it cannot record if settings.audit requires it", async () => {
    const { cwd } = project(PASSING, { settings: { audit: { required: true } } });
    writeFileSync(join(cwd, "data", "audit"), "");
    await using server = await startServer(cwd, flags);
    const { json } = await server.post("/", JSON.parse(EVENT));
    expect(json).toMatchObject({ decision: "block", reason: expect.stringContaining("settings.audit requires it") });
  });
});

describe("the audit log of run", () => {
  const step = (cmd: string) => ({ text: "try", calls: [{ name: "shell", arguments: { cmd } }] });

  function agent(keys: object, ...args: string[]) {
    const server = serve(step("touch made"), { text: "done" });
    const cwd = tempDir({ "agent.yaml": agentFor(server, keys as Record<string, unknown>), "data/.keep": "" });
    const flags = ["--data-dir", "data", ...args];
    const entries = (): AuditEntry[] =>
      readFileSync(join(cwd, "data", "audit", MONTH), "utf8")
        .split("\n")
        .filter(Boolean)
        .map((line) => JSON.parse(line));
    return { cwd, run: () => hooksh(["run", "agent.yaml", ...flags, "go"], { cwd }), entries };
  }

  test("has a line for the approval of each call, besides those of its hooks", async () => {
    const { run, entries } = agent(
      { hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", name: "ok", command: "exit 0" }] }] } },
      "--yolo",
    );
    expect((await run()).code).toBe(0);
    const found = entries();
    const hook = found.find(({ event }) => event === "pre_tool_use");
    const approval = found.filter(({ event }) => event === "tool_call_approval");
    expect(hook).toMatchObject({ source: "run", agent: "root", tool: "shell", hooks: [{ name: "ok" }] });
    expect(approval).toMatchObject([{ decision: "allow", approval_source: "yolo", hooks: [], input: hook?.input }]);
    expect(approval[0]?.call).toBe(hook?.call);
  });

  test("says why a call was refused", async () => {
    const { run, entries } = agent({});
    await run();
    expect(entries().filter(({ event }) => event === "tool_call_approval")).toMatchObject([
      { decision: "deny", approval_source: "non_interactive_deny", reason: expect.stringContaining("approval") },
    ]);
  });

  test("refuses a call whose line cannot be written although it is required", async () => {
    const { cwd, run } = agent({}, "--yolo", "--config-dir", ".");
    writeFileSync(join(cwd, "config.yaml"), "settings: { audit: required }");
    writeFileSync(join(cwd, "data", "audit"), "");
    const ran = await run();
    expect(existsSync(join(cwd, "made"))).toBe(false);
    expect(ran.stdout + ran.stderr).toContain("settings.audit requires it");
    expect(readdirSync(cwd)).not.toContain("made");
  });
});
