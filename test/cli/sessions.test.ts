import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { binary, cleanEnv, hooksh } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { until } from "../helpers/until.ts";

const serve = modelServers();

/** A directory with an agent for a scripted server, and runs of the executable in it. */
function setUp(keys: Record<string, unknown>, ...script: Step[]) {
  const server = serve(...script);
  const cwd = tempDir({ "agent.yaml": agentFor(server, keys) });
  const run = (...args: string[]) => hooksh(["run", "agent.yaml", ...args], { cwd });
  const sessions = (...args: string[]) => hooksh(["sessions", ...args], { cwd });
  const messages = (request: number) => server.requests[request]?.messages ?? [];
  /** The roles and texts of the conversation in a request. */
  const sent = (request: number) => {
    const conversation = messages(request).filter(({ role }) => role !== "system");
    return conversation.map(({ role, content }) => `${role}: ${content ?? ""}`);
  };
  return { server, cwd, run, sessions, messages, sent, file: join(cwd, ".home/.hooksh/session.db") };
}

const shell = (cmd: string) => ({ calls: [{ id: "call_1", name: "shell", arguments: { cmd } }] });
/** A process that outlives its killed parent: runs until the test ends it. */
const WAIT = "for n in $(seq 300); do test -e release && break; sleep 0.1; done";
const log = (name: string) => ({ type: "command", command: `cat >> ${name}` });

/** Starts a run and kills it as soon as a file exists. */
async function killWhen(cwd: string, file: string, args: string[]): Promise<void> {
  const command = [binary(), "run", "agent.yaml", ...args];
  const child = Bun.spawn(command, { cwd, env: cleanEnv(cwd), stdin: "ignore", stdout: "ignore", stderr: "ignore" });
  await until(() => existsSync(join(cwd, file)));
  child.kill("SIGKILL");
  await child.exited;
  expect(child.signalCode).toBe("SIGKILL");
}

