import { describe, expect, test } from "bun:test";
import { ConfigError } from "../../src/lib/errors.ts";
import { settled } from "../helpers/settled.ts";
import { startEchoServer } from "./echo-server.ts";
import { call, makeToolset, toolContext } from "./fixtures.ts";

const PETS = {
  openapi: "3.0.0",
  servers: [{ url: "/v{version}", variables: { version: { default: "2" } } }],
  paths: {
    "/pets/{id}": {
      parameters: [{ $ref: "#/components/parameters/id" }],
      get: {
        operationId: "show pet!",
        summary: "Shows a pet.",
        parameters: [
          { name: "fields", in: "query", schema: { type: "array", items: { type: "string" } } },
          { name: "X-A", in: "header" },
        ],
      },
      put: {
        description: "d".repeat(300),
        requestBody: {
          required: true,
          content: { "application/json": { schema: { $ref: "#/components/schemas/Pet" } } },
        },
      },
    },
    "/tags": {
      post: {
        requestBody: { content: { "application/json": { schema: { type: "array", items: { type: "string" } } } } },
      },
    },
  },
  components: {
    parameters: { id: { name: "id", in: "path", required: true, description: "Which.", schema: { type: "string" } } },
    schemas: {
      Pet: {
        type: "object",
        properties: { id: { type: "integer" }, name: { type: "string" }, friend: { $ref: "#/components/schemas/Pet" } },
        required: ["name"],
      },
    },
  },
};

const SWAGGER = `
swagger: "2.0"
basePath: /old
paths:
  /pets:
    get:
      parameters:
        - { name: limit, in: query, type: integer, required: true }
    post:
      operationId: addPet
      parameters:
        - { name: pet, in: body, required: true, schema: { type: object, properties: { name: { type: string } } } }
`;

const { origin } = startEchoServer({ pets: JSON.stringify(PETS), swagger: SWAGGER, page: "<html>", list: "[]" });

function make(document: string, options: Record<string, unknown> = {}) {
  return makeToolset("openapi", "/", { url: `${origin}/documents/${document}`, allow_private_ips: true, ...options });
}

async function run(document: string, name: string, input: Record<string, unknown>) {
  const { text } = await call(await make(document, { headers: { "X-Key": "k" } }), name, input, toolContext("/"));
  return text.startsWith("{") ? (JSON.parse(text) as unknown) : text;
}

test("every operation is a tool", async () => {
  const { tools } = await make("pets");
  expect(tools.map(({ name, description, readOnly }) => ({ name, description, readOnly }))).toEqual([
    { name: "show_pet", description: "Shows a pet.", readOnly: true },
    { name: "put_pets_id", description: "d".repeat(200), readOnly: false },
    { name: "post_tags", description: "POST /tags", readOnly: false },
  ]);
  expect(tools[0]?.parameters).toEqual({
    type: "object",
    properties: { id: { type: "string", description: "Which." }, fields: { type: "array", items: { type: "string" } } },
    required: ["id"],
    additionalProperties: false,
  });
  expect(tools[1]?.parameters).toMatchObject({
    properties: {
      id: { type: "string" },
      body_id: { type: "integer" },
      name: { type: "string" },
      friend: { type: "object" },
    },
    required: ["id", "name"],
  });
});

describe("a call", () => {
  test("puts arguments into path and query", async () => {
    expect(await run("pets", "show_pet", { id: "a/b", fields: ["x", "y z"] })).toEqual({
      method: "GET",
      path: "/v2/pets/a%2Fb?fields=x&fields=y+z",
      key: "k",
      type: null,
      body: "",
    });
  });

  test("puts the rest into the body", async () => {
    expect(await run("pets", "put_pets_id", { id: "1", body_id: 7, name: "Rex" })).toEqual({
      method: "PUT",
      path: "/v2/pets/1",
      key: "k",
      type: "application/json",
      body: '{"id":7,"name":"Rex"}',
    });
    expect(await run("pets", "post_tags", { body: ["a"] })).toMatchObject({ body: '["a"]' });
  });

  test.each([
    [undefined, 30_000],
    [1000, 1000],
    [0, 50_000],
  ])("with max_output_bytes: %p returns %i bytes of a long response", async (limit, length) => {
    const entry = limit === undefined ? {} : { max_output_bytes: limit };
    const toolset = await make("pets", entry);
    const { text } = await call(toolset, "post_tags", { body: ["x".repeat(50_000)] }, toolContext("/"));
    const [shown = "", mark] = text.split("\n... ");
    expect(shown.length - length).toBeWithin(0, limit === 0 ? 500 : 1);
    expect(mark).toBe(limit === 0 ? undefined : "(truncated)");
  });

  test("is refused if a required argument is missing or would change the path", async () => {
    expect(await run("pets", "put_pets_id", { id: "1" })).toBe("Error: missing arguments: name");
    expect(await run("pets", "show_pet", { id: ".." })).toBe('Error: id must not be ".."');
  });
});

test("a Swagger 2 document in YAML is understood", async () => {
  const { tools } = await make("swagger");
  expect(tools.map(({ name }) => name)).toEqual(["get_pets", "addPet"]);
  expect(await run("swagger", "get_pets", { limit: 3 })).toMatchObject({ path: "/old/pets?limit=3" });
  expect(await run("swagger", "addPet", { name: "Rex" })).toMatchObject({ path: "/old/pets", body: '{"name":"Rex"}' });
});

describe("no toolset comes from", () => {
  test.each([
    ["missing", "status 404"],
    ["page", ""],
    ["list", "not an OpenAPI document"],
  ])("the document %s", async (document, problem) => {
    expect(await settled(make(document))).toThrow(ConfigError);
    expect(await settled(make(document))).toThrow(problem);
  });

  test("an internal address", async () => {
    expect(await settled(make("pets", { allow_private_ips: false }))).toThrow("internal address");
  });
});
