import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  unlinkSync,
  writeFileSync,
} from "node:fs";
import { connect, createServer } from "node:net";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { post, serve } from "../helpers/served.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";

type Json = Record<string, unknown>;

const command = (text: string, extra: Json = {}) => ({ type: "command", command: text, ...extra });
const guard = (text: string, extra: Json = {}) => ({
  pre_tool_use: [{ matcher: "shell", hooks: [command(text, extra)] }],
});
const refuse = (reason: string) => guard(`echo ${JSON.stringify(reason)} >&2; exit 2`);

const FILE = ["--hooks-file", "hooks.yaml"];

/** A folder with hooks, and the payload of a shell call in Claude Code that names the folder. */
function project(hooks: unknown) {
  const cwd = tempDir({ "hooks.yaml": JSON.stringify(hooks) });
  const payload = {
    session_id: "s1",
    transcript_path: "/home/dev/.claude/projects/shop/s1.jsonl",
    cwd,
    permission_mode: "default",
    hook_event_name: "PreToolUse",
    tool_name: "Bash",
    tool_input: { command: "ls" } as Json,
    tool_use_id: "t1",
  };
  return { cwd, payload };
}

const denial = (reason: unknown) => ({
  hookSpecificOutput: {
    hookEventName: "PreToolUse",
    permissionDecision: "deny",
    permissionDecisionReason: reason,
  },
});

describe("the same answers as dispatch", () => {
  test.each([
    ["a denial", refuse("no")],
    ["no opinion", guard("true")],
    ["a rewrite", guard(`echo '{"hook_specific_output":{"updated_input":{"cmd":"ls -l"}}}'`)],
    [
      "an ask",
      guard(`echo '{"hook_specific_output":{"permission_decision":"ask","permission_decision_reason":"sure?"}}'`),
    ],
    ["a hook that crashes", guard("exit 7")],
    ["hooks that are invalid", { pre_tool: [] }],
  ])("%s", async (_name, hooks) => {
    const { cwd, payload } = project(hooks);
    await using server = await serve(cwd, FILE);
    const dispatched = await hooksh(["dispatch", ...FILE, "--dialect", "claude"], {
      cwd,
      input: JSON.stringify(payload),
    });
    for (const path of ["/", "/claude", "/claude/PreToolUse", "/auto"]) {
      expect(await server.post(path, payload)).toMatchObject({ status: 200, text: dispatched.stdout });
    }
  });

  test("an event of hooksh itself is answered as a hook prints it", async () => {
    const { cwd } = project(refuse("no"));
    await using server = await serve(cwd, FILE);
    const event = { tool_name: "shell", tool_input: { cmd: "ls" } };
    const blocked = { decision: "block", reason: "no" };
    const named = { hook_event_name: "pre_tool_use", ...event };
    expect((await server.post("/hooksh", named)).json).toMatchObject(blocked);
    expect((await server.post("/hooksh/pre_tool_use", event)).json).toMatchObject(blocked);
    expect((await server.post("/", named)).json).toMatchObject(blocked);
    expect((await server.post("/hooksh", { hook_event_name: "turn_start" })).json).toEqual({});
  });

  test.each(["windsurf", "q", "kiro", "grok", "openhands"])(
    "%s, which reads an exit code, gets an object that holds it",
    async (dialect) => {
      const { cwd, payload } = project({ pre_tool_use: [{ matcher: "*", hooks: [command("echo no >&2; exit 2")] }] });
      await using server = await serve(cwd, FILE);
      const event: Json = {
        windsurf: { agent_action_name: "pre_run_command", tool_info: { command_line: "ls", cwd } },
        q: { hook_event_name: "preToolUse", cwd, tool_name: "execute_bash", tool_input: { command: "ls" } },
        kiro: {
          hook_event_name: "preToolUse",
          session_id: "s",
          cwd,
          tool_name: "shell",
          tool_input: { command: "ls" },
        },
        grok: {
          ...payload,
          hookEventName: "pre_tool_use",
          sessionId: "s",
          toolName: "Bash",
          toolInput: { command: "ls" },
        },
        openhands: { event_type: "PreToolUse", tool_name: "terminal", tool_input: { command: "ls" }, working_dir: cwd },
      }[dialect] as Json;
      const dispatched = await hooksh(["dispatch", ...FILE, "--dialect", dialect], {
        cwd,
        input: JSON.stringify(event),
      });
      expect(dispatched.code).toBe(2);
      const { status, json } = await server.post(`/${dialect}`, event);
      expect(status).toBe(200);
      expect(json).toEqual({ stdout: dispatched.stdout, stderr: dispatched.stderr.trimEnd(), exit_code: 2 });
    },
  );

  test("hooks run in the directory of the payload, with variables that name the caller", async () => {
    const { cwd, payload } = project(guard('echo "$PWD $HOOKSH_DIALECT $HOOKSH_HOST_EVENT" >&2; exit 2'));
    const other = tempDir();
    await using server = await serve(cwd, FILE);
    const { json } = await server.post("/claude", { ...payload, cwd: other });
    expect(json).toEqual(denial(`${other} claude PreToolUse`));
  });
});

