import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync, realpathSync, rmSync, statSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { ConfigError, UserError } from "../../../src/lib/errors.ts";
import { textOf } from "../../../src/model/messages/message.ts";
import { createSession, messagesOf, type Session, withholdFromModels } from "../../../src/runtime/session/session.ts";
import { openStore, type Store } from "../../../src/runtime/store/store.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { begin, message, say } from "./begin-store.ts";

function contentsOf(session: Session | undefined): unknown[] {
  return session ? messagesOf(session).map((item) => textOf(item.message)) : [];
}

/** Reads with a separate connection, like another process. */
function reading<T>(path: string, read: (store: Store) => T): T {
  const store = openStore(path);
  try {
    return read(store);
  } finally {
    store.close();
  }
}

function sessionAt(createdAt: string, id?: string): Session {
  return { ...createSession("/work"), createdAt, ...(id === undefined ? {} : { id }) };
}

describe("a stored session", () => {
  test("is loaded exactly as it was stored", () => {
    const { path, append } = begin();
    const session: Session = {
      ...createSession("/a dir", { safetyMode: "balanced", startedIn: "/repo", agentFile: "/repo/agent.yaml" }),
      permissions: { allow: ["shell:cmd=ls*"], ask: ["api"], deny: ["fetch"] },
      title: "Täglich \u0000 \ud83d",
      maxIterations: 7,
      inputTokens: 12,
      outputTokens: 3,
      cost: 0.25,
      startContext: "rules\u0000\udc00",
      pinnedAgent: "root",
    };
    const child = createSession("/a dir", { parentId: session.id, title: "Transferred task" });
    append(session, say("hi"));
    append(child, say("a task"));
    const call = { id: "c1", type: "function", function: { name: "shell", arguments: '{"cmd":"ls"}' } };
    const usage = { input_tokens: 4 };
    append(
      session,
      message({ role: "assistant", content: "", tool_calls: [call], thinking_signature: "s", opaque: [1] }),
      { ...message({ role: "tool", content: "no", tool_call_id: "c1", is_error: true }), implicit: true, cutTo: 300 },
      { kind: "subsession", agent: "helper", session: child },
      { kind: "summary", agent: "root", text: "so far", firstKept: 2, kept: [0], cost: 0.1, model: "p/m", usage },
      { kind: "error", agent: "root", text: "failed", code: "model_error" },
    );
    expect(reading(path, (store) => store.load(session.id))).toEqual(session);
  });

  test("shows later changes of its fields and of items that were already stored", () => {
    const { path, journal, append } = begin();
    const session = createSession("/work");
    append(session, say("first"), say("second"));
    const [first] = session.items;
    if (first?.kind === "message") withholdFromModels(session, first);
    session.cost = 2;
    journal.update(session);
    expect(reading(path, (store) => store.load("-1"))).toEqual(session);
    expect(session.items[0]).toMatchObject({ withheld: true });
  });

  test("is not written again if nothing has changed", () => {
    const { path, journal, append } = begin();
    const session = createSession("/work");
    append(session, say("first"));
    const storedAt = () => reading(path, (store) => store.list())[0]?.updated_at;
    const before = storedAt();
    while (new Date().toISOString() === before);
    journal.update(session);
    expect(storedAt()).toBe(before);
    session.outputTokens = 3;
    journal.update(session);
    expect(storedAt()).not.toBe(before);
    session.items[0] = say("another");
    journal.update(session);
    expect(contentsOf(reading(path, (store) => store.load("-1")))).toEqual(["another"]);
  });

  test("loses the items it no longer has", () => {
    const { path, journal, append } = begin();
    const session = createSession("/work");
    append(session, say("first"), say("second"), say("third"));
    session.items.length = 1;
    journal.update(session);
    append(session, say("other"));
    expect(contentsOf(reading(path, (store) => store.load("-1")))).toEqual(["first", "other"]);
  });

  test("includes a sub-session that was never passed to the journal", () => {
    const { path, append } = begin();
    const session = createSession("/work");
    const child: Session = { ...createSession("/work", { parentId: session.id }), items: [say("task")] };
    append(session, say("hi"), { kind: "subsession", agent: "helper", session: child });
    expect(reading(path, (store) => store.load("-1"))).toEqual(session);
  });

  test("is readable by its owner only, and not on disk before its first message", () => {
    const { path, store, append } = begin();
    expect(store.list()).toEqual([]);
    expect(store.load("unknown")).toBeUndefined();
    expect(existsSync(join(path, ".."))).toBe(false);
    append(createSession("/work"), say("hi"));
    for (const suffix of ["", "-wal", "-shm"]) expect(statSync(path + suffix).mode & 0o777).toBe(0o600);
    expect(statSync(join(path, "..")).mode & 0o777).toBe(0o700);
    store.close();
    expect(readdirSync(join(path, ".."))).toEqual(["session.db"]);
  });
});

