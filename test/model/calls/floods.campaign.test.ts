import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { createModel } from "../../../src/model/create-model.ts";
import type { Model } from "../../../src/model/model.ts";
import { startRecording } from "../../../src/model/recording/record.ts";
import { ENDLESS, endless, memoryOf } from "../../helpers/endless.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { until } from "../../helpers/until.ts";
import { ask, chunk, collector, modelAt, plain, rejection, serve } from "../loopback.ts";

const STREAM = { type: "text/event-stream" };

/** Memory allowed for several copies of 16 MiB, for the server and for garbage on a busy machine; 5 GiB are sent. */
const ROOM_MIB = 1_500;

/** A model of each API at a loopback server. */
const APIS: [string, (url: string) => Model][] = [
  ["Chat Completions", (url) => modelAt(url)],
  ["Responses", (url) => modelAt(url, { provider_opts: { api_type: "openai_responses" } })],
  ["Messages", (url) => at(url, "anthropic")],
  ["Gemini", (url) => at(url, "google")],
];

function at(url: string, provider: string): Model {
  return createModel({ provider, model: "m", base_url: url }, { env: () => "some-key", log: () => {} });
}

describe.each(APIS)("%s", (_name, make) => {
  test.each(ENDLESS)("gives up a stream whose line never ends: %s", async (how) => {
    await using server = serve(() => endless("data: xxxxxxxxx", how, STREAM));
    let error: unknown;
    const grown = await memoryOf(async () => (error = await rejection(make(server.url).stream(ask(), () => {}))));
    expect(error).toMatchObject({
      message: expect.stringMatching(/: the stream sent an event of more than 16 MiB$/),
      retryable: false,
    });
    expect(grown).toBeLessThan(ROOM_MIB);
    expect(server.seen).toHaveLength(1);
  });

  test("ends a stream whose event never ends", async () => {
    await using server = serve(() => endless("data: x\n", "plain", STREAM));
    expect(await rejection(make(server.url).stream(ask(), () => {}))).toMatchObject({
      message: expect.stringContaining("an event of more than 16 MiB"),
    });
  });
});

test("an endless stream of events is ended", async () => {
  await using server = serve(() => endless(`: ${"x".repeat(10_000)}\n\n`, "gzip", STREAM));
  expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
    message: expect.stringMatching(/: the stream sent more than 256 MiB$/),
  });
});

test.each([
  ["an error", 500, "text/plain"],
  ["JSON", 200, "application/json"],
  ["a web page", 200, "text/html"],
])("an endless %s is read only up to its limit", async (_what, status, type) => {
  for (const how of ENDLESS) {
    await using server = serve(() => endless("no end ", how, { status, type }));
    const grown = await memoryOf(() => rejection(modelAt(server.url).stream(ask(), () => {})));
    expect(grown).toBeLessThan(ROOM_MIB);
  }
});

test("an event can be large and arrive in small pieces", async () => {
  const text = "é\\n".repeat(500_000);
  const body = `data: ${JSON.stringify(chunk({ content: "MARK" })).replace("MARK", text)}\r\n\r\ndata: ${JSON.stringify(chunk({}, "stop"))}`;
  const bytes = Buffer.from(body);
  await using server = serve(() => {
    let from = 0;
    const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
      controller.enqueue(bytes.subarray(from, from + 1023));
      from += 1023;
      if (from >= bytes.length) controller.close();
    };
    return new Response(new ReadableStream({ pull }), { headers: { "content-type": STREAM.type } });
  });
  const { deltas, onDelta } = collector();
  const reply = await modelAt(server.url).stream(ask(), onDelta);
  expect(plain(reply).text).toBe(text.replaceAll("\\n", "\n"));
  expect(deltas).toHaveLength(1);
});

test("a recording omits an endless response, and reports that", async () => {
  await using server = serve(() => endless("no end ", "gzip", { status: 500 }));
  const file = join(tempDir(), "recording.yaml");
  const problems: string[] = [];
  const recorder = await startRecording(file, { redact: (text) => text, onError: (message) => problems.push(message) });
  const grown = await memoryOf(async () => {
    const error = await rejection(modelAt(server.url, {}, { fetch: recorder.fetch }).stream(ask(), () => {}));
    expect(error).toMatchObject({ message: expect.stringContaining("HTTP 500: no end") });
    await until(() => problems.length > 0);
  });
  await recorder.close();
  expect(problems).toEqual([`${file}: a response of more than 64 MiB is not recorded`]);
  expect(grown).toBeLessThan(ROOM_MIB);
});