describe("on every problem, a guarded call is denied with status 200", () => {
  test.each([
    ["no token", "/claude", { authorization: null }, /has no token/],
    ["a variable that was not allowed, so that it is empty", "/claude", { authorization: "Bearer " }, /has no token/],
    ["another token", "/claude", { authorization: `Bearer ${"0".repeat(64)}` }, /not that of this server/],
    ["a request of a browser", "/claude", { origin: "http://127.0.0.1" }, /browser/],
    ["a name that resolves to this machine", "/claude", { host: "evil.example" }, /Host header/],
    ["another type of content", "/claude", { "content-type": "text/plain" }, /Content-Type: application\/json/],
    ["no type of content", "/claude", { "content-type": null }, /Content-Type/],
    ["an unknown dialect", "/cluade", {}, /did you mean claude/],
    ["a path that is too long", "/claude/PreToolUse/x", {}, /unknown path/],
    ["an unknown parameter", "/claude?dedline=2s", {}, /unknown parameter "dedline"/],
    ["a deadline that is none", "/claude?deadline=soon", {}, /deadline takes a duration/],
  ])("%s", async (_name, path, headers, reason) => {
    const { cwd, payload } = project(guard("touch ran"));
    await using server = await serve(cwd, FILE);
    const { status, json } = await server.post(path, payload, { headers });
    expect(status).toBe(200);
    expect(json).toEqual(denial(expect.stringMatching(reason)));
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test("an address of another event than the payload's", async () => {
    const { cwd, payload } = project(guard("touch ran"));
    await using server = await serve(cwd, FILE);
    const reason = "hooksh: the payload is of the event PreToolUse, but hooksh was called for PostToolUse";
    expect((await server.post("/claude/PostToolUse", payload)).json).toEqual(denial(reason));
    expect(existsSync(join(cwd, "ran"))).toBe(false);
  });

  test.each([
    ["text", "hello", /hello/],
    ["JSON that is cut off", '{"hook_event_name":"PreToolUse"', /no end/],
    ["nothing", "", /contains no event/],
    ["a repeated key", '{"tool_name":"Read","tool_name":"Bash"}', /tool_name/],
    ["two events", "{} {}", /one event at a time/],
  ])("a body that is %s", async (_name, body, reason) => {
    const { cwd } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    expect((await server.post("/claude/PreToolUse", body)).json).toEqual(denial(expect.stringMatching(reason)));
    expect((await server.post("/", body)).json).toMatchObject({ decision: "block" });
  });

  test("a body of 10 MB is judged, a larger one is denied", async () => {
    const { cwd, payload } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    const sized = (mb: number) => ({ ...payload, tool_input: { command: "x".repeat(mb * 1024 * 1024) } });
    expect((await server.post("/claude/PreToolUse", sized(9.9))).text).toBe("");
    expect((await server.post("/claude/PreToolUse", sized(10.1))).json).toEqual(
      denial(expect.stringMatching(/larger than 10 MiB/)),
    );
  });

  test("only POST is answered", async () => {
    const { cwd } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    expect((await fetch(server.url)).status).toBe(405);
  });

  /** Sends bytes to the server and returns what it sends until it closes the connection. */
  async function rawAnswer(url: string, bytes: string): Promise<string> {
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    socket.write(bytes, "latin1");
    const chunks = await Array.fromAsync(socket);
    return Buffer.concat(chunks).toString();
  }
  const head = (more: string) => `POST /claude/PreToolUse HTTP/1.1\r\nContent-Type: application/json\r\n${more}`;
  const LAST = "Connection: close\r\nContent-Length: 2\r\n\r\n{}";

  test.each([
    ["with a user", "Host: a@b\r\n"],
    ["that is empty", "Host:\r\n"],
    ["that is a list", "Host: a, b\r\n"],
    ["that is given twice", "Host: 127.0.0.1\r\nHost: 127.0.0.1\r\n"],
    ["with a port that is none", "Host: 127.0.0.1:x\r\n"],
    ["that no name can be", "Host: [::\r\n"],
    ["that is not ASCII", "Host: \xff\xfe\r\n"],
    ["that is missing", ""],
  ])("a Host header %s, without a token", async (_name, host) => {
    const { cwd } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    const [status, body = ""] = (await rawAnswer(server.url, head(host + LAST))).split("\r\n\r\n");
    expect(status).toStartWith("HTTP/1.1 200 OK");
    expect(JSON.parse(body)).toEqual(
      denial(expect.stringMatching(/^hooksh: the Host header must be 127\.0\.0\.1:\d+ or/)),
    );
    await server.stop();
    expect(await server.stderr).toMatch(/^hooksh serve: the Host header must be [^\n]*\n$/);
  });

  test.each([
    ["no HTTP", "GARBAGE\r\n\r\n"],
    ["headers that are too large", head(`Host: a\r\nX: ${"x".repeat(40_000)}\r\n${LAST}`)],
    ["two lengths of the body", head(`Host: a\r\nTransfer-Encoding: chunked\r\n${LAST}`)],
  ])("bytes that are no request: %s", async (_name, bytes) => {
    const { cwd } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    const [status, body = ""] = (await rawAnswer(server.url, bytes)).split("\r\n\r\n");
    expect(status).toStartWith("HTTP/1.1 200 OK");
    expect(JSON.parse(body)).toEqual({
      decision: "block",
      reason: expect.stringMatching(/^hooksh: not an HTTP request: /),
    });
  });

  test("requests that arrive together on one connection are each answered, in order", async () => {
    const { cwd } = project(guard("sleep 0.2"));
    await using server = await serve(cwd, FILE);
    const { host } = new URL(server.url);
    const request = (event: unknown, last: string) => {
      const body = JSON.stringify(event);
      const headers = `Host: ${host}\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/json\r\n`;
      return `POST /hooksh HTTP/1.1\r\n${headers}${last}Content-Length: ${body.length}\r\n\r\n${body}`;
    };
    const call = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } };
    const answers = await rawAnswer(
      server.url,
      request(call, "") + request({}, "") + request(call, "Connection: close\r\n"),
    );
    const bodies = answers.split(/HTTP\/1\.1 200 OK[\s\S]*?\r\n\r\n/).slice(1);
    expect(bodies.map((body) => JSON.parse(body))).toEqual([{}, expect.objectContaining({ decision: "block" }), {}]);
  });

  test("a deadline, of the server or of the address, ends hooks that are too slow", async () => {
    const { cwd, payload } = project(guard("sleep 60"));
    await using server = await serve(cwd, [...FILE, "--deadline", "700ms"]);
    const late = denial(expect.stringMatching(/no verdict within/));
    expect((await server.post("/claude", payload)).json).toEqual(late);
    expect((await server.post("/claude?deadline=300ms", payload)).json).toEqual(late);
  });
});