describe("a session continues", () => {
  test("in a later process, with its conversation, and its hooks are notified", async () => {
    const hooks = { session_start: [log("starts.log"), { type: "command", command: "echo house rules" }] };
    const { run, sent, messages, cwd } = setUp({ hooks }, { text: "Noted." }, { text: "You said blue." });
    expect((await run("My colour is blue.")).code).toBe(0);
    expect(await run("--session", "-1", "Which colour?")).toMatchObject({ code: 0, stderr: "" });
    expect(sent(1)).toEqual(["user: My colour is blue.", "assistant: Noted.", "user: Which colour?"]);
    expect(messages(1)[0]).toMatchObject({ role: "system", content: expect.stringContaining("house rules") });
    const starts = readFileSync(join(cwd, "starts.log"), "utf8")
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(starts.map(({ source }) => source)).toEqual(["startup", "resume"]);
    expect(new Set(starts.map(({ session_id }) => session_id)).size).toBe(1);
  });

  test("by number or id; an unknown id starts a session with that id, a number out of range is an error", async () => {
    const { run, sent, sessions, server } = setUp({}, { text: "a" }, { text: "b" }, { text: "c" }, { text: "d" });
    expect((await run("--session", "fix-42", "first")).code).toBe(0);
    expect((await run("second")).code).toBe(0);
    expect((await run("--session", "-2", "third")).code).toBe(0);
    expect((await run("--session=fix-42", "fourth")).code).toBe(0);
    expect(sent(3)).toEqual(["user: first", "assistant: a", "user: third", "assistant: c", "user: fourth"]);
    const tooFar = await run("--session", "-99", "fifth");
    expect(tooFar).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringMatching(/^no session -99: 2 sessions are stored for the folder \/.*\n$/),
    });
    expect(server.requests).toHaveLength(4);
    expect(JSON.parse((await sessions("list", "--json")).stdout)).toMatchObject([
      { title: "second", messages: 2 },
      { id: "fix-42", title: "first", messages: 6 },
    ]);
  });

  test.each(["../up", "a/b", "-x", ".", " ", "a\nb"])("but not under the id %j", async (id) => {
    const { run, cwd } = setUp({});
    expect(await run("--session", id, "hi")).toMatchObject({ code: 64, stdout: "" });
    expect(readdirSync(join(cwd, ".home"))).toEqual([]);
  });

  test("in its own safety mode, until a flag names another; --yolo holds for one run", async () => {
    const commands = ["ls > /dev/null; pwd", "touch two", "touch three", "touch four"];
    const script = [...commands.flatMap((cmd) => [shell(cmd), { text: "ok" }]), { text: "last" }];
    const { run, cwd, sessions } = setUp({}, ...script);
    await run("--safety", "balanced", "go");
    await run("--session", "-1", "go");
    expect(JSON.parse((await sessions("export", "-1")).stdout).safety_mode).toBe("balanced");
    await run("--session", "-1", "--yolo", "go");
    await run("--session", "-1", "go");
    expect(["two", "three", "four"].map((name) => existsSync(join(cwd, name)))).toEqual([false, true, false]);
    expect(JSON.parse((await sessions("export", "-1")).stdout).safety_mode).toBeUndefined();
    await run("--session", "-1", "--safety", "strict", "go");
    expect(JSON.parse((await sessions("export", "-1")).stdout).safety_mode).toBe("strict");
  });

  test("in its own directory, but with the agent file named in the current one", async () => {
    const { cwd, server } = setUp(
      {},
      shell("touch made-1"),
      { text: "1" },
      shell("touch made-2"),
      { text: "2" },
      { text: "3" },
    );
    const [first, second] = ["first", "second"].map((name) => join(cwd, name));
    for (const dir of [first, second]) mkdirSync(dir ?? "");
    const at = (dir = "", ...args: string[]) => hooksh(["run", ...args], { cwd: dir, env: { HOME: cwd } });
    expect((await at(first, "../agent.yaml", "--yolo", "go")).code).toBe(0);
    await Bun.write(join(first ?? "", "own.yaml"), "not an agent");
    await Bun.write(join(second ?? "", "own.yaml"), agentFor(server));
    const last = ["own.yaml", "--session", "-1"];
    const counted = await at(second, ...last, "--yolo", "go");
    expect(counted).toMatchObject({ code: 1, stdout: "" });
    expect(counted.stderr).toMatch(/^no session -1: 0 sessions are stored for the folder .*; 1 of other folders: /);
    const resumed = await at(second, ...last, "--any-folder", "--yolo", "go");
    expect(resumed.code).toBe(0);
    expect(resumed.stderr).toMatch(
      /^warning: session \S+ belongs to another folder: its tools work in \S+first, not in \S+second\n/,
    );
    expect(resumed.stderr).toMatch(
      /\nwarning: session \S+ ran with the agent file \S+\/agent.yaml; it goes on with \S+second\/own.yaml\n/,
    );
    expect([join(first ?? "", "made-2"), join(second ?? "", "made-2")].map(existsSync)).toEqual([true, false]);
    rmSync(first ?? "", { recursive: true });
    const gone = await at(second, ...last, "--any-folder", "go");
    expect(gone).toMatchObject({ code: 1, stdout: "" });
    expect(gone.stderr).toMatch(/ran in .*first, which no longer exists: name a directory with --working-dir/);
    const moved = await at(second, ...last, "--any-folder", "--working-dir", ".", "go");
    expect(moved.stderr).toMatch(/\nwarning: session \S+ ran in \S+first; its tools now work in \S+second\n$/);
    const listed = await hooksh(["sessions", "list"], { cwd, env: { HOME: cwd } });
    expect(listed.stdout).toMatch(/ FOLDER +TITLE\n.*second +go\n$/);
  });

  test("a name that starts a new session is named, with one that is like it", async () => {
    const { run } = setUp({}, { text: "a" }, { text: "b" }, { text: "c" });
    expect((await run("--session", "fix-42", "one")).stderr).toBe("no session fix-42 is stored, so it starts now\n");
    const typo = await run("--session", "fix42", "two");
    expect(typo.stderr).toBe("no session fix42 is stored, so it starts now; did you mean fix-42?\n");
    expect((await run("--session", "fix-42", "three")).stderr).toBe("");
  });

  test.each([[[]], [["--session", "mine"]]])("--any-folder requires a number that it widens: %j", async (args) => {
    const { run } = setUp({});
    const ran = await run("--any-folder", ...args, "go");
    expect(ran).toMatchObject({ code: 64, stderr: expect.stringContaining("--any-folder says what --session -1") });
  });

  test("in one process at a time", async () => {
    const { cwd, run } = setUp({}, { text: "a" }, shell(`touch busy; ${WAIT}`), { text: "b" });
    await run("--session", "shared", "one");
    const slow = hooksh(["run", "agent.yaml", "--session", "shared", "--yolo", "two"], { cwd });
    await until(() => existsSync(join(cwd, "busy")));
    expect((await run("--session", "shared", "three")).code).toBe(0);
    await Bun.write(join(cwd, "release"), "");
    const ended = await slow;
    expect(ended.code).toBe(1);
    expect(ended.stderr).toContain("session shared was continued by another process");
  });
});

