import { afterAll, expect, test } from "bun:test";
import { UserError } from "../../src/lib/errors.ts";
import { modelOffers } from "../../src/model/model-offers.ts";

/** A server that lists models in the form of each API, if the key is right. */
const asked: string[] = [];
const server: Bun.Server<undefined> = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch: ({ url, headers }): Response => {
    const { pathname, search } = new URL(url);
    asked.push(pathname + search);
    const key = headers.get("authorization") ?? headers.get("x-api-key") ?? headers.get("x-goog-api-key");
    if (!key?.endsWith("secret")) return new Response("no", { status: 401 });
    if (pathname.startsWith("/moved")) return Response.redirect(`${server.url}chat/models`);
    if (pathname.startsWith("/broken")) return new Response("[");
    if (pathname.startsWith("/together")) return Response.json([{ id: "meta/llama" }]);
    if (pathname.startsWith("/google")) return Response.json({ models: [{ name: "models/gemini-9-flash" }] });
    const ids = [
      "gpt-9",
      "gpt-9-mini",
      "gpt-9-maxi",
      "gpt-9-2027-01-31",
      "claude-9-20270131",
      "text-embedding-9",
      "x/free",
      "bad name\x1b[2J",
    ];
    return Response.json({ data: ids.map((id) => ({ id })) });
  },
});

afterAll(() => server.stop(true));

const at = (path: string, provider: string, token_key = "KEY") => ({
  base_url: `${server.url}${path}`,
  provider,
  token_key,
});

const providers = {
  chat: at("chat", "openai"),
  claude: at("claude/v1/", "anthropic"),
  gemini: at("google", "google"),
  together2: at("together", "together"),
  moved: at("moved", "openai"),
  broken: at("broken", "openai"),
  keyless: at("chat", "openai", "UNSET"),
  wrong: at("chat", "openai", "WRONG"),
  deployed: at("chat", "azure"),
  gone: { base_url: "http://127.0.0.1:1", provider: "openai" },
};
const values: Record<string, string> = { KEY: "secret", WRONG: "other", MISTRAL_API_KEY: "secret" };
const offers = modelOffers({ env: (name) => values[name], providers });

test("usable are the providers of the file, those with a key, and servers on this machine", () => {
  expect(offers.providers).toEqual([...Object.keys(providers), "dmr", "ollama", "lmstudio", "mistral"]);
  expect(offers.defaults).toEqual(["mistral/mistral-small-latest"]);
});

test("a provider is asked in the form of its API, and lists the models that chat", async () => {
  const chat = ["gpt-9", "gpt-9-mini", "gpt-9-maxi", "gpt-9-2027-01-31", "claude-9-20270131", "x/free"];
  expect(await offers.list("chat")).toEqual(chat);
  expect(await offers.list("claude")).toEqual(chat);
  expect(await offers.list("gemini")).toEqual(["gemini-9-flash"]);
  expect(await offers.list("together2")).toEqual(["meta/llama"]);
  expect(asked).toEqual([
    "/chat/models",
    "/claude/v1/models?limit=1000",
    "/google/v1beta/models?pageSize=1000",
    "/together/models",
  ]);
});

test("there is no list without a key, with a wrong one, behind a redirect, of deployments, and offline", async () => {
  asked.length = 0;
  const named = ["moved", "broken", "keyless", "wrong", "deployed", "gone", "nothing", "openai"];
  for (const provider of named) expect([provider, await offers.list(provider)]).toEqual([provider, undefined]);
  expect(await modelOffers({ env: (name) => values[name], providers, offline: true }).list("chat")).toBeUndefined();
  expect(asked).toEqual(["/moved/models", "/broken/models", "/chat/models"]);
});

test.each([
  ["chat/gpt-9", true],
  ["chat/claude-9", true],
  ["chat/claude-9-latest", true],
  ["chat/x/free:online", true],
  ["deployed/mine", false],
  ["gone/anything", false],
  ["chat/gpt", 'chat lists no model "gpt"; /model chat lists its models'],
  ["chat/gtp-9", 'chat lists no model "gtp-9"; did you mean gpt-9?'],
  ["chat/gpt-9-mni", 'chat lists no model "gpt-9-mni"; did you mean gpt-9-mini, gpt-9-maxi?'],
  ["chta/gpt-9", 'no provider "chta", did you mean chat/gpt-9?'],
] as const)("%s: %p", async (reference, expected) => {
  if (typeof expected === "boolean") return expect(await offers.check(reference)).toBe(expected);
  const error = await offers.check(reference).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UserError);
  expect((error as UserError).message).toStartWith(expected);
});
