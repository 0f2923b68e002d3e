import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ConfigError } from "../../../src/lib/errors.ts";
import { PDF, png } from "../../helpers/images.ts";
import { settled } from "../../helpers/settled.ts";
import { call, makeToolset, temporaryDirectory, toolContext } from "../fixtures.ts";

let server: Bun.Server<undefined>;
let robots: { status: number; body: string } = { status: 404, body: "" };
let requests: { path: string; headers: Headers }[] = [];

beforeAll(() => {
  server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname, searchParams } = new URL(request.url);
      if (pathname === "/robots.txt") return new Response(robots.body, { status: robots.status });
      requests.push({ path: pathname, headers: request.headers });
      switch (pathname) {
        case "/page":
          return new Response("<h1>Hi</h1><p>there</p>", { headers: { "Content-Type": "text/html; charset=utf-8" } });
        case "/text":
          return new Response("<plain>", { headers: { "Content-Type": "text/plain" } });
        case "/latin":
          return new Response(Buffer.from([0x63, 0xe9]), {
            headers: { "Content-Type": "text/plain; charset=ISO-8859-1" },
          });
        case "/dot.png":
          return new Response(png(3, 2), { headers: { "Content-Type": "text/html" } });
        case "/report":
          return new Response(PDF, { headers: { "Content-Type": "application/pdf" } });
        case "/archive":
          return new Response(Buffer.from("PK\x03\x04\0\0"), { headers: { "Content-Type": "application/zip" } });
        case "/wide":
          return new Response(Buffer.from("a\0b\0"), { headers: { "Content-Type": "text/plain; charset=utf-16le" } });
        case "/photo":
          return new Response(Buffer.concat([png(3, 2), Buffer.alloc(2 * 1024 * 1024)]));
        case "/large":
          return new Response("x".repeat(2 * 1024 * 1024), { headers: { "Content-Type": "text/plain" } });
        case "/go":
          return new Response(null, { status: 302, headers: { Location: searchParams.get("to") ?? "/" } });
        case "/slow":
          return new Promise(() => {});
        default:
          return new Response("nothing here", { status: 404, headers: { "Content-Type": "text/plain" } });
      }
    },
  });
});

afterAll(() => server.stop(true));

async function get(paths: string[], input: Record<string, unknown> = {}, options: Record<string, unknown> = {}) {
  requests = [];
  const toolset = await makeToolset("fetch", temporaryDirectory(), { allow_private_ips: true, ...options });
  const urls = paths.map((path) => (path.startsWith("/") ? `http://127.0.0.1:${server.port}${path}` : path));
  return call(toolset, "fetch", { urls, format: "markdown", ...input }, toolContext("/"));
}

const at = (path: string) => `http://127.0.0.1:${server.port}${path}`;

describe("a page", () => {
  test("is returned in the requested format", async () => {
    const lead = `Successfully fetched ${at("/page")} (Status: 200, Length: 23 bytes):\n\n`;
    expect(await get(["/page"])).toEqual({ text: `${lead}# Hi\n\nthere` });
    expect(await get(["/page"], { format: "text" })).toEqual({ text: `${lead}Hi\n\nthere` });
    expect(await get(["/page"], { format: "html" })).toEqual({ text: `${lead}<h1>Hi</h1><p>there</p>` });
    expect(requests[0]?.headers.get("accept")).toStartWith("text/html;q=1.0");
  });

  test("that is an image or a PDF is attached, whatever the server calls it", async () => {
    const image = png(3, 2);
    const lead = (path: string, bytes: number) =>
      `Successfully fetched ${at(path)} (Status: 200, Length: ${bytes} bytes):\n\n`;
    expect(await get(["/dot.png"])).toEqual({
      text: `${lead("/dot.png", image.length)}[image/png, 3 x 2 pixels, ${image.length} bytes]`,
      attachments: [{ mimeType: "image/png", data: image.toString("base64"), name: "dot.png" }],
    });
    const both = await get(["/report", "/text"]);
    expect(both.attachments).toEqual([{ mimeType: "application/pdf", data: PDF.toString("base64"), name: "report" }]);
    const pages: { body: string }[] = JSON.parse(both.text);
    expect(pages.map(({ body }) => body)).toEqual([`[application/pdf, ${PDF.length} bytes]`, "<plain>"]);
    expect(both.text).not.toContain("attachment");
  });

  test("that is a file of another kind, or cut off, is named", async () => {
    const archive = await get(["/archive"]);
    expect(archive.text).toEndWith("[application/zip left out: models cannot be shown application/zip, 6 bytes]");
    const photo = await get(["/photo"]);
    expect(photo.text).toEndWith("[image/png left out: larger than 1048576 bytes]");
    expect([archive.attachments, photo.attachments]).toEqual([undefined, undefined]);
  });

  test("in UTF-16 without a mark is text", async () => {
    expect((await get(["/wide"])).text).toEndWith("\n\nab");
  });

  test("that is not HTML is returned unchanged", async () => {
    expect((await get(["/text"])).text).toEndWith("\n\n<plain>");
    expect((await get(["/latin"])).text).toEndWith("\n\ncé");
  });

  test("is cut off after 1 MiB", async () => {
    const { text } = await get(["/large"]);
    expect(text).toContain("Length: 1048576 bytes");
    expect(text).toEndWith("x\n... (cut off after 1048576 bytes)");
  });

  test("that is missing is shown with its status", async () => {
    expect(await get(["/gone"])).toEqual({
      text: `Successfully fetched ${at("/gone")} (Status: 404, Length: 12 bytes):\n\nnothing here`,
    });
  });

  test("that takes too long is an error", async () => {
    const result = await get(["/slow"], { timeout: 1 });
    expect(result.isError).toBe(true);
    expect(result.text).toStartWith(`Error fetching ${at("/slow")}: `);
  });
});

