import { describe, expect, test } from "bun:test";
import { chmodSync, existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Block } from "../../../src/model/messages/message.ts";
import {
  blocksIn,
  bodiesOf,
  claude,
  longFile,
  messagesIn,
  oldFile,
  onFile,
  open,
  versionOf,
  withStore,
} from "./version-1-files.ts";

const call = (id: string, input: object, name = "shell") => ({
  type: "tool_call" as const,
  id,
  name,
  arguments: JSON.stringify(input),
});
const said = (text: string): Block => ({ type: "text", text });
const result = (callId: string, ...blocks: unknown[]) => ({ type: "tool_result", callId, isError: false, blocks });

describe("the messages of a file of version 1", () => {
  const path = oldFile();

  test("of Anthropic keep their signed and hidden thinking, calls and images", () => {
    const png = readFileSync(join(import.meta.dir, "../../fixtures/sessions/pixel.png")).toString("base64");
    expect(blocksIn(path, "claude")).toEqual([
      [said("look at the picture")],
      [
        { type: "thinking", text: "I look first.", origin: claude({ signature: "c2lnLTE=" }) },
        said("Let me look."),
        call("toolu_1", { cmd: "echo one" }),
      ],
      [result("toolu_1", said("one"))],
      [
        { type: "thinking", text: "", origin: claude({ redacted: "cmVkYWN0ZWQtMQ==" }) },
        call("toolu_2", { path: "shot.png" }, "read_file"),
      ],
      [
        result("toolu_2", said("Image: shot.png (image/png, 70 bytes)"), {
          type: "image",
          source: { kind: "data", mimeType: "image/png", data: png },
        }),
      ],
      [said("A picture.")],
    ] as Block[][]);
    expect(messagesIn(path, "claude")[1]).toMatchObject({
      role: "assistant",
      model: "anthropic/claude-sonnet-4-5",
      finishReason: "tool_calls",
      createdAt: "2026-11-22T13:12:32.437Z",
      usage: { input_tokens: 20, output_tokens: 30 },
    });
  });

  test("with several thinking blocks, whose positions are unknown, have them unsigned", () => {
    expect(blocksIn(path, "claude-mixed")[1]).toEqual([
      { type: "thinking", text: "First.Second.", origin: claude() },
      said("A remark."),
      call("toolu_4", { cmd: "echo three" }),
    ]);
  });

  test("of Gemini keep the signature on the first call", () => {
    const [first, second] = messagesIn(path, "gemini")[1]?.blocks.filter(({ type }) => type === "tool_call") ?? [];
    expect(first).toMatchObject({
      arguments: '{"cmd":"echo four"}',
      origin: { provider: "google", api: "google", data: { thoughtSignature: "c2lnLTU=" } },
    });
    expect(second).not.toHaveProperty("origin");
  });

  test("of other providers keep their thinking", () => {
    expect(blocksIn(path, "deepseek")[1]).toEqual([
      { type: "thinking", text: "I call a tool." },
      said("Wait."),
      call("call_1", { cmd: "echo six" }),
    ]);
  });

  test("are in their sessions, with summaries, errors, sub-sessions and withheld messages", () => {
    const session = withStore(path, (store) => store.load("chat"));
    expect(session?.items.map(({ kind }) => kind)).toEqual([
      "message",
      "message",
      "subsession",
      "message",
      "message",
      "message",
      "summary",
      "message",
      "message",
      "error",
      "message",
      "error",
    ]);
    expect(session?.startContext).toBe("House rules.");
    expect(session?.items[2]).toMatchObject({
      session: { items: [{ implicit: true }, { implicit: true }, { message: { blocks: [said("1 2 3")] } }] },
    });
    expect(session?.items[6]).toMatchObject({ text: "They counted to three.", firstKept: 6 });
    expect(session?.items[8]).toMatchObject({ withheld: true });
  });

  test("that an older hooksh still writes into the migrated file are read", () => {
    const path = oldFile();
    const body = bodiesOf(path)[1] ?? "";
    withStore(path, (store) => store.list());
    onFile(path, (db) =>
      db.query("INSERT INTO items (session_id, position, kind, body) VALUES ('claude', 6, 'message', ?)").run(body),
    );
    expect(blocksIn(path, "claude")[6]).toEqual(blocksIn(path, "claude")[1] as Block[]);
  });

  test("are migrated once", () => {
    const bodies = bodiesOf(path);
    withStore(path, (store) => expect(store.list()).toHaveLength(6));
    expect(bodiesOf(path)).toEqual(bodies);
    expect(versionOf(path)).toBe(2);
  });
});

