import { describe, expect, test } from "bun:test";
import { readWaitHint } from "../../../src/model/calls/wait-hint.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { ModelError } from "../../../src/model/model.ts";
import { ask, chatReply, chunk, events, modelAt, plain, rejection, serve } from "../loopback.ts";

const problem = (status: number, error: Record<string, unknown>, headers: Record<string, string> = {}) =>
  Response.json({ error }, { status, headers });

describe("a response with an error status", () => {
  test.each([
    [401, { message: "Bad key" }, { code: "model_error", retryable: false }],
    [403, { message: "context length is not your business" }, { code: "model_error", retryable: false }],
    [404, { message: "No such model" }, { code: "model_error", retryable: false }],
    [408, { message: "Slow" }, { code: "model_error", retryable: true }],
    [429, { message: "Too many tokens per minute" }, { code: "rate_limited", retryable: false }],
    [500, { message: "Oops" }, { code: "model_error", retryable: true }],
    [502, { message: "Oops" }, { code: "model_error", retryable: true }],
    [503, { message: "Oops" }, { code: "model_error", retryable: true }],
    [504, { message: "Oops" }, { code: "model_error", retryable: true }],
    [529, { message: "Overloaded" }, { code: "model_error", retryable: true }],
    [501, { message: "Never" }, { code: "model_error", retryable: false }],
    [400, { message: "The model is overloaded" }, { code: "model_error", retryable: true }],
    [400, { message: "x", code: "context_length_exceeded" }, { code: "context_exceeded", retryable: false }],
    [
      400,
      { message: "This model's maximum context length is 4096 tokens" },
      { code: "context_exceeded", retryable: false },
    ],
    [
      400,
      { message: "prompt is too long: 208310 tokens > 200000 maximum" },
      { code: "context_exceeded", retryable: false },
    ],
    [413, { message: "no" }, { code: "request_too_large", retryable: false }],
    [400, { message: "no", type: "request_too_large" }, { code: "request_too_large", retryable: false }],
    [400, { message: "image exceeds 5 MB maximum" }, { code: "media_too_large", retryable: false }],
    [400, { message: "Invalid value" }, { code: "model_error", retryable: false }],
    [
      400,
      { message: "Invalid request: Your request exceeded model token limit: 131072" },
      { code: "context_exceeded", retryable: false },
    ],
    [400, { message: "Range of input length should be [1, 30720]" }, { code: "context_exceeded", retryable: false }],
    [
      422,
      { message: "`inputs` must have less than 4096 tokens. Given: 5000" },
      { code: "context_exceeded", retryable: false },
    ],
    // GitHub Copilot, then vLLM.
    [
      400,
      { message: "prompt token count of 130000 exceeds the limit of 128000", code: "model_max_prompt_tokens_exceeded" },
      { code: "context_exceeded", retryable: false },
    ],
    [
      400,
      { message: "The decoder prompt (length 5000) is longer than the maximum model length of 4096." },
      { code: "context_exceeded", retryable: false },
    ],
    // The request alone exceeds the tokens per minute: only a smaller one can succeed.
    [
      429,
      {
        message: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 34000.",
        code: "rate_limit_exceeded",
      },
      { code: "request_too_large", retryable: false },
    ],
    [
      413,
      {
        message: "Request too large for model `llama` on tokens per minute (TPM): Limit 6000, Requested 8000",
        code: "rate_limit_exceeded",
      },
      { code: "request_too_large", retryable: false },
    ],
  ])("%i %j is %j", async (status, body, expected) => {
    await using server = serve(() => problem(status, body));
    const error = await rejection(modelAt(server.url).stream(ask(), () => {}));
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({
      ...expected,
      status,
      message: `local: POST ${server.url}/v1/chat/completions: HTTP ${status}: ${body.message}`,
    });
    expect(server.seen).toHaveLength(1);
  });

  test("gives the delay before a retry", async () => {
    await using server = serve(() => problem(429, { message: "Wait" }, { "retry-after": "7" }));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({ retryAfterMs: 7000 });
  });

  test("shows a text that is not JSON, and of a web page the title", async () => {
    const answers = [
      new Response("upstream said no", { status: 502 }),
      new Response("<html><head><title>Bad gateway</title></head><body>lots</body>", {
        status: 502,
        headers: { "content-type": "text/html" },
      }),
    ];
    await using server = serve((index) => answers[index] ?? new Response());
    const model = modelAt(server.url);
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
      message: expect.stringContaining("HTTP 502: upstream said no"),
    });
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
      message: expect.stringMatching(/HTTP 502: Bad gateway$/),
    });
  });

  test("never shows the key or the credentials of the URL", async () => {
    const key = ["sk", "a1b2c3d4e5f6"].join("-");
    await using server = serve(() => problem(401, { message: `Incorrect API key provided: ${key}` }));
    const own = { base_url: `${server.url.replace("//", "//user:pass@")}/v1?sig=private`, token_key: "K" };
    const model = createModel({ provider: "own", model: "m" }, { env: () => key, providers: { own }, log: () => {} });
    const { message } = Object(await rejection(model.stream(ask(), () => {})));
    expect(message).toContain("Incorrect API key provided: [REDACTED]");
    expect(message).not.toMatch(/user|pass@|private/);
  });
});

