import { describe, expect, test } from "bun:test";
import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";
import { digestOf } from "../../../src/config/sources/content.ts";
import { fetchUrl } from "../../../src/config/sources/fetch-url.ts";
import { serve } from "../../model/loopback.ts";
import { failure, sourceContext } from "./context.ts";

const AGENT = "agents: {root: {model: openai/gpt-4o}}\n";

describe("an agent from a URL", () => {
  test("has its text, its digest, and an address without credentials and query", async () => {
    await using server = serve(() => new Response(AGENT));
    const agent = await fetchUrl(`${server.url.replace("//", "//me:pass@")}/a.yaml?token=abc`, sourceContext());
    expect(agent).toEqual({
      text: AGENT,
      displayName: `${server.url}/a.yaml`,
      digest: digestOf(AGENT),
      host: new URL(server.url).host,
    });
    expect(server.seen[0]?.headers["authorization"]).toBe(`Basic ${btoa("me:pass")}`);
  });

  test("is downloaded again only if its ETag changes", async () => {
    let tag = '"one"';
    await using server = serve((_index, request) =>
      request.headers.get("if-none-match") === tag
        ? new Response(null, { status: 304 })
        : new Response(`${AGENT}# ${tag}`, { headers: { etag: tag } }),
    );
    const context = sourceContext();
    const url = `${server.url}/a.yaml`;
    const first = await fetchUrl(url, context);
    expect(await fetchUrl(url, context)).toEqual(first);
    tag = '"two"';
    expect((await fetchUrl(url, context)).text).toBe(`${AGENT}# "two"`);
    expect(server.seen.map(({ headers }) => headers["if-none-match"])).toEqual([undefined, '"one"', '"one"']);
    expect(context.warnings).toEqual([]);
  });

  test("is the cached copy, with a warning, if the server fails or does not answer", async () => {
    let status = 200;
    const server = serve(() => new Response(AGENT, { status }));
    const context = sourceContext();
    const url = `${server.url}/a.yaml`;
    await fetchUrl(url, context);
    status = 500;
    expect((await fetchUrl(url, context)).text).toBe(AGENT);
    await server[Symbol.asyncDispose]();
    expect((await fetchUrl(url, context)).text).toBe(AGENT);
    expect(context.warnings).toEqual([
      `${url}: the server answered 500; using the copy fetched before`,
      `${url}: ${new URL(url).host}: connection refused; using the copy fetched before`,
    ]);
  });

  test("is stored in a private file", async () => {
    await using server = serve(() => new Response(AGENT, { headers: { etag: '"x"' } }));
    const context = sourceContext();
    await fetchUrl(`${server.url}/a.yaml`, context);
    const cache = join(context.data, "url_cache");
    const files = readdirSync(cache);
    expect(files.map((name) => name.replace(/^[0-9a-f]{64}/, "KEY")).sort()).toEqual(["KEY", "KEY.etag"]);
    for (const name of files) expect(statSync(join(cache, name)).mode & 0o777).toBe(0o600);
    expect(statSync(cache).mode & 0o777).toBe(0o700);
  });
});

describe("rejected are", () => {
  test.each([
    ["http://192.0.2.1/a.yaml", "192.0.2.1: only https is allowed, except on this machine"],
    ["ftp://example.com/a.yaml", "example.com: only https is allowed, except on this machine"],
    ["https://10.0.0.1/a.yaml", "10.0.0.1 is an internal address (10.0.0.1)"],
    ["https://169.254.169.254/latest", "169.254.169.254 is an internal address (169.254.169.254)"],
    ["https://[::ffff:127.0.0.1]/a", "[::ffff:7f00:1] is an internal address ([::ffff:7f00:1])"],
    ["http://127.0.0.2:9/a.yaml", "127.0.0.2:9: only https is allowed, except on this machine"],
    ["https://", "https://: not a URL"],
  ])("%s", async (url, message) => {
    expect(await failure(fetchUrl(url, sourceContext()))).toContain(message.split(" (")[0] ?? "");
  });

  test("an answer whose declared length is too large, before it is read", async () => {
    let pulled = 0;
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => {
              pulled++;
              controller.enqueue(new Uint8Array(64 * 1024));
              if (pulled > 200) controller.close();
            },
          }),
          { headers: { "content-length": String(200 * 64 * 1024) } },
        ),
    );
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, sourceContext()))).toMatch(
      /the agent file is larger than 5242880 bytes$/,
    );
  });

  test("an answer without a declared length, once it is too long", async () => {
    await using server = serve(
      () =>
        new Response(
          new ReadableStream({
            pull: (controller) => controller.enqueue(new Uint8Array(256 * 1024)), // without an end
          }),
        ),
    );
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, sourceContext()))).toMatch(
      /the agent file is larger than 5242880 bytes$/,
    );
  });

  test("a text that is not UTF-8", async () => {
    await using server = serve(() => new Response(new Uint8Array([0xff, 0xfe, 0x00])));
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, sourceContext()))).toEndWith("/a.yaml: not UTF-8 text");
  });

  test("a redirect from this machine to another, and one to plain http", async () => {
    await using server = serve(() => Response.redirect("http://192.0.2.1/a.yaml"));
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, sourceContext()))).toContain(
      "redirects from this machine to 192.0.2.1, which is not allowed",
    );
  });

  test("this machine if a remote agent refers to it", async () => {
    await using server = serve(() => new Response(AGENT));
    const context = sourceContext({}, { namedBy: "example.com" });
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, context))).toContain(
      "a remote agent must not refer to this machine",
    );
    expect(server.seen).toEqual([]);
  });

  test("a missing agent, with the status", async () => {
    await using server = serve(() => new Response("no", { status: 404 }));
    expect(await failure(fetchUrl(`${server.url}/a.yaml`, sourceContext()))).toBe(
      `${server.url}/a.yaml: the server answered 404`,
    );
  });
});

test("only GitHub receives its token, and not over plain http", async () => {
  await using server = serve(() => new Response(AGENT));
  const secret = ["ghp", "x".repeat(8)].join("_");
  await fetchUrl(`${server.url}/a.yaml`, sourceContext({ GITHUB_TOKEN: secret }));
  expect(JSON.stringify(server.seen)).not.toContain(secret);
});
