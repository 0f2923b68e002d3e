import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { binary, cleanEnv, hooksh, type Ran } from "../helpers/binary.ts";
import { type AgentSession, writeAgentDatabase, writeOldAgentDatabase } from "../helpers/docker-agent-database.ts";
import { agentFor } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();

interface Row {
  status: string;
  place: string;
  subject: string;
  remarks: string[];
}

interface Imported extends Ran {
  sessions: Row[];
  configuration: Row[];
  /** The rows as `status subject: remarks`. */
  told: string[];
}

/** A home directory with docker-agent's files, below `.cagent` and `.config/cagent`. */
function setUp(sessions: readonly AgentSession[], files: Readonly<Record<string, string>> = {}) {
  const cwd = tempDir();
  const home = join(cwd, ".home");
  const data = join(home, ".cagent");
  const database = join(data, "session.db");
  mkdirSync(home, { recursive: true });
  if (sessions.length > 0) writeAgentDatabase(database, sessions);
  for (const [name, text] of Object.entries(files)) {
    const path = join(home, name);
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, text);
  }
  const importAll = async (...args: string[]): Promise<Imported> => {
    const ran = await hooksh(["import", "docker-agent", "--json", ...args], { cwd });
    const { sessions: found = [], configuration = [] } = ran.stdout === "" ? {} : JSON.parse(ran.stdout);
    const told = ([...found, ...configuration] as Row[]).map(({ status, subject, remarks }) =>
      [`${status} ${subject}`, ...remarks].join(": "),
    );
    return { ...ran, sessions: found, configuration, told };
  };
  const run = (...args: string[]) => hooksh(args, { cwd });
  const config = () => parse(readFileSync(join(home, ".config/hooksh/config.yaml"), "utf8"));
  const exported = async (id: string) => JSON.parse((await run("sessions", "export", id)).stdout);
  return { cwd, home, data, database, importAll, run, config, exported };
}

const user = (content: string) => ({ message: { role: "user", content, created_at: "2026-03-04T10:00:00+02:00" } });
const answer = (content: string) => ({
  agent_name: "root",
  message: {
    role: "assistant",
    content,
    model: "openai/gpt-5",
    cost: 0.01,
    usage: { input_tokens: 900, output_tokens: 40, cached_input_tokens: 0, cached_write_tokens: 0 },
    finish_reason: "stop",
  },
});

const call = (id: string, name: string, args: unknown) => ({
  agent_name: "root",
  message: {
    role: "assistant",
    content: "",
    reasoning_content: "I look first.",
    tool_calls: [{ id, type: "function", function: { name, arguments: JSON.stringify(args) } }],
    tool_definitions: [{ name, category: "shell", description: "", parameters: {}, annotations: {}, outputSchema: {} }],
  },
});
const result = (tool_call_id: string, content: string, is_error = false) => ({
  agent_name: "root",
  message: { role: "tool", content, tool_call_id, ...(is_error ? { is_error } : {}) },
});

const login: AgentSession = {
  id: "6f1e6c2a-0001-4000-8000-000000000001",
  title: "Fix the login",
  cost: 0.25,
  input_tokens: 900,
  output_tokens: 40,
  max_iterations: 20,
  items: [
    user("Why does the login fail?"),
    call("call_1", "shell", { cmd: "ls" }),
    result("call_1", "login.ts\n"),
    call("call_2", "shell", { cmd: "false" }),
    result("call_2", "exit 1", true),
    answer("The token has expired."),
  ],
};

