import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, readlinkSync, realpathSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { AUTO_MODELS } from "../../src/config/models/auto-model.ts";
import { findProvider, PROVIDERS, type ProviderRow } from "../../src/model/catalog/providers.ts";
import { binary, hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

/** The names in a directory, without the home directory that the test gives the program. */
const filesIn = (directory: string) => readdirSync(directory).filter((name) => name !== ".home");

/** A PATH with hooksh and git but without docker, and addresses where no model server listens. */
const PATH = tempDir();
symlinkSync(Bun.which("git") ?? "git", join(PATH, "git"));
symlinkSync(binary(), join(PATH, "hooksh"));
for (const name of ["sh", "cat", "sleep"]) symlinkSync(Bun.which(name) ?? name, join(PATH, name));
const NOWHERE = { PATH, OLLAMA_HOST: "127.0.0.1:1", LM_STUDIO_HOST: "127.0.0.1:1" };

const SECRET = ["s", "k-", "0123456789abcdef"].join("");

const init = (cwd: string, args: readonly string[] = [], env: Record<string, string> = {}) =>
  hooksh(["init", ...args], { cwd, env: { ...NOWHERE, ...env } });

/** Runs `git` in a directory. */
function git(cwd: string, ...args: string[]): void {
  const ran = Bun.spawnSync(["git", "-c", "user.name=a", "-c", "user.email=a@b", ...args], { cwd });
  if (ran.exitCode !== 0) throw new Error(ran.stderr.toString());
}

/** A model server on loopback that lists models. */
function listing(...ids: unknown[]) {
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: ({ url }) =>
      url.endsWith("/models") ? Response.json({ data: ids.map((id) => ({ id })) }) : new Response("", { status: 404 }),
  });
  return { address: `127.0.0.1:${server.port}`, [Symbol.asyncDispose]: () => server.stop(true) };
}

const modelIn = (cwd: string, file = "agent.yaml") =>
  /^ {4}model: (\S+)/m.exec(readFileSync(join(cwd, file), "utf8"))?.[1];