describe("hooks are never stale", () => {
  test("a change applies to the next request, even within the same moment and size", async () => {
    const { cwd, payload } = project(refuse("v00"));
    await using server = await serve(cwd, FILE);
    for (let version = 10; version < 40; version++) {
      writeFileSync(join(cwd, "hooks.yaml"), JSON.stringify(refuse(`v${version}`)));
      expect((await server.post("/claude", payload)).json).toEqual(denial(`v${version}`));
    }
  });

  test("a file that breaks or vanishes denies, until it is right again", async () => {
    const { cwd, payload } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    const file = join(cwd, "hooks.yaml");
    expect((await server.post("/claude", payload)).text).toBe("");
    writeFileSync(file, "pre_tool: []");
    expect((await server.post("/claude", payload)).json).toEqual(denial(expect.stringMatching(/pre_tool/)));
    unlinkSync(file);
    expect((await server.post("/claude", payload)).json).toEqual(denial(expect.stringMatching(/no such file/)));
    writeFileSync(file, JSON.stringify(refuse("again")));
    expect((await server.post("/claude", payload)).json).toEqual(denial("again"));
    expect(await server.stop()).toBe(0);
    expect(await server.stderr).toMatch(/every guarded call is denied.*pre_tool/);
  });

  test("drop-ins and the user's configuration that appear later apply", async () => {
    const { cwd, payload } = project(guard("true"));
    await using server = await serve(cwd, FILE);
    expect((await server.post("/claude", payload)).text).toBe("");
    const config = join(cwd, ".home/.config/hooksh");
    mkdirSync(join(config, "hooks.d"), { recursive: true });
    writeFileSync(join(config, "hooks.d/a.yaml"), JSON.stringify(refuse("drop-in")));
    expect((await server.post("/claude", payload)).json).toEqual(denial("drop-in"));
    writeFileSync(join(config, "config.yaml"), JSON.stringify({ settings: { hooks: refuse("own") } }));
    expect((await server.post("/claude", payload)).json).toEqual(denial(expect.stringContaining("own")));
  });

  test("the hooks of an agent file are read for every request", async () => {
    const { cwd, payload } = project({});
    const agent = (reason: string) =>
      writeFileSync(
        join(cwd, "agent.yaml"),
        JSON.stringify({ agents: { root: { model: "openai/x", hooks: refuse(reason) } } }),
      );
    agent("one");
    await using server = await serve(cwd, ["agent.yaml", "--no-user-hooks"]);
    expect((await server.post("/claude", payload)).json).toEqual(denial("one"));
    agent("two");
    expect((await server.post("/claude", payload)).json).toEqual(denial("two"));
  });
});

