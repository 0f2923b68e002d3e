import { afterEach, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { dispatch, hooksh, type RunOptions } from "../helpers/binary.ts";
import { agentFor, type Step } from "../helpers/fake-openai.ts";
import { modelServers } from "../helpers/model-server.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const serve = modelServers();
const cleanups: (() => unknown)[] = [];
afterEach(() => cleanups.splice(0).forEach((cleanup) => cleanup()));

/** Values that do not look like a token; only their place makes them secrets. */
const fresh = () => `q${crypto.randomUUID().replaceAll("-", "").slice(0, 14)}z`;
const encoded = (value: string) => ["", "-", "--"].map((before) => Buffer.from(before + value).toString("base64"));
const call = (name: string, input: object): Step => ({ calls: [{ name, arguments: input }] });

const REDACT = { type: "builtin", command: "redact_secrets" };

interface RunSetup {
  agent?: Record<string, unknown>;
  provider?: Record<string, unknown>;
  files?: Record<string, string>;
  args?: string[];
  env?: RunOptions["env"];
  prompt?: string;
}

async function run(
  steps: Step[],
  { agent = {}, provider = {}, files = {}, args = [], env = {}, prompt = "go" }: RunSetup,
) {
  const server = serve(...steps, { text: "done" });
  const file = JSON.parse(agentFor(server, { redact_secrets: true, ...agent }));
  Object.assign(file.providers.fake, provider);
  const cwd = tempDir({ "agent.yaml": JSON.stringify(file), ...files });
  const ran = await hooksh(["run", "agent.yaml", "--yolo", ...args, prompt], { cwd, env });
  const results =
    server.requests
      .at(-1)
      ?.messages.filter(({ role }) => role === "tool")
      .map(({ content }) => content) ?? [];
  return { ...ran, cwd, results, sent: JSON.stringify(server.requests) };
}

/** An MCP server with one tool that shows the headers of its request. */
function headerServer(): string {
  const http = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method } = (await request.json()) as { id?: number; method: string };
      const shown = JSON.stringify(Object.fromEntries(request.headers));
      const results: Record<string, unknown> = {
        initialize: {
          protocolVersion: "2025-06-18",
          capabilities: { tools: {} },
          serverInfo: { name: "h", version: "1" },
        },
        "tools/list": {
          tools: [{ name: "headers", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } }],
        },
        "tools/call": {
          content: [{ type: "text", text: `${shown} ${encoded(request.headers.get("x-api-key") ?? "").join(" ")}` }],
        },
      };
      if (id === undefined) return new Response(null, { status: 202 });
      return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} });
    },
  });
  cleanups.push(() => http.stop(true));
  return `http://127.0.0.1:${http.port}/mcp`;
}

test("the model sees no key from the environment or an env file, wherever it comes from and however it is encoded", async () => {
  // Nothing in its name says that the third is a secret, and its letters and digits are distributed as in a name.
  const [model, deploy, fromFile] = [fresh(), fresh(), "q3065a30017ff47z"];
  const said = [model, deploy, fromFile].flatMap((value) => [
    `x${value}x`,
    encodeURIComponent(value),
    ...encoded(value),
  ]);
  const { sent, results, code } = await run(
    [call("shell", { cmd: `echo '${said.join(" ")}'; printenv DEPLOY_TOKEN` })],
    {
      provider: { token_key: "MODEL_ACCESS" },
      env: { MODEL_ACCESS: model, DEPLOY_TOKEN: deploy },
      files: { "keys.env": `SERVICE_SETTING=${fromFile}\n` },
      args: ["--env-from-file", "keys.env"],
      prompt: `use ${said.join(" or ")}`,
    },
  );
  expect(code).toBe(0);
  for (const value of [model, deploy, fromFile]) {
    expect(sent).not.toContain(value);
    for (const form of encoded(value)) expect(sent).not.toContain(form.slice(4, -4));
  }
  expect(results.join("\n")).toContain("x[REDACTED]x");
  expect(results.join("\n")).toMatch(/\n\[REDACTED\]\s*$/);
});