describe("hooksh init", () => {
  test("writes an agent, its guard and their tests; the steps that it prints work as printed", async () => {
    const cwd = tempDir({ "go.mod": "module m\n" });
    git(cwd, "init", "-q", "-b", "main");
    const ran = await init(cwd, [], { OPENAI_API_KEY: SECRET });
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(ran.stdout).toBe(`Found
  model  openai/gpt-5.6 (OPENAI_API_KEY is set)
  git    the branch main is protected from pushes
  tests  go test ./... (go.mod)

Wrote
  agent.yaml           the agent
  agent-guard.ts       a guard: it decides which commands run
  agent.hooktest.yaml  the tests of the guard

Next
  hooksh test agent.hooktest.yaml  see what the guard denies
  hooksh run agent.yaml            talk to the agent
`);
    expect(readFileSync(join(cwd, "agent.yaml"), "utf8")).toContain("Run the tests after every change: go test ./...");
    const env = { OPENAI_API_KEY: SECRET };
    expect(await hooksh(["test", "agent.hooktest.yaml"], { cwd })).toMatchObject({ code: 0, stderr: "" });
    expect(await hooksh(["validate"], { cwd })).toMatchObject({ code: 0, stdout: "agent.yaml: ok\n", stderr: "" });
    expect(await hooksh(["run", "agent.yaml", "--dry-run"], { cwd, env })).toMatchObject({ code: 0, stderr: "" });
    expect(await hooksh(["run", "--dry-run"], { cwd, env })).toMatchObject({
      code: 0,
      stderr: "using agent.yaml\n",
    });
  });

  test("without a file, validate names the agent files that it looked for", async () => {
    const { code, stderr } = await hooksh(["validate"], { cwd: tempDir() });
    expect(code).toBe(64);
    expect(stderr).toStartWith("validate needs a file, because this directory has no hooksh.yaml, hooksh.yml, ");
  });

  test("without a key and without a local model says which variables to set, and where to get a key", async () => {
    const cwd = tempDir();
    const { code, stdout } = await init(cwd);
    expect(code).toBe(0);
    expect(modelIn(cwd)).toBe("auto");
    for (const provider of ["anthropic", "openai", "google"]) {
      const row = findProvider(provider);
      expect(stdout).toContain(`  ${row?.keys.join(" or ")}, from ${row?.keyPage} (${row?.summary})\n`);
    }
    expect(stdout).toContain("hooksh demo");
  });

  test.each(
    AUTO_MODELS.flatMap(({ provider, model }) =>
      (findProvider(provider)?.keys ?? []).map((key) => [key, `${provider}/${model}`]),
    ),
  )("with %s set names %s, and never prints the value", async (key = "", reference) => {
    const cwd = tempDir();
    const { stdout, stderr } = await init(cwd, [], { [key]: SECRET });
    expect(modelIn(cwd)).toBe(reference);
    expect(stdout).toContain(`${reference} (${key} is set)`);
    const written = filesIn(cwd).map((name) => (name.startsWith(".") ? "" : readFileSync(join(cwd, name), "utf8")));
    expect([stdout, stderr, ...written].join("\n")).not.toContain(SECRET);
  });

  test("finds a key in the .env of the configuration directory, and ignores an empty one", async () => {
    const cwd = tempDir({ "config/.env": `MISTRAL_API_KEY=${SECRET}\n` });
    await init(cwd, ["--config-dir", "config"], { OPENAI_API_KEY: "" });
    expect(modelIn(cwd)).toBe("mistral/mistral-small-latest");
  });

  test.each([
    ["ollama", "OLLAMA_HOST", ""],
    ["lmstudio", "LM_STUDIO_HOST", ""],
    ["dmr", "MODEL_RUNNER_HOST", "http://"],
  ])("names a chat model of %s that answers", async (provider, variable, scheme) => {
    await using server = listing("nomic-embed-text", "qwen3:4b", "llama3.2:latest");
    const cwd = tempDir();
    const { stdout } = await init(cwd, [], { [variable]: scheme + server.address });
    expect(modelIn(cwd)).toBe(`${provider}/qwen3:4b`);
    expect(stdout).toContain(`${provider}/qwen3:4b (it answers on this machine)`);
    expect(readFileSync(join(cwd, "agent.yaml"), "utf8")).toContain(`# or: ${provider}/llama3.2:latest\n`);
  });

  test("prefers a provider whose key is set, and names the local model beside it", async () => {
    await using server = listing("qwen3:4b");
    const cwd = tempDir();
    await init(cwd, [], { OLLAMA_HOST: server.address, ANTHROPIC_API_KEY: SECRET });
    expect(modelIn(cwd)).toBe("anthropic/claude-sonnet-4-6");
    expect(readFileSync(join(cwd, "agent.yaml"), "utf8")).toContain("# or: ollama/qwen3:4b\n");
  });

  test.each([
    [
      "that names what is no model name",
      () => Response.json({ data: [{ id: "x\n    evil: true" }, { id: "a b" }, { id: "\u001b[2J" }] }),
    ],
    ["that answers with something else", () => new Response("<html>")],
    ["that redirects", () => Response.redirect("http://127.0.0.1:1/")],
    ["that answers with an error", () => Response.json({ data: [{ id: "m" }] }, { status: 404 })],
    [
      "that floods",
      () => new Response(new ReadableStream({ pull: (stream) => stream.enqueue(new Uint8Array(65_536)) })),
    ],
    ["that does not answer", () => new Promise<Response>(() => {})],
  ])("writes nothing of a local server %s", async (_name, fetch) => {
    const server = Bun.serve({ port: 0, hostname: "127.0.0.1", fetch });
    const cwd = tempDir();
    const ran = await init(cwd, [], { OLLAMA_HOST: `127.0.0.1:${server.port}` });
    await server.stop(true);
    expect(ran).toMatchObject({ code: 0, stderr: "" });
    expect(modelIn(cwd)).toBe("auto");
  });

  test("--model names the model, and says which variable it needs", async () => {
    const cwd = tempDir();
    const { stdout } = await init(cwd, ["--model", "openrouter/some/model"]);
    expect(modelIn(cwd)).toBe("openrouter/some/model");
    expect(stdout).toContain("\n  OPENROUTER_API_KEY, from https://openrouter.ai/settings/keys (OpenRouter)\n");
    for (const [wrong, code] of [
      ["gpt", 64],
      ["nosuch/model", 1],
    ] as const) {
      const refused = tempDir();
      expect((await init(refused, ["--model", wrong])).code).toBe(code);
      expect(filesIn(refused)).toEqual([]);
    }
  });

  test("--model names a model of a provider in config.yaml, and without one says how to add it", async () => {
    const refused = await init(tempDir(), ["--model", "local/x"]);
    expect(refused).toMatchObject({ code: 1, stderr: expect.stringContaining(": providers: {local: {base_url: ") });
    const cwd = tempDir({ "config/config.yaml": 'providers: {local: {base_url: "http://127.0.0.1:8000/v1"}}' });
    const made = await init(cwd, ["--model", "local/x", "--config-dir", "config"]);
    expect([made.code, made.stderr, modelIn(cwd)]).toEqual([0, "", "local/x"]);
  });

  test("--print prints the files and writes nothing", async () => {
    const [printing, writing] = [tempDir(), tempDir()];
    const { stdout } = await init(printing, ["--print"]);
    await init(writing);
    expect(filesIn(printing)).toEqual([]);
    const names = ["agent.yaml", "agent-guard.ts", "agent.hooktest.yaml"];
    const expected = names.map((name) => `==> ${name} <==\n${readFileSync(join(writing, name), "utf8")}`);
    expect(stdout).toBe(expected.join("\n"));
  });

  test("writes all files or none, and replaces them only with --force; a link is not followed", async () => {
    const cwd = tempDir({ "agent-guard.ts": "mine", "elsewhere.yaml": "precious" });
    symlinkSync("elsewhere.yaml", join(cwd, "agent.yaml"));
    const refused = await init(cwd);
    expect(refused).toMatchObject({ code: 1, stdout: "" });
    expect(refused.stderr).toBe(
      "agent.yaml, agent-guard.ts: exist already, so nothing was written; name another file, or replace with --force\n",
    );
    expect([filesIn(cwd).sort(), readlinkSync(join(cwd, "agent.yaml"))]).toEqual([
      ["agent-guard.ts", "agent.yaml", "elsewhere.yaml"],
      "elsewhere.yaml",
    ]);
    expect(await init(cwd, ["--force"])).toMatchObject({ code: 0, stderr: "" });
    expect(readFileSync(join(cwd, "elsewhere.yaml"), "utf8")).toBe("precious");
    expect(modelIn(cwd)).toBe("auto");
  });

  test("takes a file or a directory, and quotes a directory in the steps that it prints", async () => {
    const cwd = tempDir();
    mkdirSync(join(cwd, "it's here"));
    const { stdout } = await init(cwd, ["it's here/my.agent.yml"]);
    const [, step = ""] = /^ {2}(hooksh test .*?) {2}/m.exec(stdout) ?? [];
    expect(step).toBe("hooksh test 'it'\\''s here/my.agent.hooktest.yaml'");
    expect(await hooksh(["test"], { cwd: join(cwd, "it's here") })).toMatchObject({ code: 0 });
    await init(cwd, ["it's here"]);
    expect(filesIn(join(cwd, "it's here")).sort()).toEqual(
      [
        "agent-guard.ts",
        "agent.hooktest.yaml",
        "agent.yaml",
        "my.agent-guard.ts",
        "my.agent.hooktest.yaml",
        "my.agent.yml",
      ].sort(),
    );
  });

  test("names itself in these steps as the shell finds it", async () => {
    const { stdout } = await init(tempDir(), [], { PATH: "/usr/bin:/bin" });
    const steps = stdout.slice(stdout.indexOf("\nNext\n")).split("\n").slice(2, 4);
    expect(steps.map((line) => line.trim().split(" ")[0])).toEqual(Array(2).fill(realpathSync(binary())));
  });

  test.each(["agent", "a b.yaml", "x.hooktest.yaml", "'.yaml", "-", "${HOME}.yaml"])(
    "refuses the file name %s",
    async (name) => {
      const cwd = tempDir();
      expect(await init(cwd, [name])).toMatchObject({ code: 64, stdout: "" });
      expect(filesIn(cwd)).toEqual([]);
    },
  );

  test("asks nothing at a terminal", async () => {
    const cwd = tempDir();
    const run = startAtTerminal(cwd, ["init"], { env: NOWHERE });
    await run.sees("Next");
    expect(await run.child.exited).toBe(0);
  });
});