describe("many requests", () => {
  test("at once each get their own answer", async () => {
    const { cwd, payload } = project(guard(`sleep 0.1; grep -o 'echo [0-9]*' | head -n 1 >&2; exit 2`));
    await using server = await serve(cwd, FILE);
    const answers = await Promise.all(
      Array.from({ length: 100 }, async (_, index) => {
        const { json } = await server.post("/claude", { ...payload, tool_input: { command: `echo ${index}` } });
        return json;
      }),
    );
    expect(answers).toEqual(answers.map((_, index) => denial(`echo ${index}`)));
  });

  test("a client that disconnects ends its hooks", async () => {
    const { cwd, payload } = project(guard("echo $$ > pid; sleep 60"));
    await using server = await serve(cwd, FILE);
    const client = new AbortController();
    const posted = server.post("/claude", payload, { signal: client.signal }).catch(() => "gone");
    const file = join(cwd, "pid");
    await until(() => existsSync(file) && readFileSync(file, "utf8").endsWith("\n"));
    const pid = Number(readFileSync(file, "utf8"));
    client.abort();
    expect(await posted).toBe("gone");
    await until(() => !isAlive(pid));
  });

  test("SIGTERM lets requests finish and takes no more", async () => {
    const { cwd, payload } = project(
      guard("touch started; until [ -e go ]; do sleep 0.05; done; echo late >&2; exit 2"),
    );
    await using server = await serve(cwd, FILE);
    const posted = server.post("/claude", payload);
    await until(() => existsSync(join(cwd, "started")));
    const ended = server.stop();
    writeFileSync(join(cwd, "go"), "");
    expect((await posted).json).toEqual(denial("late"));
    expect(await ended).toBe(0);
    expect(await server.post("/claude", payload).catch(() => "refused")).toBe("refused");
  });
});

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}