describe("a session of docker-agent", () => {
  test("keeps its title, directory, costs, limits, tool calls and results", async () => {
    const { importAll, exported, run } = setUp([login]);
    const ran = await importAll();
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.told).toEqual([`imported session ${login.id} "Fix the login" (6 messages)`]);
    const session = await exported(login.id);
    expect(session).toMatchObject({
      created_at: "2026-03-04T08:00:00.000Z",
      title: "Fix the login",
      working_dir: "/",
      cost: 0.25,
      input_tokens: 900,
      output_tokens: 40,
      max_iterations: 20,
    });
    expect(session.items.map(({ agent }: { agent: string }) => agent)).toEqual(Array(6).fill("root"));
    expect(session.items[1].message).toMatchObject({
      reasoning_content: "I look first.",
      tool_calls: [{ id: "call_1", function: { name: "shell", arguments: '{"cmd":"ls"}' } }],
    });
    expect(session.items[1].message.tool_definitions).toBeUndefined();
    expect(session.items[2].message).toMatchObject({ role: "tool", tool_call_id: "call_1", content: "login.ts\n" });
    expect(session.items[4].message).toMatchObject({ tool_call_id: "call_2", is_error: true });
    expect(session.items[5].message).toMatchObject({ model: "openai/gpt-5", cost: 0.01, usage: { input_tokens: 900 } });
    expect((await run("sessions", "list")).stdout).toContain("Fix the login");
  });

  test("continues in hooksh, where the model sees the whole conversation", async () => {
    const { importAll, run, cwd } = setUp([login]);
    await importAll();
    const server = serve({ text: "Renew it." });
    writeFileSync(join(cwd, "agent.yaml"), agentFor(server));
    const ran = await run("run", "agent.yaml", "--session", login.id, "--working-dir", ".", "What now?");
    expect(ran).toMatchObject({ code: 0 });
    expect(ran.stdout).toContain("Renew it.");
    const sent = (server.requests[0]?.messages ?? []).filter(({ role }) => role !== "system");
    expect(sent.map(({ role, content }) => `${role}: ${content ?? ""}`)).toEqual([
      "user: Why does the login fail?",
      "assistant: ",
      "tool: login.ts\n",
      "assistant: ",
      "tool: exit 1",
      "assistant: The token has expired.",
      "user: What now?",
    ]);
  });

  test("without a directory continues in the current one", async () => {
    const { importAll, run, cwd, exported } = setUp([{ ...login, working_dir: "" }]);
    await importAll();
    writeFileSync(join(cwd, "agent.yaml"), agentFor(serve({ text: "Here." })));
    expect(await run("run", "agent.yaml", "--session", "-1", "Where?")).toMatchObject({ code: 0 });
    expect((await exported(login.id)).working_dir).toBe(cwd);
  });

  test("keeps sub-sessions, interrupted ones, summaries, errors and stops at a limit", async () => {
    const { importAll, exported } = setUp([
      {
        id: "main",
        title: "A team",
        items: [
          user("Delegate it."),
          { item_type: "subsession", subsession_id: "child" },
          answer("Done."),
          {
            item_type: "summary",
            summary_text: "They fixed it.",
            first_kept_entry: 2,
            cost: 0.5,
            model: "openai/gpt-5",
          },
          { item_type: "error", message: { message: "rate limited", code: "rate_limit", agent_name: "writer" } },
          { item_type: "termination", message: { reason: "budget_exceeded", message: "the budget is spent" } },
          { item_type: "summary", summary_text: "All of it.", first_kept_entry: 0 },
        ],
      },
      {
        id: "child",
        parent_id: "main",
        items: [
          { ...user("Write."), implicit: 1 },
          { ...answer("Written."), agent_name: "writer" },
        ],
      },
      { id: "cut off", parent_id: "main", items: [user("Read.")] },
    ]);
    const ran = await importAll();
    expect(ran.told).toEqual(['imported session main "A team" (2 messages, 2 sub-sessions)']);
    const { items, unfinished_sub_sessions } = await exported("main");
    expect(items.map(({ kind }: { kind: string }) => kind)).toEqual([
      "message",
      "subsession",
      "message",
      "summary",
      "error",
      "error",
      "summary",
    ]);
    expect(items[1]).toMatchObject({ agent: "writer", session: { id: "child", parent_id: "main" } });
    expect(items[1].session.items[0]).toMatchObject({ implicit: true, message: { content: "Write." } });
    expect(items[3]).toMatchObject({ text: "They fixed it.", first_kept: 2, cost: 0.5, model: "openai/gpt-5" });
    expect(items[4]).toMatchObject({ agent: "writer", text: "rate limited", code: "rate_limit" });
    expect(items[5]).toMatchObject({ text: "the budget is spent", code: "budget_exceeded" });
    expect(items[6]).toMatchObject({ first_kept: 6 });
    expect(unfinished_sub_sessions).toMatchObject([{ id: "cut off", items: [{ message: { content: "Read." } }] }]);
  });

  test("never runs tools without asking, in whatever way docker-agent stored that", async () => {
    const modes = [
      ["autonomous", { safety_policy: "autonomous" }, undefined],
      ["yolo", { tools_approved: 1 }, undefined],
      ["unsafe", { safety_policy: "unsafe" }, undefined],
      ["balanced", { safety_policy: "balanced" }, "balanced"],
      ["safer", { safety_policy: "safer" }, "balanced"],
      ["unknown", { safety_policy: "relaxed" }, "strict"],
      ["strict", { safety_policy: "strict", tools_approved: 1 }, "strict"],
    ] as const;
    const { importAll, exported } = setUp(modes.map(([id, keys]) => ({ id, ...keys, items: [user("Go.")] })));
    const ran = await importAll();
    const remark = ["it ran tools without asking; hooksh asks, unless you resume it with --yolo"];
    for (const [id, , mode] of modes) {
      const row = ran.sessions.find(({ subject }) => subject.startsWith(`session ${id} `));
      expect(row).toMatchObject(mode === undefined ? { status: "lossy", remarks: remark } : { status: "imported" });
      expect((await exported(id)).safety_mode).toBe(mode);
    }
  });

  test("keeps the rules that deny and ask; grants are given anew", async () => {
    const rules = { allow: ["shell:cmd=git*", "fetch"], ask: ["write_file"], deny: ["shell:cmd=rm*", "shell:cmd=["] };
    const { importAll, exported } = setUp([{ id: "ruled", permissions: JSON.stringify(rules), items: [user("Go.")] }]);
    const ran = await importAll();
    expect(ran.sessions[0]?.status).toBe("lossy");
    expect(ran.sessions[0]?.remarks[0]).toMatch(/^a rule is not imported: deny "shell:cmd=\[" has a \[/);
    expect(ran.sessions[0]?.remarks[1]).toBe("2 tool grants are not imported: hooksh asks again");
    expect((await exported("ruled")).permissions).toEqual({ allow: [], ask: ["write_file"], deny: ["shell:cmd=rm*"] });
  });

  test("names files whose content is not in the database, models chosen in the session, and stars", async () => {
    const source = (keys: object) => ({
      type: "document",
      document: { name: "a.png", mime_type: "image/png", source: keys },
    });
    const parts = [
      { type: "text", text: "Look." },
      source({ inline_data: "iVBORw0KGgo=" }),
      source({ artifact_path: "a.png", artifact_root: "workspace" }),
      { type: "file", file: { path: "/tmp/report.pdf" } },
    ];
    const message = { role: "user", content: "Look.", multi_content: parts };
    const { importAll, exported } = setUp([
      { id: "media", starred: 1, agent_model_overrides: '{"root":"openai/gpt-5"}', items: [{ message }] },
    ]);
    const ran = await importAll();
    expect(ran.sessions[0]?.remarks).toEqual([
      "hooksh has no stars",
      "the model chosen for root is not imported: resume it with --model root=openai/gpt-5",
      "2 attached files are not in the database: a text names each",
    ]);
    const { blocks } = (await exported("media")).items[0].message;
    expect(blocks.map(({ type }: { type: string }) => type)).toEqual(["text", "image", "text", "text"]);
  });
});

