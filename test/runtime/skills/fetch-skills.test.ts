import { afterAll, expect, test } from "bun:test";
import { existsSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { AgentFile } from "../../../src/config/agent/agent-file.ts";
import { processEnv } from "../../../src/lib/env.ts";
import type { Skill } from "../../../src/runtime/agent/skill.ts";
import { fetchSkills } from "../../../src/runtime/skills/fetch-skills.ts";
import { hooksh } from "../../helpers/binary.ts";
import { agentFor, fakeOpenAI } from "../../helpers/fake-openai.ts";
import { tempDir } from "../../helpers/temp-dir.ts";
import { begin, fakeShell, type Setup } from "../harness.ts";
import { assembled } from "../team/assembled.ts";

const INDEX = "/.well-known/skills/index.json";
const servers: { stop(force: boolean): unknown }[] = [];

afterAll(() => {
  for (const server of servers.splice(0)) server.stop(true);
});

type Answer = string | { status: number; location?: string };

/** Serves these paths; the test may change them while the server runs. */
function serve(paths: Record<string, Answer>) {
  const asked: string[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) => {
      const { pathname, search } = new URL(request.url);
      asked.push(pathname + search);
      const found = paths[pathname];
      if (typeof found === "string") return new Response(found);
      const { status = 404, location = "/" } = found ?? {};
      return new Response("none", { status, headers: { location } });
    },
  });
  servers.push(server);
  return { url: `http://127.0.0.1:${server.port}`, asked, stop: () => server.stop(true) };
}

const text = (body: string, head = "") => `---\ndescription: of the file\n${head}---\n${body}\n`;

/** Returns the paths of a server with these skills, each given as its files by path. */
function published(skills: Record<string, Record<string, string>>): Record<string, string> {
  const index = Object.entries(skills).map(([name, files]) => {
    return { name, description: `about ${name}`, files: Object.keys(files) };
  });
  const files = Object.entries(skills).flatMap(([name, of]) =>
    Object.entries(of).map(([path, content]) => [`/.well-known/skills/${name}/${path}`, content]),
  );
  return { [INDEX]: JSON.stringify({ skills: index }), ...Object.fromEntries(files) };
}

/** Fetches into a cache directory, and returns the warnings too. */
async function get(base: string, cacheDir = tempDir(), isOwn = true) {
  const warnings: string[] = [];
  const warn = (message: string) => warnings.push(message);
  const skills = await fetchSkills(base, { cacheDir, isOwn, env: processEnv(), warn });
  return { skills, warnings, cacheDir };
}

async function runWith(skills: unknown, setup: Setup, files: Record<string, string> = {}) {
  const made = await assembled({ skills }, { files });
  return { ...made, run: await begin({ ...setup, agent: { skills: made.agent.skills ?? [], ...setup.agent } }) };
}

const calls = (name: string, input: Record<string, unknown>) => ({ calls: [{ name, arguments: input }] });

test("the executable offers the skills of a URL, and they are read", async () => {
  const { url } = serve(published({ "review-it": { "SKILL.md": text("Look twice.") } }));
  const model = fakeOpenAI([calls("read_skill", { name: "review-it" }), { text: "done" }]);
  const cwd = tempDir({ "agent.yaml": agentFor(model, { skills: [url] }) });
  const { code, stderr } = await hooksh(["run", "agent.yaml", "--exec", "hi"], { cwd });
  model.stop();
  expect({ code, stderr }).toEqual({ code: 0, stderr: "" });
  expect(JSON.stringify(model.requests[0]?.messages)).toContain("<description>about review-it</description>");
  expect(model.requests[1]?.messages.at(-1)?.content).toBe(`This skill comes from ${url}/\n\nLook twice.`);
  expect(readdirSync(join(cwd, ".home/.cache/hooksh/skills"))).toHaveLength(1);
});

test("a base URL may have a path, and credentials and a query are not shown", async () => {
  const { url, asked } = serve({ [`/docs${INDEX}`]: '{"skills":[]}' });
  await get(`${url}/docs/?key=1`);
  expect(asked).toEqual([`/docs${INDEX}`]);
  const mine = url.replace("//", "//me:word@");
  const { warnings } = await get(`${mine}/none?key=1`);
  const shown = /^skills from http:\/\/127\.0\.0\.1:\d+\/none are left out: .*answered 404$/;
  expect(warnings).toEqual([expect.stringMatching(shown)]);
});

test("the files of a skill are read, and no others", async () => {
  const cacheDir = tempDir();
  const paths = published({ a: { "SKILL.md": text("A"), "docs/more.md": "MORE", "old.md": "OLD" } });
  const { url } = serve(paths);
  await get(url, cacheDir);
  Object.assign(paths, published({ a: { "SKILL.md": text("A"), "docs/more.md": "MORE" } }));
  const { skills } = await get(url, cacheDir);
  expect(skills[0]?.files).toEqual(["docs/more.md"]);
  const read = (path: string) => ({ name: "read_skill_file", arguments: { skill_name: "a", path } });
  const run = await begin({
    steps: [{ calls: [read("docs/more.md"), read("old.md"), read("../index.json")] }, "ok"],
    agent: { skills },
  });
  await run.say("hi");
  expect(run.inputs("tool_response_transform").map(({ tool_response }) => tool_response)).toEqual([
    "MORE",
    'The skill has no file "old.md"',
    'The skill has no file "../index.json"',
  ]);
});