describe("the token", () => {
  test("is made once, for its owner's eyes, and kept", async () => {
    const { cwd } = project(guard("true"));
    const tokens: string[] = [];
    for (let start = 0; start < 2; start++) {
      await using server = await serve(cwd, FILE);
      tokens.push(server.token);
    }
    expect(tokens[0]).toMatch(/^[0-9a-f]{64}$/);
    expect(tokens[1]).toBe(tokens[0] as string);
    expect(statSync(join(cwd, ".home/.hooksh/serve.token")).mode & 0o777).toBe(0o600);
  });

  test.each([
    ["that others can read", "x".repeat(40), 0o644, /others can read/],
    ["that is too short", "secret", 0o600, /holds no token/],
  ])("in a file %s is refused", async (_name, content, mode, reason) => {
    const cwd = tempDir({ "hooks.yaml": "{}", token: content });
    chmodSync(join(cwd, "token"), mode);
    const ran = await hooksh(["serve", "--port", "0", "--token-file", "token", ...FILE], { cwd });
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(reason);
    expect(ran.stderr).not.toContain(content);
  });
});

describe("a socket file", () => {
  const start = (cwd: string, path: string) =>
    Bun.spawn([binary(), "serve", ...FILE, "--socket", path], {
      cwd,
      env: cleanEnv(cwd),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });

  /** The first line of standard output: a socket file exists before anything listens on it. */
  const firstLine = async ({ stdout }: ReturnType<typeof start>) =>
    Buffer.from((await stdout.getReader().read()).value ?? "").toString();

  test("is for its owner only, needs no token, and is removed at the end", async () => {
    const { cwd, payload } = project(refuse("no"));
    const path = join(cwd, "s.sock");
    const child = start(cwd, "s.sock");
    expect(await firstLine(child)).toStartWith("listening on ");
    expect(statSync(path).mode & 0o777).toBe(0o600);
    expect((await post("http://hooksh/claude", payload, { socket: path })).json).toEqual(denial("no"));
    const browser = await post("http://hooksh/claude", payload, { socket: path, headers: { origin: "http://x" } });
    expect(browser.json).toEqual(denial(expect.stringMatching(/browser/)));
    child.kill("SIGINT");
    expect(await child.exited).toBe(0);
    expect(existsSync(path)).toBe(false);
  });

  test("that a killed server left behind is replaced, one in use is not", async () => {
    const { cwd, payload } = project(refuse("no"));
    const path = join(cwd, "s.sock");
    const first = start(cwd, path);
    expect(await firstLine(first)).toStartWith("listening on ");
    first.kill("SIGKILL");
    await first.exited;
    expect(existsSync(path)).toBe(true);
    const second = start(cwd, path);
    expect(await firstLine(second)).toBe(`listening on ${path}\n`);
    const third = start(cwd, path);
    expect(await third.exited).toBe(1);
    expect(await third.stderr.text()).toContain("another process listens there");
    expect((await post("http://hooksh/claude", payload, { socket: path })).json).toEqual(denial("no"));
    second.kill();
    await second.exited;
  });

  test.each([
    ["is a file", "hooks.yaml", /exists and is not a socket/],
    ["has no directory", "none/s.sock", /no such directory/],
    ["is in a directory that everyone can write", "open/s.sock", /every user can replace files in .*\/open:/],
    ["is below such a directory", "open/own/s.sock", /every user can replace files in .*\/open:/],
    ["goes through a link to such a directory", "link/s.sock", /every user can replace files in .*\/open:/],
  ])("whose path %s is refused", async (_name, path, reason) => {
    const { cwd } = project({});
    mkdirSync(join(cwd, "open/own"), { recursive: true });
    chmodSync(join(cwd, "open"), 0o777);
    symlinkSync("open/own", join(cwd, "link"));
    const child = start(cwd, path);
    expect(await child.exited).toBe(1);
    expect(await child.stderr.text()).toMatch(reason);
    expect(readFileSync(join(cwd, "hooks.yaml"), "utf8")).toBe("{}");
  });
});

