import { afterEach, describe, expect, test } from "bun:test";
import { run, unloadTarget } from "../../builtins/unload.ts";
import type { ModelEndpoint } from "../../src/protocol/fields.ts";
import { callBuiltin } from "../helpers/call-builtin.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

function serve(answer: (request: Request) => Response | Promise<Response>): string {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", idleTimeout: 60, fetch: answer });
  cleanups.push(() => server.stop(true));
  return `http://127.0.0.1:${server.port}`;
}

function recorder(status = () => 200) {
  const seen: [string, unknown][] = [];
  const origin = serve(async (got) => {
    seen.push([new URL(got.url).pathname, await got.json()]);
    return new Response("because", { status: status() });
  });
  return { origin, seen };
}

const call = (models: ModelEndpoint[], more = {}) =>
  callBuiltin(run, {
    hook_event_name: "on_agent_switch",
    from_agent: "a",
    to_agent: "b",
    from_agent_models: models,
    ...more,
  });

test("asks every Docker Model Runner endpoint, and every endpoint that names an unload route", async () => {
  const { origin, seen } = recorder();
  const { output, logged } = await call([
    { provider: "dmr", model: "ai/one", base_url: `${origin}/engines/v1` },
    { provider: "openai", model: "gpt", base_url: `${origin}/v1` },
    { provider: "dmr", model: "ai/two", base_url: `${origin}/engines/llama.cpp/v1/` },
    { provider: "mine", model: "three", base_url: `${origin}/v1`, unload_api: "api/unload" },
  ]);
  expect(seen.sort(([a], [b]) => a.localeCompare(b))).toEqual([
    ["/api/unload", { model: "three", models: ["three"], backend: "" }],
    ["/engines/_unload", { model: "ai/one", models: ["ai/one"], backend: "" }],
    ["/engines/llama.cpp/_unload", { model: "ai/two", models: ["ai/two"], backend: "llama.cpp" }],
  ]);
  expect(output).toBeUndefined();
  expect(logged).toEqual([]);
});

test("tries the published route once after a 404, when nothing was configured", async () => {
  let asked = 0;
  const { origin, seen } = recorder(() => (asked++ === 0 ? 404 : 200));
  const { logged } = await call([{ provider: "dmr", model: "m", base_url: `${origin}/exp/engines/llama.cpp/v1` }]);
  expect(seen.map(([path]) => path)).toEqual(["/exp/engines/llama.cpp/_unload", "/exp/engines/unload"]);
  expect(logged).toEqual([]);
});

test("takes a 404 of a configured route for an answer", async () => {
  const { origin, seen } = recorder(() => 404);
  const { logged } = await call([
    { provider: "dmr", model: "m", base_url: `${origin}/engines/v1`, unload_api: "/free" },
  ]);
  expect(seen.map(([path]) => path)).toEqual(["/free"]);
  expect(logged).toEqual([`warn unload: model "m": ${new URL(origin).host}/free: status 404: because`]);
});

test("logs a failure without credentials, and never fails", async () => {
  const { logged, output } = await call([
    { provider: "dmr", model: "m", base_url: "http://me:pass@127.0.0.1:1/engines/v1?key=k" },
    { provider: "dmr", model: "n", base_url: "me:pass@host/v1" },
  ]);
  expect(output).toBeUndefined();
  expect(logged.sort()).toEqual([
    'warn unload: model "m": 127.0.0.1:1: connection refused',
    'warn unload: model "n": base_url "host/v1" is not absolute; cannot resolve unload endpoint',
  ]);
});

test("shows at most 4 KiB of what the server said", async () => {
  const origin = serve(() => new Response("x".repeat(100_000), { status: 500 }));
  const { logged } = await call([{ provider: "dmr", model: "m", base_url: `${origin}/v1` }]);
  expect(logged[0]).toEndWith(` status 500: ${"x".repeat(4096)}`);
});

test.each([{ from_agent: "" }, { from_agent: "b" }])("does nothing when %p switches to b", async (more) => {
  const { origin, seen } = recorder();
  await call([{ provider: "dmr", model: "m", base_url: origin }], more);
  expect(seen).toEqual([]);
});

test("gives up on dead endpoints after 10 seconds, on all at once", async () => {
  let open = 0;
  const origin = serve(() => {
    open++;
    return new Promise(() => {});
  });
  const sooner = Bun.sleep(9000).then(() => open);
  const pending = call(new Array(3).fill({ provider: "dmr", model: "m", base_url: origin }));
  expect(await Promise.race([pending, sooner])).toBe(3);
  const { logged } = await pending;
  expect(logged).toEqual(new Array(3).fill(`warn unload: model "m": ${new URL(origin).host}: timed out`));
});

describe("the URL", () => {
  const urlOf = (base_url: string, unload_api?: string) => {
    const target = unloadTarget({ base_url, ...(unload_api === undefined ? {} : { unload_api }) });
    return target.kind === "ask" ? target.url.href : target.kind;
  };
  test.each([
    ["http://h:1/engines/v1", undefined, "http://h:1/engines/_unload"],
    ["http://h:1/engines/v1/", "", "http://h:1/engines/_unload"],
    ["http://h:1", "", "http://h:1/_unload"],
    ["http://h:1/v1?k=v", "", "http://h:1/_unload?k=v"],
    ["http://h:1/engines/v1", "/api/unload", "http://h:1/api/unload"],
    ["http://h:1/engines/v1", "api/unload", "http://h:1/api/unload"],
    ["", "https://else/where", "https://else/where"],
    ["", "", "skip"],
    ["", "/x", "invalid"],
    ["h/v1", "", "invalid"],
  ])("of base %p and unload_api %p is %p", (base, api, expected) => expect(urlOf(base, api)).toBe(expected));
});
