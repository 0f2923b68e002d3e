import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Fetch } from "../../../src/model/calls/transport.ts";
import { createModel } from "../../../src/model/create-model.ts";
import type { Model, ModelDelta } from "../../../src/model/model.ts";
import { startRecording } from "../../../src/model/recording/record.ts";
import { openRecording, type Replay } from "../../../src/model/recording/replay.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";
import { until } from "../../helpers/until.ts";
import { ask, chatReply, modelAt, plain, rejection, serve } from "../loopback.ts";

const CHAT = `${import.meta.dir}/../../fixtures/recordings/chat.yaml`;
const GEMINI = `${import.meta.dir}/../../fixtures/recordings/gemini.yaml`;

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "hooksh-recording-"));
});
afterAll(() => rm(dir, { recursive: true }));

const offline = (replay: Replay, provider = "openai", model = "gpt-4o"): Model =>
  createModel({ provider, model }, { env: () => undefined, fetch: replay.fetch, offline: true, log: () => {} });
const say = (content: string) => ask({ messages: [{ role: "user", content }] });
const fails = (message: string) => {
  throw new Error(message);
};

describe("a replay", () => {
  test("answers in order without a key and without the network", async () => {
    const replay = await openRecording(CHAT);
    expect(replay.unusedCount()).toBe(2);
    expect(plain(await offline(replay).stream(say("first"), () => {})).text).toBe("one potato");
    expect(plain(await offline(replay).stream(say("second"), () => {})).text).toBe("two");
    expect(replay.unusedCount()).toBe(0);
  });

  test("finds the interaction with the same request, budgets aside", async () => {
    const replay = await openRecording(CHAT);
    const replies: string[] = [];
    const questions = ["second", "first"];
    const fetchWith: Fetch = async (url) =>
      replay.fetch(url, {
        method: "POST",
        body: JSON.stringify({
          messages: [{ role: "user", content: questions.shift() }],
          model: "gpt-4o",
          max_completion_tokens: 1,
          stream: true,
        }),
      });
    const model = createModel(
      { provider: "openai", model: "gpt-4o" },
      { env: () => undefined, fetch: fetchWith, offline: true, log: () => {} },
    );
    for (let call = 0; call < 2; call++) replies.push(plain(await model.stream(say("x"), () => {})).text);
    expect(replies).toEqual(["two", "one potato"]);
  });

  test("answers a request that is not in it with status 500 and the closest interaction", async () => {
    const replay = await openRecording(CHAT);
    expect(await rejection(offline(replay, "mistral").stream(say("first"), () => {}))).toMatchObject({
      code: "model_error",
      status: 500,
      message:
        "mistral: POST https://api.mistral.ai/v1/chat/completions: HTTP 500: no recorded interaction is left for " +
        `POST api.mistral.ai/v1/chat/completions "first" in ${CHAT}: the nearest is interaction 0, ` +
        'POST api.openai.com/v1/chat/completions "first", not replayed yet',
    });
    await offline(replay).stream(say("first"), () => {});
    expect(await rejection(offline(replay).stream(say("first"), () => {}))).toMatchObject({
      message: expect.stringMatching(/"first", already replayed$/),
    });
  });

  test("answers no unrecorded question, and names the nearest; a loose one uses the next answer", async () => {
    const asked = say("the maximum context length was exceeded: secondly");
    expect(await rejection(offline(await openRecording(CHAT)).stream(asked, () => {}))).toMatchObject({
      code: "model_error",
      retryable: false,
      message: expect.stringMatching(
        / "the maximum .*secondly" in .*: the nearest is interaction 1, .* "second", not replayed yet$/,
      ),
    });
    const loose = await openRecording(CHAT, { loose: true });
    expect(plain(await offline(loose).stream(say("second"), () => {})).text).toBe("two");
    expect(plain(await offline(loose).stream(asked, () => {})).text).toBe("one potato");
  });

  test("distinguishes a question from its continuation after tool results", async () => {
    const call = { id: "call_1", type: "function", function: { name: "shell", arguments: "{}" } };
    const messages: HookMessage[] = [
      { role: "user", content: "first" },
      { role: "assistant", tool_calls: [call] },
      { role: "tool", content: "done", tool_call_id: "call_1" },
    ];
    const error = await rejection(offline(await openRecording(CHAT)).stream(ask({ messages }), () => {}));
    expect(Object(error).message).toContain('"first" after 1 tool result');
  });

  test("waits between the events of a stream", async () => {
    const replay = await openRecording(CHAT, { fakeStreamMs: 600_000 });
    const controller = new AbortController();
    const deltas: ModelDelta[] = [];
    const answer = rejection(
      offline(replay).stream({ ...say("first"), signal: controller.signal }, (delta) => deltas.push(delta)),
    );
    await until(() => deltas.length > 0);
    await Bun.sleep(50); // by now the second event would be here
    controller.abort(new Error("enough"));
    expect(Object(await answer).message).toBe("enough");
    expect(deltas).toHaveLength(1);
  });

  test("answers an API that is called without an SDK", async () => {
    const model = offline(await openRecording(GEMINI), "google", "gemini-2.5-flash");
    expect(plain(await model.stream(say("hi"), () => {})).text).toBe("three potato");
  });

  test.each([
    ["openai", "gpt-4o", CHAT, "first"],
    ["google", "gemini-2.5-flash", GEMINI, "hi"],
  ])("ends at once if a call of %s is aborted", async (provider, model, file, question) => {
    const replay = await openRecording(file, { fakeStreamMs: 60_000 });
    const controller = new AbortController();
    const call = offline(replay, provider, model).stream({ ...say(question), signal: controller.signal }, () =>
      controller.abort("enough"),
    );
    expect(await rejection(call)).toBe("enough");
  });

  test.each([
    ["missing.yaml", undefined, /missing\.yaml: no such file$/],
    ["broken.yaml", "interactions: [", /cannot read the recording/],
    ["old.yaml", "version: 1\ninteractions: []\n", /not a recording: version: /],
    [
      "url.yaml",
      "version: 2\ninteractions:\n  - request: {method: POST, url: nowhere}\n    response: {code: 200}\n",
      /not a recording: interactions\.0\.request\.url: /,
    ],
    [
      "code.yaml",
      "version: 2\ninteractions:\n  - request: {method: POST, url: http://a/}\n    response: {code: 99}\n",
      /interactions\.0\.response\.code: /,
    ],
  ])("of %s fails with the reason", async (name, text, message) => {
    const file = join(dir, name);
    if (text !== undefined) await Bun.write(file, text);
    const error = await rejection(openRecording(file));
    expect(Object(error).message).toMatch(message);
    expect(Object(error).message).toStartWith(`${file}: `);
  });
});

