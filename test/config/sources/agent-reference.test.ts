import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadAgentFile } from "../../../src/config/agent/load-agent.ts";
import { locateAgentFile } from "../../../src/config/sources/agent-reference.ts";
import { parseExternalReference } from "../../../src/config/sources/external-reference.ts";
import { settled } from "../../helpers/settled.ts";

const root = mkdtempSync(join(tmpdir(), "hooksh-reference-"));
afterAll(() => rmSync(root, { recursive: true }));

/** A new directory with these empty files. */
function directory(name: string, ...files: string[]): string {
  const path = join(root, name);
  mkdirSync(path, { recursive: true });
  for (const file of files) writeFileSync(join(path, file), "");
  return path;
}

describe("no reference", () => {
  test("means the project's own file, with a message", () => {
    const cwd = directory("project", "docker-agent.yaml", "hooksh.yml");
    const said: string[] = [];
    expect(locateAgentFile(undefined, { cwd, inform: (message) => said.push(message) })).toMatchObject({
      path: join(cwd, "hooksh.yml"),
      folder: cwd,
    });
    expect(said).toEqual(["using hooksh.yml, not docker-agent.yaml; to choose, name the file"]);
  });

  test("means the built-in agent without such a file, with a message that says how to get one", () => {
    const said: string[] = [];
    const found = locateAgentFile(undefined, { cwd: directory("bare"), inform: (message) => said.push(message) });
    expect(found).toMatchObject({ kind: "builtin" });
    expect(said).toEqual(["using the built-in agent: this directory has no agent file; `hooksh init` writes one"]);
  });

  test("means agent.yaml, which `hooksh init` writes, after the other names", () => {
    const cwd = directory("started", "agent.yaml", "docker-agent.yaml");
    expect(locateAgentFile(undefined, { cwd })).toMatchObject({ path: join(cwd, "docker-agent.yaml") });
    expect(locateAgentFile(undefined, { cwd: directory("only", "agent.yaml") })).toMatchObject({
      displayName: "agent.yaml",
    });
  });

  test("is refused for a project whose file is in HCL, not replaced by the built-in agent", () => {
    const cwd = directory("in-hcl", "docker-agent.hcl");
    expect(() => locateAgentFile(undefined, { cwd })).toThrow(
      "docker-agent.hcl: HCL configuration is not supported; write the agent as YAML",
    );
  });

  test("means the built-in agent if the project has none", async () => {
    const file = await loadAgentFile(undefined, { cwd: directory("bare") });
    expect(file.folder).toBeUndefined();
    expect(file.agents[0]).toMatchObject({
      name: "root",
      add_date: true,
      add_prompt_files: ["AGENTS.md"],
      skills: true,
    });
    expect(file.models["default"]?.first_available?.at(-1)).toStartWith("dmr/");
  });
});

describe("a reference", () => {
  const cwd = directory("files", "a.yaml", "plain", "agent");
  directory("files/known", "agent.yaml", "other.yaml");
  directory("files/one", "x.yml", "readme.md");
  directory("files/two", "x.yaml", "y.yaml");
  directory("files/none");

  test.each([
    ["a.yaml", "a.yaml", "a.yaml"],
    ["plain", "plain", "plain"],
    ["known", "known/agent.yaml", "known/agent.yaml"],
    ["one", "one/x.yml", "one/x.yml"],
    ["missing.yaml", "missing.yaml", "missing.yaml"],
  ])("%s is a local file", (reference, path, displayName) => {
    expect(locateAgentFile(reference, { cwd })).toMatchObject({ kind: "file", path: join(cwd, path), displayName });
  });

  test("to a missing file has no other meaning", async () => {
    expect(await settled(loadAgentFile("missing.yaml", { cwd }))).toThrow(/^missing\.yaml: no such file$/);
    expect(await settled(loadAgentFile("two/x.yml", { cwd }))).toThrow("two/x.yml: no such file; did you mean x.yaml?");
  });

  test.each([
    ["-", "- is not an agent file, because standard input is for the message; write it to a file"],
    ["a.hcl", "a.hcl: HCL configuration is not supported"],
    ["two", "two: several YAML files in this directory, name one: x.yaml, y.yaml"],
    ["none", "none: no agent file in this directory"],
    ["github:a", "github:a: expected github:OWNER/REPO[/PATH][@REF]"],
    ["github:a/b/../c.yaml", "github:a/b/../c.yaml: expected github:OWNER/REPO[/PATH][@REF]"],
    [
      "hello",
      "hello: no such file or directory, and not a URL or a GitHub reference; a message follows the agent: hooksh run " +
        "default MESSAGE; an image has a tag: hello:latest",
    ],
    ["UPPER CASE", "UPPER CASE: no such file or directory, and not a URL or a GitHub reference"],
  ])("%s is refused", (reference, message) => {
    expect(() => locateAgentFile(reference, { cwd })).toThrow(message);
  });
});

