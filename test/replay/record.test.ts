import { describe, expect, test } from "bun:test";
import { execFileSync } from "node:child_process";
import {
  constants,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { binary, cleanEnv, hooksh, type Ran } from "../helpers/binary.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";

type Json = Record<string, unknown>;

const SECRET = "ghp_0123456789abcdefghijABCDEFGHIJ012345";
const OTHER_SECRET = "ghp_9876543210abcdefghijABCDEFGHIJ543210";

/** Denies a forced push, has no opinion on anything else. */
const GUARD = `pre_tool_use:
  - matcher: shell
    hooks:
      - { name: no-force, type: command, command: 'grep -q "push --force" && { echo "push to a branch" >&2; exit 2; }; exit 0' }
`;

const shell = (cmd: string, fields: Json = {}): Json => ({
  hook_event_name: "pre_tool_use",
  session_id: "s1",
  tool_name: "shell",
  tool_input: { cmd },
  ...fields,
});

async function record(cwd: string, events: readonly Json[], args: readonly string[] = [], env = {}): Promise<Ran> {
  const input = events.map((event) => `${JSON.stringify(event)}\n`).join("");
  writeFileSync(join(cwd, "guard.yaml"), GUARD);
  return hooksh(["dispatch", "--hooks-file", "guard.yaml", "--record-events", "kept", ...args], { cwd, input, env });
}

function lines(cwd: string, file: string): Json[] {
  return readFileSync(join(cwd, "kept", file), "utf8")
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as Json);
}

const eventOf = (line: Json | undefined) => (line?.["event"] ?? {}) as Json;

