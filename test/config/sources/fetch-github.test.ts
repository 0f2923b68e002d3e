import { describe, expect, test } from "bun:test";
import { fetchGitHub } from "../../../src/config/sources/fetch-github.ts";
import { parseGitHubReference, webHostOf } from "../../../src/config/sources/github-reference.ts";
import { serve } from "../../model/loopback.ts";
import { failure, sourceContext } from "./context.ts";

const AGENT = "agents: {root: {model: openai/gpt-4o}}\n";
const TOKEN = ["ghp", "t".repeat(8)].join("_");

/** A server with the contents API of a repository. */
function github(files: Record<string, string>, { token }: { token?: string } = {}) {
  return serve((_index, request) => {
    if (token !== undefined && request.headers.get("authorization") !== `token ${token}`)
      return Response.json({ message: "Not Found" }, { status: 404 });
    const { pathname } = new URL(request.url);
    const path = decodeURIComponent(pathname.replace(/^\/repos\/acme\/agents\/contents\/?/, ""));
    const folder = path === "" ? "" : `${path}/`;
    const names = Object.keys(files).filter(
      (name) => name.startsWith(folder) && !name.slice(folder.length).includes("/"),
    );
    const content = files[path];
    if (content === undefined && names.length === 0) return Response.json({ message: "Not Found" }, { status: 404 });
    if (content === undefined)
      return Response.json(names.map((name) => ({ type: "file", name: name.slice(folder.length), path: name })));
    const etag = `"${Bun.hash(content)}"`;
    if (request.headers.get("if-none-match") === etag) return new Response(null, { status: 304 });
    if (!request.headers.get("accept")?.includes("raw")) return Response.json({ type: "file", name: path });
    return new Response(content, {
      headers: { etag, "content-type": "application/vnd.github.raw+json; charset=utf-8" },
    });
  });
}

const place = (path: string, ref?: string) => ({
  owner: "acme",
  repo: "agents",
  path,
  ...(ref === undefined ? {} : { ref }),
});

describe("an agent from GitHub", () => {
  test("is the unchanged file at the ref, and its sibling files can be read", async () => {
    await using server = github({ "a/b.yaml": AGENT, "a/prompts/x.md": "Be kind." });
    const agent = await fetchGitHub(place("a/b.yaml", "v1"), sourceContext({ GITHUB_API_URL: server.url }));
    expect(agent).toMatchObject({ text: AGENT, displayName: "github:acme/agents/a/b.yaml@v1" });
    expect(await agent.readSibling?.("prompts/x.md")).toBe("Be kind.");
    expect(server.seen.map(({ path, search }) => path + search)).toEqual([
      "/repos/acme/agents/contents/a/b.yaml?ref=v1",
      "/repos/acme/agents/contents/a/prompts/x.md?ref=v1",
    ]);
  });

  test("a file with a JSON list is not mistaken for a folder", async () => {
    await using server = github({ "a.yaml": "[1]" });
    expect((await fetchGitHub(place("a.yaml"), sourceContext({ GITHUB_API_URL: server.url }))).text).toBe("[1]");
  });

  test.each([
    [{ "hooksh.yaml": AGENT, "docker-agent.yaml": "x", "README.md": "x" }, "", "hooksh.yaml"],
    [{ "docker-agent.yaml": AGENT, "zz.yaml": "x" }, "", "docker-agent.yaml"],
    [{ "team/only.yml": AGENT, "team/readme.md": "x" }, "team", "team/only.yml"],
    [{ plain: AGENT }, "plain", "plain"],
  ])("in %j the folder %j holds %s", async (files, path, found) => {
    await using server = github(files as Record<string, string>);
    expect(await fetchGitHub(place(path), sourceContext({ GITHUB_API_URL: server.url }))).toMatchObject({
      text: AGENT,
      displayName: `github:acme/agents/${found}`,
    });
  });

  test("from a private repository is fetched with the token", async () => {
    await using server = github({ "a.yaml": AGENT }, { token: TOKEN });
    const without = sourceContext({ GITHUB_API_URL: server.url });
    expect(await failure(fetchGitHub(place("a.yaml"), without))).toBe(
      "github:acme/agents/a.yaml: not found; a private repository needs GITHUB_TOKEN or GH_TOKEN",
    );
    expect(
      (await fetchGitHub(place("a.yaml"), sourceContext({ GITHUB_API_URL: server.url, GH_TOKEN: TOKEN }))).text,
    ).toBe(AGENT);
  });

  test("is not downloaded twice, and the cached copy is used if GitHub does not answer", async () => {
    const server = github({ "hooksh.yaml": AGENT });
    const context = sourceContext({ GITHUB_API_URL: server.url });
    await fetchGitHub(place("hooksh.yaml"), context);
    expect((await fetchGitHub(place("hooksh.yaml"), context)).text).toBe(AGENT);
    expect(server.seen[1]?.headers["if-none-match"]).toBeString();
    await server[Symbol.asyncDispose]();
    expect((await fetchGitHub(place("hooksh.yaml"), context)).text).toBe(AGENT);
    expect((await fetchGitHub(place(""), context)).text).toBe(AGENT);
    expect(context.warnings[0]).toContain("connection refused; using the copy fetched before");
  });
});