describe("the delay that a provider asks for", () => {
  const NOW = Date.parse("2026-01-01T00:00:00Z");

  test.each<[headers: Record<string, string>, expected: number | undefined]>([
    [{ "retry-after-ms": "1500", "retry-after": "2" }, 1500],
    [{ "retry-after": "2" }, 2000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:04 GMT" }, 4000],
    [{ "retry-after": "Thu, 01 Jan 2026 00:00:00 GMT" }, 0],
    [{ "retry-after": "soon" }, undefined],
    // OpenAI and Groq: the used-up limit counts, else the one that is reset first.
    [{ "x-ratelimit-reset-requests": "2m59.56s", "x-ratelimit-reset-tokens": "7.66s" }, 7660],
    [
      {
        "x-ratelimit-reset-requests": "6m0s",
        "x-ratelimit-remaining-requests": "0",
        "x-ratelimit-reset-tokens": "20ms",
      },
      360_000,
    ],
    [{ "anthropic-ratelimit-tokens-reset": "2026-01-01T00:00:10Z" }, 10_000],
    [{ "x-ratelimit-reset": String(NOW + 3000) }, 3000],
    [{ "x-ratelimit-reset": String(NOW / 1000 + 3) }, 3000],
    [{ "ratelimit-reset": "30" }, 30_000],
    [{}, undefined],
  ])("in headers: %j is %p ms", (headers, expected) => {
    expect(readWaitHint(new Headers(headers), {}, NOW)).toBe(expected);
  });

  const retryInfo = { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay: "34.07s" };

  test.each<[body: unknown, expected: number | undefined]>([
    [
      {
        error: { message: "Rate limit reached on tokens per min (TPM). Please try again in 1m12.5s. Visit the site." },
      },
      72_500,
    ],
    [{ error: { message: "Please try again in 6ms." } }, 6],
    [{ error: { message: "Please retry after 26 seconds." } }, 26_000],
    [{ error: { message: "Please try again later." } }, undefined],
    ["Too busy, retry after 2 minutes", 120_000],
    [{ error: { message: "Rate limit of 10 per 60s exceeded. Please wait 45 seconds before retrying." } }, 45_000],
    [[{ error: { code: 429, status: "RESOURCE_EXHAUSTED", details: [retryInfo] } }], 34_070],
    [{ error: { message: JSON.stringify({ error: { details: [retryInfo] } }) } }, 34_070],
    [
      { error: { metadata: { headers: { "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": String(NOW + 5000) } } } },
      5000,
    ],
    [null, undefined],
    [[], undefined],
  ])("in the body: %j is %p ms", (body, expected) => {
    expect(readWaitHint(new Headers(), body, NOW)).toBe(expected);
  });
});

describe("a failure that may pass in minutes", () => {
  const perMinute = {
    "@type": "x/google.rpc.QuotaFailure",
    violations: [{ quotaId: "GenerateRequestsPerMinutePerProject" }],
  };
  const perDay = {
    "@type": "x/google.rpc.QuotaFailure",
    violations: [{ quotaId: "GenerateRequestsPerDayPerProject-FreeTier" }],
  };
  const delay = { "@type": "x/google.rpc.RetryInfo", retryDelay: "34s" };
  const gemini = "You exceeded your current quota, please check your plan and billing details.";

  test.each<[status: number, error: Record<string, unknown>, expected: boolean]>([
    [429, { message: "Slow down" }, true],
    [429, { message: "Rate limit reached", type: "tokens", code: "rate_limit_exceeded" }, true],
    [429, { message: gemini, status: "RESOURCE_EXHAUSTED", details: [perMinute, delay] }, true],
    [429, { message: "The engine is currently overloaded", type: "engine_overloaded_error" }, true],
    [503, { message: "The model is overloaded" }, true],
    [503, { message: "Unavailable" }, true],
    [529, { message: "Overloaded", type: "overloaded_error" }, true],
    [400, { message: "Too many requests", code: "throttling_exception" }, true],
    [
      429,
      { message: "You exceeded your current quota", type: "insufficient_quota", code: "insufficient_quota" },
      false,
    ],
    [429, { message: "Suspended due to insufficient balance", type: "exceeded_current_quota_error" }, false],
    [429, { message: gemini, status: "RESOURCE_EXHAUSTED", details: [perDay, delay] }, false],
    [429, { message: gemini, status: "RESOURCE_EXHAUSTED" }, false],
    [429, { message: "Rate limit exceeded: free-models-per-day. Add credits to unlock more" }, false],
    [429, { message: "Limit on requests per day (RPD): 200. Please try again in 7m12s." }, false],
    [429, { message: "Billing hard limit", code: "billing_hard_limit_reached" }, false],
    [429, { message: "A trial key is limited to 1000 calls / month" }, false],
    [429, { message: "Rate limit of 50 per 86400s exceeded for UserByModelByDay. Please wait 40 seconds." }, false],
    [500, { message: "Oops" }, false],
    [400, { message: "No" }, false],
  ])("%i %j: %p", async (status, error, isBusy) => {
    await using server = serve(() => problem(status, error));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({ isBusy });
  });

  test("can be declared by the model's family", async () => {
    await using server = serve(() => problem(429, { message: "Extra usage is required for long context requests." }));
    const isBusy = async (model: string) =>
      Object(await rejection(modelAt(server.url, { model }).stream(ask(), () => {}))).isBusy;
    expect([await isBusy("claude-sonnet-4-5"), await isBusy("other")]).toEqual([false, true]);
  });

  test("is recognized in the middle of an answer", async () => {
    const failures = [
      { type: "overloaded_error", message: "Overloaded" },
      { code: "rate_limit_exceeded", message: "Please try again in 3s." },
      { code: "insufficient_quota", message: "No more" },
      { code: "rate_limit_exceeded", message: "Limit on tokens per day (TPD). Try again in 3s." },
    ];
    await using server = serve((index) => events(chunk({ content: "half" }), { error: failures[index] }));
    const model = modelAt(server.url);
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({ isBusy: true, status: 0 });
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({ isBusy: true, retryAfterMs: 3000 });
    const usedUp = { isBusy: false, code: "rate_limited" };
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject(usedUp);
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject(usedUp);
  });
});

test.each<[string, string, string]>([
  [
    JSON.stringify({
      type: "error",
      error: { type: "invalid_request_error", message: "prompt is too long: 9 tokens > 8 maximum" },
    }),
    "prompt is too long: 9 tokens > 8 maximum",
    "context_exceeded",
  ],
  [JSON.stringify({ error: { message: "no", code: "context_length_exceeded" } }), "no", "context_exceeded"],
  ["upstream fell over", "upstream fell over", "model_error"],
])("the complaint of the provider behind a gateway is shown and classified: %s", async (raw, said, code) => {
  const error = { message: "Provider returned error", code: 400, metadata: { raw, provider_name: "Anthropic" } };
  await using server = serve(() => Response.json({ error }, { status: 400 }));
  expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
    code,
    message: `local: POST ${server.url}/v1/chat/completions: HTTP 400: Provider returned error: ${said}`,
  });
});