describe("a run that is killed", () => {
  test("in a tool call keeps complete messages; the call is not run again and the history is valid", async () => {
    const { cwd, run, sent, messages } = setUp(
      {},
      {
        calls: [
          { id: "call_1", name: "shell", arguments: { cmd: "echo first" } },
          { id: "call_2", name: "shell", arguments: { cmd: `echo x >> count; touch started; ${WAIT}` } },
          { id: "call_3", name: "shell", arguments: { cmd: "touch third" } },
        ],
      },
      { text: "I see." },
    );
    await killWhen(cwd, "started", ["--yolo", "do it"]);
    expect(await run("--session", "-1", "--yolo", "and now?")).toMatchObject({ code: 0, stderr: "" });
    const interrupted = "tool: The tool call was interrupted before it gave a result.";
    expect(sent(1)).toEqual(["user: do it", "assistant: ", "tool: first", interrupted, interrupted, "user: and now?"]);
    expect(messages(1).flatMap(({ tool_call_id }) => tool_call_id ?? [])).toEqual(["call_1", "call_2", "call_3"]);
    expect(readFileSync(join(cwd, "count"), "utf8")).toBe("x\n");
    expect(existsSync(join(cwd, "third"))).toBe(false);
    await Bun.write(join(cwd, "release"), "");
  });

  test("while the model answers keeps the user's message", async () => {
    const { cwd, run, sent } = setUp(
      {},
      async () => {
        await Bun.write(join(cwd, "asked"), "");
        await Bun.sleep(60_000);
        return new Response();
      },
      { text: "ok" },
    );
    await killWhen(cwd, "asked", ["remember 7"]);
    expect((await run("--session", "-1", "which number?")).code).toBe(0);
    expect(sent(1).join("\n")).toMatch(/remember 7[^]*which number\?$/);
  });

  test("before its hooks have judged a message does not send the message to a model later", async () => {
    const judge = `test -e judging && { echo 'not this' >&2; exit 2; }; touch judging; ${WAIT}`;
    const command = `if grep -q forbidden; then ${judge}; fi`;
    const hooks = { user_prompt_submit: [{ type: "command", command }] };
    const { cwd, run, sent, sessions } = setUp({ hooks }, { text: "fine" }, { text: "still fine" });
    await killWhen(cwd, "judging", ["a forbidden thing"]);
    const resumed = await run("--session", "-1", "a good thing");
    expect(resumed.stderr).toContain("an earlier message is left out: not this");
    expect(sent(0)).toEqual(["user: a good thing"]);
    await run("--session", "-1", "another");
    expect(JSON.stringify(sent(1))).not.toContain("forbidden");
    expect((await sessions("show", "-1")).stdout).toContain("user (withheld by a hook): a forbidden thing");
    await Bun.write(join(cwd, "release"), "");
  });
});

