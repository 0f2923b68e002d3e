import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chmod, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { findDmr } from "../../../src/model/dmr/find-dmr.ts";
import { ask, chatReply, plain, rejection, serve } from "../loopback.ts";

let dir = "";
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), "hooksh-dmr-"));
});
afterAll(() => rm(dir, { recursive: true }));

/** An environment whose `docker` command prints a text. */
async function dockerThatSays(text: string) {
  const bin = await mkdtemp(join(dir, "bin-"));
  await Bun.write(join(bin, "docker"), `#!/bin/sh\n[ "$*" = "model status --json" ] && printf '%s' '${text}'\n`);
  await chmod(join(bin, "docker"), 0o755);
  return { PATH: bin };
}

const unreachable = async () => {
  throw new Error("connection refused");
};

describe("hooksh looks for Docker Model Runner", () => {
  test("at MODEL_RUNNER_HOST, without a probe", async () => {
    const env = {
      ...(await dockerThatSays('{"endpoint":"http://other:1/engines/v1/"}')),
      MODEL_RUNNER_HOST: "http://box:999/",
    };
    expect(await findDmr({ env, inContainer: false, fetch: unreachable })).toEqual({
      baseUrl: "http://box:999/engines/v1/",
    });
  });

  test.each([
    [
      '{"endpoint":"http://model-runner.docker.internal/engines/v1/"}',
      false,
      { baseUrl: "http://_/exp/vDD4.40/engines/v1/", unix: "/var/run/docker.sock" },
    ],
    ['{"endpoint":"http://172.17.0.1:5555/engines/v1/"}', false, { baseUrl: "http://127.0.0.1:5555/engines/v1/" }],
    ['{"endpoint":"http://172.17.0.1:5555/engines/v1/"}', true, { baseUrl: "http://172.17.0.1:5555/engines/v1/" }],
    ['{"endpoint":"http://:0/engines/v1/"}', false, { baseUrl: "http://127.0.0.1:12434/engines/v1/" }],
    ["not JSON", false, { baseUrl: "http://127.0.0.1:12434/engines/v1/" }],
    ["{}", true, { baseUrl: "http://model-runner.docker.internal/engines/v1/" }],
  ])("at the address for docker's report %s (in a container: %p)", async (text, inContainer, expected) => {
    expect(await findDmr({ env: await dockerThatSays(text), inContainer, fetch: unreachable })).toEqual(expected);
  });

  test("at the default address without the docker command", async () => {
    expect(await findDmr({ env: { PATH: dir }, inContainer: false, fetch: unreachable })).toEqual({
      baseUrl: "http://127.0.0.1:12434/engines/v1/",
    });
  });

  test("at the other usual addresses if the first does not answer, and accepts any answer", async () => {
    const probed: string[] = [];
    const fetch = async (input: string | URL | Request) => {
      probed.push(String(input));
      if (!String(input).includes("172.17.0.1")) throw new Error("connection refused");
      return new Response("no", { status: 500 });
    };
    expect(await findDmr({ env: { PATH: dir }, inContainer: true, fetch })).toEqual({
      baseUrl: "http://172.17.0.1:12434/engines/v1/",
    });
    expect(probed).toEqual([
      "http://model-runner.docker.internal/engines/v1/models",
      "http://host.docker.internal:12434/engines/v1/models",
      "http://172.17.0.1:12434/engines/v1/models",
    ]);
  });
});

describe("a model of Docker Model Runner", () => {
  const model = (
    url: string,
    more: Partial<ModelSpec> = {},
    log: (level: string, message: string) => void = () => {},
  ) =>
    createModel(
      { provider: "dmr", model: "ai/qwen3", ...more },
      { env: (name) => (name === "MODEL_RUNNER_HOST" ? url : undefined), log },
    );

  test("is called without a key, with one system message and a description for every tool", async () => {
    await using server = serve(() => chatReply("ok"));
    const messages = [
      { role: "system" as const, content: "a" },
      { role: "system" as const, content: "b" },
      { role: "user" as const, content: "hi" },
    ];
    await model(server.url).stream(
      ask({ messages, tools: [{ name: "list", description: "", parameters: {} }] }),
      () => {},
    );
    expect(server.seen).toHaveLength(1);
    expect(server.seen[0]).toMatchObject({
      path: "/engines/v1/chat/completions",
      body: { model: "ai/qwen3", tools: [{ function: { description: "list" } }] },
    });
    expect(server.seen[0]?.body["messages"]).toEqual([
      { role: "system", content: "a\n\nb" },
      { role: "user", content: "hi" },
    ]);
    expect(server.seen[0]?.headers["authorization"]).toBeUndefined();
  });

  test("is configured once before its first call", async () => {
    await using server = serve((index) => (index === 0 ? new Response(null, { status: 202 }) : chatReply("ok")));
    const provider_opts = {
      context_size: 8192,
      runtime_flags: ["--a"],
      keep_alive: "5m",
      speculative_num_tokens: 3,
      gpu_memory_utilization: 0.5,
    };
    const subject = model(server.url, { provider_opts, thinking_budget: "low" });
    await subject.stream(ask(), () => {});
    await subject.stream(ask(), () => {});
    expect(server.seen.map(({ path }) => path)).toEqual([
      "/engines/_configure",
      "/engines/v1/chat/completions",
      "/engines/v1/chat/completions",
    ]);
    expect(server.seen[0]?.body).toEqual({
      model: "ai/qwen3",
      "context-size": 8192,
      "runtime-flags": ["--a"],
      keep_alive: "5m",
      speculative: { "num-tokens": 3 },
      llamacpp: { "reasoning-budget": 2048 },
      vllm: { "gpu-memory-utilization": 0.5 },
    });
    expect(subject.contextLimit).toBe(8192);
  });

  test("is called even if configuring it fails", async () => {
    await using server = serve((index) => (index === 0 ? new Response("no", { status: 500 }) : chatReply("ok")));
    const logged: string[] = [];
    const subject = model(server.url, { provider_opts: { context_size: 1 } }, (level, message) =>
      logged.push(`${level}: ${message}`),
    );
    expect(plain(await subject.stream(ask(), () => {})).text).toBe("ok");
    expect(logged).toEqual(["warn: dmr/ai/qwen3: configuring the engine: HTTP 500"]);
  });

  test("with its own base_url is called there", async () => {
    await using server = serve(() => chatReply("ok"));
    await model("http://127.0.0.1:9", { base_url: `${server.url}/mine/v1` }).stream(ask(), () => {});
    expect(server.seen[0]?.path).toBe("/mine/v1/chat/completions");
  });

  test("can be aborted while it is being prepared", async () => {
    await using server = serve(() => new Promise<Response>(() => {}));
    const controller = new AbortController();
    const call = model(server.url, { provider_opts: { context_size: 1 } }).stream(
      ask({ signal: controller.signal }),
      () => {},
    );
    while (server.seen.length === 0) await Bun.sleep(1);
    controller.abort("enough");
    expect(await rejection(call)).toBe("enough");
  });
});
