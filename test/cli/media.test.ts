import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Step } from "../helpers/fake-openai.ts";
import { ANIMATED_GIF, emptyPng, jpeg, NOISE, PDF, png, wav } from "../helpers/images.ts";
import { filesIn, mediaAgent } from "../helpers/media-agent.ts";
import { modelServers } from "../helpers/model-server.ts";
import { type AnthropicStep, anthropicServer } from "../model/servers/anthropic.ts";
import { type GoogleStep, googleServer } from "../model/servers/google.ts";
import { type ResponsesStep, responsesServer } from "../model/servers/responses.ts";

const serve = modelServers();

const read = (path: string) => [{ call: "read_file", input: { path } }];
const claude = (url: string) => ({ provider: "anthropic", model: "claude-sonnet-4-5", base_url: url });
const refuse = (message: string) => () =>
  Response.json({ type: "error", error: { type: "invalid_request_error", message } }, { status: 400 });

describe("a file that the provider refuses", () => {
  const refusals: readonly [string, string][] = [
    ["an image that cannot be read", "Could not process image"],
    [
      "an image with too many bytes",
      "messages.2.content.0.image.source.base64: image exceeds 5 MB maximum: 5242881 bytes > 5242880 bytes",
    ],
    [
      "an image with too many pixels",
      "messages.2.content.0.tool_result.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size: 8000 pixels",
    ],
  ];
  test.each(refusals)("%s is removed from the session, and the turn continues", async (_what, complaint) => {
    const steps: AnthropicStep[] = [
      read("photo.png"),
      refuse(complaint),
      [{ text: "I could not see it." }],
      [{ text: "Still here." }],
    ];
    await using server = anthropicServer(...steps);
    const { run, shown } = mediaAgent(claude(server.url), { "photo.png": png(8, 8) });
    const first = await run("what is in photo.png?");
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("I could not see it.") });
    expect(first.stderr).toContain("the provider refused image (image/png, ");
    expect(first.stderr).not.toContain("compacted");
    expect(server.requests.map(({ body }) => filesIn(body).length)).toEqual([0, 1, 0]);
    expect(JSON.stringify(server.requests[2]?.body)).toContain(
      "was removed because the provider refused it: HTTP 400: ",
    );
    expect(await run("and now?")).toMatchObject({ code: 0, stdout: expect.stringContaining("Still here.") });
    expect(filesIn(server.requests[3]?.body)).toEqual([]);
    expect(await shown()).not.toContain(png(8, 8).toString("base64"));
    expect(server.refusals).toEqual([]);
  });

  test("is first the newest file, then all since the last reply, then all others", async () => {
    const again = refuse("Could not process image");
    const names = ["a.png", "b.png", "c.png"];
    const steps: AnthropicStep[] = [
      read("old.png"),
      [{ call: "read_multiple_files", input: { paths: names } }],
      again,
      again,
      again,
      [{ text: "Done." }],
    ];
    await using server = anthropicServer(...steps);
    const images = Object.fromEntries(["old.png", ...names].map((name, index) => [name, png(8 + index, 8)]));
    const { run } = mediaAgent(claude(server.url), images);
    expect((await run("compare them")).code).toBe(0);
    expect(server.requests.map(({ body }) => filesIn(body).length)).toEqual([0, 1, 4, 3, 1, 0]);
    expect(server.refusals).toEqual([]);
  });

  test("is the largest file if the request is too large", async () => {
    const tooLarge = () =>
      Response.json(
        { type: "error", error: { type: "request_too_large", message: "Request exceeds the maximum size" } },
        { status: 413 },
      );
    await using server = anthropicServer(
      [{ call: "read_multiple_files", input: { paths: ["large.jpg", "small.png"] } }],
      tooLarge,
      [{ text: "Done." }],
    );
    const small = png(8, 8);
    const { run } = mediaAgent(claude(server.url), { "large.jpg": await jpeg(900, 900, NOISE), "small.png": small });
    expect(await run("compare them")).toMatchObject({ code: 0, stderr: expect.not.stringContaining("compacted") });
    expect(filesIn(server.requests[2]?.body)).toEqual([small.toString("base64")]);
  });

  test.each([
    ["before the refusal", [], [refuse("Could not process image")], [0, 1, 1, 0]],
    ["behind it", [refuse("Could not process image")], [], [0, 1, 0, 0]],
  ])("does not stop a session that was killed %s", async (_when, before, after, files) => {
    const asked = Promise.withResolvers<void>();
    const never = () => {
      asked.resolve();
      return new Promise<Response>(() => {});
    };
    await using server = anthropicServer(read("photo.png"), ...before, never, ...after, [{ text: "Back again." }]);
    const { run, start } = mediaAgent(claude(server.url), { "photo.png": png(8, 8) });
    const child = start("what is in photo.png?");
    await Promise.race([asked.promise, child.exited]);
    child.kill("SIGKILL");
    await child.exited;
    expect(await run("go on")).toMatchObject({ code: 0, stdout: expect.stringContaining("Back again.") });
    expect(server.requests.map(({ body }) => filesIn(body).length)).toEqual(files);
  });

  test.each([
    [
      "ends the run",
      "Could not process image",
      { code: 1, stderr: expect.stringContaining("Could not process image") },
      [1, 0],
    ],
    ["is left out", "bad request", { code: 0, stderr: expect.stringContaining("files that a hook added") }, [1, 0, 0]],
  ])(
    "%s if a hook adds it and the complaint is %p, and the session continues without the hook",
    async (_what, complaint, expected, sent) => {
      const image = { type: "image_url", image_url: { url: `data:image/png;base64,${png(8, 8).toString("base64")}` } };
      const answer = {
        hook_specific_output: {
          updated_messages: [{ role: "user", multi_content: [{ type: "text", text: "look" }, image] }],
        },
      };
      await using server = anthropicServer(refuse(complaint), ...sent.slice(1).map(() => [{ text: "Here." }]));
      const { cwd, run } = mediaAgent(claude(server.url), { "answer.json": JSON.stringify(answer) });
      const path = join(cwd, "agent.yaml");
      const plain = readFileSync(path, "utf8");
      const hooked = JSON.parse(plain);
      hooked.agents.root.hooks = { before_llm_call: [{ type: "command", command: "cat answer.json" }] };
      writeFileSync(path, JSON.stringify(hooked));
      expect(await run("hi")).toMatchObject(expected);
      writeFileSync(path, plain);
      expect((await run("and now?")).code).toBe(0);
      expect(server.requests.map(({ body }) => filesIn(body).length)).toEqual(sent);
    },
  );

  test("does not stop a session of an older version", async () => {
    await using server = anthropicServer(
      refuse("Could not process image"),
      [{ text: "Back again." }],
      [{ text: "And again." }],
    );
    const { cwd, run } = mediaAgent(claude(server.url), {});
    const image = {
      type: "image_url",
      image_url: { url: `data:image/png;base64,${emptyPng(60_000, 60_000).toString("base64")}` },
    };
    storeVersion1(join(cwd, ".home/.hooksh/session.db"), [
      { role: "user", content: "what is in it?" },
      {
        role: "assistant",
        content: "",
        tool_calls: [{ id: "c1", type: "function", function: { name: "read_file", arguments: "{}" } }],
      },
      {
        role: "tool",
        content: "Image: it",
        multi_content: [{ type: "text", text: "Image: it" }, image],
        tool_call_id: "c1",
      },
    ]);
    expect(await run("go on")).toMatchObject({ code: 0, stdout: expect.stringContaining("Back again.") });
    expect((await run("go on")).code).toBe(0);
    expect(server.requests.map(({ body }) => filesIn(body).length)).toEqual([1, 0, 0]);
  });

  test("of an unknown model is detected by a call without files, whatever the error says", async () => {
    const look = { calls: [{ name: "read_file", arguments: { path: "photo.png" } }] };
    const no = () => Response.json({ error: { message: "bad request" } }, { status: 400 });
    const server = serve(look, no, { text: "I see nothing." }, { text: "Still here." });
    const { run } = mediaAgent(
      { provider: "own", model: "some-model", base_url: server.url },
      { "photo.png": png(8, 8) },
    );
    const first = await run("what is in photo.png?");
    expect(first).toMatchObject({ code: 0, stdout: expect.stringContaining("I see nothing.") });
    expect(first.stderr).toContain("the provider refused image (image/png, ");
    expect((await run("and now?")).code).toBe(0);
    expect(server.requests.map((body) => filesIn(body).length)).toEqual([0, 1, 0, 0]);
  });

  test("stays if a call without files is refused as well", async () => {
    const look = { calls: [{ name: "read_file", arguments: { path: "photo.png" } }] };
    const no = (message: string) => () => Response.json({ error: { message } }, { status: 400 });
    const server = serve(look, no("first complaint"), no("second complaint"), { text: "I see it." });
    const { run } = mediaAgent(
      { provider: "own", model: "some-model", base_url: server.url },
      { "photo.png": png(8, 8) },
    );
    expect(await run("what is in photo.png?")).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("first complaint"),
    });
    expect((await run("and now?")).code).toBe(0);
    expect(server.requests.map((body) => filesIn(body).length)).toEqual([0, 1, 0, 1]);
  });
});

