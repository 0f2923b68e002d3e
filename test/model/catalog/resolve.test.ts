import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../../src/lib/errors.ts";
import { PROVIDERS } from "../../../src/model/catalog/providers.ts";
import { missingVariables, resolveModel } from "../../../src/model/catalog/resolve.ts";
import { type Message, textMessage, toolResult } from "../../../src/model/messages/message.ts";
import { requestHeaders } from "../../../src/model/settings/request-settings.ts";

const env = (values: Record<string, string>) => (name: string) => values[name];
const resolve = (provider: string, model: string, values: Record<string, string> = {}) =>
  resolveModel({ provider, model }, env(values));

describe.each(Object.entries(PROVIDERS))("provider %s", (name, row) => {
  test("has a URL and a key, or advice on what to use instead", () => {
    if ("advice" in row) {
      expect(() => resolve(name, "m")).toThrow("advice" in row ? row.advice : "");
      return;
    }
    const keys = Object.fromEntries(row.keys.map((key) => [key, `value-of-${key}`]));
    const values = { ...keys, CLOUDFLARE_ACCOUNT_ID: "account", CLOUDFLARE_GATEWAY_ID: "gateway" };
    const spec = { provider: name, model: "m", ...("baseUrl" in row ? {} : { base_url: "https://own.example/v1" }) };
    const resolved = resolveModel(spec, env(values));
    expect(resolved.missing).toEqual([]);
    expect(URL.canParse(resolved.baseUrl)).toBe(true);
    expect(resolved.baseUrl).not.toContain("$");
    expect(resolved.key).toBe(row.keys.length > 0 ? `value-of-${row.keys[0]}` : undefined);
  });
});

test.each([
  ["fireworks-ai", "fireworks"],
  ["moonshotai", "moonshot"],
  ["opencode", "opencode-zen"],
  ["togetherai", "together"],
])("%s is another name of %s", (other, name) => {
  const { provider, rowName, baseUrl } = resolve(other, "m");
  expect({ provider, rowName, baseUrl }).toEqual({
    provider: other,
    rowName: name,
    baseUrl: resolve(name, "m").baseUrl,
  });
});

describe("the API", () => {
  test.each([
    ["openai", "gpt-4o-mini", "chat"],
    ["openai", "gpt-4o", "chat"],
    ["openai", "gpt-5.6", "responses"],
    ["openai", "o3", "responses"],
    ["openai", "gpt-4.1-nano", "responses"],
    ["github-copilot", "openai/gpt-5-codex", "responses"],
    ["groq", "openai/gpt-oss-120b", "chat"],
    ["openrouter", "openai/gpt-5", "chat"],
    ["anthropic", "claude-sonnet-4-0", "anthropic"],
    ["google", "gemini-2.5-flash", "google"],
  ])("of %s/%s is %s", (provider, model, api) => {
    expect(resolve(provider, model).api).toBe(api as never);
  });

  test("of openai at another address is Chat Completions for every model", () => {
    expect(
      resolveModel({ provider: "openai", model: "gpt-5", base_url: "http://localhost:8080/v1" }, env({})).api,
    ).toBe("chat");
  });

  test("of a custom provider follows the model's name, and api_type overrides it", () => {
    const api = (model: string, api_type?: string) =>
      resolveModel({ provider: "own", model }, env({}), { own: { base_url: "http://localhost/v1", api_type } }).api;
    expect(api("gpt-5")).toBe("responses");
    expect(api("llama")).toBe("chat");
    expect(api("gpt-5", "openai_chatcompletions")).toBe("chat");
    expect(api("llama", "openai_responses")).toBe("responses");
    expect(() => api("llama", "soap")).toThrow(
      'api_type: expected "openai_chatcompletions" or "openai_responses" but received "soap"',
    );
  });
});

describe("the key", () => {
  test("of a custom provider without token_key is never that of OpenAI", () => {
    const resolved = resolveModel({ provider: "own", model: "m" }, env({ OPENAI_API_KEY: "secret" }), {
      own: { base_url: "http://localhost/v1" },
    });
    expect(resolved.key).toBeUndefined();
    expect(resolved.missing).toEqual([]);
    expect(requestHeaders(resolved)).toEqual({});
  });

  test("comes from token_key of the model, then of the provider", () => {
    const providers = { own: { base_url: "http://localhost/v1", token_key: "OWN_KEY" } };
    const values = env({ OWN_KEY: "own", MODEL_KEY: "model" });
    expect(resolveModel({ provider: "own", model: "m" }, values, providers).key).toBe("own");
    expect(resolveModel({ provider: "own", model: "m", token_key: "MODEL_KEY" }, values, providers).key).toBe("model");
  });

  test("is optional for a model with its own base_url", () => {
    expect(
      resolveModel({ provider: "openai", model: "gpt-4o", base_url: "http://localhost/v1" }, env({})).missing,
    ).toEqual([]);
  });

  test("of azure is sent in both headers and is required even with a base_url", () => {
    const spec = { provider: "azure", model: "gpt-4o", base_url: "https://own.example" };
    expect(resolveModel(spec, env({})).missing).toEqual(["AZURE_API_KEY"]);
    expect(requestHeaders(resolveModel(spec, env({ AZURE_API_KEY: "k" })))).toEqual({
      authorization: "Bearer k",
      "api-key": "k",
    });
  });

  test("must not be a reference to a password manager", () => {
    expect(() => resolve("openai", "gpt-4o", { OPENAI_API_KEY: "op://vault/item" })).toThrow("OPENAI_API_KEY");
  });
});