describe("the branch that hooksh init protects", () => {
  const protectedIn = async (cwd: string) => {
    const { stdout } = await init(cwd, ["--print"]);
    return /^ {2}\/\/ no push to (.+)$/m.exec(stdout)?.[1];
  };

  test("is the default branch of origin, else main or master", async () => {
    const cwd = tempDir();
    expect(await protectedIn(cwd)).toBeUndefined();
    git(cwd, "init", "-q", "-b", "master");
    expect(await protectedIn(cwd)).toBe("master");
    git(cwd, "commit", "-q", "--allow-empty", "-m", "x");
    git(cwd, "checkout", "-q", "-b", "topic");
    expect(await protectedIn(cwd)).toBe("master");
    git(cwd, "symbolic-ref", "refs/remotes/origin/HEAD", "refs/remotes/origin/trunk");
    expect(await protectedIn(cwd)).toBe("trunk");
  });

  test.each(['x";import("y")//', "a'b", "$(touch evil)", `${"x".repeat(200)}`])(
    "is main if the repository names %j",
    async (branch) => {
      const cwd = tempDir();
      git(cwd, "init", "-q", "-b", "main");
      mkdirSync(join(cwd, ".git/refs/remotes/origin"), { recursive: true });
      writeFileSync(join(cwd, ".git/refs/remotes/origin/HEAD"), `ref: refs/remotes/origin/${branch}\n`);
      expect(await protectedIn(cwd)).toBe("main");
    },
  );
});