describe("a recording", () => {
  const deps = (fetch: Fetch) => ({ fetch, env: () => ["sk", "very-secret-key"].join("-") });
  const redact = (text: string) => text.replaceAll("hunter2", "[REDACTED]");

  test("replays what was recorded, streams and errors", async () => {
    const file = join(dir, "round-trip.yaml");
    const answers = [
      () => chatReply('naïve: "yes"\nline'),
      () => Response.json({ error: { message: "Too busy" } }, { status: 503, headers: { "retry-after": "7" } }),
      () => chatReply("again"),
    ];
    await using server = serve((index) => answers[index]?.() ?? new Response());
    const recorder = await startRecording(file, { redact, onError: fails });
    const model = modelAt(server.url, {}, deps(recorder.fetch));
    const live = await model.stream(say("first"), () => {});
    const failure = await rejection(model.stream(say("second"), () => {}));
    await model.stream(say("third"), () => {});
    await recorder.close();

    const replay = await openRecording(file);
    await server[Symbol.asyncDispose]();
    const replayed = modelAt(server.url, {}, { fetch: replay.fetch, offline: true });
    expect(await replayed.stream(say("first"), () => {})).toEqual(live);
    expect(await rejection(replayed.stream(say("second"), () => {}))).toEqual(failure);
    expect(plain(await replayed.stream(say("third"), () => {})).text).toBe("again");
    expect(replay.unusedCount()).toBe(0);
  });

  test("holds no key, no credentials from the URL and no redacted text", async () => {
    const file = join(dir, "secrets.yaml");
    await using server = serve(() => {
      const reply = chatReply("your password is hunter2");
      reply.headers.set("set-cookie", "session=very-private");
      return reply;
    });
    const recorder = await startRecording(file, { redact, onError: fails });
    const own = { base_url: `${server.url.replace("//", "//user:private@")}/v1`, token_key: "K" };
    const model = createModel(
      { provider: "own", model: "m" },
      { ...deps(recorder.fetch), providers: { own }, log: () => {} },
    );
    expect(plain(await model.stream(say("I am hunter2"), () => {})).text).toContain("hunter2");
    await recorder.fetch(`${server.url}/v1?key=very-private&alt=sse`, { headers: { cookie: "very-private" } });
    await recorder.close();
    const replay = await openRecording(file, { redact });
    await server[Symbol.asyncDispose]();
    const replayed = modelAt(server.url, {}, { fetch: replay.fetch, offline: true });
    expect(plain(await replayed.stream(say("I am hunter2"), () => {})).text).toContain("[REDACTED]");
    const text = await Bun.file(file).text();
    expect(text).not.toMatch(/very-secret|private|hunter2|user:/);
    expect(text).toContain("I am [REDACTED]");
    expect(text).toContain("?alt=sse");
    expect(await openRecording(file)).toMatchObject({ unusedCount: expect.any(Function) });
  });

  test("is on disk after every interaction", async () => {
    const file = join(dir, "crash.yaml");
    await using server = serve(() => chatReply("kept"));
    const recorder = await startRecording(file, { redact, onError: fails });
    await modelAt(server.url, {}, deps(recorder.fetch)).stream(say("x"), () => {});
    while (!(await Bun.file(file).text()).includes("kept")) await Bun.sleep(5);
    expect((await openRecording(file)).unusedCount()).toBe(1);
  });

  test("holds a reply whose last bytes arrive after the call has ended", async () => {
    const file = join(dir, "late.yaml");
    const late = Promise.withResolvers<void>();
    await using server = serve(() => {
      const parts = [
        'data: {"choices":[{"index":0,"delta":{"content":"kept"},"finish_reason":"stop"}]}\n\n',
        "data: [DONE]\n\n",
      ];
      const body = new ReadableStream({
        async pull(controller) {
          const part = parts.shift();
          if (part) return controller.enqueue(new TextEncoder().encode(part));
          await late.promise;
          controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const recorder = await startRecording(file, { redact, onError: fails });
    await modelAt(server.url, {}, deps(recorder.fetch)).stream(say("x"), () => {});
    late.resolve();
    await recorder.close();
    expect((await openRecording(file)).unusedCount()).toBe(1);
  });

  test("omits aborted calls", async () => {
    const file = join(dir, "aborted.yaml");
    const first = 'data: {"choices":[{"index":0,"delta":{"content":"half"}}]}\n\n';
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(first)) }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    const recorder = await startRecording(file, { redact, onError: fails });
    const controller = new AbortController();
    await rejection(
      modelAt(server.url, {}, deps(recorder.fetch)).stream(ask({ signal: controller.signal }), () =>
        controller.abort("enough"),
      ),
    );
    await recorder.close();
    expect(await Bun.file(file).text()).toBe("---\nversion: 2\ninteractions:\n");
  });

  test("of a run without a complete answer can be replayed, and answers nothing", async () => {
    const file = join(dir, "empty.yaml");
    await (await startRecording(file, { redact, onError: fails })).close();
    const replay = await openRecording(file);
    expect(replay.unusedCount()).toBe(0);
    expect(await rejection(offline(replay).stream(say("first"), () => {}))).toMatchObject({ status: 500 });
  });

  test("that cannot be written fails before anything is sent", async () => {
    const error = await rejection(startRecording(join(dir, "no", "such", "folder.yaml"), { redact, onError: fails }));
    expect(Object(error).message).toContain("cannot write the recording");
  });
});