describe("a file that no model could accept", () => {
  test("is not sent, whatever its extension", async () => {
    const token = `ghp_${"aB3".repeat(12)}`;
    const paths = ["text.png", "cut.jpg", "bomb.png", "empty.gif", "moves.gif"];
    await using server = anthropicServer([{ call: "read_multiple_files", input: { paths } }], [{ text: "Only one." }]);
    const { run } = mediaAgent(claude(server.url), {
      "text.png": `only text ${token}`,
      "cut.jpg": (await jpeg(64, 64)).subarray(0, 500),
      "bomb.png": emptyPng(60_000, 60_000),
      "empty.gif": "",
      "moves.gif": ANIMATED_GIF,
    });
    expect((await run("look at them")).code).toBe(0);
    const sent = JSON.stringify(server.requests[1]?.body);
    expect(filesIn(server.requests[1]?.body).length).toBe(1);
    expect(sent).not.toContain(token);
    for (const text of [
      "=== text.png ===\\nonly text",
      "cut.jpg is an image that cannot be shown",
      "it has 60000 x 60000 pixels",
      "the first frame of an animated image/gif",
    ]) {
      expect(sent).toContain(text);
    }
    expect(server.refusals).toEqual([]);
  });
});

describe("the files that a model gets", () => {
  const files = { "a.png": png(8, 8), "b.pdf": PDF, "c.wav": wav() };
  const paths = Object.keys(files);
  const [image, pdf, sound] = Object.values(files).map((file) => file.toString("base64")) as [string, string, string];
  const many: Step = { calls: [{ name: "read_multiple_files", arguments: { paths } }] };

  test("Claude: images and PDF; audio is described", async () => {
    await using server = anthropicServer([{ call: "read_multiple_files", input: { paths } }], [{ text: "Seen." }]);
    const { run } = mediaAgent(claude(server.url), files);
    const { code, stderr } = await run("look");
    expect(code).toBe(0);
    expect(filesIn(server.requests[1]?.body)).toEqual([image, pdf]);
    expect(JSON.stringify(server.requests[1]?.body)).toContain(
      "[audio (audio/wav, 844 bytes) left out: claude-sonnet-4-5 takes no audio]",
    );
    expect(stderr).toContain("audio (audio/wav, 844 bytes) is only described to the model");
    expect(server.refusals).toEqual([]);
  });

  test("the Responses API: images and PDF; audio is described", async () => {
    const steps: ResponsesStep[] = [[{ call: "read_multiple_files", input: { paths } }], [{ text: "Seen." }]];
    await using server = responsesServer({}, ...steps);
    const { run } = mediaAgent({ provider: "own", model: "gpt-5.6", base_url: server.url }, files, {
      api_type: "openai_responses",
    });
    const { code, stderr } = await run("look");
    expect(code).toBe(0);
    expect(filesIn(server.requests[1])).toEqual([
      `data:image/png;base64,${image}`,
      `data:application/pdf;base64,${pdf}`,
    ]);
    expect(stderr).toContain("audio (audio/wav, 844 bytes) is only described to the model");
    expect(server.refusals).toEqual([]);
  });

  test("Gemini: images, PDF and audio", async () => {
    const steps: GoogleStep[] = [[{ call: "read_multiple_files", args: { paths } }], [{ text: "Seen." }]];
    await using server = googleServer(...steps);
    const { run } = mediaAgent({ provider: "google", model: "gemini-2.5-flash", base_url: server.url }, files);
    expect((await run("look")).code).toBe(0);
    expect(filesIn(server.requests[1]?.body)).toEqual([image, pdf, sound]);
    expect(server.refusals).toEqual([]);
  });

  test.each([
    ["gpt-4o", {}, [`data:image/png;base64,${image}`, `data:application/pdf;base64,${pdf}`]],
    ["gpt-4o-audio-preview", {}, [sound]],
    ["deepseek-chat", {}, []],
    ["gpt-oss-120b", {}, []],
    ["some-model", {}, [`data:image/png;base64,${image}`]],
    [
      "some-model",
      { capabilities: { pdf: true } },
      [`data:image/png;base64,${image}`, `data:application/pdf;base64,${pdf}`],
    ],
    ["some-model", { capabilities: { image: false } }, []],
    ["gpt-4o", { capabilities: { image: false, pdf: false } }, []],
    ["deepseek-chat", { capabilities: { image: true } }, [`data:image/png;base64,${image}`]],
  ])("Chat Completions: %s with %j", async (model, options, expected) => {
    const server = serve(many, { text: "Seen." });
    const { run } = mediaAgent({ provider: "own", model, base_url: server.url, ...options }, files);
    const { code, stderr } = await run("look");
    expect(code).toBe(0);
    expect(filesIn(server.requests[1])).toEqual(expected);
    const hidden = stderr.split("\n").filter((line) => line.includes("is only described to the model"));
    expect(hidden.length).toBe(paths.length - expected.length);
    const described = JSON.stringify(server.requests[1]).match(/left out: /g) ?? [];
    expect(described.length).toBe(paths.length - expected.length);
  });
});

