import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { digestOf } from "../../../src/config/sources/content.ts";
import { parseImageReference } from "../../../src/config/sources/registry/image-reference.ts";
import { pullArtifact } from "../../../src/config/sources/registry/pull-artifact.ts";
import { packAgent, pushPackage } from "../../../src/config/sources/registry/push-package.ts";
import type { SourceContext } from "../../../src/config/sources/source-context.ts";
import { secretCandidates } from "../../../src/lib/secrets/known-secrets.ts";
import { hasRegistry, startRegistry, type TestRegistry } from "../../helpers/registry.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { serve } from "../../model/loopback.ts";
import { failure, sourceContext } from "./context.ts";

const AGENT = Buffer.from("agents: {root: {model: openai/gpt-4o}}\n");
const ANNOTATIONS = { "io.docker.agent.version": "1.0" };

function reference(text: string) {
  const parsed = parseImageReference(text);
  if (!parsed) throw new Error(`no reference: ${text}`);
  return parsed;
}

const pull = (text: string, context: SourceContext, force = false) =>
  pullArtifact(reference(text), { displayName: text, context, force });
const push = (text: string, context: SourceContext, content: Uint8Array = AGENT) =>
  pushPackage(reference(text), packAgent(content, ANNOTATIONS), { displayName: text, context });

describe.skipIf(!hasRegistry)("a real registry", () => {
  let registry: TestRegistry;
  beforeAll(async () => void (registry = await startRegistry()));
  afterAll(() => registry.stop());

  test("returns the pushed content unchanged under the pushed digest", async () => {
    const context = sourceContext();
    const odd = Buffer.from("\uFEFFagents:\r\n  root: {model: openai/gpt-4o}   # é\r\n");
    await push(`${registry.host}/acme/odd:1`, context, odd);
    const pulled = await pull(`${registry.host}/acme/odd:1`, context);
    expect(Buffer.from(pulled.content)).toEqual(odd);
    expect(pulled.digest).toBe(packAgent(odd, ANNOTATIONS).digest);
  });

  test("stores the pushed manifest unchanged", async () => {
    await push(`${registry.host}/acme/shape`, sourceContext());
    const response = await fetch(`http://${registry.host}/v2/acme/shape/manifests/latest`, {
      headers: { accept: "application/vnd.oci.image.manifest.v1+json" },
    });
    expect(response.headers.get("content-type")).toBe("application/vnd.oci.image.manifest.v1+json");
    expect(await response.json()).toMatchObject({
      schemaVersion: 2,
      artifactType: "application/vnd.docker.agent.config.v1+json",
      config: { mediaType: "application/vnd.docker.agent.config.v1+json" },
      layers: [{ mediaType: "application/yaml", digest: digestOf(AGENT), size: AGENT.length }],
      annotations: ANNOTATIONS,
    });
  });

  test("gets no request for a stored digest, and only a HEAD request for an unchanged tag", async () => {
    const context = sourceContext();
    await push(`${registry.host}/acme/stored:1`, context);
    const { digest } = await pull(`${registry.host}/acme/stored:1`, context);
    expect((await pull(`127.0.0.1:9/acme/stored@${digest}`, context)).digest).toBe(digest);
    const changed = Buffer.from("agents: {root: {model: openai/other}}\n");
    await push(`${registry.host}/acme/stored:1`, context, changed);
    expect(Buffer.from((await pull(`${registry.host}/acme/stored:1`, context)).content)).toEqual(changed);
    expect(Buffer.from((await pull(`${registry.host}/acme/stored:1@${digest}`, context)).content)).toEqual(AGENT);
  });

  test("is asked again if the store is damaged", async () => {
    const context = sourceContext();
    await push(`${registry.host}/acme/damaged`, context);
    await pull(`${registry.host}/acme/damaged`, context);
    const blobs = join(context.data, "store", "blobs", "sha256");
    for (const name of readdirSync(blobs)) {
      expect(statSync(join(blobs, name)).mode & 0o777).toBe(0o600);
      writeFileSync(join(blobs, name), "something else");
    }
    expect(Buffer.from((await pull(`${registry.host}/acme/damaged`, context)).content)).toEqual(AGENT);
    writeFileSync(join(context.data, "store", "refs.json"), "{");
    expect(Buffer.from((await pull(`${registry.host}/acme/damaged`, context)).content)).toEqual(AGENT);
  });

  test("that does not answer: pulled agents are used with a warning, others are an error", async () => {
    const other = await startRegistry();
    const context = sourceContext();
    await push(`${other.host}/acme/kept`, context);
    await pull(`${other.host}/acme/kept`, context);
    await other.stop();
    expect(Buffer.from((await pull(`${other.host}/acme/kept`, context)).content)).toEqual(AGENT);
    expect(context.warnings).toEqual([
      expect.stringContaining(
        `${other.host}/acme/kept: ${other.host}: connection refused; using the copy pulled before (sha256:`,
      ),
    ]);
    expect(await failure(pull(`${other.host}/acme/never`, context))).toBe(`${other.host}: connection refused`);
    expect(await failure(pull(`${other.host}/acme/kept`, context, true))).toBe(`${other.host}: connection refused`);
  });

  test("shares no stored agents with another one that has the same name and tag", async () => {
    const other = await startRegistry();
    const context = sourceContext();
    await push(`${registry.host}/acme/same`, context);
    await push(`${other.host}/acme/same`, context, Buffer.from("agents: {}\n"));
    await pull(`${registry.host}/acme/same`, context);
    await pull(`${other.host}/acme/same`, context);
    await other.stop();
    expect(Buffer.from((await pull(`${registry.host}/acme/same`, context)).content)).toEqual(AGENT);
    expect(Buffer.from((await pull(`${other.host}/acme/same`, context)).content).toString()).toBe("agents: {}\n");
  });

  test("without the image is an error that says so", async () => {
    expect(await failure(pull(`${registry.host}/acme/nothing`, sourceContext()))).toBe(
      `${registry.host}/acme/nothing: not found in the registry`,
    );
  });
});