describe("a reference to a remote agent", () => {
  const cwd = directory("elsewhere", "plain", "acme");

  test.each([
    ["https://example.com/a.yaml", { kind: "url", url: "https://example.com/a.yaml" }],
    ["github:a/b", { kind: "github", reference: { owner: "a", repo: "b", path: "" } }],
    [
      "github:a/b/c/d.yaml@feature/x",
      { kind: "github", reference: { owner: "a", repo: "b", path: "c/d.yaml", ref: "feature/x" } },
    ],
    [
      "https://github.com/a/b/blob/v1/c/d.yaml",
      { kind: "github", reference: { owner: "a", repo: "b", path: "c/d.yaml", ref: "v1" } },
    ],
    ["https://github.com/a/b", { kind: "github", reference: { owner: "a", repo: "b", path: "" } }],
    ["https://github.com.evil.example/a/b", { kind: "url" }],
    [
      "agentcatalog/x",
      { kind: "registry", reference: { registry: "index.docker.io", repository: "agentcatalog/x", tag: "latest" } },
    ],
    ["localhost:5000/a:1", { kind: "registry", reference: { registry: "localhost:5000", repository: "a", tag: "1" } }],
  ])("%s", (reference, expected) => {
    expect(locateAgentFile(reference, { cwd })).toMatchObject(expected);
  });

  test("never wins over a file or folder with the same name", () => {
    expect(locateAgentFile("plain", { cwd })).toMatchObject({ kind: "file", path: join(cwd, "plain") });
    directory("elsewhere/agentcatalog/x", "agent.yaml");
    expect(locateAgentFile("agentcatalog/x", { cwd })).toMatchObject({ kind: "file" });
  });

  test("is not fetched without a source context", async () => {
    expect(await settled(loadAgentFile("acme/agent:1", { cwd }))).toThrow(
      "acme/agent:1: refers to a remote agent, but this command reads local ones only",
    );
  });
});

const DIGEST = `sha256:${"a".repeat(64)}`;

test.each([
  ["acme/agent", "agent", false],
  ["acme/agent:1.2", "agent", false],
  [`acme/agent:1@${DIGEST}`, "agent", true],
  ["localhost:5000/agent", "agent", false],
  ["registry.example.com:443/a/b/c:x", "c", false],
  ["helper:acme/agent", "helper", false],
  ["https://example.com/dir/agent.yaml", "agent", false],
  ["helper:https://example.com/agent.yaml", "helper", false],
])("%s is an agent of another file", (text, name, pinned) => {
  expect(parseExternalReference(text)).toMatchObject({ name, pinned });
});

test.each(["root", "name:tag", "Acme/agent", "acme//agent", "acme/agent@sha256:12", "acme/agent:", "a b/c", "/agent"])(
  "%j is not an agent of another file",
  (text) => expect(parseExternalReference(text)).toBeUndefined(),
);

test.each([
  ["itself", "loop", "loop: the symbolic links form a cycle"],
  ["nothing", "nowhere", "loop: is a broken symbolic link"],
])("a symbolic link to %s is a local file", async (name, target, message) => {
  const cwd = directory(`linked-to-${name}`);
  symlinkSync(target, join(cwd, "loop"));
  expect(await settled(loadAgentFile("loop", { cwd }))).toThrow(message);
});
