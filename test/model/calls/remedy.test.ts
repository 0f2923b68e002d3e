/** The advice at the end of a failed call, from real servers that refuse it. */
import { expect, test } from "bun:test";
import { createModelChain } from "../../../src/model/calls/chain.ts";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { ask, rejection, serve } from "../loopback.ts";

/** The message of a run whose only model fails. */
async function failureOf(spec: Partial<ModelSpec>, env: Record<string, string> = {}): Promise<string> {
  const model = createModel(
    { provider: "openai", model: "gpt-5", ...spec },
    { env: (name) => env[name], log: () => {} },
  );
  const call = createModelChain({ retries: -1 }).call(model, ask(), { onDelta: () => {} });
  return messageOf(await rejection(call));
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** A key and a certificate for 127.0.0.1 that no authority signed. */
async function selfSigned(): Promise<{ key: string; cert: string }> {
  const cwd = tempDir();
  const args = "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -keyout key -out cert -days 2";
  const names = ["-subj", "/CN=127.0.0.1", "-addext", "subjectAltName=IP:127.0.0.1"];
  await Bun.spawn(["openssl", ...args.split(" "), ...names], { cwd, stderr: "ignore" }).exited;
  return { key: await Bun.file(`${cwd}/key`).text(), cert: await Bun.file(`${cwd}/cert`).text() };
}

test.each<[status: number, spec: Partial<ModelSpec>, advice: string]>([
  [401, { token_key: "MY_KEY" }, "(check the key in MY_KEY)"],
  [401, {}, "(no key was sent; name the variable of the key in token_key)"],
  [403, { token_key: "MY_KEY" }, "(check the key in MY_KEY; check that it may use gpt-5)"],
  [404, { model: "gpt-nosuch" }, '(check the name of the model, "gpt-nosuch", and base_url)'],
])("HTTP %i with %j", async (status, spec, advice) => {
  await using server = serve(() => Response.json({ error: { message: "no" } }, { status }));
  const message = await failureOf({ base_url: `${server.url}/v1`, ...spec }, { MY_KEY: "sk-1" });
  expect(message).toEndWith(`: HTTP ${status}: no ${advice}`);
});

test("a refused key of a provider names its page", async () => {
  await using server = serve(() => Response.json({ error: { message: "no" } }, { status: 401 }));
  const model = createModel(
    { provider: "mistral", model: "m" },
    {
      env: (name) => (name === "MISTRAL_API_KEY" ? "sk-1" : undefined),
      log: () => {},
      fetch: (_url, init) => fetch(server.url, init),
    },
  );
  const error = await rejection(createModelChain().call(model, ask(), { onDelta: () => {} }));
  expect(messageOf(error)).toEndWith(
    "(check the key in MISTRAL_API_KEY, or create one at https://console.mistral.ai/api-keys)",
  );
});

test.each<[spec: Partial<ModelSpec>, env: Record<string, string>, advice: string]>([
  [{ base_url: "http://127.0.0.1:9/v1" }, {}, "connection refused (start the server, or correct base_url)"],
  [{ provider: "ollama" }, { OLLAMA_HOST: "127.0.0.1:9" }, "connection refused (start the server with `ollama serve`)"],
])("a server that does not answer: %j", async (spec, env, advice) => {
  expect(await failureOf(spec, env)).toEndWith(advice);
});

test("a certificate that nothing signed", async () => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    tls: await selfSigned(),
    fetch: () => new Response(""),
  });
  const message = await failureOf({ base_url: `https://127.0.0.1:${server.port}/v1` });
  await server.stop(true);
  expect(message).toEndWith(
    "(to trust the server's own authority, set NODE_EXTRA_CA_CERTS to the file of its certificate)",
  );
});

test("with several models, each failure has its own advice", async () => {
  const models = ["ollama", "lmstudio"].map((provider) =>
    createModel({ provider, model: "m", base_url: "http://127.0.0.1:9/v1" }, { env: () => undefined, log: () => {} }),
  );
  const [primary, ...fallbacks] = models;
  if (!primary) throw new Error("no model");
  const error = await rejection(
    createModelChain({ retries: -1, fallbacks }).call(primary, ask(), { onDelta: () => {} }),
  );
  expect(messageOf(error)).toMatch(/ollama\/m: .*`ollama serve`.*; lmstudio\/m: .*`lms server start`/);
});