test("missing variables of several models are one sorted list without duplicates", () => {
  const specs = [
    { provider: "openai", model: "gpt-4o" },
    { provider: "openai", model: "gpt-5" },
    { provider: "github-copilot", model: "gpt-4o" },
    { provider: "cloudflare-ai-gateway", model: "m" },
    { provider: "dmr", model: "ai/qwen3:latest" },
    { provider: "anthropic", model: "claude", base_url: "https://${PROXY_HOST}/" },
  ];
  expect(missingVariables(specs, env({ CLOUDFLARE_ACCOUNT_ID: "a" }))).toEqual([
    "CLOUDFLARE_API_TOKEN",
    "CLOUDFLARE_GATEWAY_ID",
    "GITHUB_TOKEN or GH_TOKEN",
    "OPENAI_API_KEY",
    "PROXY_HOST",
  ]);
});

test("variables in a base URL are expanded in every notation", () => {
  const spec = { provider: "openai", model: "m", base_url: "http://${HOST}:$PORT/${env.PATH_PART}" };
  expect(resolveModel(spec, env({ HOST: "h", PORT: "1", PATH_PART: "v1" })).baseUrl).toBe("http://h:1/v1");
});

test.each([
  ["box:1234", "http://box:1234/v1"],
  ["http://box", "http://box:11434/v1"],
  ["0.0.0.0", "http://127.0.0.1:11434/v1"],
  ["https://box:8443/", "https://box:8443/v1"],
])("OLLAMA_HOST %s is %s", (host, url) => {
  expect(resolve("ollama", "m", { OLLAMA_HOST: host }).baseUrl).toBe(url);
});

test("adjacent system messages are merged if the chat template accepts only one", () => {
  expect(resolve("dmr", "m").mergesMessages).toBe(true);
  expect(resolve("openai", "gpt-4o").mergesMessages).toBe(false);
  expect(
    resolveModel({ provider: "openai", model: "m", base_url: "http://localhost/v1" }, env({})).mergesMessages,
  ).toBe(true);
  expect(
    resolveModel({ provider: "groq", model: "m", api_type: "openai_chatcompletions" }, env({})).mergesMessages,
  ).toBe(true);
});

test("an unknown provider is an error that says how to define one", () => {
  expect(() => resolve("opnai", "m")).toThrow(ConfigError);
  expect(() => resolve("opnai", "m")).toThrow('no provider "opnai"; did you mean "openai"?');
  expect(() => resolve("constructor", "m")).toThrow("no provider");
  expect(() => resolve("local", "m")).toThrow(
    /no provider "local"; hooksh has openai, .*: providers: \{local: \{base_url: /,
  );
});

test("azure without a base_url is an error", () => {
  expect(() => resolve("azure", "m")).toThrow("azure/m: base_url: is required for provider azure");
});

test("a model inherits its provider's settings, and options are merged key by key", () => {
  const { spec } = resolveModel({ provider: "own", model: "m", temperature: 0, provider_opts: { a: 1 } }, env({}), {
    own: {
      base_url: "http://localhost/v1",
      temperature: 1,
      max_tokens: 5,
      provider_opts: { a: 0, b: 2 },
    },
  });
  expect(spec).toMatchObject({ temperature: 0, max_tokens: 5, provider_opts: { a: 1, b: 2 } });
});

test("configured headers override the provider's own and lose line breaks", () => {
  const spec = {
    provider: "github-copilot",
    model: "m",
    provider_opts: { http_headers: { "copilot-integration-id": "mine", "X-Extra": "a\r\nb: c" } },
  };
  expect(requestHeaders(resolveModel(spec, env({ GH_TOKEN: "t" })))).toEqual({
    authorization: "Bearer t",
    "copilot-integration-id": "mine",
    "x-extra": "ab: c",
  });
  expect(requestHeaders(resolve("github-copilot", "m", {}))).toEqual({
    "copilot-integration-id": "copilot-developer-cli",
  });
});

test("a custom provider at the address of a known one follows the rules of that one", () => {
  const at = (base_url: string, provider?: string) => {
    const own = { base_url, ...(provider === undefined ? {} : { provider }) };
    return resolveModel({ provider: "own", model: "some-model" }, () => undefined, { own }).family.chat.reasoning.scope;
  };
  expect(at("https://api.groq.com/openai/v1")).toBe("none");
  expect(at("https://example.com/v1")).toBe("loop");
  expect(at("https://example.com/v1", "groq")).toBe("none");
  expect(at("${HERE}/v1")).toBe("loop");
});

test("GitHub Copilot gets a header for requests that hold images", () => {
  const model = resolve("github-copilot", "gpt-4o", {});
  const image: Message = {
    role: "user",
    blocks: [{ type: "image", source: { kind: "url", url: "https://example.com/a.png" } }],
  };
  expect(requestHeaders(model, [image])).toMatchObject({ "copilot-vision-request": "true" });
  expect(
    requestHeaders(model, [
      toolResult(
        "c1",
        image.blocks.filter((block) => block.type === "image"),
      ),
    ]),
  ).toHaveProperty("copilot-vision-request");
  expect(requestHeaders(model, [textMessage("user", "hi")])).not.toHaveProperty("copilot-vision-request");
});