describe("where sessions are stored", () => {
  test("nothing is written when a run ends before its first message", async () => {
    const { cwd, run, file } = setUp({});
    expect((await run("--agent", "nobody", "hi")).code).toBe(64);
    expect((await run("--dry-run")).code).toBe(0);
    expect((await hooksh(["run", "agent.yaml"], { cwd, input: " " })).code).toBe(1);
    expect(existsSync(file)).toBe(false);
  });

  test("-s names another file, also in the home directory", async () => {
    const { cwd, run, sessions, file } = setUp({}, { text: "a" });
    expect((await run("-s", "~/mine.db", "hi")).code).toBe(0);
    expect([existsSync(join(cwd, ".home/mine.db")), existsSync(file)]).toEqual([true, false]);
    expect(JSON.parse((await sessions("list", "--json", "--session-db", "~/mine.db")).stdout)).toHaveLength(1);
    const nowhere = await sessions("list", "-s", "nowhere.db");
    expect(nowhere).toMatchObject({ code: 1, stderr: expect.stringContaining("nowhere.db: no such file") });
  });

  test("a file of a newer hooksh ends the run before anything happens", async () => {
    const { cwd, run, sessions } = setUp({ hooks: { session_start: [{ type: "command", command: "touch started" }] } });
    const path = join(cwd, "new.db");
    const db = new Database(path, { create: true });
    db.run("CREATE TABLE schema_version (version INTEGER)");
    db.run("INSERT INTO schema_version VALUES (1000)");
    db.close();
    for (const ran of [await run("-s", path, "hi"), await sessions("list", "-s", path)]) {
      expect(ran).toMatchObject({ code: 1, stdout: "" });
      expect(ran.stderr).toMatch(/^.*new\.db: was written by a newer hooksh .*\n$/);
    }
    expect(existsSync(join(cwd, "started"))).toBe(false);
  });

  test("a directory that is not writable is a warning, or an error if a session was named", async () => {
    const { cwd, run, server } = setUp({}, { text: "an answer" });
    await Bun.write(join(cwd, ".home", ".hooksh"), "");
    const plain = await run("hi");
    expect(plain).toMatchObject({ code: 0, stdout: "an answer\n" });
    expect(plain.stderr).toMatch(/^warning: the session is not stored.*\/\.hooksh/);
    const named = await run("--session", "mine", "hi");
    expect(named).toMatchObject({
      code: 1,
      stdout: "",
      stderr: expect.stringContaining(join(cwd, ".home", ".hooksh")),
    });
    expect(server.requests).toHaveLength(1);
  });

  /** A file system of 64 KB in its own mount namespace, with a few KB left. */
  const onSmallDisk = (data: string, kilobytes: number, command: string[]) => {
    const full = `mount -t tmpfs -o size=64k tmpfs "$0" && dd if=/dev/zero of="$0/fill" bs=1k count=${64 - kilobytes} 2>/dev/null && exec "$@"`;
    return ["unshare", "--mount", "sh", "-c", full, data, ...command];
  };
  const smallDisks = Bun.spawnSync(onSmallDisk(tempDir(), 0, ["true"])).success;

  test.if(smallDisks).each([[0], [12]])(
    "a disk with %d KB left: one warning, and the run continues unless a session was named",
    async (kilobytes) => {
      const { cwd, server } = setUp({}, shell("echo one"), { text: "an answer" });
      const data = join(cwd, "data");
      mkdirSync(data);
      const run = async (...args: string[]) => {
        const command = [binary(), "run", "agent.yaml", "--yolo", "--no-audit", "--data-dir", data, ...args, "hi"];
        const child = Bun.spawn(onSmallDisk(data, kilobytes, command), {
          cwd,
          env: cleanEnv(cwd),
          stdin: "ignore",
          stderr: "pipe",
        });
        return {
          stdout: await child.stdout.text(),
          lines: (await child.stderr.text()).trim().split("\n"),
          code: await child.exited,
        };
      };
      const plain = await run();
      expect(plain).toMatchObject({ code: 0, stdout: expect.stringContaining("an answer\n") });
      expect(plain.lines).toEqual([
        expect.stringMatching(
          /^warning: the session is not stored for now: .*session\.db: (the disk is full|disk I\/O error)$/,
        ),
        expect.stringMatching(
          /^warning: the end of the session is not stored: .*session\.db: (the disk is full|disk I\/O error)$/,
        ),
      ]);
      expect(await run("--session", "mine")).toMatchObject({
        code: 1,
        lines: [
          "no session mine is stored, so it starts now",
          expect.stringMatching(/session\.db: (the disk is full|disk I\/O error)$/),
        ],
      });
      expect(server.requests).toHaveLength(2);
    },
  );

  test("a file that cannot be opened is treated the same way", async () => {
    const { cwd, run } = setUp({}, { text: "an answer" });
    mkdirSync(join(cwd, "data", "session.db"), { recursive: true });
    const plain = await run("--data-dir", join(cwd, "data"), "hi");
    expect(plain).toMatchObject({ code: 0, stdout: "an answer\n" });
    expect(plain.stderr).toMatch(/^warning: the session is not stored: .*session\.db/);
    const named = await run("--data-dir", join(cwd, "data"), "--session", "mine", "hi");
    expect(named).toMatchObject({ code: 1, stdout: "" });
  });
});

