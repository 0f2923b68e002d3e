import { afterEach, describe, expect, test } from "bun:test";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { GuardedRequest, GuardedResponse } from "../../../src/lib/network/guarded-fetch.ts";
import { guardedFetch, proxyFor, readAtMost } from "../../../src/lib/network/guarded-fetch.ts";
import { endless, memoryOf } from "../../helpers/endless.ts";

const cleanups: (() => unknown)[] = [];
afterEach(async () => {
  for (const cleanup of cleanups.splice(0)) await cleanup();
});

const request: GuardedRequest = { env: {}, signal: new AbortController().signal, allowPrivate: true };

function serve(answer: (request: Request) => Response | Promise<Response>): URL {
  const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: answer });
  cleanups.push(() => server.stop(true));
  return new URL(`http://127.0.0.1:${server.port}/`);
}

async function textOf(result: GuardedResponse): Promise<string> {
  return result.kind === "response" ? result.response.text() : `${result.kind}: ${result.reason}`;
}

test("an internal address is refused before anything is sent", async () => {
  let asked = 0;
  const url = serve(() => new Response(String(++asked)));
  const hosts = ["127.0.0.1", "localhost", "0x7f.1", "[::ffff:127.0.0.1]"];
  for (const host of hosts) {
    const result = await guardedFetch(new URL(`http://${host}:${url.port}/`), { ...request, allowPrivate: false });
    expect(result).toMatchObject({ kind: "refused", reason: expect.stringContaining("internal address") });
  }
  expect(asked).toBe(0);
});

test("a scheme other than http and https is refused", async () => {
  expect(await guardedFetch(new URL("ftp://example.com/"), request)).toMatchObject({ kind: "refused" });
});

test("a request to a checked address still names its host", async () => {
  const url = serve((got) => new Response(got.headers.get("host")));
  url.hostname = "localhost";
  expect(await textOf(await guardedFetch(url, request))).toBe(`localhost:${url.port}`);
});

test("every redirect is checked again", async () => {
  const inner = serve(() => new Response("secret"));
  const outer = serve(() => Response.redirect(`http://127.0.0.1:${inner.port}/x`));
  const seen: string[] = [];
  const refuse = (url: URL) => {
    seen.push(url.port);
    return url.port === inner.port ? "not there" : undefined;
  };
  expect(await guardedFetch(outer, { ...request, refuse })).toEqual({ kind: "refused", reason: "not there" });
  expect(seen).toEqual([outer.port, inner.port]);
});

test("a redirect to an internal address is refused although the first host was reached through a proxy", async () => {
  const proxy = serve(() => Response.redirect("http://169.254.169.254/latest/meta-data"));
  const env = { HTTP_PROXY: proxy.origin };
  const result = await guardedFetch(new URL("http://nowhere.invalid/"), { ...request, env, allowPrivate: false });
  expect(result).toEqual({ kind: "refused", reason: "169.254.169.254 is an internal address (169.254.169.254)" });
});

test("a proxy on an internal address is exempt and gets the name to resolve", async () => {
  const proxy = serve((got) => new Response(`proxied ${new URL(got.url).hostname}`));
  const env = { HTTP_PROXY: proxy.origin };
  const result = await guardedFetch(new URL("http://nowhere.invalid/"), { ...request, env, allowPrivate: false });
  expect(await textOf(result)).toBe("proxied nowhere.invalid");
});

test("a literal internal address is refused behind a proxy too", async () => {
  const proxy = serve(() => new Response("proxied"));
  const env = { HTTP_PROXY: proxy.origin };
  const result = await guardedFetch(new URL("http://10.0.0.1/"), { ...request, env, allowPrivate: false });
  expect(result.kind).toBe("refused");
});

test("the eleventh redirect is not followed", async () => {
  let asked = 0;
  const url = serve((got) => {
    asked++;
    return Response.redirect(got.url);
  });
  expect(await guardedFetch(url, request)).toEqual({ kind: "failed", reason: "stopped after 10 redirects" });
  expect(asked).toBe(11);
});