describe("an import", () => {
  test("brings nothing twice, and leaves sessions that hooksh continued as they are", async () => {
    const { importAll, run, cwd, exported, database } = setUp([login]);
    expect((await importAll()).sessions[0]?.status).toBe("imported");
    writeFileSync(join(cwd, "agent.yaml"), agentFor(serve({ text: "Renewed." })));
    await run("run", "agent.yaml", "--session", login.id, "Renew it.");
    const continued = await exported(login.id);
    const db = new Database(database);
    db.run("UPDATE sessions SET title = 'Renamed'");
    db.close();
    const again = await importAll();
    expect(again.told).toEqual([`present session ${login.id}`]);
    expect(await exported(login.id)).toEqual(continued);
    expect(continued.items).toHaveLength(8);
  });

  test("does not touch another session of hooksh that has the id of a sub-session", async () => {
    const { importAll, run, cwd, exported } = setUp([
      { id: "main", items: [user("Go."), { item_type: "subsession", subsession_id: "child" }] },
      { id: "child", parent_id: "main", items: [user("Write.")] },
    ]);
    writeFileSync(join(cwd, "agent.yaml"), agentFor(serve({ text: "Mine." })));
    await run("run", "agent.yaml", "--session", "child", "This is mine.");
    const before = await exported("child");
    expect((await importAll()).told).toEqual(['left session "main": hooksh has another session child']);
    expect(await exported("child")).toEqual(before);
  });

  test("changes neither the database nor the files beside it", async () => {
    const { importAll, data, database } = setUp([login]);
    const before = readFileSync(database);
    chmodSync(data, 0o500);
    chmodSync(database, 0o400);
    expect((await importAll()).sessions[0]?.status).toBe("imported");
    chmodSync(data, 0o700);
    expect(readdirSync(data)).toEqual(["session.db"]);
    expect(readFileSync(database).equals(before)).toBe(true);
  });

  test("sees what a running docker-agent has written last", async () => {
    const { importAll, database } = setUp([login]);
    const running = new Database(database);
    running.run("PRAGMA wal_autocheckpoint = 0");
    running.run("INSERT INTO sessions (id, created_at) VALUES ('new', '2026-03-05T00:00:00Z')");
    running.run(
      `INSERT INTO session_items (session_id, position, item_type, message_json)
       VALUES ('new', 0, 'message', '{"role":"user","content":"Hello"}')`,
    );
    expect((await importAll()).told).toContain('imported session new "" (1 message)');
    running.close();
  });

  test("names each session that cannot be represented, with the reason, and imports the others", async () => {
    const { importAll } = setUp([
      login,
      { id: "empty" },
      { id: "broken", items: [user("Go."), { agent_name: "root", message_json: "{" }] },
      { id: "odd role", items: [{ message: { role: "robot", content: "Beep." } }] },
      { id: "../../etc", items: [user("Go.")] },
      { id: "loop", items: [{ item_type: "subsession", subsession_id: "loop" }] },
      { id: "huge number", items: [{ message_json: '{"role":"assistant","content":"","cost":1e999}' }] },
      { id: "rules", permissions: "{", items: [user("Go.")] },
      { id: "x".repeat(500), items: [user("Go.")] },
    ]);
    const { told, code } = await importAll();
    expect(code).toBe(0);
    expect(told[0]).toContain("imported session 6f1e6c2a");
    expect(told).toContain('left session "empty": it has no messages');
    expect(told).toContainEqual(expect.stringMatching(/^left session "broken": item 2 of session broken: /));
    expect(told).toContainEqual(expect.stringMatching(/^left session "odd role": item 1 of session odd role: /));
    expect(told).toContain('left session "../../etc": --session could not name its id');
    expect(told).toContainEqual(
      expect.stringContaining('left session "loop": item 1 of session loop: its sub-session loop occurs twice'),
    );
    expect(told).toContainEqual(expect.stringMatching(/^left session "huge number": item 1/));
    expect(told).toContainEqual(expect.stringMatching(/^left session "rules": /));
    expect(told).toContain(`left session "${"x".repeat(60)}...": --session could not name its id`);
    expect((await importAll("--strict")).code).toBe(1);
  });

  test("does not lose sessions whose parent is missing, or whose parents form a cycle", async () => {
    const ids = ["alone", "first", "second"];
    const { importAll, database } = setUp(ids.map((id) => ({ id, items: [user("Go.")] })));
    const db = new Database(database);
    db.run("PRAGMA foreign_keys = OFF");
    db.run("UPDATE sessions SET parent_id = 'gone' WHERE id = 'alone'");
    db.run("UPDATE sessions SET parent_id = 'second' WHERE id = 'first'");
    db.run("UPDATE sessions SET parent_id = 'first' WHERE id = 'second'");
    db.close();
    expect((await importAll()).told).toEqual([
      'lossy session alone "" (1 message): its parent session is not in the database',
      'left session "first": its parent sessions form a cycle',
      'left session "second": its parent sessions form a cycle',
    ]);
  });

  test("gives an item without an agent that of the next one, else of the one before", async () => {
    const { importAll, exported } = setUp([
      {
        id: "team",
        items: [
          user("One."),
          { ...answer("1"), agent_name: "first" },
          user("Two."),
          { ...answer("2"), agent_name: "second" },
          user("Three."),
        ],
      },
    ]);
    await importAll();
    const { items } = await exported("team");
    expect(items.map(({ agent }: { agent: string }) => agent)).toEqual([
      "first",
      "first",
      "second",
      "second",
      "second",
    ]);
  });

  // In /proc not even root can create files.
  test.skipIf(process.platform !== "linux")("says what cannot be written, without a stack trace", async () => {
    const { run, home } = setUp([], { [CONFIG]: "aliases: {coder: /a.yaml}\n" });
    symlinkSync("/proc/sys", join(home, ".config/hooksh"));
    const { code, stderr } = await run("import", "docker-agent");
    expect(code).toBe(1);
    expect(stderr).toContain(".config/hooksh/config.yaml: cannot be written: ");
    expect(stderr).not.toContain("hooksh has a bug");
  });

  test("that finds nothing says so", async () => {
    const { run } = setUp([], { [CONFIG]: "version: v1\naliases:\n" });
    expect((await run("import", "docker-agent")).stdout).toBe("docker-agent has nothing to import\n");
  });

  test("continues where it was killed, and stores no session twice or in part", async () => {
    const sessions = Array.from({ length: 300 }, (_, index) => ({
      id: `s${index}`,
      items: [user("Go."), { item_type: "subsession", subsession_id: `c${index}` }],
    }));
    const children = sessions.map(({ id }, index) => ({ id: `c${index}`, parent_id: id, items: [user("Below.")] }));
    const { importAll, home, cwd, exported } = setUp([...sessions, ...children]);
    const store = join(home, ".hooksh/session.db");
    const killed = Bun.spawn([binary(), "import", "docker-agent"], { cwd, env: cleanEnv(cwd), stdout: "ignore" });
    while (!existsSync(`${store}-wal`)) await Bun.sleep(1);
    killed.kill("SIGKILL");
    await killed.exited;
    const { sessions: rows, code } = await importAll();
    expect(code).toBe(0);
    expect(rows.every(({ status }) => status === "imported" || status === "present")).toBe(true);
    expect(rows).toHaveLength(300);
    expect((await exported("s299")).items[1].session.items).toHaveLength(1);
    const db = new Database(store, { readonly: true });
    expect(db.query("SELECT count(*) AS count FROM sessions").get()).toEqual({ count: 600 });
    db.close();
  });

  test("escapes control characters in the report", async () => {
    const { run } = setUp([{ id: "a", title: "\u001b[2J\u202eevil", starred: 1, items: [user("Go.")] }]);
    const { stdout } = await run("import", "docker-agent");
    expect(stdout).toContain("\\u001b[2J");
    expect(stdout).not.toMatch(/[\u001b\u202e]/);
  });

  test("with --dry-run writes nothing and reports the same", async () => {
    const { importAll, home } = setUp([login], {
      ".config/cagent/config.yaml": "aliases:\n  pirate: { path: /p.yaml }\n",
    });
    const dry = await importAll("--dry-run");
    expect(existsSync(join(home, ".hooksh/session.db"))).toBe(false);
    expect(existsSync(join(home, ".config/hooksh"))).toBe(false);
    expect((await importAll()).told).toEqual(dry.told);
  });
});

