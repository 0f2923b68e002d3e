import { describe, expect, test } from "bun:test";
import { settled } from "../helpers/settled.ts";
import { startEchoServer } from "./echo-server.ts";
import { call, makeToolset, toolContext } from "./fixtures.ts";

const { origin } = startEchoServer();
const string = { type: "string" };

async function run(
  config: Record<string, unknown>,
  input: Record<string, unknown>,
  options: Record<string, unknown> = {},
) {
  const api_config = { name: "t", method: "GET", ...config, endpoint: `${origin}${String(config["endpoint"])}` };
  const toolset = await makeToolset("api", "/", { api_config, allow_private_ips: true, ...options });
  return call(toolset, "t", input, toolContext("/"));
}

describe("a GET call", () => {
  test("fills its arguments into the URL, encoded", async () => {
    const config = { endpoint: "/items/${id}?q=${q}", args: { id: string, q: string }, headers: { "X-Key": "k" } };
    const { text } = await run(config, { id: "a/b?c#d", q: "x&y=z", other: "ignored" });
    expect(JSON.parse(text)).toEqual({
      method: "GET",
      path: "/items/a%2Fb%3Fc%23d?q=x%26y%3Dz",
      key: "k",
      type: null,
      body: "",
    });
  });

  test("cannot leave its path", async () => {
    const config = { endpoint: "/items/${id}/x", args: { id: string } };
    for (const id of [".", ".."]) {
      expect(await run(config, { id })).toEqual({ text: `Error: id must not be "${id}"`, isError: true });
    }
  });

  test("accepts only strings, and names missing arguments", async () => {
    const config = { endpoint: "/items/${id}", args: { id: {} }, required: ["id"] };
    expect((await run(config, { id: 5 })).text).toBe("Error: id must be a string");
    expect((await run(config, { id: null })).text).toBe("Error: missing arguments: id");
  });
});

test.each(["POST", "put", "PATCH", "DELETE"])("a %s call sends its declared arguments as JSON", async (method) => {
  const { text } = await run(
    { endpoint: "/items", method, args: { a: string, n: { type: "integer" } } },
    { n: 3, a: "x", b: 1 },
  );
  expect(JSON.parse(text)).toEqual({
    method: method.toUpperCase(),
    path: "/items",
    key: null,
    type: "application/json",
    body: '{"a":"x","n":3}',
  });
});

describe("the answer", () => {
  test("with a status of 400 or more is an error", async () => {
    const result = await run({ endpoint: "/items?status=404" }, {});
    expect(result.isError).toBe(true);
    expect(result.text).toStartWith('Error: status 404\n{"method":"GET"');
  });

  test("is cut to 30 000 characters", async () => {
    const { text } = await run({ endpoint: "/items?fill=50000" }, {});
    expect(text).toEndWith("x\n... (truncated)");
    expect(text).toHaveLength(30_000 + "\n... (truncated)".length);
  });

  test("does not come from an internal address", async () => {
    const result = await run({ endpoint: "/items" }, {}, { allow_private_ips: false });
    expect(result.isError).toBe(true);
    expect(result.text).toContain("internal address");
  });
});

test.each([
  ["GET", true],
  ["HEAD", true],
  ["POST", false],
  ["DELETE", false],
])("%s is read-only: %p", async (method, readOnly) => {
  const { tools } = await makeToolset("api", "/", {
    api_config: { name: "t", endpoint: "https://example.com", method, instruction: "Does." },
  });
  expect(tools).toMatchObject([{ name: "t", description: "Does.", readOnly }]);
});

test("a tool's description holds the schema of its results", async () => {
  const config = {
    name: "t",
    endpoint: "https://example.com",
    method: "get",
    instruction: "Does.",
    output_schema: { type: "array" },
  };
  const { tools } = await makeToolset("api", "/", { api_config: config });
  expect(tools).toMatchObject([
    { description: 'Does.\n\nReturns JSON of this schema: {"type":"array"}', readOnly: true },
  ]);
});

test.each([
  [{ endpoint: "example.com" }, "is not a URL"],
  [{ endpoint: "ftp://example.com" }, "ftp: URLs are not supported"],
  [{ endpoint: "https://example.com", method: "FETCH" }, "expected one of GET"],
  [{ endpoint: "https://example.com", args: { id: "text" } }, "api_config.args.id: expected a JSON Schema"],
  [{ endpoint: "https://example.com/${id}" }, '"id" is not declared under args'],
  [{ endpoint: "https://example.com", required: ["id"] }, '"id" is not declared under args'],
  [{ endpoint: "https://example.com", name: "two words" }, 'api_config.name: "two words" cannot be the name of a tool'],
])("a configuration is refused: %p", async (config, problem) => {
  expect(await settled(makeToolset("api", "/", { api_config: { name: "t", method: "GET", ...config } }))).toThrow(
    problem,
  );
});
