import { afterAll, describe, expect, test } from "bun:test";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";

const MCP = join(import.meta.dir, "../fixtures/mcp/server.ts");
const HUGE = 50 * 1024 * 1024;

/** A server that answers `/huge` with 50 MB of text, and everything else with an OpenAPI document. */
function hugeServer() {
  const document = { openapi: "3.0.0", paths: { "/huge": { get: { operationId: "huge" } } } };
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) => {
      if (url.endsWith("/huge")) return new Response("x".repeat(HUGE), { headers: { "content-type": "text/plain" } });
      return url.endsWith("/robots.txt") ? new Response("", { status: 404 }) : Response.json(document);
    },
  });
  return { origin: `http://127.0.0.1:${server.port}`, stop: () => server.stop(true) };
}

/** The result of one call as the model reads it. */
async function resultOf(toolset: object, name: string, args: object = {}, keys: object = {}) {
  const model = fakeOpenAI([{ calls: [{ name, arguments: args }] }, { text: "Done." }]);
  const cwd = tempDir({});
  await Bun.write(join(cwd, "agent.json"), agentFor(model, { toolsets: [toolset], ...keys }));
  const ran = await hooksh(["run", "agent.json", "--yolo", "go"], { cwd, env: { TMPDIR: cwd } });
  model.stop();
  return { code: ran.code, stdout: ran.stdout, text: model.requests[1]?.messages.at(-1)?.content ?? "" };
}

describe("a result of 50 MB does not end the run, and the model reads how much is missing", () => {
  const server = hugeServer();
  afterAll(server.stop);
  const urls = [`${server.origin}/huge`, `${server.origin}/huge`, `${server.origin}/huge`];
  test.each<[string, object, string, object, RegExp]>([
    [
      "mcp",
      { type: "mcp", command: process.execPath, args: [MCP], name: "m" },
      "m_large",
      {},
      /bytes cut: the answer of \d{8} bytes is larger than 16 MiB/,
    ],
    [
      "api",
      {
        type: "api",
        api_config: { name: "huge", endpoint: `${server.origin}/huge`, method: "GET" },
        allow_private_ips: true,
      },
      "huge",
      {},
      /\(truncated\)$/,
    ],
    [
      "openapi",
      { type: "openapi", url: `${server.origin}/openapi.json`, allow_private_ips: true },
      "huge",
      {},
      /\(truncated\)$/,
    ],
    [
      "fetch",
      { type: "fetch", allow_private_ips: true },
      "fetch",
      { urls, format: "text" },
      /too large \(\d+ bytes; limit 51200 bytes\).*hooksh-tool-results/,
    ],
    [
      "script",
      { type: "script", shell: { huge: { cmd: "yes x | head -c 10000000" } } },
      "huge",
      {},
      /too large \(10000000|too large \(9999999/,
    ],
  ])("%s", async (_type, toolset, name, args, notice) => {
    const { code, stdout, text } = await resultOf(toolset, name, args);
    expect(code).toBe(0);
    expect(stdout.trim().slice(-5)).toBe("Done.");
    expect(text).toMatch(notice);
    expect(text.length).toBeLessThan(60_000);
  });
});

test("a large result that is kept in a file can be read there, and max_tool_result_tokens cuts what is left", async () => {
  const toolset = { type: "script", shell: { rows: { cmd: "seq 1 20000" } } };
  const { text } = await resultOf(toolset, "rows");
  expect(text).toContain("The full result is available in a file: ");
  expect(text.trimEnd()).toEndWith("20000");
  const capped = await resultOf(toolset, "rows", {}, { max_tool_result_tokens: 100 });
  expect(capped.text).toStartWith("Tool call result was too large (");
  expect(capped.text).toMatch(/\n\[\.\.\. \d+ characters cut \.\.\.\]\n/);
  expect(capped.text.trimEnd()).toEndWith("20000");
  expect(capped.text.length).toBeLessThan(500);
});

test("the file of a large result lasts as long as the session", async () => {
  const model = fakeOpenAI([
    { calls: [{ name: "shell", arguments: { cmd: "seq 1 20000" } }] },
    { calls: [{ name: "shell", arguments: { cmd: "wc -l hooksh-tool-results/*/*.txt" } }] },
    { text: "Done." },
  ]);
  const cwd = tempDir({});
  await Bun.write(join(cwd, "agent.json"), agentFor(model));
  await hooksh(["run", "agent.json", "--yolo", "go"], { cwd, env: { TMPDIR: cwd } });
  model.stop();
  expect(model.requests[2]?.messages.at(-1)?.content).toMatch(/^19999 hooksh-tool-results/);
  expect([...new Bun.Glob("hooksh-tool-results/*/*.txt").scanSync(cwd)]).toEqual([]);
});