describe("a database of an old docker-agent, whose sessions are JSON in one column", () => {
  const said = ({ agent_name = "", message }: { agent_name?: string; message: unknown }) => ({
    agentName: agent_name,
    message,
  });
  const items = (...rows: Parameters<typeof said>[0][]) => rows.map((row) => ({ message: said(row) }));
  const child = {
    id: "child-1",
    title: "Look for it",
    created_at: "2026-03-04T08:01:00Z",
    tools_approved: false,
    working_dir: "/src",
    max_iterations: 3,
    permissions: { deny: ["shell"] },
    messages: [
      { message: { ...said(user("find login.ts")), implicit: true } },
      ...items({ ...answer("It is in src."), agent_name: "finder" }),
    ],
  };
  const whole = [
    ...items(user("Why does the login fail?"), call("call_1", "shell", { cmd: "ls" }), result("call_1", "login.ts\n")),
    { sub_session: child },
    { summary: "The login fails in src.", cost: 0.5 },
    ...items(answer("The token has expired.")),
  ];
  const kinds = (session: { items: { kind: string }[] }) => session.items.map(({ kind }) => kind);

  test.each([1, 8, 13, 14])(
    "after migration %i is imported with calls, sub-sessions and summaries",
    async (migration) => {
      const { database, importAll, exported } = setUp([]);
      writeOldAgentDatabase(database, migration, [
        {
          id: "old",
          messages: JSON.stringify(whole),
          ...(migration >= 8 ? { title: "Login", cost: 2, working_dir: "/w" } : {}),
        },
      ]);
      const title = migration >= 8 ? "Login" : "";
      const told = [`imported session old ${JSON.stringify(title)} (4 messages, 1 sub-session)`];
      const ran = await importAll();
      expect(ran).toMatchObject({ code: 0, stderr: "", told });
      const session = await exported("old");
      expect(session).toMatchObject({
        title,
        created_at: "2026-03-04T08:00:00.000Z",
        ...(title ? { cost: 2, working_dir: "/w" } : {}),
      });
      expect(kinds(session)).toEqual(["message", "message", "message", "subsession", "summary", "message"]);
      expect(session.items[1].message.tool_calls[0].function.arguments).toBe('{"cmd":"ls"}');
      expect(session.items[4]).toMatchObject({ text: "The login fails in src.", cost: 0.5 });
      const inside = session.items[3].session;
      expect(inside).toMatchObject({ id: "child-1", title: "Look for it", working_dir: "/src", max_iterations: 3 });
      expect(inside.permissions).toMatchObject({ deny: ["shell"] });
      expect(inside.items).toMatchObject([{ implicit: true }, { agent: "finder" }]);
      expect((await importAll()).told).toEqual(["present session old"]);
    },
  );

  test("of the first versions, which stored messages alone", async () => {
    const { database, importAll, exported } = setUp([]);
    const messages = [user("hello"), answer("hi")].map((row) => ({ agentFilename: "a.yaml", ...said(row) }));
    writeOldAgentDatabase(database, 1, [{ id: "first", messages: JSON.stringify(messages), tools_approved: 1 }]);
    expect((await importAll()).told).toEqual([
      'lossy session first "" (2 messages): it ran tools without asking; hooksh asks, unless you resume it with --yolo',
    ]);
    const { items: kept } = await exported("first");
    expect(kept.map(({ message }: { message: { content: string } }) => message.content)).toEqual(["hello", "hi"]);
  });

  test("keeps the sessions that can be read beside those that cannot, which it names", async () => {
    const { database, importAll } = setUp([]);
    const twice = [{ sub_session: child }, { sub_session: child }];
    const unknown = [...items(user("hello")), { something: 1 }];
    const bad = {
      text: "[{",
      object: "{}",
      empty: "[]",
      none: "",
      twice: JSON.stringify(twice),
      unknown: JSON.stringify(unknown),
    };
    writeOldAgentDatabase(database, 13, [
      ...Object.entries(bad).map(([id, messages]) => ({ id, messages })),
      { id: "good", messages: JSON.stringify(items(user("hello"))) },
    ]);
    expect((await importAll()).told).toEqual([
      'left session "text": its messages are not a JSON list',
      'left session "object": its messages are not a JSON list',
      'left session "empty": it has no messages',
      'left session "none": it has no messages',
      'left session "twice": its sub-session child-1 occurs twice',
      expect.stringContaining('left session "unknown": item 2 of session unknown: '),
      'imported session good "" (1 message)',
    ]);
  });

  test("is read only, and bounded", async () => {
    const { database, importAll } = setUp([]);
    const deep = (levels: number): unknown =>
      levels === 0 ? items(user("x")) : [{ sub_session: { id: `s${levels}`, messages: deep(levels - 1) } }];
    writeOldAgentDatabase(database, 13, [
      { id: "deep", messages: JSON.stringify(deep(60)) },
      { id: "long", messages: JSON.stringify(Array(200_001).fill({})) },
    ]);
    const before = readFileSync(database);
    expect((await importAll()).told).toEqual([
      expect.stringMatching(/^left session "deep": .* its sub-sessions nest more than 50 levels deep$/),
      'left session "long": it has more than 200,000 items',
    ]);
    expect(readFileSync(database).equals(before)).toBe(true);
  });
});