describe("rejected are", () => {
  test("a redirect to another host while a token is sent", async () => {
    await using other = serve(() => new Response(AGENT));
    await using server = serve(() => Response.redirect(`${other.url}/a.yaml`));
    const context = sourceContext({ GITHUB_API_URL: server.url, GITHUB_TOKEN: TOKEN });
    expect(await failure(fetchGitHub(place("a.yaml"), context))).toContain("redirects to another host");
    expect(other.seen).toEqual([]);
  });

  test("several files without a usual name, an empty folder, and a file that is too large", async () => {
    await using server = github({
      "a/x.yaml": "1",
      "a/y.yaml": "2",
      "b/readme": "x",
      "c.yaml": "#".repeat(5 * 1024 * 1024 + 1),
    });
    const context = sourceContext({ GITHUB_API_URL: server.url });
    expect(await failure(fetchGitHub(place("a"), context))).toBe(
      "github:acme/agents/a: several YAML files in this folder, name one: x.yaml, y.yaml",
    );
    expect(await failure(fetchGitHub(place("b"), context))).toBe(
      "github:acme/agents/b: no agent file in this folder; expected hooksh.yaml, hooksh.yml, docker-agent.yaml, docker-agent.yml, agent.yaml, agent.yml",
    );
    expect(await failure(fetchGitHub(place("c.yaml"), context))).toBe("github:acme/agents/c.yaml: larger than 5 MiB");
  });

  test("a wrong token, with a message that does not contain it", async () => {
    await using server = serve(() => Response.json({ message: "Bad credentials" }, { status: 401 }));
    const message = await failure(
      fetchGitHub(place("a.yaml"), sourceContext({ GITHUB_API_URL: server.url, GITHUB_TOKEN: TOKEN })),
    );
    expect(message).toBe("github:acme/agents/a.yaml: GitHub rejects the token in GITHUB_TOKEN or GH_TOKEN");
  });
});

describe("a reference to GitHub", () => {
  test.each([
    ["github:a/b/", { path: "" }],
    ["github:a/b/x y.yaml", { path: "x y.yaml" }],
    ["https://github.com/a/b.git", { repo: "b" }],
    ["https://github.com/a/b/tree/main/dir", { path: "dir", ref: "main" }],
    ["https://github.com/a/b/blob/main/x%20y.yaml", { path: "x y.yaml" }],
  ])("%s", (text, expected) => {
    expect(parseGitHubReference(text, "github.com")).toMatchObject({ owner: "a", ...expected });
  });

  test.each([
    "github:a",
    "github:../b",
    "github:a/b/../../c",
    "github:a/b/c//d",
    "github:a/b@",
    "github:a/b@x y",
    "https://github.com/a/b/issues/1",
    "http://github.com/a/b",
    "https://example.com/a/b/blob/main/x.yaml",
    "https://github.com/a/b/blob/main/a%2F..%2F..%2Fx.yaml",
    "github.com/a/b",
  ])("%s is none", (text) => {
    expect(parseGitHubReference(text, "github.com")).toBeUndefined();
  });

  test("on an Enterprise host is recognised by the host of its API", () => {
    expect(webHostOf("https://ghe.example.com/api/v3")).toBe("ghe.example.com");
    expect(webHostOf("https://api.github.com")).toBe("github.com");
    expect(parseGitHubReference("https://ghe.example.com/a/b/blob/main/x.yaml", "ghe.example.com")).toMatchObject({
      path: "x.yaml",
    });
  });
});