describe("a damaged item", () => {
  test.each([
    ["without a message", `'{"kind":"message","agent":"root"}'`],
    ["with a message of an unknown role", `json_set(body, '$.message.role', 'robot')`],
    ["with a usage that is not a number", `json_set(body, '$.message.usage.input_tokens', 'many')`],
  ])("%s stays as it is, is reported, and leaves all other sessions as they are", (_name, body) => {
    const path = oldFile(`UPDATE items SET body = ${body} WHERE session_id = 'claude' AND position = 1`);
    const before = bodiesOf(path)[1];
    for (const read of ["load", "export"] as const) {
      expect(() => withStore(path, (store) => store[read]("claude"))).toThrow(
        /^item 1 of session claude cannot be read: /,
      );
    }
    expect(bodiesOf(path)[1]).toBe(before as string);
    expect(blocksIn(path, "gemini")).toHaveLength(5);
    withStore(path, (store) => {
      expect(store.list()).toHaveLength(6);
      expect(store.remove("claude")).toBe("claude");
    });
  });
});

describe("a migration", () => {
  test.each([1, 1_000_000, 4_000_000])(
    "that is killed after it wrote %d bytes leaves the file as it was",
    async (written) => {
      const path = longFile(1_500);
      const before = bodiesOf(path);
      const child = open(path);
      while (child.exitCode === null && !(existsSync(`${path}-wal`) && statSync(`${path}-wal`).size >= written))
        await Bun.sleep(1);
      child.kill("SIGKILL");
      await child.exited;
      if (versionOf(path) === 1) expect(bodiesOf(path)).toEqual(before);
      expect(blocksIn(path, "long")[7]?.[0]).toEqual({
        type: "thinking",
        text: "why",
        origin: claude({ signature: "sig-7" }),
      });
      expect(blocksIn(path, "claude")).toHaveLength(6);
      expect(versionOf(path)).toBe(2);
    },
  );

  test("by several processes at once happens once", async () => {
    const path = longFile(300);
    const children = [1, 2, 3, 4].map(() => open(path));
    for (const child of children) expect([await child.exited, await child.stderr.text()]).toEqual([0, ""]);
    expect(versionOf(path)).toBe(2);
    expect(blocksIn(path, "long")).toHaveLength(300);
    expect(blocksIn(path, "long")[299]?.[0]).toEqual({
      type: "thinking",
      text: "why",
      origin: claude({ signature: "sig-299" }),
    });
  });

  test("of a file without write permission fails with an error and leaves it as it is", async () => {
    const path = oldFile();
    const before = readFileSync(path);
    chmodSync(path, 0o444);
    chmodSync(dirname(path), 0o555);
    const program = `
      import { openStore } from ${JSON.stringify(join(import.meta.dir, "../../../src/runtime/store/store.ts"))};
      if (process.getuid() === 0) process.setuid(65534); // root may write everywhere
      try { openStore(process.argv[1]); } catch (error) { console.log(error.message); }`;
    const child = Bun.spawnSync([process.execPath, "-e", program, path], { stdout: "pipe", stderr: "pipe" });
    expect(child.stdout.toString()).toBe(`${path}: permission to write it is denied\n`);
    expect(readFileSync(path).equals(before)).toBe(true);
  });

  test("leaves no trace of a session that is removed later", () => {
    const path = oldFile();
    withStore(path, (store) => store.remove("claude"));
    const left = ["", "-wal"].map((suffix) => path + suffix).filter((file) => existsSync(file));
    expect(left.map((file) => readFileSync(file, "latin1").includes("I look first."))).toEqual(left.map(() => false));
  });
});