/** A session file as hooksh wrote it before version 2 of the schema. */
function storeVersion1(path: string, messages: readonly Record<string, unknown>[]): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  const db = new Database(path);
  db.run(`CREATE TABLE sessions (id TEXT NOT NULL PRIMARY KEY, fields TEXT NOT NULL, updated_at TEXT NOT NULL,
    parent_id TEXT GENERATED ALWAYS AS (fields ->> 'parent_id') STORED REFERENCES sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    created_at TEXT GENERATED ALWAYS AS (fields ->> 'created_at') STORED)`);
  db.run(`CREATE TABLE items (session_id TEXT NOT NULL REFERENCES sessions(id) ON DELETE CASCADE DEFERRABLE INITIALLY DEFERRED,
    position INTEGER NOT NULL, kind TEXT NOT NULL, body TEXT NOT NULL,
    child_id TEXT GENERATED ALWAYS AS (body ->> 'session_id') STORED REFERENCES sessions(id) DEFERRABLE INITIALLY DEFERRED,
    PRIMARY KEY (session_id, position))`);
  db.run("CREATE TABLE schema_version (version INTEGER NOT NULL)");
  db.run("INSERT INTO schema_version VALUES (1)");
  const fields = {
    id: "s",
    created_at: "2026-01-01T00:00:00Z",
    title: "old",
    working_dir: dirname(dirname(dirname(path))),
    permissions: { allow: [], ask: [], deny: [] },
    input_tokens: 0,
    output_tokens: 0,
    cost: 0,
    session_start_context: "",
  };
  db.query("INSERT INTO sessions (id, fields, updated_at) VALUES (?, ?, ?)").run(
    "s",
    JSON.stringify(fields),
    "2026-01-01T00:00:00Z",
  );
  messages.forEach((message, position) => {
    const body = JSON.stringify({ kind: "message", agent: "root", message });
    db.query("INSERT INTO items (session_id, position, kind, body) VALUES (?, ?, 'message', ?)").run(
      "s",
      position,
      body,
    );
  });
  db.close();
}