describe.skipIf(!hasRegistry)("a real registry that asks for a password", () => {
  const password = ["pass", "word", "7"].join("-");
  let registry: TestRegistry;
  beforeAll(
    async () =>
      void (registry = await startRegistry(
        `me:${Bun.password.hashSync(password, { algorithm: "bcrypt", cost: 4 })}\n`,
      )),
  );
  afterAll(() => registry.stop());

  const dockerConfig = (config: unknown) => ({ DOCKER_CONFIG: tempDir({ "config.json": JSON.stringify(config) }) });
  const auths = (text: string) => ({ auths: { [registry.host]: { auth: btoa(text) } } });

  test("is used with Docker's login", async () => {
    const context = sourceContext(dockerConfig(auths(`me:${password}`)));
    await push(`${registry.host}/acme/private`, context);
    expect(Buffer.from((await pull(`${registry.host}/acme/private`, context)).content)).toEqual(AGENT);
  });

  test("is used with the login of a credential helper before that of the file", async () => {
    const bin = tempDir({
      "docker-credential-test!x": `#!/bin/sh\nread server\n[ "$1 $server" = "get ${registry.host}" ] || exit 3\necho '${JSON.stringify({ Username: "me", Secret: password })}'\n`,
    });
    const config = { ...auths("me:wrong"), credHelpers: { [registry.host]: "test" } };
    const context = sourceContext({ ...dockerConfig(config), PATH: `${bin}:${process.env["PATH"]}` });
    await push(`${registry.host}/acme/helped`, context);
    expect(Buffer.from((await pull(`${registry.host}/acme/helped`, context)).content)).toEqual(AGENT);
  });

  test.each([
    ["none", {}, "not found, or the registry needs a login (docker login)"],
    [
      "a wrong one",
      { auths: { HOST: { auth: btoa("me:wrong-word") } } },
      "not found, or the registry needs a login (docker login)",
    ],
    [
      "a helper that is missing",
      { credsStore: "no-such-helper-x" },
      "docker-credential-no-such-helper-x: cannot be started",
    ],
    [
      "a helper whose name is a path",
      { credsStore: "../../bin/sh" },
      '"../../bin/sh" is not a valid name of a credential helper',
    ],
  ])("refuses %s, in words without the password", async (_name, config, message) => {
    const text = JSON.stringify(config).replace("HOST", registry.host);
    const context = sourceContext({ DOCKER_CONFIG: tempDir({ "config.json": text }) });
    const said = await failure(pull(`${registry.host}/acme/private`, context));
    expect(said).toContain(message);
    expect(said).not.toContain("wrong-word");
  });

  test("rejects pushing without a login, with an error that says so", async () => {
    expect(await failure(push(`${registry.host}/acme/x`, sourceContext()))).toContain(
      "needs a login with permission to push (docker login)",
    );
  });
});