test("no command in a skill from a URL runs", async () => {
  const ran: string[] = [];
  const { url } = serve(published({ a: { "SKILL.md": text("On !`git branch`.") } }));
  const { run } = await runWith([url], {
    steps: [calls("read_skill", { name: "a" }), "ok"],
    tools: [fakeShell(ran)],
    mode: "autonomous",
  });
  await run.say("hi");
  expect(ran).toEqual([]);
  expect(run.model.requests[1]?.at(-1)?.content).toEndWith("On !`git branch`.");
});

test("a skill from a URL may ask for its own session, but chooses neither a model nor toolsets", async () => {
  const head = "context: fork\nallowed-tools: read_*\nmodel: dear\ntoolsets: shells\n";
  const { url } = serve(published({ a: { "SKILL.md": text("A", head) } }));
  expect((await get(url)).skills[0]?.fork).toEqual({ allowedTools: ["read_*"], toolsets: [] });
});

test("an inline skill wins over a local one, which wins over those of URLs, of which the first wins", async () => {
  const one = serve(published({ a: { "SKILL.md": text("one") }, b: { "SKILL.md": text("one") } }));
  const all = { "SKILL.md": text("two") };
  const two = serve(published({ a: all, b: all, c: all }));
  const files = { ".agents/skills/a/SKILL.md": text("local") };
  const { agent } = await assembled({ skills: ["local", one.url, two.url] }, { files });
  const sourceOf = ({ text: from }: Skill) => (from.kind === "remote" ? from.source : from.kind);
  const sources = agent.skills?.map((skill) => `${skill.name} ${sourceOf(skill)}`);
  expect(sources?.sort()).toEqual(["a local", `b ${one.url}/`, `c ${two.url}/`]);
  const only = await assembled({ skills: [two.url, "c", "none"] }, { files });
  expect(only.agent.skills?.map(({ name }) => name)).toEqual(["c"]);
  expect(only.warnings).toEqual([expect.stringContaining('there is no skill "none"')]);
});

test("the skills of a URL that two agents name are fetched once", async () => {
  const { url, asked } = serve({ [INDEX]: '{"skills":[]}' });
  const agent = { model: "fake/model", instruction: "x", skills: [url] };
  await assembled({}, { file: { agents: { root: agent, other: agent } } });
  expect(asked).toEqual([INDEX]);
});

test("cached copies are used when the server does not answer, with one warning", async () => {
  const server = serve(published({ a: { "SKILL.md": text("A"), "more.md": "MORE" }, b: { "SKILL.md": text("B") } }));
  const { skills, cacheDir } = await get(server.url);
  await server.stop();
  const again = await get(server.url, cacheDir);
  expect(again.skills).toEqual(skills);
  expect(again.warnings).toEqual([expect.stringMatching(/^skills from .*refused; the cached copies are used$/)]);
  const fresh = await get(server.url);
  expect(fresh.skills).toEqual([]);
  expect(fresh.warnings).toEqual([expect.stringMatching(/^skills from .* are left out: .*refused$/)]);
});

test.each([
  ["an error", INDEX, { status: 500 }],
  ["no index", INDEX, "<html>log in</html>"],
  ["no skill", "/.well-known/skills/a/SKILL.md", "<html>log in</html>"],
])("%s does not replace the cached skill", async (_what, path, answer) => {
  const paths: Record<string, Answer> = published({ a: { "SKILL.md": text("A") } });
  const { url, asked } = serve(paths);
  const { cacheDir } = await get(url);
  paths[path] = answer;
  asked.length = 0;
  for (const _time of [1, 2]) {
    const { skills, warnings } = await get(url, cacheDir);
    expect(skills.map(({ name }) => name)).toEqual(["a"]);
    expect(warnings).toEqual([expect.stringContaining("the cached copies are used")]);
    expect(asked.splice(0).at(-1)).toBe(path); // no request after the first failed one
  }
});

test("a skill with a missing file is left out, the others are not", async () => {
  const paths = published({ a: { "SKILL.md": text("A"), "more.md": "" }, b: { "SKILL.md": text("B") } });
  delete paths["/.well-known/skills/a/more.md"];
  const { skills, warnings } = await get(serve(paths).url);
  expect(skills.map(({ name }) => name)).toEqual(["b"]);
  expect(warnings).toEqual([expect.stringMatching(/left out: a \(.*answered 404\)$/)]);
});