describe("a reference", () => {
  test("is an id, or counts back from the session created last; sub-sessions do not count", () => {
    const { path, append } = begin();
    append(sessionAt("2026-01-02T00:00:00.000Z", "second"), say("b"));
    append(sessionAt("2026-01-01T00:00:00.000Z", "first"), say("a"));
    append({ ...sessionAt("2026-01-03T00:00:00.000Z", "child"), parentId: "first" }, say("c"));
    append(sessionAt("2026-01-02T00:00:00.000Z", "third"), say("c"));
    reading(path, (store) => {
      expect(["-1", "-2", "-3", "first", "child"].map((reference) => store.load(reference)?.id)).toEqual([
        "third",
        "second",
        "first",
        "first",
        "child",
      ]);
      expect(store.load("fourth")).toBeUndefined();
      for (const reference of ["-4", "-99", "-0"]) {
        expect(() => store.load(reference)).toThrow(new UserError(`no session ${reference}: 3 sessions are stored`));
      }
      for (const use of [store.export, store.remove]) expect(() => use("fourth")).toThrow(/^no session "fourth" in /);
      expect(store.list(2).map(({ id }) => id)).toEqual(["third", "second"]);
    });
  });

  test("that counts back counts the sessions of one folder, however its path is spelled", () => {
    const { path, append } = begin();
    const real = realpathSync(tempDir());
    const link = join(tempDir(), "link");
    symlinkSync(real, link);
    const of = (id: string, day: number, keys: Partial<Session>) =>
      append({ ...sessionAt(`2026-01-0${day}T00:00:00.000Z`, id), ...keys }, say("a"));
    of("here", 1, { workingDir: real });
    of("worktree", 2, { workingDir: "/data/worktrees/a", startedIn: real });
    of("elsewhere", 3, { workingDir: `${real}/sub` });
    for (const folder of [real, link]) {
      const store = openStore(path, { folder });
      expect(["-1", "-2", "elsewhere"].map(store.idOf)).toEqual(["worktree", "here", "elsewhere"]);
      expect(() => store.load("-3")).toThrow(
        new UserError(
          `no session -3: 2 sessions are stored for the folder ${folder}; 1 of other folders: --any-folder counts them too`,
        ),
      );
      expect(store.list()).toHaveLength(3);
      store.close();
    }
  });

  test("that counts back is an error if nothing is stored, and creates no file", () => {
    const { path, store } = begin();
    expect(() => store.load("-1")).toThrow(new UserError("no session -1: 0 sessions are stored"));
    expect(existsSync(path)).toBe(false);
  });
});