test("the model sees no header that is sent to an MCP server", async () => {
  const [fromVariable, written] = [fresh(), fresh()];
  const headers = { "X-Api-Key": "${env.UPSTREAM}", Authorization: `Bearer ${written}` };
  const { sent, results } = await run(
    [call("headers", {}), call("shell", { cmd: "cat agent.yaml; printenv UPSTREAM" })],
    {
      agent: {
        toolsets: [
          { type: "mcp", remote: { url: headerServer(), headers }, allow_private_ips: true },
          { type: "shell" },
        ],
      },
      env: { UPSTREAM: fromVariable },
      prompt: `is ${written} right?`,
    },
  );
  for (const value of [fromVariable, written]) {
    expect(sent).not.toContain(value);
    for (const form of encoded(value)) expect(sent).not.toContain(form.slice(4, -4));
  }
  expect(results[0]).toContain('"x-api-key":"[REDACTED]"');
  expect(results[1]).toContain("Bearer [REDACTED]");
});

test("the model sees no declared credential of words, and ordinary words stay", async () => {
  const [model, header, file] = ["walnut-orchard-gate", "copper.meadow.lantern", "thistledown"];
  const plain = "quiet-river-stone is in production at localhost";
  const { sent, results } = await run(
    [call("headers", {}), call("shell", { cmd: `echo ${model} ${file}, ${plain}` })],
    {
      agent: {
        toolsets: [
          { type: "mcp", remote: { url: headerServer(), headers: { "X-Api-Key": header } }, allow_private_ips: true },
          { type: "shell" },
        ],
      },
      provider: { token_key: "MODEL_ACCESS" },
      env: { MODEL_ACCESS: model },
      files: {
        "keys.env": `DB_PASSWORD=${file}\nAPI_TOKEN=production\nDB_HOST=localhost\nSERVICE=quiet-river-stone\n`,
      },
      args: ["--env-from-file", "keys.env"],
    },
  );
  expect(results[0]).toContain('"x-api-key":"[REDACTED]"');
  expect(results[1]).toContain(`[REDACTED] [REDACTED], ${plain}`);
  for (const value of [model, header, file]) expect(sent).not.toContain(value);
});

test("the credentials of a hook or a toolset are known, and labels can name them", async () => {
  const [forHook, forTool] = [fresh(), fresh()];
  const hook = { type: "command", command: "true", env: { SLACK_TOKEN: forHook } };
  const { sent, results } = await run([call("shell", { cmd: `echo $DB_PASSWORD ${forHook}` })], {
    agent: {
      redact_secrets: false,
      toolsets: [{ type: "shell", env: { DB_PASSWORD: forTool } }],
      hooks: {
        session_end: [hook],
        tool_response_transform: [{ hooks: [{ ...REDACT, args: ["label"] }] }],
      },
    },
  });
  expect(results).toEqual([expect.stringContaining("[REDACTED:known-value] [REDACTED:known-value]")]);
  expect(sent).not.toContain(forTool);
});

test("a response large enough for a worker is redacted with the same values", async () => {
  const [model, deploy] = [fresh(), fresh()];
  const padding = "all is well here\n".repeat(40_000);
  const { results, sent } = await run([call("read_file", { path: "log.txt" })], {
    agent: { toolsets: [{ type: "filesystem" }] },
    provider: { token_key: "MODEL_ACCESS" },
    env: { MODEL_ACCESS: model, DEPLOY_TOKEN: deploy },
    files: { "log.txt": `${model} ${deploy} ${padding}` },
  });
  expect(results[0]).toContain("[REDACTED] [REDACTED] all is well");
  for (const value of [model, deploy]) expect(sent).not.toContain(value);
});