test.each([
  ["POST", 301, "GET", ""],
  ["POST", 302, "GET", ""],
  ["POST", 303, "GET", ""],
  ["POST", 307, "POST", "body"],
  ["POST", 308, "POST", "body"],
  ...(["PUT", "PATCH", "DELETE"] as const).flatMap((method) => [
    [method, 301, method, "body"] as const,
    [method, 302, method, "body"] as const,
    [method, 303, "GET", ""] as const,
    [method, 307, method, "body"] as const,
    [method, 308, method, "body"] as const,
  ]),
  ["OPTIONS", 302, "OPTIONS", "body"],
  ["OPTIONS", 303, "GET", ""],
] as const)("%s and a %d redirect go on as %s", async (first, status, method, body) => {
  const url = serve(async (got) =>
    new URL(got.url).pathname === "/"
      ? new Response(null, { status, headers: { location: "/next" } })
      : new Response(`${got.method} ${await got.text()}${got.headers.get("content-type") ?? ""}`),
  );
  const sent = { ...request, method: first, body: "body", headers: { "Content-Type": "a/b" } };
  expect(await textOf(await guardedFetch(url, sent))).toBe(`${method} ${body}${body === "" ? "" : "a/b"}`);
});

test.each([301, 303, 307])("HEAD and a %d redirect stay a HEAD", async (status) => {
  const methods: string[] = [];
  const url = serve((got) => {
    methods.push(got.method);
    return new URL(got.url).pathname === "/"
      ? new Response(null, { status, headers: { location: "/next" } })
      : new Response();
  });
  await guardedFetch(url, { ...request, method: "HEAD" });
  expect(methods).toEqual(["HEAD", "HEAD"]);
});

test("a body does not follow a redirect to another origin; a request without one does", async () => {
  const asked: string[] = [];
  const inner = serve((got) => (asked.push(got.method), new Response("inner")));
  const outer = serve(() => Response.redirect(inner.href, 307));
  expect(await guardedFetch(outer, { ...request, method: "PUT", body: "secret" })).toEqual({
    kind: "refused",
    reason: `redirected to another host, ${inner.host}, where the body of the request does not go`,
  });
  expect(asked).toEqual([]);
  expect(await textOf(await guardedFetch(outer, { ...request, method: "DELETE" }))).toBe("inner");
  expect(asked).toEqual(["DELETE"]);
});

test("credentials go to the first origin only", async () => {
  const seen: (string | null)[] = [];
  const note = (got: Request) =>
    seen.push(got.headers.get("authorization"), got.headers.get("x-key"), got.headers.get("x-any"));
  const inner = serve((got) => new Response(String(note(got))));
  const outer = serve((got) => {
    note(got);
    return Response.redirect(inner.href);
  });
  outer.username = "me";
  outer.password = "p%40ss%zz";
  await guardedFetch(outer, { ...request, headers: { "x-any": "1" }, ownHeaders: { "x-key": "2" } });
  expect(seen).toEqual([`Basic ${btoa("me:p%40ss%zz")}`, "2", "1", null, null, "1"]);
});

test("no reason holds the path, the query or the password of the URL", async () => {
  const url = new URL("http://me:hunter2@127.0.0.1:1/hooks/T0/B0?key=k1");
  const result = await guardedFetch(url, request);
  expect(result).toEqual({ kind: "failed", reason: "127.0.0.1:1: connection refused", isUnsent: true });
});

test("an aborted request is a failure", async () => {
  const url = serve(() => new Promise(() => {}));
  for (const [signal, word] of [
    [AbortSignal.timeout(50), "timed out"],
    [AbortSignal.abort(), "aborted"],
  ] as const) {
    const result = await guardedFetch(url, { ...request, signal });
    expect(result).toEqual({ kind: "failed", reason: `${url.host}: ${word}` });
  }
});