describe("a database that cannot be imported", () => {
  test("of a newer docker-agent is an error that names both versions", async () => {
    const { database, importAll } = setUp([]);
    writeAgentDatabase(database, [login], { migration: 39 });
    expect(await importAll()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "was written by a newer docker-agent (migration 39, this hooksh knows 38): update hooksh",
      ),
    });
  });

  test("that another process keeps locked says so, and nothing is written", async () => {
    const { database, importAll, home } = setUp([], { ".config/cagent/config.yaml": "aliases: { a: /a.yaml }\n" });
    writeAgentDatabase(database, [login], { wal: false });
    const other = new Database(database);
    other.run("BEGIN EXCLUSIVE");
    const ran = await importAll();
    expect(ran).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(
        "session.db: another process keeps it locked: end docker-agent, then import again",
      ),
    });
    other.close();
    expect(existsSync(join(home, ".config/hooksh"))).toBe(false);
  });

  test("of another program, or no database at all, is named", async () => {
    const { database, importAll } = setUp([]);
    mkdirSync(join(database, ".."), { recursive: true });
    new Database(database, { create: true }).run("CREATE TABLE notes (text TEXT)");
    expect((await importAll()).stderr).toContain("session.db: is not a session database of docker-agent");
    writeFileSync(database, "no database".repeat(200));
    expect((await importAll()).stderr).toContain("session.db: it is not a database");
  });

  test("is missing: the message names where it was looked for", async () => {
    const { importAll, cwd } = setUp([]);
    expect(await importAll()).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("name its directory with --from"),
    });
    expect((await importAll("--from", cwd)).stderr).toContain("has neither session.db nor config.yaml");
  });
});