/** A registry with one image under every tag, which a test can change. */
function fake(
  parts: { manifest: Uint8Array; mediaType?: string; blobs?: Uint8Array[]; manifests?: Uint8Array[] },
  before?: (request: Request) => Response | undefined,
) {
  const all = new Map(
    [parts.manifest, ...(parts.manifests ?? []), ...(parts.blobs ?? [])].map((bytes) => [digestOf(bytes), bytes]),
  );
  return serve((_index, request) => {
    const early = before?.(request);
    if (early) return early;
    const name = new URL(request.url).pathname.split("/").at(-1) ?? "";
    const bytes = name.startsWith("sha256:") ? all.get(name) : parts.manifest;
    if (!bytes) return new Response(null, { status: 404 });
    const headers = {
      "content-type": parts.mediaType ?? "application/vnd.oci.image.manifest.v1+json",
      "docker-content-digest": digestOf(bytes),
    };
    return new Response(request.method === "HEAD" ? null : (bytes as Uint8Array<ArrayBuffer>), { headers });
  });
}

const at = (server: { url: string }, name = "acme/agent:1") => `${new URL(server.url).host}/${name}`;
const image = (layer: Uint8Array, more: object = {}) =>
  Buffer.from(
    JSON.stringify({
      schemaVersion: 2,
      layers: [{ mediaType: "x/y", digest: digestOf(layer), size: layer.length }],
      annotations: { "io.docker.cagent.version": "0" },
      ...more,
    }),
  );

describe("a registry", () => {
  test("may have a Docker manifest, a list of manifests, and a compressed layer", async () => {
    const zipped = gzipSync(AGENT);
    const inner = image(zipped, { mediaType: "application/vnd.docker.distribution.manifest.v2+json" });
    const list = Buffer.from(
      JSON.stringify({
        schemaVersion: 2,
        manifests: [
          { digest: digestOf(inner), size: inner.length },
          { digest: digestOf(AGENT), size: 1 },
        ],
      }),
    );
    await using server = fake({ manifest: list, manifests: [inner], blobs: [zipped] });
    const context = sourceContext();
    const pulled = await pull(at(server), context);
    expect(Buffer.from(pulled.content)).toEqual(AGENT);
    expect(pulled.digest).toBe(digestOf(list));
    const before = server.seen.length;
    expect(Buffer.from((await pull(at(server), context)).content)).toEqual(AGENT);
    expect(server.seen.slice(before).map(({ method }) => method)).toEqual(["HEAD"]);
  });

  test("may redirect to another host for blobs, which does not receive the token", async () => {
    const token = ["tok", "en"].join("");
    await using store = serve(() => new Response(AGENT));
    await using server = fake({ manifest: image(AGENT) }, (request) => {
      const { pathname } = new URL(request.url);
      if (pathname === "/token") return Response.json({ token });
      if (request.headers.get("authorization") !== `Bearer ${token}`) {
        return new Response(null, {
          status: 401,
          headers: { "www-authenticate": `Bearer realm="${new URL(request.url).origin}/token",service="s"` },
        });
      }
      return pathname.includes("/blobs/") ? Response.redirect(`${store.url}/blob`, 307) : undefined;
    });
    expect(Buffer.from((await pull(at(server), sourceContext())).content)).toEqual(AGENT);
    expect(store.seen[0]?.headers["authorization"]).toBeUndefined();
    expect(server.seen.find(({ path }) => path === "/token")?.search).toBe(
      "?service=s&scope=repository%3Aacme%2Fagent%3Apull",
    );
  });

  test("is asked anonymously first, then with Docker's login: a password or a refresh token", async () => {
    const secret = ["s3", "cret"].join("-").padEnd(12, "x");
    const good = `good-${crypto.randomUUID()}`;
    const answers = (request: Request) => {
      const { pathname, origin } = new URL(request.url);
      const given = request.headers.get("authorization");
      if (pathname === "/token") {
        const known = request.method === "POST" || given === `Basic ${btoa(`me:${secret}`)}`;
        return known ? Response.json({ access_token: good }) : Response.json({ token: "anonymous" });
      }
      return given === `Bearer ${good}`
        ? undefined
        : new Response(null, { status: 401, headers: { "www-authenticate": `Bearer realm="${origin}/token"` } });
    };
    await using server = fake({ manifest: image(AGENT), blobs: [AGENT] }, answers);
    const { host } = new URL(server.url);
    for (const entry of [{ username: "me", password: secret }, { identitytoken: secret }]) {
      const context = sourceContext({
        DOCKER_CONFIG: tempDir({ "config.json": JSON.stringify({ auths: { [`http://${host}/v2/`]: entry } }) }),
      });
      expect(Buffer.from((await pull(at(server), context)).content)).toEqual(AGENT);
    }
    expect(
      server.seen.slice(0, 5).map(({ method, path, headers }) => [method, path, headers["authorization"]?.slice(0, 9)]),
    ).toEqual([
      ["GET", "/v2/acme/agent/manifests/1", undefined],
      ["GET", "/token", undefined],
      ["GET", "/v2/acme/agent/manifests/1", "Bearer an"],
      ["GET", "/token", "Basic bWU"],
      ["GET", "/v2/acme/agent/manifests/1", "Bearer go"],
    ]);
    const known = secretCandidates()
      .filter(({ certainty }) => certainty === "key")
      .map(({ value }) => value);
    expect(known).toEqual(expect.arrayContaining([secret, good]));
  });
});