describe("a response that is not a stream", () => {
  test("is an error if it is a web page", async () => {
    await using server = serve(
      () => new Response("<title>Log in</title>", { headers: { "content-type": "text/html; charset=utf-8" } }),
    );
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
      retryable: false,
      message: `local: POST ${server.url}/v1/chat/completions: HTTP 200 with a web page ("Log in") instead of a stream`,
    });
  });

  test("is an error with the message from its JSON", async () => {
    await using server = serve((index) =>
      Response.json(index === 0 ? { error: { message: "Out of credit" } } : { choices: [] }),
    );
    const model = modelAt(server.url);
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
      message: expect.stringMatching(/: Out of credit$/),
    });
    expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
      message: expect.stringMatching(/HTTP 200 with JSON instead of a stream$/),
    });
  });

  test("is an error if it is anything else", async () => {
    await using server = serve(() => new Response("hello\nworld\n", { headers: { "content-type": "text/plain" } }));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
      message: expect.stringContaining("without a finish reason"),
    });
  });

  test("is not followed if it is a redirect", async () => {
    await using other = serve(() => chatReply("mine now"));
    await using server = serve(
      () => new Response(null, { status: 307, headers: { location: `${other.url}/v1/chat/completions?a=b` } }),
    );
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
      retryable: false,
      message: expect.stringContaining(
        `HTTP 307: redirected to ${other.url}/v1/chat/completions, which is not followed`,
      ),
    });
    expect(other.seen).toEqual([]);
  });
});