test("several pages are a JSON array in the requested order, with errors in their place", async () => {
  const result = await get(["/text", "ftp://example.com/", "nonsense"]);
  expect(result.isError).toBeUndefined();
  expect(JSON.parse(result.text)).toEqual([
    {
      url: at("/text"),
      statusCode: 200,
      status: "200 OK",
      contentType: "text/plain",
      contentLength: 7,
      body: "<plain>",
    },
    { url: "ftp://example.com/", error: "only http(s) URLs are supported" },
    { url: "nonsense", error: "not a URL" },
  ]);
  expect((await get(["x", "y"])).isError).toBe(true);
});

test.each([
  [{ urls: [] }, "urls: Invalid length"],
  [{ timeout: 0 }, "timeout: Invalid value"],
  [{ timeout: 301 }, "timeout: Invalid value"],
  [{ format: "pdf" }, "format must be"],
])("arguments are checked: %p", async (input, problem) => {
  const result = await get(["/page"], input);
  expect(result.isError).toBe(true);
  expect(result.text).toContain(problem);
});

describe("an internal address is refused", () => {
  test.each([
    "http://127.0.0.1/",
    "http://169.254.169.254/latest/meta-data",
    "http://[::ffff:127.0.0.1]/",
    "http://localhost/",
    "http://0.0.0.0/",
    "http://2130706433/",
  ])("%s", async (url) => {
    const result = await get([url], {}, { allow_private_ips: false });
    expect(result.isError).toBe(true);
    expect(result.text).toContain("internal address");
  });

  test("even when this server would answer", async () => {
    const result = await get(["/text"], {}, { allow_private_ips: false });
    expect(result.isError).toBe(true);
    expect(requests).toEqual([]);
  });
});

describe("domains", () => {
  test("outside the allowed ones are refused, on a redirect too", async () => {
    const options = { allowed_domains: ["127.0.0.1"] };
    expect((await get(["/text"], {}, options)).isError).toBeUndefined();
    expect((await get(["http://example.com/"], {}, options)).text).toContain(
      "example.com is not among the allowed domains",
    );
    expect((await get(["/go?to=http://example.com/"], {}, options)).text).toContain(
      "example.com is not among the allowed domains",
    );
  });

  test("that are blocked are refused", async () => {
    expect((await get(["/text"], {}, { blocked_domains: ["127.0.0.0/8"] })).text).toContain(
      "127.0.0.1 is a blocked domain",
    );
    expect(requests).toEqual([]);
  });

  test("cannot be both allowed and blocked, and must be valid", async () => {
    expect(await settled(get([], {}, { allowed_domains: ["a.com"], blocked_domains: ["b.com"] }))).toThrow(ConfigError);
    expect(await settled(get([], {}, { allowed_domains: ["a.*.com"] }))).toThrow(ConfigError);
  });
});

describe("configured headers", () => {
  test("are sent, and not to another host", async () => {
    const headers = { "X-Key": "k" };
    await get(["/go?to=/text"], {}, { headers });
    expect(requests.map((request) => request.headers.get("x-key"))).toEqual(["k", "k"]);
    await get([`/go?to=http://localhost:${server.port}/text`], {}, { headers });
    expect(requests.map((request) => request.headers.get("x-key"))).toEqual(["k", null]);
  });
});

describe("robots.txt", () => {
  test.each([
    [{ status: 200, body: "User-agent: *\nDisallow: /text" }, "not allowed by robots.txt"],
    [{ status: 403, body: "" }, "robots.txt cannot be read (status 403)"],
    [{ status: 500, body: "" }, "robots.txt cannot be read (status 500)"],
  ])("%p refuses", async (answer, reason) => {
    robots = answer;
    const result = await get(["/text"]);
    robots = { status: 404, body: "" };
    expect(result).toEqual({ text: `Error fetching ${at("/text")}: ${reason}`, isError: true });
    expect(requests).toEqual([]);
  });

  test("that allows the page has no effect", async () => {
    robots = { status: 200, body: "User-agent: *\nDisallow: /page" };
    const result = await get(["/text"]);
    robots = { status: 404, body: "" };
    expect(result.isError).toBeUndefined();
  });
});