describe("remove and export", () => {
  function family() {
    const run = begin();
    const root = createSession("/work", { id: "root-1", title: "Asks" });
    const done = createSession("/work", { id: "done", parentId: root.id });
    const cutOff = createSession("/work", { id: "cut", parentId: root.id });
    root.startContext = "house rules";
    run.append(root, say("hi"));
    run.append(done, say("task"));
    run.append(root, { kind: "subsession", agent: "helper", session: done });
    run.append(cutOff, say("another task"));
    return run;
  }

  test("an export holds the session_start context and all sub-sessions, including interrupted ones", () => {
    const { path } = family();
    const document = reading(path, (store) => store.export("-1"));
    expect(document).toMatchObject({
      id: "root-1",
      title: "Asks",
      session_start_context: "house rules",
      items: [
        { kind: "message" },
        { kind: "subsession", agent: "helper", session: { id: "done", items: [{ kind: "message" }] } },
      ],
      unfinished_sub_sessions: [{ id: "cut", items: [{ message: { content: "another task" } }] }],
    });
    expect(JSON.parse(JSON.stringify(document))).toEqual(document);
  });

  test("removing a session deletes its sub-sessions from the file, and a sub-session cannot be removed alone", () => {
    const { path } = family();
    reading(path, (store) => {
      expect(() => store.remove("done")).toThrow("session done is a part of session root-1: remove that one");
      expect(store.remove("-1")).toBe("root-1");
      expect(["root-1", "done", "cut"].map((id) => store.load(id))).toEqual([undefined, undefined, undefined]);
    });
    const left = ["", "-wal"].map((suffix) => path + suffix).filter((file) => existsSync(file));
    for (const file of left) expect(readFileSync(file, "latin1")).not.toContain("another task");
  });
});