describe("a stream", () => {
  test("without a finish reason is an error, with or without an end marker", async () => {
    await using server = serve((index) =>
      index === 0 ? events(chunk({ content: "half" })) : events(chunk({ content: "half" }), "[DONE]"),
    );
    const model = modelAt(server.url);
    for (let call = 0; call < 2; call++) {
      expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
        code: "model_error",
        retryable: true,
        message: `local: POST ${server.url}/v1/chat/completions: the stream ended without a finish reason`,
      });
    }
  });

  test("with the finish reason `error` counts as broken", async () => {
    await using server = serve(() => events(chunk({ content: "half" }, "error")));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({ retryable: true });
  });

  test("that breaks off is a retryable error", async () => {
    const listener = Bun.listen({
      hostname: "127.0.0.1",
      port: 0,
      socket: {
        data(socket) {
          const part = `data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`;
          socket.write(
            "HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n" +
              `${part.length.toString(16)}\r\n${part}\r\n`,
          );
          socket.flush();
          socket.end();
        },
      },
    });
    try {
      expect(await rejection(modelAt(`http://127.0.0.1:${listener.port}`).stream(ask(), () => {}))).toMatchObject({
        code: "model_error",
        retryable: true,
      });
    } finally {
      listener.stop(true);
    }
  });

  test("with malformed JSON is an error and writes nothing to standard error", async () => {
    const script = `
      import { serve, events, modelAt, ask } from ${JSON.stringify(`${import.meta.dir}/../loopback.ts`)};
      const headers = { "content-type": "text/event-stream" };
      await using server = serve(() => new Response('event: x\\ndata: {"choices": [\\n\\n', { headers }));
      for (const provider of ["openai", "anthropic"]) {
        const model = modelAt(server.url, { provider, base_url: server.url });
        await model.stream(ask(), () => {}).catch((error) => console.log(error.retryable, error.message));
      }
    `;
    const child = Bun.spawn([process.execPath, "-e", script], {
      env: { OPENAI_LOG: "debug", ANTHROPIC_LOG: "debug" },
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err] = await Promise.all([child.stdout.text(), child.stderr.text()]);
    expect(out).toMatch(
      /^true openai: POST \S+: malformed JSON in the stream\ntrue anthropic: POST \S+: malformed JSON in the stream\n$/,
    );
    expect(err).toBe("");
  });

  test("with JSON of an unknown shape is an error", async () => {
    await using server = serve(() => events({ choices: "none" }));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
      message: expect.stringContaining("malformed JSON in the stream"),
    });
  });

  test.each([
    [
      { message: "Overloaded", type: "overloaded_error" },
      { code: "model_error", retryable: true },
    ],
    [
      { message: "Slow down", code: 429 },
      { code: "rate_limited", retryable: false },
    ],
    [
      { message: "No", type: "invalid_request_error" },
      { code: "model_error", retryable: false },
    ],
    [
      { message: "Upstream", code: 502 },
      { code: "model_error", retryable: true },
    ],
    [{ message: "This exceeds the context window" }, { code: "context_exceeded", retryable: false }],
  ])("that reports the error %j is %j", async (error, expected) => {
    await using server = serve(() => events(chunk({ content: "half" }), { error }));
    expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
      ...expected,
      message: `local: POST ${server.url}/v1/chat/completions: ${error.message}`,
    });
  });

  test("that goes silent is ended by the idle timer", async () => {
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode(": wait\n\n")) }),
          { headers: { "content-type": "text/event-stream" } },
        ),
    );
    expect(await rejection(modelAt(server.url, {}, { idleTimeoutMs: 60 }).stream(ask(), () => {}))).toMatchObject({
      retryable: true,
      message: `local: POST ${server.url}/v1/chat/completions: no data for 60ms`,
    });
  });

  test("that never starts is ended by the idle timer", async () => {
    await using server = serve(() => new Promise<Response>(() => {}));
    expect(await rejection(modelAt(server.url, {}, { idleTimeoutMs: 60 }).stream(ask(), () => {}))).toMatchObject({
      retryable: true,
      message: expect.stringContaining("no data for 60ms"),
    });
  });

  test("with occasional data is not ended by the idle timer", async () => {
    const parts = [...Array.from({ length: 8 }, () => chunk({ content: "." })), chunk({}, "stop")];
    await using server = serve(() => {
      const body = new ReadableStream({
        async pull(controller) {
          await Bun.sleep(400);
          const part = parts.shift();
          if (part) controller.enqueue(new TextEncoder().encode(`data: ${JSON.stringify(part)}\n\n`));
          else controller.close();
        },
      });
      return new Response(body, { headers: { "content-type": "text/event-stream" } });
    });
    const reply = await modelAt(server.url, {}, { idleTimeoutMs: 2500 }).stream(ask(), () => {});
    expect(plain(reply).text).toBe("........");
  });
});