describe("rejected from a registry are", () => {
  const cases: [string, () => ReturnType<typeof fake>, string][] = [
    [
      "an image that is not an agent",
      () => fake({ manifest: image(AGENT, { annotations: {} }) }),
      "an image, but not an agent; to push one, run hooksh agent push FILE",
    ],
    ["no manifest", () => fake({ manifest: Buffer.from("<html>") }), "the manifest is not JSON"],
    [
      "a manifest of another kind",
      () => fake({ manifest: Buffer.from('{"schemaVersion":1}') }),
      "not an image manifest",
    ],
    [
      "an image without a layer",
      () => fake({ manifest: image(AGENT, { layers: [] }) }),
      "the artifact contains no agent file",
    ],
    [
      "a digest that is a path",
      () => fake({ manifest: image(AGENT, { layers: [{ digest: "sha256:../../../etc/passwd", size: 1 }] }) }),
      "not an image manifest",
    ],
    [
      "a list in a list",
      () => {
        const inner = Buffer.from(
          JSON.stringify({ schemaVersion: 2, manifests: [{ digest: digestOf(AGENT), size: 1 }] }),
        );
        return fake({
          manifest: Buffer.from(
            JSON.stringify({ schemaVersion: 2, manifests: [{ digest: digestOf(inner), size: 1 }] }),
          ),
          manifests: [inner],
        });
      },
      "an image list inside an image list",
    ],
    [
      "a layer that says it is too large",
      () =>
        fake({ manifest: image(AGENT, { layers: [{ digest: digestOf(AGENT), size: 6_000_000 }] }), blobs: [AGENT] }),
      "the agent file has 6000000 bytes; the limit is 5 MiB",
    ],
    [
      "a layer that is larger than it says",
      () => {
        const large = new Uint8Array(5 * 1024 * 1024 + 1);
        return fake({ manifest: image(large, { layers: [{ digest: digestOf(large), size: 10 }] }), blobs: [large] });
      },
      "the agent file is larger than 5242880 bytes",
    ],
    [
      "a layer that decompresses to too much",
      () => {
        const bomb = gzipSync(new Uint8Array(6 * 1024 * 1024));
        return fake({ manifest: image(bomb), blobs: [bomb] });
      },
      "the agent file cannot be decompressed, or is larger than 5 MiB",
    ],
    [
      "another layer than announced",
      () =>
        fake({ manifest: image(AGENT) }, (request) =>
          request.url.includes("/blobs/") ? new Response("other") : undefined,
        ),
      `the agent file from the registry has a wrong digest: expected ${digestOf(AGENT)}, got ${digestOf("other")}`,
    ],
    [
      "a manifest with another digest than announced",
      () =>
        fake(
          { manifest: image(AGENT) },
          () =>
            new Response(image(AGENT) as Uint8Array<ArrayBuffer>, {
              headers: { "docker-content-digest": digestOf("x") },
            }),
        ),
      "the manifest from the registry has a wrong digest",
    ],
    [
      "a manifest from another host",
      () => fake({ manifest: image(AGENT) }, () => Response.redirect("http://localhost:9/x")),
      "redirects to another host, localhost:9, which must not receive the credentials",
    ],
  ];

  test.each(cases)("%s", async (_name, start, message) => {
    await using server = start();
    const context = sourceContext();
    expect(await failure(pull(at(server), context))).toContain(message);
    expect(readdirSync(context.data)).toEqual([]);
  });

  test("a manifest with another digest than the pinned one", async () => {
    await using server = fake({ manifest: image(AGENT), blobs: [AGENT] }, (request) =>
      request.url.includes("/manifests/")
        ? new Response(image(Buffer.from("evil")) as Uint8Array<ArrayBuffer>)
        : undefined,
    );
    expect(await failure(pull(at(server, `acme/agent@${digestOf(image(AGENT))}`), sourceContext()))).toContain(
      "the manifest from the registry has a wrong digest",
    );
  });

  test("an upload address on another host", async () => {
    await using other = serve(() => new Response(null, { status: 201 }));
    await using server = serve((_index, request) =>
      request.method === "HEAD"
        ? new Response(null, { status: 404 })
        : new Response(null, { status: 202, headers: { location: `${other.url}/upload` } }),
    );
    expect(await failure(push(at(server), sourceContext()))).toContain("refers to another host");
    expect(other.seen).toEqual([]);
  });

  test("this machine if a remote agent refers to it, unless that agent came from there", async () => {
    await using server = fake({ manifest: image(AGENT) });
    expect(await failure(pull(at(server), sourceContext({}, { namedBy: "registry.example.com" })))).toContain(
      "a remote agent must not refer to this machine",
    );
    expect(server.seen).toEqual([]);
    const same = sourceContext({}, { namedBy: new URL(server.url).host });
    await failure(pull(at(server), same));
    expect(server.seen.length).toBeGreaterThan(0);
  });
});

