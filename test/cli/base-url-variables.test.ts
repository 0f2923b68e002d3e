/** The variables that set the address of a provider, as its own SDKs read them, and a `base_url` that is none. */
import { afterAll, expect, test } from "bun:test";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const seen: { path: string; headers: Headers }[] = [];

/** A gateway that refuses every request, after it has written it down. */
const gateway = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  fetch(request) {
    seen.push({ path: new URL(request.url).pathname, headers: request.headers });
    return Response.json({ error: { message: "no" } }, { status: 400 });
  },
});
afterAll(() => void gateway.stop(true));
const ADDRESS = `http://127.0.0.1:${gateway.port}`;

const agent = (model: string, more = "") => `agents: {root: {model: ${model}, instruction: x}}\n${more}`;
const run = (args: readonly string[], files: Record<string, string>, env: Record<string, string>) =>
  hooksh(["run", "agent.yaml", ...args], { cwd: tempDir(files), env });

test.each([
  ["openai/gpt-4o", "OPENAI", "/v1", "/v1/chat/completions", "authorization", "Bearer sk-mine"],
  ["anthropic/claude-sonnet-4-5", "ANTHROPIC", "", "/v1/messages", "x-api-key", "sk-mine"],
  [
    "google/gemini-3-flash",
    "GEMINI",
    "",
    "/v1beta/models/gemini-3-flash:streamGenerateContent",
    "x-goog-api-key",
    "sk-mine",
  ],
])("%s sends its key to the address of its variable", async (model, vendor, base, path, header, value) => {
  seen.length = 0;
  const variable = vendor === "GEMINI" ? "GOOGLE_GEMINI_BASE_URL" : `${vendor}_BASE_URL`;
  const env = { [`${vendor}_API_KEY`]: "sk-mine", [variable]: ADDRESS + base, OPENAI_ORG_ID: "org-1" };
  const ran = await run(["hi"], { "agent.yaml": agent(model) }, env);
  expect(ran.stderr).toContain(`${ADDRESS}${path}`);
  expect(seen.map((request) => [request.path, request.headers.get(header)])).toEqual([[path, value]]);
  expect(seen[0]?.headers.get("openai-organization")).toBe(vendor === "OPENAI" ? "org-1" : null);
});

test("a configured base_url wins, and gets no header of a variable", async () => {
  seen.length = 0;
  const text = agent("m", `models: {m: {provider: openai, model: gpt-4o, base_url: "${ADDRESS}/own"}}\n`);
  const env = { OPENAI_BASE_URL: "http://127.0.0.1:9/v1", OPENAI_API_KEY: "sk-mine", OPENAI_ORG_ID: "org-1" };
  await run(["hi"], { "agent.yaml": text }, env);
  expect(seen.map(({ path, headers }) => [path, headers.get("openai-organization")])).toEqual([
    ["/own/chat/completions", null],
  ]);
});

test("--dry-run and doctor show the address, without a password", async () => {
  const env = { OPENAI_API_KEY: "sk-mine", OPENAI_BASE_URL: `http://me:pass-w0rd@127.0.0.1:${gateway.port}/v1` };
  const cwd = tempDir({ "agent.yaml": agent("openai/gpt-4o") });
  const dry = await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env });
  expect(dry.stdout).toBe(`* root: openai/gpt-4o at ${ADDRESS}/v1 (OPENAI_BASE_URL), 0 tools\n`);
  const doctor = await hooksh(["doctor", "agent.yaml"], { cwd, env });
  expect(doctor.stdout).toMatch(new RegExp(`^ +OPENAI_BASE_URL +environment, ${ADDRESS}/v1$`, "m"));
  expect(doctor.stdout + doctor.stderr).not.toContain("pass-w0rd");
});

test.each(["127.0.0.1:9/v1", "https://host/v 1", "ftp://host"])(
  "%j is an error before a key is sent, and an issue of doctor",
  async (value) => {
    const env = { OPENAI_API_KEY: "sk-mine", OPENAI_BASE_URL: value };
    const cwd = tempDir({ "agent.yaml": agent("openai/gpt-4o") });
    const message = "OPENAI_BASE_URL: needs http:// or https:// and no spaces";
    const ran = await hooksh(["run", "agent.yaml", "hi"], { cwd, env });
    expect([ran.code, ran.stdout, ran.stderr]).toEqual([1, "", expect.stringContaining(message)]);
    const doctor = await hooksh(["doctor"], { cwd: tempDir(), env });
    expect([doctor.code, doctor.stdout]).toEqual([1, expect.stringContaining(`  - ${message}\n`)]);
  },
);

test("an env file gets a key sent to its address only if it sets the key", async () => {
  seen.length = 0;
  const address = `OPENAI_BASE_URL=${ADDRESS}/v1\n`;
  const files = { "agent.yaml": agent("openai/gpt-4o"), ".env": address, "key.env": "OPENAI_API_KEY=sk-file\n" };
  const key = { OPENAI_API_KEY: "sk-mine" };
  const refusal = ".env would send OPENAI_API_KEY, which it does not set, to its own address";
  const ran = await run(["--env-from-file", ".env", "hi"], files, key);
  expect([ran.code, ran.stderr]).toEqual([1, expect.stringContaining(refusal)]);
  const two = await run(["--env-from-file", "key.env", "--env-from-file", ".env", "hi"], files, {});
  expect([two.code, two.stderr]).toEqual([1, expect.stringContaining(refusal)]);
  await run(["hi"], files, { ...key, HTTPS_PROXY: ADDRESS }); // no .env is read by itself
  expect(seen.map(({ headers }) => headers.get("authorization"))).not.toContain("Bearer sk-mine");
  seen.length = 0;
  await run(["--env-from-file", ".env", "hi"], { ...files, ".env": `${address}OPENAI_API_KEY=sk-file\n` }, key);
  expect(seen.map(({ headers }) => headers.get("authorization"))).toEqual(["Bearer sk-file"]);
});

test.each([
  ["models: {m: {provider: openai, model: x, base_url: 'localhost:1234/v1'}}", "models.m.base_url", 2, 52],
  [
    "providers: {p: {base_url: 'localhost:1234/v1'}}\nmodels: {m: {provider: p, model: x}}",
    "providers.p.base_url",
    2,
    27,
  ],
])("%s is an error with its place", async (more, path, line, column) => {
  const ran = await run(["hi"], { "agent.yaml": agent("m", more) }, { OPENAI_API_KEY: "sk-mine" });
  expect(ran).toMatchObject({
    code: 1,
    stderr: `agent.yaml:${line}:${column}: ${path}: needs http:// or https:// and no spaces\n`,
  });
});