describe("an abort", () => {
  test("before the call rejects with its reason without a request", async () => {
    await using server = serve(() => chatReply("ok"));
    const reason = new Error("enough");
    expect(await rejection(modelAt(server.url).stream(ask({ signal: AbortSignal.abort(reason) }), () => {}))).toBe(
      reason,
    );
    expect(server.seen).toEqual([]);
  });

  test("in the middle of a stream rejects with its reason and closes the connection", async () => {
    const hungUp = Promise.withResolvers<void>();
    await using server = serve((_index, request) => {
      request.signal.addEventListener("abort", () => hungUp.resolve());
      const first = new TextEncoder().encode(`data: ${JSON.stringify(chunk({ content: "half" }))}\n\n`);
      return new Response(new ReadableStream({ start: (controller) => controller.enqueue(first) }), {
        headers: { "content-type": "text/event-stream" },
      });
    });
    const controller = new AbortController();
    const reason = new Error("enough");
    const call = modelAt(server.url).stream(ask({ signal: controller.signal }), () => controller.abort(reason));
    expect(await rejection(call)).toBe(reason);
    await hungUp.promise;
  });
});

test.each([
  ["an abort after the finish reason", chunk({ content: "all" }, "stop")],
  ["an abort before it", chunk({ content: "half" })],
])("%s rejects the call", async (_case, first) => {
  await using server = serve(() => {
    const bytes = new TextEncoder().encode(`data: ${JSON.stringify(first)}\n\n`);
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes) }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  const controller = new AbortController();
  expect(
    await rejection(modelAt(server.url).stream(ask({ signal: controller.signal }), () => controller.abort("enough"))),
  ).toBe("enough");
});

test("the connection of a malformed stream is closed", async () => {
  const hungUp = Promise.withResolvers<void>();
  await using server = serve((_index, request) => {
    request.signal.addEventListener("abort", () => hungUp.resolve());
    const bytes = new TextEncoder().encode("data: {\n\n");
    return new Response(new ReadableStream({ start: (controller) => controller.enqueue(bytes) }), {
      headers: { "content-type": "text/event-stream" },
    });
  });
  await rejection(modelAt(server.url).stream(ask(), () => {}));
  await hungUp.promise;
});

test("a refused connection is retryable", async () => {
  const server = serve(() => chatReply("ok"));
  await server[Symbol.asyncDispose]();
  expect(await rejection(modelAt(server.url).stream(ask(), () => {}))).toMatchObject({
    status: 0,
    retryable: true,
    message: `local: POST ${server.url}/v1/chat/completions: connection refused`,
  });
});

test("a missing key is an error of the first call that names the variable", async () => {
  const model = createModel({ provider: "openai", model: "gpt-4o" }, { env: () => undefined, log: () => {} });
  expect(await rejection(model.stream(ask(), () => {}))).toMatchObject({
    message: "openai/gpt-4o: not set: OPENAI_API_KEY",
    retryable: false,
  });
});