test("an invalid Docker configuration is named, not quoted", async () => {
  const dir = tempDir({ "config.json": `{"auths": {"x": {"auth": "${btoa("me:hidden")}"` });
  await using server = fake(
    { manifest: image(AGENT) },
    () => new Response(null, { status: 401, headers: { "www-authenticate": "Basic realm=x" } }),
  );
  expect(await failure(pull(at(server), sourceContext({ DOCKER_CONFIG: dir })))).toBe(
    `${join(dir, "config.json")}: not JSON; correct it, or remove it and log in again (docker login)`,
  );
});

describe("an image reference", () => {
  test.each([
    ["agentcatalog/x", "index.docker.io", "agentcatalog/x", "latest"],
    ["x", "index.docker.io", "library/x", "latest"],
    ["docker.io/x:2", "index.docker.io", "library/x", "2"],
    ["localhost/a:1", "localhost", "a", "1"],
    ["localhost:5000/a/b", "localhost:5000", "a/b", "latest"],
    ["[::1]:5000/a", "[::1]:5000", "a", "latest"],
    ["ghcr.io/o/n:v1.2", "ghcr.io", "o/n", "v1.2"],
  ])("%s", (text, registry, repository, tag) => {
    expect(parseImageReference(text)).toEqual({ registry, repository, tag });
  });

  test.each([
    "",
    "A/b",
    "a/../b",
    "../a",
    "a//b",
    "/a",
    "a/",
    "a:",
    "a:b:c",
    "a@sha256:xyz",
    "a b",
    "evil.com/a?x",
    "evil.com#/a",
    "-x",
    "user@host/a",
    `a/${"b".repeat(600)}`,
  ])("%j is none", (text) => {
    expect(parseImageReference(text)).toBeUndefined();
  });
});