describe("a file of another program is refused and left as it is", () => {
  test.each([
    [
      "of a newer version",
      "CREATE TABLE schema_version (version INTEGER); INSERT INTO schema_version VALUES (99)",
      /written by a newer hooksh \(schema 99, this one knows \d+\)/,
    ],
    ["of another program", "CREATE TABLE sessions (id TEXT)", /is a database of another program/],
  ])("%s", (_name, sql, message) => {
    const path = join(tempDir(), "session.db");
    const db = new Database(path, { create: true });
    db.run(sql);
    db.close();
    const before = readFileSync(path);
    expect(() => openStore(path)).toThrow(ConfigError);
    expect(() => openStore(path)).toThrow(message);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("that is not a database", () => {
    const path = join(tempDir({ "session.db": "notes\n".repeat(500) }), "session.db");
    expect(() => openStore(path)).toThrow(new ConfigError(`${path}: it is not a database`));
  });

  test("that is a pipe, without waiting for it", () => {
    const path = join(tempDir(), "session.db");
    Bun.spawnSync(["mkfifo", path]);
    expect(() => openStore(path)).toThrow(`${path}: is not a regular file`);
  });
});

describe("a failure to store is never silent", () => {
  test("a file that is locked for a while causes one warning, and nothing is missing afterwards", () => {
    const { path, journal, append, warnings } = begin();
    const session = createSession("/work");
    append(session, say("one"));
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    append(session, say("two"), say("three"));
    expect(warnings).toEqual([`the session is not stored for now: ${path}: another process keeps it locked`]);
    other.run("COMMIT");
    journal.update(session);
    expect(warnings.slice(1)).toEqual(["the session is stored again, nothing is missing"]);
    expect(reading(path, (store) => store.load("-1"))).toEqual(session);
  });

  test("a second warning reports what is still missing at the end", () => {
    const { path, journal, append, warnings } = begin();
    append(createSession("/work"), say("one"));
    const other = new Database(path);
    other.run("BEGIN IMMEDIATE");
    append(createSession("/work"), say("two"));
    journal.close();
    expect(warnings.at(-1)).toBe(`the end of the session is not stored: ${path}: another process keeps it locked`);
    other.close();
  });

  test("a directory that cannot be created is an error if the user asked to store, else a warning", () => {
    const path = join(tempDir({ taken: "" }), "taken", "session.db");
    const optional = begin({ path });
    optional.append(createSession("/work"), say("hi"), say("again"));
    expect(optional.warnings).toHaveLength(1);
    expect(optional.warnings[0]).toContain(path);
    const required = begin({ path, required: true });
    expect(() => required.append(createSession("/work"), say("hi"))).toThrow(UserError);
  });

  test("a message that JSON cannot represent causes a warning", () => {
    const { append, warnings } = begin();
    append(createSession("/work"), message({ role: "assistant", content: "", opaque: 1n }));
    expect(warnings).toHaveLength(1);
  });

  test.each([
    ["its session was removed", (path: string) => reading(path, (store) => store.remove("-1"))],
    ["its file was removed", (path: string) => ["", "-wal", "-shm"].forEach((suffix) => rmSync(path + suffix))],
  ])("a run writes everything again when %s", (_name, remove) => {
    const { path, append, warnings } = begin();
    const session = createSession("/work");
    append(session, say("one"), say("two"));
    remove(path);
    append(session, say("three"));
    expect(reading(path, (store) => store.load("-1"))).toEqual(session);
    expect(warnings).toEqual([]);
  });

  test("a session that another process continued is not mixed with this one", () => {
    const first = begin();
    const session = createSession("/work");
    first.append(session, say("one"));
    const second = begin({ path: first.path });
    const loaded = second.store.load("-1") ?? createSession("/");
    second.append(loaded, say("from the second"));
    expect(() => first.append(session, say("from the first"))).toThrow(/was continued by another process/);
    expect(() => first.journal.close()).not.toThrow();
    expect(reading(first.path, (store) => store.load("-1"))).toEqual(loaded);
  });

  test("two new sessions with the same id are not mixed", () => {
    const first = begin();
    const second = begin({ path: first.path });
    first.append(createSession("/work", { id: "same" }), say("one"));
    const sameId = createSession("/work", { id: "same" });
    expect(() => second.append(sameId, say("two"))).toThrow(/was continued by another process/);
  });
});

describe("several processes", () => {
  const program = join(import.meta.dir, "append-messages.ts");
  const start = (...args: string[]) => {
    return Bun.spawn([process.execPath, program, ...args], { stdout: "pipe", stderr: "pipe" });
  };

  test("write into one new file at once and lose nothing", async () => {
    const path = join(tempDir(), "session.db");
    const ids = ["a", "b", "c", "d", "e", "f"];
    const children = ids.map((id) => start(path, id, "100"));
    for (const child of children) expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
    reading(path, (store) => {
      expect(
        store
          .list()
          .map(({ id }) => id)
          .sort(),
      ).toEqual(ids);
      const all = Array.from({ length: 100 }, (_, n) => `${n}`);
      for (const id of ids) expect(contentsOf(store.load(id))).toEqual(all);
    });
  });

  test("a new file that another process is writing is waited for", async () => {
    const path = join(tempDir(), "session.db");
    const writer = new Database(path, { create: true });
    writer.run("CREATE TABLE kept_open (a)");
    writer.run("DROP TABLE kept_open");
    writer.run("BEGIN IMMEDIATE");
    const child = start(path, "a", "1");
    await Bun.sleep(1000);
    expect(child.exitCode).toBeNull();
    writer.close();
    expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
  });

  test("a process killed at any point leaves everything it had stored, in order", async () => {
    const path = join(tempDir(), "session.db");
    for (const [id, enough] of [
      ["a", 1],
      ["b", 40],
      ["c", 300],
    ] as const) {
      const child = start(path, id);
      let printed = "";
      for await (const chunk of child.stdout) {
        printed += new TextDecoder().decode(chunk);
        if (printed.split("\n").length > enough) child.kill("SIGKILL");
      }
      await child.exited;
      const printedCount = printed.trimEnd().split("\n").length;
      const contents = contentsOf(reading(path, (store) => store.load(id)));
      expect(contents.length).toBeGreaterThanOrEqual(printedCount);
      expect(contents).toEqual(contents.map((_, n) => `${n}`));
    }
  });
});