test.if(process.getuid?.() === 0)("a socket file in a directory of another user is refused", async () => {
  const { cwd } = project({});
  mkdirSync(join(cwd, "other/own"), { recursive: true });
  chownSync(join(cwd, "other"), 12345, 12345);
  const ran = await hooksh(["serve", "--socket", "other/own/s.sock"], { cwd });
  expect(ran).toMatchObject({ code: 1, stderr: expect.stringMatching(/another user can replace files in .*\/other:/) });
});

describe("the command line", () => {
  test.each([
    [[], /needs --socket PATH or --port N/],
    [["--port", "70000"], /--port takes a number/],
    [["--port", "x"], /--port takes a number/],
    [["--socket", "s.sock", "--token-file", "t"], /--token-file requires --port/],
    [["--port", "0", "--deadline", "soon"], /--deadline takes a duration/],
    [["--port", "0", "a.yaml", "b.yaml"], /serve takes one agent/],
  ])("%j is refused", async (args, reason) => {
    const { cwd } = project({});
    const ran = await hooksh(["serve", ...args], { cwd });
    expect(ran.code).toBe(64);
    expect(ran.stderr).toMatch(reason);
  });

  test("a port in use is refused", async () => {
    const { cwd } = project({});
    const other = createServer().listen(0, "127.0.0.1");
    await new Promise((resolve) => other.once("listening", resolve));
    const { port } = other.address() as { port: number };
    const ran = await hooksh(["serve", "--port", String(port), "--no-user-hooks"], { cwd });
    other.close();
    expect(ran.code).toBe(1);
    expect(ran.stderr).toMatch(new RegExp(`--port ${port}: .*in use`));
  });
});

const mostWaiting = existsSync("/proc/sys/net/core/somaxconn")
  ? Number(readFileSync("/proc/sys/net/core/somaxconn", "utf8"))
  : 0;

test.skipIf(mostWaiting < 2000)("connections that arrive while the server is busy wait for it", async () => {
  const { cwd, payload } = project(guard("true"));
  const socket = join(cwd, "s.sock");
  await using server = await serve(cwd, [...FILE, "--socket", socket]);
  server.child.kill("SIGSTOP");
  const body = JSON.stringify({ ...payload, tool_name: "Read", tool_input: {} });
  const request = `POST /claude HTTP/1.1\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(body)}\r\nConnection: close\r\n\r\n${body}`;
  const connected: Promise<void>[] = [];
  const answers = Array.from({ length: 1500 }, async () => {
    const client = connect(socket);
    let text = "";
    client.on("data", (chunk) => (text += chunk));
    connected.push(new Promise((resolve) => client.once("connect", resolve).once("error", () => resolve())));
    client.write(request);
    await new Promise<void>((resolve) => client.once("close", () => resolve()).on("error", (error) => (text += error)));
    return text.split("\r\n")[0];
  });
  await Promise.all(connected);
  server.child.kill("SIGCONT");
  expect([...new Set(await Promise.all(answers))]).toEqual(["HTTP/1.1 200 OK"]);
});