describe("hooksh sessions", () => {
  /** A stored session in which one agent hands a task to another. */
  async function delegated() {
    const task = { agent: "helper", task: "Count.", expected_output: "A number." };
    const transfer = { calls: [{ name: "transfer_task", arguments: task }] };
    const run = setUp({}, transfer, shell("echo 1 2 3"), { text: "Three." }, { text: "It is three." });
    const file = JSON.parse(readFileSync(join(run.cwd, "agent.yaml"), "utf8"));
    const hooks = { session_start: [{ type: "command", command: "echo house rules" }] };
    const agents = { root: { ...file.agents.root, hooks, sub_agents: ["helper"] }, helper: file.agents.root };
    await Bun.write(join(run.cwd, "agent.yaml"), JSON.stringify({ ...file, agents }));
    expect((await run.run("--yolo", `How many?\n\x1b[31m${"x".repeat(100)}`)).code).toBe(0);
    return run;
  }

  test("list prints one line per session", async () => {
    const { sessions } = await delegated();
    const [session, ...others] = JSON.parse((await sessions("list", "--json")).stdout);
    expect(others).toEqual([]);
    const title = `How many? ${"x".repeat(50)}`;
    expect(session).toMatchObject({ title, agent: "root", messages: 4, working_dir: expect.any(String) });
    expect(session).toMatchObject({ cost: null, cost_is_partial: true });
    const lines = (await sessions("list")).stdout.trimEnd().split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatch(new RegExp(`^${session.id} .* 4 +unknown  root   How many`));
    expect((await sessions("show", "-1")).stdout).toMatch(/^Session .*\nStarted .*, cost unknown\n/);
    expect((await sessions("list", "--limit", "1")).stdout.trimEnd().split("\n")).toHaveLength(2);
  });

  test("show prints the conversation with its sub-session and no control sequence", async () => {
    const { sessions } = await delegated();
    const { stdout } = await sessions("show", "-1");
    const inOrder = [
      "session_start hooks: house rules",
      "user: How many?",
      "root calls transfer_task(agent: helper",
      "    helper: Session ",
      "    user: Please proceed.",
      "    helper calls shell(cmd: echo 1 2 3)",
      "    tool result: 1 2 3",
      "    helper: Three.",
      "tool result: Three.",
      "root: It is three.",
    ];
    const places = inOrder.map((text) => stdout.indexOf(text));
    expect(places).not.toContain(-1);
    expect(places).toEqual(places.toSorted((a, b) => a - b));
    expect(stdout).not.toContain("\x1b");
  });

  test("export prints everything the next request needs, as JSON", async () => {
    const { sessions } = await delegated();
    const document = JSON.parse((await sessions("export", "-1")).stdout);
    const permissions = { allow: [], ask: [], deny: [] };
    expect(document).toMatchObject({ session_start_context: "house rules", safety_mode: "autonomous", permissions });
    const kinds = document.items.map(({ kind }: { kind: string }) => kind);
    expect(kinds).toEqual(["message", "message", "subsession", "message", "message"]);
    expect(document.items[2].session).toMatchObject({ parent_id: document.id });
    expect(document.items[2].session.items.at(-1)).toMatchObject({ agent: "helper", message: { content: "Three." } });
  });

  test("a sub-session can be shown but not resumed", async () => {
    const { sessions, run } = await delegated();
    const child = JSON.parse((await sessions("export", "-1")).stdout).items[2].session.id;
    expect((await sessions("show", child)).stdout).toContain("helper: Three.");
    const taken = await run("--session", child, "hi");
    expect(taken).toMatchObject({ code: 1, stderr: expect.stringContaining("is a sub-session of session") });
  });

  test("rm removes it", async () => {
    const { sessions } = await delegated();
    const [{ id }] = JSON.parse((await sessions("list", "--json")).stdout);
    expect(await sessions("rm", "-1")).toMatchObject({ code: 0, stdout: `removed ${id}\n` });
    expect(await sessions("list", "--json")).toMatchObject({ code: 0, stdout: "[]\n" });
    expect(await sessions("rm", id)).toMatchObject({ code: 1, stderr: expect.stringContaining(`no session "${id}"`) });
  });

  test.each([
    [[]],
    [["drop"]],
    [["show"]],
    [["rm", "a", "b"]],
    [["list", "-1"]],
    [["list", "--limit", "0"]],
    [["list", "--any-folder"]],
    [["show", "-1", "--json"]],
    [["export", "-1", "--thinking"]],
  ])("usage: %j", async (args) => {
    const { sessions } = setUp({});
    expect(await sessions(...args)).toMatchObject({ code: 64, stdout: "" });
  });

  test("without sessions, list is empty and show is an error", async () => {
    const { sessions, file } = setUp({});
    expect(await sessions("list")).toMatchObject({ code: 0, stdout: "", stderr: "no stored sessions\n" });
    expect(await sessions("show", "-1")).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^no session -1: 0 sessions are stored for /),
    });
    expect(existsSync(file)).toBe(false);
  });
});