test.each([
  "..",
  ".",
  "",
  "a/b",
  "../../x",
  "/etc",
  "A",
  "a\\b",
  ".hidden",
  "a%2fb",
  "a\0b",
  "index.json",
  "x".repeat(65),
])("an index with the name %j is refused, and nothing is cached", async (name) => {
  const index = { skills: [{ name, description: "d", files: ["SKILL.md"] }] };
  const { url, asked } = serve({ [INDEX]: JSON.stringify(index) });
  const { skills, warnings, cacheDir } = await get(url);
  expect(skills).toEqual([]);
  expect(warnings).toHaveLength(1);
  expect([asked, readdirSync(cacheDir)]).toEqual([[INDEX], []]);
});

test.each([
  "../x",
  "a/../../x",
  "/etc/passwd",
  "a//b",
  ".env",
  "a/.git/config",
  "a\\..\\x",
  "a?b",
  "a%2e",
  "a\nb",
  "",
  "a/b/c/d/e/f",
])("an index with the file %j is refused, and nothing is cached", async (file) => {
  const index = { skills: [{ name: "a", description: "d", files: [file] }] };
  const { url, asked } = serve({ [INDEX]: JSON.stringify(index) });
  const { skills, warnings, cacheDir } = await get(url);
  expect(skills).toEqual([]);
  expect(warnings).toEqual([expect.stringContaining("a file must be a plain path")]);
  expect([asked, readdirSync(cacheDir)]).toEqual([[INDEX], []]);
});

test("a description is one line of at most 1024 characters", async () => {
  const paths = published({ a: { "SKILL.md": text("A") } });
  paths[INDEX] = JSON.stringify({ skills: [{ name: "a", description: ` one\n\ntwo ${"x".repeat(2000)}` }] });
  const { skills } = await get(serve(paths).url);
  expect(skills[0]?.description).toMatch(/^one two x{1016}$/);
});

test("the length of an index and the size of every file are limited", async () => {
  const index = (skills: object[]) => serve({ [INDEX]: JSON.stringify({ skills }) });
  const entry = (n: number) => ({ name: `a${n}`, description: "d" });
  const many = await get(index(Array.from({ length: 51 }, (_, n) => entry(n))).url);
  const files = Array.from({ length: 51 }, (_, n) => `${n}`);
  const full = await get(index([{ ...entry(1), files }]).url);
  const large = await get(serve(published({ a: { "SKILL.md": text("x".repeat(1024 * 1024)) } })).url);
  expect([many.skills, full.skills, large.skills]).toEqual([[], [], []]);
  expect(many.warnings.concat(full.warnings).map((warning) => /Invalid length/.test(warning))).toEqual([true, true]);
  expect(large.warnings).toEqual([expect.stringContaining("SKILL.md is larger than 1048576 bytes")]);
});

test("private addresses and plain http are refused, and so is this machine for a remote agent", async () => {
  const { url, asked } = serve(published({ a: { "SKILL.md": text("A") } }));
  const reasons = await Promise.all([
    get("https://10.0.0.1"),
    get("https://[::ffff:127.0.0.1]"),
    get("http://example.com"),
    get("file:///etc"),
    get(url, undefined, false),
  ]);
  expect(reasons.map(({ skills }) => skills)).toEqual([[], [], [], [], []]);
  expect(reasons.map(({ warnings }) => warnings.join("\n"))).toEqual([
    expect.stringContaining("internal address"),
    expect.stringContaining("internal address"),
    "skills from http://example.com/ are left out: example.com: only https is allowed, except on this machine",
    "skills from file:///etc are left out: only https is allowed, except on this machine",
    expect.stringContaining("must not refer to this machine"),
  ]);
  expect(asked).toEqual([]);
});

test.each([
  ["fetched itself", (file: AgentFile): AgentFile => ({ ...file, folder: undefined })],
  [
    "of another file",
    (file: AgentFile): AgentFile => {
      return { ...file, agents: file.agents.map((agent) => ({ ...agent, origin: file })) };
    },
  ],
])("an agent %s cannot refer to this machine", async (_what, as) => {
  const { url, asked } = serve(published({ a: { "SKILL.md": text("A") } }));
  const { agent, warnings } = await assembled({ skills: [url] }, { as });
  expect([agent.skills, asked]).toEqual([[], []]);
  expect(warnings).toEqual([expect.stringContaining("must not refer to this machine")]);
});

test("a redirect must not lead away from this machine", async () => {
  const { url } = serve({ [INDEX]: { status: 302, location: "http://10.0.0.1/" } });
  expect((await get(url)).warnings).toEqual([expect.stringContaining("redirects from this machine to 10.0.0.1")]);
});

test("a cache that cannot be written is a warning", async () => {
  const dir = tempDir();
  writeFileSync(join(dir, "file"), "");
  const { url } = serve(published({ a: { "SKILL.md": text("A") } }));
  const { skills, warnings } = await get(url, join(dir, "file"));
  expect([skills, warnings.length, existsSync(join(dir, "file/skills"))]).toEqual([[], 1, false]);
});