test("a pinned https request checks the certificate against the name", async () => {
  const directory = await mkdtemp(join(tmpdir(), "hooksh-tls-"));
  cleanups.push(() => rm(directory, { recursive: true }));
  const key = join(directory, "key.pem");
  const cert = join(directory, "cert.pem");
  const made = Bun.spawnSync([
    "openssl",
    "req",
    "-x509",
    "-newkey",
    "ec",
    "-pkeyopt",
    "ec_paramgen_curve:prime256v1",
    "-nodes",
    "-keyout",
    key,
    "-out",
    cert,
    "-days",
    "2",
    "-subj",
    "/CN=localhost",
    "-addext",
    "subjectAltName=DNS:localhost",
  ]);
  expect(made.exitCode).toBe(0);
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    tls: { key: Bun.file(key), cert: Bun.file(cert) },
    fetch: (got) => new Response(`hello ${got.headers.get("host")}`),
  });
  cleanups.push(() => server.stop(true));
  const program = `
    import { guardedFetch } from ${JSON.stringify(join(import.meta.dir, "../../../src/lib/network/guarded-fetch.ts"))};
    for (const host of ["localhost", "127.0.0.1"]) {
      const url = new URL("https://" + host + ":${server.port}/");
      const got = await guardedFetch(url, { env: {}, signal: AbortSignal.timeout(250_000), allowPrivate: true });
      console.log(got.kind === "response" ? await got.response.text() : got.reason);
    }`;
  const child = Bun.spawn([process.execPath, "-e", program], {
    env: { NODE_EXTRA_CA_CERTS: cert, HTTPS_PROXY: "http://127.0.0.1:1" }, // not the request's proxy
    stdout: "pipe",
    stderr: "inherit",
  });
  expect((await child.stdout.text()).split("\n")).toEqual([
    `hello localhost:${server.port}`,
    `127.0.0.1:${server.port}: ERR_TLS_CERT_ALTNAME_INVALID`,
    "",
  ]);
});

test("only the beginning of an endless response is read", async () => {
  const url = serve(() => {
    const chunk = new Uint8Array(1000);
    return new Response(new ReadableStream({ pull: (controller) => controller.enqueue(chunk) }));
  });
  const result = await guardedFetch(url, request);
  if (result.kind !== "response") throw new Error(result.reason);
  const read = await readAtMost(result.response, 2500);
  expect(read.bytes.length).toBe(2500);
  expect(read.truncated).toBe(true);
});

test("of a response that unpacks to gigabytes only the beginning is unpacked", async () => {
  const url = serve(() => endless("x", "gzip"));
  const grown = await memoryOf(async () => {
    const result = await guardedFetch(url, request);
    if (result.kind !== "response") throw new Error(result.reason);
    expect(await readAtMost(result.response, 1024 * 1024)).toEqual({
      bytes: Buffer.alloc(1024 * 1024, "x"),
      truncated: true,
    });
  });
  expect(grown).toBeLessThan(1_500); // of 5 GiB, on a machine that is busy
});

test("a response as long as the limit is not cut", async () => {
  expect(await readAtMost(new Response("12345"), 5)).toMatchObject({ truncated: false });
});

describe("the proxy", () => {
  const env = {
    HTTP_PROXY: "proxy:1",
    https_proxy: "http://lower:2",
    HTTPS_PROXY: "http://upper:3",
    NO_PROXY: ".corp, only.example:81",
  };
  test.each([
    ["http://example.com/", "http://proxy:1"],
    ["https://example.com/", "http://lower:2"],
    ["http://a.corp/", undefined],
    ["http://corp/", undefined],
    ["http://notcorp/", "http://proxy:1"],
    ["http://only.example:81/", undefined],
    ["http://only.example/", "http://proxy:1"],
    ["http://localhost:8080/", undefined],
  ] as const)("of %s is %p", (url, proxy) => expect(proxyFor(new URL(url), env)).toBe(proxy));

  test("is ALL_PROXY if the scheme has no proxy of its own", () => {
    expect(proxyFor(new URL("https://example.com"), { ALL_PROXY: "http://all:1" })).toBe("http://all:1");
    expect(proxyFor(new URL("https://example.com"), { ALL_PROXY: "http://all:1", NO_PROXY: "*" })).toBeUndefined();
  });
});

test("every request opens a connection of its own: a pooled one would skip the check of the address", async () => {
  const ports: (number | undefined)[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (got) => {
      ports.push(server.requestIP(got)?.port);
      return new Response("body");
    },
  });
  cleanups.push(() => server.stop(true));
  const url = new URL(`http://127.0.0.1:${server.port}/`);
  for (let n = 0; n < 3; n++) expect(await textOf(await guardedFetch(url, request))).toBe("body");
  expect(new Set(ports).size).toBe(3);
});