test("a recording contains no key, and can be replayed", async () => {
  const key = fresh();
  const setup = {
    provider: { token_key: "MODEL_ACCESS" },
    env: { MODEL_ACCESS: key },
    agent: { redact_secrets: false },
    prompt: `say ${key}`,
  };
  const { cwd } = await run([], { ...setup, args: ["--record=tape.yaml"] });
  const tape = readFileSync(join(cwd, "tape.yaml"), "utf8");
  expect(tape).not.toContain(key);
  expect(tape).toContain("[REDACTED]");
  const played = await hooksh(["run", "agent.yaml", "--fake", "tape.yaml", setup.prompt], { cwd, env: setup.env });
  expect(played).toMatchObject({ code: 0, stdout: "done\n" });
});

test("a dispatch redacts the credentials in its environment, and no plain words", async () => {
  const key = fresh();
  const env = {
    DEPLOY_TOKEN: key,
    SHORT_TOKEN: "abc123",
    DB_PASSWORD: "postgres",
    API_SECRET: "production",
    APP_ENV: "qa-eu-west-7",
  };
  const event = {
    hook_event_name: "tool_response_transform",
    tool_name: "shell",
    tool_response: `${key} abc123 postgres production qa-eu-west-7`,
  };
  const { lines } = await dispatch({ tool_response_transform: [{ hooks: [REDACT] }] }, event, { cwd: tempDir(), env });
  expect(lines()[0]).toMatchObject({ updated_tool_response: "[REDACTED] abc123 postgres production qa-eu-west-7" });
});

test("neither a verdict nor a later hook of the user's own shows a known value", async () => {
  const key = fresh();
  const own = "export default (input) => ({ system_message: JSON.stringify([input, process.env]) });\n";
  const cwd = tempDir({ "own.ts": own });
  const event = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: `echo ${key}` } };
  const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [REDACT, { type: "builtin", command: "./own.ts" }] }] };
  const { stdout, lines } = await dispatch(hooks, event, { cwd, env: { DEPLOY_TOKEN: key } });
  expect(lines()[0]).toMatchObject({ modified_input: { cmd: "echo [REDACTED]" } });
  expect(stdout).not.toContain(key);
});

test.each([
  ["as the reason of a denial", "echo no $DEPLOY_TOKEN >&2; exit 2"],
  ["in a system message", `printf '{"system_message":"%s"}' $DEPLOY_TOKEN`],
  ["in the reason of a JSON denial", `printf '{"decision":"block","reason":"%s"}' $DEPLOY_TOKEN`],
  ["on standard error of a failure", "echo broken $DEPLOY_TOKEN >&2; exit 1"],
])(
  "a secret that a hook prints %s is not in the output of a run, with --json or without, nor in the log",
  async (_name, command) => {
    const key = fresh();
    const hooks = { pre_tool_use: [{ matcher: "shell", hooks: [{ type: "command", command }] }] };
    for (const flags of [["--json"], []]) {
      const ran = await run([call("shell", { cmd: "ls" })], {
        agent: { hooks },
        args: [...flags, "--debug", "--log-file", "log"],
        env: { DEPLOY_TOKEN: key },
      });
      const log = readFileSync(join(ran.cwd, "log"), "utf8");
      expect(log).toContain("pre_tool_use hook");
      expect([ran.stdout, ran.stderr, log].join("\n")).not.toContain(key);
    }
  },
);

test("a dispatch keeps a secret that a hook prints out of its debug log", async () => {
  const key = fresh();
  const hooks = { pre_tool_use: [{ hooks: [{ type: "command", command: "echo no $DEPLOY_TOKEN >&2; exit 2" }] }] };
  const event = { hook_event_name: "pre_tool_use", tool_name: "shell", tool_input: { cmd: "ls" } };
  const cwd = tempDir();
  await dispatch(hooks, event, {
    cwd,
    env: { DEPLOY_TOKEN: key, HOOKSH_DEBUG: "1", HOOKSH_LOG_FILE: join(cwd, "log") },
  });
  const log = readFileSync(join(cwd, "log"), "utf8");
  expect(log).toContain("stderr: no [REDACTED]");
});