describe("dispatch --record-events", () => {
  test("appends each event with its verdict to the file of its session, for its owner's eyes", async () => {
    const cwd = tempDir();
    expect(
      await record(cwd, [shell("git push --force"), shell("ls"), shell("ls", { session_id: "s2" })]),
    ).toMatchObject({
      code: 2,
    });
    await record(cwd, [shell("pwd")]);
    expect(readdirSync(join(cwd, "kept")).sort()).toEqual(["s1.jsonl", "s2.jsonl"]);
    expect(lines(cwd, "s1.jsonl")).toEqual([
      {
        event: { ...shell("git push --force"), cwd },
        verdict: { decision: "deny", reason: "push to a branch", by: ["no-force"] },
      },
      { event: { ...shell("ls"), cwd }, verdict: { decision: "none" } },
      { event: { ...shell("pwd"), cwd }, verdict: { decision: "none" } },
    ]);
    expect(statSync(join(cwd, "kept")).mode & 0o777).toBe(0o700);
    expect(statSync(join(cwd, "kept", "s1.jsonl")).mode & 0o777).toBe(0o600);
  });

  test("writes nothing without the flag", async () => {
    const cwd = tempDir({ "guard.yaml": GUARD });
    await hooksh(["dispatch", "--hooks-file", "guard.yaml"], { cwd, input: JSON.stringify(shell("ls")) });
    expect(existsSync(join(cwd, "kept"))).toBe(false);
  });

  test("takes out home paths, users, the machine, tokens and addresses, also inside JSON and base64", async () => {
    const cwd = tempDir();
    const home = join(cwd, "people", "marigold");
    // In base64url, the first field has an underscore at which the rest, read as plain base64, is garbage.
    const base64 = (text: string) => Buffer.from(text).toString("base64");
    const inner = JSON.stringify({
      n: "o😀",
      userId: "u-1234567",
      path: `${home}/a`,
      mail: "ada@corp.org",
      deep: [SECRET],
    });
    const event = shell(`cat ${home}/shop/x && su marigold`, {
      cwd: `${home}/shop`,
      user_email: "marigold at corp",
      api_key: "zq81-9fk2-77ab-plk3",
      nested: inner,
      twice: JSON.stringify({ inner }),
      encoded: `echo ${base64(inner)} | base64 -d`,
      token: base64(`Authorization: Bearer ${SECRET}`),
      dashed: `~/.agent/projects/${`${home}/shop`.replaceAll(/[^A-Za-z0-9]/g, "-")}`,
      url: `file://${home}/shop`,
      component: `?path=${encodeURIComponent(`${home}/shop`)}`,
      author: "Marigold",
      jwt: `x.${Buffer.from(inner).toString("base64url")}.y`,
      [`${home}/key`]: `ssh marigold@${hostname()}`,
      variable: "value-of-a-variable-83",
    });
    await record(cwd, [event], [], { HOME: home, HOOKSH_TEST_TOKEN: "value-of-a-variable-83" });
    const text = readFileSync(join(cwd, "kept", "s1.jsonl"), "utf8");
    const decoded = [...text.matchAll(/[\w+/-]{16,}={0,2}/g)].map(([word]) => Buffer.from(word, "base64").toString());
    for (const found of [text, ...decoded]) {
      for (const secret of [
        home,
        "marigold",
        "Marigold",
        SECRET,
        "u-1234567",
        "ada@corp.org",
        "plk3",
        "variable-83",
        "corp.org",
      ])
        expect(found).not.toContain(secret);
    }
    const kept = eventOf(lines(cwd, "s1.jsonl")[0]);
    expect(kept).toMatchObject({
      cwd: "/home/user/shop",
      tool_input: { cmd: "cat /home/user/shop/x && su user" },
      user_email: expect.stringMatching(/^\[REDACTED:field-[0-9a-f]{6}\]$/),
      dashed: "~/.agent/projects/-home-user-shop",
      url: "file:///home/user/shop",
      component: "?path=%2Fhome%2Fuser%2Fshop",
      author: "user",
    });
    const nested = JSON.parse(String(kept["nested"])) as Json;
    expect(nested["path"]).toBe("/home/user/a");
    expect(JSON.parse(Buffer.from(String(kept["encoded"]).split(" ")[1] ?? "", "base64").toString())).toEqual(nested);
    if (hostname().length > 3 && hostname() !== "localhost") expect(text).not.toContain(hostname());
  });

  test("the same value gets the same mark in every process of a session, and another value another one", async () => {
    const cwd = tempDir();
    await record(cwd, [shell(`login ${SECRET}; mail ada@corp.org eve@corp.org`)]);
    await record(cwd, [shell(`login ${SECRET}; mail Ada@corp.org; ${OTHER_SECRET}`)]);
    const [first, second] = lines(cwd, "s1.jsonl").map((line) => String((eventOf(line)["tool_input"] as Json)["cmd"]));
    const [, secret, ada, eve] = /^login (\S+); mail (\S+) (\S+)$/.exec(first ?? "") ?? [];
    expect(secret).toMatch(/^\[REDACTED:github-pat-[0-9a-f]{6}\]$/);
    expect(ada).toMatch(/^person-[0-9a-f]{6}@example\.com$/);
    expect(eve).not.toBe(ada);
    expect(second).toMatch(new RegExp(`^login ${secret?.replaceAll(/[[\]]/g, "\\$&")}; mail ${ada}; \\[REDACTED:`));
    expect(second?.split("; ")[2]).not.toBe(secret);
    const key = join(cwd, ".home/.hooksh/recording.key");
    expect(statSync(key).mode & 0o777).toBe(0o600);
  });

  test("what hooks say is cleaned too, with the same marks", async () => {
    const hooks = [
      { name: "echo", type: "command", command: "jq -r .tool_input.cmd >&2; exit 2" },
      { name: "say", type: "command", command: `echo '{"system_message":"asked eve@corp.org"}'` },
    ];
    const cwd = tempDir({ "echo.yaml": JSON.stringify({ pre_tool_use: [{ hooks }] }) });
    await record(cwd, [shell(`login ${SECRET} ada@corp.org`)], ["--hooks-file", "echo.yaml"]);
    const [line] = lines(cwd, "s1.jsonl");
    const verdict = line?.["verdict"] as Json;
    expect(verdict["reason"]).toBe((eventOf(line)["tool_input"] as Json)["cmd"]);
    expect(verdict["system_message"]).toMatch(/^asked person-[0-9a-f]{6}@example\.com$/);
  });

  test("a rewrite that only took out secrets is no rewrite in the recording", async () => {
    const cwd = tempDir({
      "redact.yaml": "tool_input_transform:\n  - hooks: [{ type: builtin, command: redact_secrets }]\n",
    });
    const events = [
      { ...shell(`login ${SECRET}`), hook_event_name: "tool_input_transform" },
      { ...shell("ls"), hook_event_name: "tool_input_transform" },
    ];
    const ran = await record(cwd, events, ["--hooks-file", "redact.yaml", "--output", "result"]);
    expect(ran.lines()[0]).toMatchObject({ modified_input: { cmd: "login [REDACTED]" } });
    for (const line of lines(cwd, "s1.jsonl")) expect(Object.keys(line["verdict"] as Json)).not.toContain("input");
  });

  test("an id of a session cannot leave the folder", async () => {
    const cwd = tempDir();
    await record(cwd, [shell("ls", { session_id: "../../x" }), shell("ls", { session_id: "..-x/y" })]);
    const names = readdirSync(join(cwd, "kept"));
    expect(names).toHaveLength(2);
    for (const name of names) expect(name).toMatch(/^[\w-][\w.-]*-[0-9a-f]{8}\.jsonl$/);
    expect(readdirSync(cwd).sort()).toEqual([".home", "guard.yaml", "kept"]);
  });

  test("a folder that cannot be written is reported once and changes no verdict", async () => {
    const cwd = tempDir({ kept: "a file" });
    const ran = await record(cwd, [shell("git push --force"), shell("ls")]);
    expect(ran.code).toBe(2);
    expect(ran.lines()).toEqual([{ decision: "block", reason: "push to a branch" }, {}]);
    expect(ran.stderr.match(/--record events: events are not recorded: .*kept/g)).toHaveLength(1);
  });

  test("does not follow a link in place of the file", async () => {
    const cwd = tempDir({ "kept/x": "", target: "" });
    const { symlinkSync } = await import("node:fs");
    symlinkSync(join(cwd, "target"), join(cwd, "kept", "s1.jsonl"));
    const ran = await record(cwd, [shell("ls")]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("--record events: events are not recorded: ELOOP");
    expect(readFileSync(join(cwd, "target"), "utf8")).toBe("");
  });

  test.skipIf(process.platform === "win32")("a FIFO in place of a file does not hold up the verdict", async () => {
    const cwd = tempDir();
    const dataDir = join(cwd, "data");
    mkdirSync(dataDir);
    for (const fifo of [join(cwd, "kept", "s1.jsonl"), join(dataDir, "recording.key")]) {
      mkdirSync(dirname(fifo), { recursive: true });
      rmSync(fifo, { force: true });
      execFileSync("mkfifo", [fifo]);
      const ran = await record(cwd, [shell("git push --force")], ["--data-dir", dataDir]);
      expect(ran).toMatchObject({ code: 2, stderr: expect.stringContaining(fifo) });
      rmSync(fifo);
    }
  });

  test("an event of more than 2 MiB is left out and noted, in the file too", async () => {
    const cwd = tempDir();
    const ran = await record(cwd, [shell("ls", { extra: "x".repeat(2 * 1024 * 1024) }), shell("ls")]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("kept/s1.jsonl: a pre_tool_use event is larger than 2 MiB and left out");
    expect(lines(cwd, "s1.jsonl")).toEqual([
      { event: {}, omitted: "pre_tool_use: larger than 2 MiB" },
      { event: { ...shell("ls"), cwd }, verdict: { decision: "none" } },
    ]);
  });

  test("a file stops growing at 64 MiB", async () => {
    const cwd = tempDir({ "kept/s1.jsonl": "" });
    const { truncateSync } = await import("node:fs");
    truncateSync(join(cwd, "kept", "s1.jsonl"), 64 * 1024 * 1024);
    const ran = await record(cwd, [shell("ls")]);
    expect(ran.code).toBe(0);
    expect(ran.stderr).toContain("s1.jsonl: holds 64 MiB already");
  });

  test("twenty processes record at once, and every line is whole", async () => {
    const cwd = tempDir({ "guard.yaml": GUARD });
    const padding = "y".repeat(100_000);
    await Promise.all(
      Array.from({ length: 20 }, (_, index) => record(cwd, [shell(`echo ${index} ada@corp.org`, { padding })])),
    );
    const kept = lines(cwd, "s1.jsonl");
    expect(kept).toHaveLength(20);
    const commands = kept.map((line) => String((eventOf(line)["tool_input"] as Json)["cmd"]).split(" "));
    expect(commands.map(([, index]) => Number(index)).sort((a, b) => a - b)).toEqual([...Array(20).keys()]);
    expect(new Set(commands.map(([, , person]) => person)).size).toBe(1);
  });
});

describe("the events of other agents", () => {
  const payload = {
    session_id: "c1",
    transcript_path: "/t",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
  };

  test("are one line in the agent's own fields, although they are several events of hooksh", async () => {
    const cwd = tempDir({
      "more.yaml":
        'tool_input_transform:\n  - hooks: [{ type: command, command: "true" }]\n' +
        'pre_tool_use:\n  - hooks: [{ type: command, command: "true" }]\n',
    });
    const ran = await record(cwd, [{ ...payload, cwd }], ["--hooks-file", "more.yaml"]);
    expect(ran.stdout).toContain("push to a branch");
    expect(lines(cwd, "c1.jsonl")).toEqual([
      {
        event: { ...payload, cwd },
        dialect: "claude",
        verdict: { decision: "deny", reason: "push to a branch", by: ["no-force"] },
      },
    ]);
  });

  test("are allowed if one of the events of hooksh is, and no other has an opinion", async () => {
    const allow = { hook_specific_output: { permission_decision: "allow", permission_decision_reason: "harmless" } };
    const cwd = tempDir({
      "allow.json": JSON.stringify(allow),
      "allow.yaml":
        'tool_guard:\n  - hooks: [{ type: command, command: "true" }]\n' +
        'pre_tool_use:\n  - hooks: [{ name: yes, type: command, command: "cat allow.json" }]\n',
    });
    await record(cwd, [{ ...payload, cwd, tool_input: { command: "ls" } }], ["--hooks-file", "allow.yaml"]);
    expect(lines(cwd, "c1.jsonl")).toMatchObject([{ verdict: { decision: "allow", reason: "harmless", by: ["yes"] } }]);
  });

  test("keep the name of an event that only a flag names", async () => {
    const cwd = tempDir();
    const { hook_event_name: _, ...unnamed } = { ...payload, cwd };
    await record(cwd, [unnamed], ["--dialect", "claude", "--event", "PreToolUse"]);
    expect(lines(cwd, "c1.jsonl")).toMatchObject([
      { event: unnamed, dialect: "claude", host_event: "PreToolUse", verdict: { decision: "deny" } },
    ]);
  });

  test("are recorded by a server", async () => {
    const cwd = tempDir({ "guard.yaml": GUARD });
    {
      await using served = await serve(cwd, ["--hooks-file", "guard.yaml", "--record-events", "kept"]);
      await served.post("/", { ...payload, cwd });
      await served.post("/", shell("ls"));
    }
    expect(lines(cwd, "c1.jsonl")).toMatchObject([{ dialect: "claude", verdict: { decision: "deny" } }]);
    expect(lines(cwd, "s1.jsonl")).toMatchObject([{ event: shell("ls"), verdict: { decision: "none" } }]);
  });
});

describe("the answer comes first", () => {
  const claude = (cwd: string) => ({
    session_id: "c1",
    transcript_path: "/t",
    cwd,
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "git push --force" },
  });
  const args = ["dispatch", "--hooks-file", "guard.yaml", "--record-events", "kept"];

  /** Opens a FIFO that is full: who writes to it waits for {@link drain}. */
  function fullPipe(cwd: string): { path: string; drain: () => string } {
    const path = join(cwd, "errors");
    execFileSync("mkfifo", [path]);
    const pipe = openSync(path, constants.O_RDWR | constants.O_NONBLOCK);
    const untilBlocked = (step: () => number): void => {
      try {
        while (step() > 0);
      } catch (error) {
        expect(error).toMatchObject({ code: "EAGAIN" });
      }
    };
    untilBlocked(() => writeSync(pipe, "-".repeat(512)));
    return {
      path,
      drain: () => {
        const read: Buffer[] = [];
        const buffer = Buffer.alloc(65_536);
        untilBlocked(() => {
          const size = readSync(pipe, buffer);
          read.push(Buffer.from(buffer.subarray(0, size)));
          return size;
        });
        return Buffer.concat(read).toString().replace(/^-+/, "");
      },
    };
  }

  test.each([
    ["hooksh's own protocol", (_cwd: string): Json => shell("ls"), "{}\n", "warning: --record events"],
    ["another agent", (cwd: string): Json => claude(cwd), "push to a branch", "hooksh: --record events"],
  ])(
    "%s: standard output ends before the event is recorded, and then a problem is told",
    async (_name, event, answer, problem) => {
      const cwd = tempDir({ kept: "a file", "guard.yaml": GUARD });
      writeFileSync(join(cwd, "event"), JSON.stringify(event(cwd)));
      const errors = fullPipe(cwd);
      const child = Bun.spawn(["sh", "-c", 'exec "$@" < event 2> errors', "sh", binary(), ...args], {
        cwd,
        env: cleanEnv(cwd),
        stdout: "pipe",
      });
      expect(await child.stdout.text()).toContain(answer);
      expect(child.exitCode).toBeNull();
      let told = "";
      while (child.exitCode === null) {
        told += errors.drain();
        await Bun.sleep(5);
      }
      expect(told + errors.drain()).toContain(problem);
      expect(child.exitCode).toBe(0);
    },
  );

  test("a signal after the answer neither ends the recording nor changes the exit code", async () => {
    const cwd = tempDir({ "guard.yaml": GUARD });
    const child = Bun.spawn([binary(), ...args], {
      cwd,
      env: cleanEnv(cwd),
      stdin: Buffer.from(JSON.stringify(shell("ls"))),
      stdout: "pipe",
    });
    expect(await child.stdout.text()).toBe("{}\n");
    while (child.exitCode === null && child.signalCode === null) {
      child.kill("SIGTERM");
      await Bun.sleep(1);
    }
    expect(await child.exited).toBe(0);
    expect(lines(cwd, "s1.jsonl")).toHaveLength(1);
  });

  test("each event of a stream is recorded while the next one is awaited", async () => {
    const cwd = tempDir({ "guard.yaml": GUARD });
    const child = Bun.spawn([binary(), ...args], { cwd, env: cleanEnv(cwd), stdin: "pipe", stdout: "pipe" });
    for (const count of [1, 2]) {
      child.stdin.write(`${JSON.stringify(shell("ls"))}\n`);
      await child.stdin.flush();
      while (!existsSync(join(cwd, "kept", "s1.jsonl")) || lines(cwd, "s1.jsonl").length < count) await Bun.sleep(5);
    }
    await child.stdin.end();
    expect(await child.exited).toBe(0);
    expect(lines(cwd, "s1.jsonl")).toHaveLength(2);
  });

  test("with --proof, a problem is part of the answer", async () => {
    const cwd = tempDir({ kept: "a file", "guard.yaml": GUARD });
    const input = JSON.stringify(claude(cwd));
    const { stdout } = await hooksh([...args, "--proof"], { cwd, input });
    const [, problem, proof] = stdout.split("\n");
    expect(problem).toContain("--record events: events are not recorded");
    expect(proof).toBe("hooksh:0");
  });
});

describe("run --record-events", () => {
  const serveModel = modelServers();

  test("records every event of the session, in order", async () => {
    const steps = [
      { text: "", calls: [{ name: "shell", arguments: { cmd: "git push --force" } }] },
      { text: "Sorry." },
    ];
    const hooks = {
      pre_tool_use: [
        {
          matcher: "shell",
          hooks: [{ name: "no-force", type: "command", command: "echo push to a branch >&2; exit 2" }],
        },
      ],
      user_prompt_submit: [{ type: "command", command: "true" }],
    };
    const cwd = tempDir({ "agent.yaml": agentFor(serveModel(...steps), { hooks }) });
    const first = await hooksh(["run", "agent.yaml", "--record=tape", "push it"], { cwd });
    expect(first.code).toBe(0);
    const ran = await hooksh(["run", "agent.yaml", "--fake", "tape", "--record-events", "kept", "push it"], { cwd });
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/\nSorry\.\n$/) });
    const [file = "", ...more] = readdirSync(join(cwd, "kept"));
    expect(more).toEqual([]);
    const kept = lines(cwd, file).map((line) => [eventOf(line)["hook_event_name"], line["verdict"]]);
    expect(kept).toContainEqual(["user_prompt_submit", { decision: "none" }]);
    expect(kept).toContainEqual(["pre_tool_use", { decision: "deny", reason: "push to a branch", by: ["no-force"] }]);
    const replayed = await hooksh(["replay", "kept", "agent.yaml"], { cwd });
    expect(replayed).toMatchObject({ code: 0, stdout: `${kept.length} events: no verdict changed\n`, stderr: "" });
  });
});