describe("the test command that hooksh init finds", () => {
  const script = JSON.stringify({ scripts: { test: "x" } });
  test.each<[Record<string, string>, string | undefined]>([
    [{ "package.json": script }, "npm test"],
    [{ "package.json": script, "bun.lock": "" }, "bun run test"],
    [{ "package.json": script, "pnpm-lock.yaml": "" }, "pnpm test"],
    [{ "package.json": script, "yarn.lock": "" }, "yarn test"],
    [{ "package.json": "{}" }, undefined],
    [{ "package.json": "{", "Cargo.toml": "" }, "cargo test"],
    [{ "package.json": JSON.stringify({ scripts: { test: 'echo "Error: no test specified" && exit 1' } }) }, undefined],
    [{ "go.mod": "" }, "go test ./..."],
    [{ "Cargo.toml": "" }, "cargo test"],
    [{ "pyproject.toml": "" }, "python3 -m pytest"],
    [{ "pyproject.toml": "", "uv.lock": "" }, "uv run pytest"],
    [{ "build.gradle": "", gradlew: "" }, "./gradlew test"],
    [{ Makefile: "all:\n\ntest: all\n" }, "make test"],
    [{ Makefile: "tests:\n" }, undefined],
    [{}, undefined],
  ])("in %j is %s", async (files, command) => {
    const { stdout } = await init(tempDir(files), ["--print"]);
    expect(/Run the tests after every change: (.+)/.exec(stdout)?.[1]).toBe(command);
  });
});

test("every provider with keys has a page on which users create one", () => {
  for (const [name, row] of Object.entries<ProviderRow>(PROVIDERS))
    expect([name, row.keyPage === undefined]).toEqual([name, row.keys.length === 0 || row.advice !== undefined]);
});