const CONFIG = ".config/cagent/config.yaml";

describe("docker-agent's configuration", () => {
  test("brings aliases, settings, rules, providers and hooks that hooksh does not have", async () => {
    const { importAll, config, run } = setUp([], {
      [CONFIG]: [
        "version: v1",
        "default_model: openai/gpt-5",
        "aliases:",
        "  pirate: { path: /agents/pirate.yaml, model: openai/gpt-5-mini, hide_tool_results: true }",
        "  boxed: { path: agentcatalog/coder, sandbox: true }",
        "providers:",
        "  local: { base_url: http://127.0.0.1:9/v1, token_key: LOCAL_KEY }",
        "settings:",
        "  snapshot: true",
        "  safety: balanced",
        "  permissions: { deny: ['shell:cmd=sudo*'], allow: ['read_*'] }",
        "  hooks:",
        "    pre_tool_use:",
        "      - matcher: shell",
        "        hooks: [{ type: command, command: ./check.sh }]",
      ].join("\n"),
    });
    const ran = await importAll();
    expect(ran.told).toEqual([
      "imported default_model",
      "imported aliases.pirate",
      "imported aliases.boxed",
      "imported providers.local",
      "imported settings.snapshot",
      "imported settings.safety",
      'imported settings.permissions.deny "shell:cmd=sudo*"',
      'imported settings.permissions.allow "read_*"',
      "imported settings.hooks",
    ]);
    expect(config()).toEqual({
      default_model: "openai/gpt-5",
      aliases: {
        pirate: { path: "/agents/pirate.yaml", model: "openai/gpt-5-mini", hide_tool_results: true },
        boxed: { path: "agentcatalog/coder", sandbox: true },
      },
      providers: { local: { base_url: "http://127.0.0.1:9/v1", token_key: "LOCAL_KEY" } },
      settings: {
        snapshot: true,
        safety: "balanced",
        permissions: { deny: ["shell:cmd=sudo*"], allow: ["read_*"] },
        hooks: { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command: "./check.sh" }] }] },
      },
    });
    expect((await run("alias", "list")).stdout).toContain("pirate: /agents/pirate.yaml");
    expect((await run("hooks", "list")).stdout).toContain("./check.sh");
    expect((await importAll()).configuration.every(({ status }) => status === "present")).toBe(true);
  });

  test("names conflicts and keeps what hooksh has, with its comments", async () => {
    const own = [
      "# mine",
      "aliases:",
      "  pirate: { path: /mine.yaml } # keep",
      "settings:",
      "  permissions:",
      "    deny:",
      "      - fetch # no network",
      "",
    ].join("\n");
    const { importAll, home } = setUp([], {
      ".config/hooksh/config.yaml": own,
      [CONFIG]:
        "aliases: { pirate: { path: /theirs.yaml }, other: /o.yaml }\nsettings: { permissions: { deny: [fetch, shell] } }\n",
    });
    const ran = await importAll("--strict");
    expect(ran.code).toBe(1);
    expect(ran.told).toEqual([
      "conflict aliases.pirate: hooksh has another value and keeps it",
      "imported aliases.other",
      'present settings.permissions.deny "fetch"',
      'imported settings.permissions.deny "shell"',
    ]);
    expect(readFileSync(join(home, ".config/hooksh/config.yaml"), "utf8")).toBe(
      own.replace("# keep\n", "# keep\n  other: /o.yaml\n").replace("# no network\n", "# no network\n      - shell\n"),
    );
  });

  test("brings rules with the sets that they name, and none that the own sets would break", async () => {
    const rules = "settings: { rules: [{ deny: no, when: { writes: mine } }], sets: { paths: { mine: [a] } } }\n";
    const { importAll, config, run } = setUp([], { [CONFIG]: rules });
    expect((await importAll()).told).toEqual(["imported settings.rules", "imported settings.sets"]);
    expect(config()).toEqual({
      settings: { rules: [{ deny: "no", when: { writes: "mine" } }], sets: { paths: { mine: ["a"] } } },
    });
    expect((await run("rules", "list")).stdout).toContain("deny: no");

    const other = setUp([], {
      [CONFIG]: rules,
      ".config/hooksh/config.yaml": "settings: { sets: { paths: { ours: [b] } } }\n",
    });
    expect((await other.importAll()).told).toEqual([
      expect.stringMatching(/^left settings\.rules: .*unknown set "mine"/),
      "conflict settings.sets: hooksh has another value and keeps it",
    ]);
  });

  test("never brings a mode that runs tools without asking", async () => {
    const { importAll, config } = setUp([], {
      [CONFIG]: [
        "aliases:",
        "  fast: { path: /a.yaml, yolo: true }",
        "  careless: { path: /a.yaml, safety: autonomous }",
        "  careful: { path: /a.yaml, yolo: true, safety: strict }",
        "settings: { YOLO: true, safety: autonomous, hide_tool_results: true, permissions: { allow: ['*', fetch] } }",
      ].join("\n"),
    });
    const ran = await importAll();
    const why = "tools do not run without asking after an import: to choose it again, set";
    expect(ran.told).toEqual([
      `lossy aliases.fast: ${why} yolo: true`,
      `lossy aliases.careless: ${why} yolo: true`,
      "imported aliases.careful",
      `left settings.YOLO: ${why} settings.safety: autonomous`,
      `left settings.safety: ${why} settings.safety: autonomous`,
      "imported settings.hide_tool_results",
      'left settings.permissions.allow "*": tools do not run without asking after an import: name the tools',
      'imported settings.permissions.allow "fetch"',
    ]);
    expect(config()).toEqual({
      aliases: {
        fast: { path: "/a.yaml" },
        careless: { path: "/a.yaml" },
        careful: { path: "/a.yaml", safety: "strict" },
      },
      settings: { hide_tool_results: true, permissions: { allow: ["fetch"] } },
    });
  });

  test("names each key that has no counterpart, and each value that hooksh would refuse, with its place", async () => {
    const { importAll, config } = setUp([], {
      [CONFIG]: [
        "models_gateway: https://gateway.example",
        "credential_helper: { command: helper }",
        "mystery: 1",
        "providers: [a]",
        "aliases:",
        "  bad name: /a.yaml",
        "settings:",
        "  keybindings: [{ action: quit, keys: [ctrl+q] }]",
        "  theme: dracula",
        "  permissions: { deny: [fetch, 'Bash(rm:*)'] }",
        "  hooks: { pre_tool_us: [{ type: command, command: x }] }",
      ].join("\n"),
    });
    const { told } = await importAll();
    const message = (start: string) => told.find((line) => line.startsWith(start)) ?? "";
    expect(message("left models_gateway")).toContain("base_url");
    expect(message("left credential_helper")).toContain("hooksh reads keys from");
    expect(message("left mystery")).toContain("hooksh does not know this key");
    expect(message("left providers")).toBe("left providers: expected a mapping");
    expect(message("left aliases.bad name")).toContain("~/.config/cagent/config.yaml:6:3: ");
    expect(message("left settings.keybindings")).toContain("the keys of hooksh are fixed");
    expect(message('left settings.permissions.deny "Bash(rm:*)"')).toContain(
      "config.yaml:10:32: settings.permissions.deny[1]: ",
    );
    expect(message("left settings.hooks")).toContain("did you mean pre_tool_use?");
    expect(config()).toEqual({ settings: { permissions: { deny: ["fetch"] } } });
  });

  test("brings the files of hooks.d, and names keys and folders that are not copied", async () => {
    const stop = "stop:\n  - type: command\n    command: notify\n";
    const { importAll, home } = setUp([login], {
      ".config/cagent/hooks.d/50-notify.yaml": stop,
      ".config/cagent/hooks.d/60-taken.yaml": stop,
      ".config/cagent/hooks.d/65-rules.yaml": "rules: [{ deny: no, when: { program: rm } }]\n",
      ".config/cagent/hooks.d/70-broken.yaml": "stopp: []\n",
      ".config/hooksh/hooks.d/60-taken.yaml": "{}\n",
      ".config/cagent/.env": "OPENAI_API_KEY=secret\n",
      ".cagent/themes/mine.yaml": "colors: {}\n",
    });
    const { configuration } = await importAll();
    expect(configuration.map(({ status, place, remarks }) => [status, place, remarks.join("; ")])).toEqual([
      ["imported", "~/.config/cagent/hooks.d/50-notify.yaml", ""],
      ["conflict", "~/.config/cagent/hooks.d/60-taken.yaml", "hooksh has another 60-taken.yaml and keeps it"],
      ["imported", "~/.config/cagent/hooks.d/65-rules.yaml", ""],
      ["left", "~/.config/cagent/hooks.d/70-broken.yaml", expect.stringContaining("did you mean stop?")],
      ["left", "~/.config/cagent/.env", "hooksh does not copy keys: cp -p ~/.config/cagent/.env ~/.config/hooksh/.env"],
      ["left", "~/.cagent/themes", "hooksh does not read it"],
    ]);
    expect(readFileSync(join(home, ".config/hooksh/hooks.d/50-notify.yaml"), "utf8")).toBe(stop);
    expect(readdirSync(join(home, ".config/hooksh/hooks.d")).sort()).toEqual([
      "50-notify.yaml",
      "60-taken.yaml",
      "65-rules.yaml",
    ]);
  });

  test("of an early version has its aliases in aliases.yaml", async () => {
    const { importAll, config } = setUp([], { ".config/cagent/aliases.yaml": "pirate: /agents/pirate.yaml\n" });
    expect((await importAll()).told).toEqual(["imported aliases.pirate"]);
    expect(config()).toEqual({ aliases: { pirate: "/agents/pirate.yaml" } });
  });

  test("that hooksh reads too, because a variable names it, is not copied onto itself", async () => {
    const { run, home } = setUp([], { [CONFIG]: "aliases: { pirate: /agents/pirate.yaml }\n" });
    const directory = join(home, ".config/cagent");
    const ran = await hooksh(["import", "docker-agent"], {
      cwd: home,
      env: { HOME: home, DOCKER_AGENT_CONFIG_DIR: directory },
    });
    expect(ran.stdout).toContain("1 setting: 1 already there");
    expect(existsSync(join(home, ".config/hooksh"))).toBe(false);
    expect((await run("import", "cagent")).stdout).toContain("imported: aliases.pirate");
  });

  test("has its sessions in the directory that DOCKER_AGENT_DATA_DIR names", async () => {
    const { home, data } = setUp([login]);
    const moved = join(home, "moved");
    renameSync(data, moved);
    const env = { HOME: home, DOCKER_AGENT_DATA_DIR: moved };
    const ran = await hooksh(["import", "docker-agent"], { cwd: home, env });
    expect(ran.stdout).toContain("1 session: 1 imported");
  });

  test("is read from the directory or the database that --from names", async () => {
    const { importAll, cwd, config, data } = setUp([login]);
    const backup = join(cwd, "backup");
    mkdirSync(backup);
    writeFileSync(join(backup, "config.yaml"), "aliases: { pirate: /agents/pirate.yaml }\n");
    expect((await importAll("--from", "backup")).told).toEqual(["imported aliases.pirate"]);
    expect(config()).toEqual({ aliases: { pirate: "/agents/pirate.yaml" } });
    expect((await importAll("--from", join(data, "session.db"))).told).toEqual([
      `imported session ${login.id} "Fix the login" (6 messages)`,
    ]);
  });
});

test("flags that do not fit are usage errors", async () => {
  const { run } = setUp([login]);
  for (const words of [
    ["docker-agent", "claude"],
    ["docker-agent", "--output", "hooks.yaml"],
    ["docker-agent", "--dialect", "claude"],
    ["claude", "--dry-run"],
    ["claude", "--from", "."],
  ])
    expect(await run("import", ...words)).toMatchObject({ code: 64 });
});
