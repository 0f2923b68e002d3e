import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { fakeOpenAI } from "../helpers/fake-openai.ts";
import { tempDir } from "../helpers/temp-dir.ts";
import { startAtTerminal } from "../helpers/terminal-run.ts";

/** A PATH without docker and without model servers. */
const PATH = tempDir();
for (const name of ["git", "sh"]) symlinkSync(Bun.which(name) ?? name, join(PATH, name));
const NOWHERE = {
  PATH,
  OLLAMA_HOST: "127.0.0.1:1",
  LM_STUDIO_HOST: "127.0.0.1:1",
  MODEL_RUNNER_HOST: "http://127.0.0.1:1",
};

const AGENT = "agents: {root: {model: openai/gpt-4o-mini, instruction: Help.}}\n";

/** A local server with the model `small`, which gives these answers. */
function localServer(...texts: string[]) {
  const model = fakeOpenAI(texts.map((text) => ({ text })));
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: (request) =>
      request.url.endsWith("/models")
        ? Response.json({ data: [{ id: "nomic-embed-text" }, { id: "small" }] })
        : fetch(model.url + new URL(request.url).pathname.slice("/v1".length), request),
  });
  return {
    env: { ...NOWHERE, OLLAMA_HOST: `127.0.0.1:${server.port}` },
    requests: model.requests,
    async [Symbol.asyncDispose]() {
      await server.stop(true);
      model.stop();
    },
  };
}

describe("hooksh run without a model that it can use", () => {
  test("says which variable to set, where to get a key, and how to see the demo; starts nothing", async () => {
    const cwd = tempDir({ "agent.yaml": AGENT });
    const ran = await hooksh(["run", "agent.yaml", "hi"], { cwd, env: NOWHERE });
    expect(ran).toMatchObject({
      code: 1,
      stdout: "",
      stderr:
        "not set: OPENAI_API_KEY: needed by openai/gpt-4o-mini; set it in the environment, or in a file given with --env-from-file\n" +
        "  get a key of OpenAI at https://platform.openai.com/api-keys\n" +
        "to see an agent meet its guard without a model, run: hooksh demo\n",
    });
    expect((await hooksh(["sessions", "list"], { cwd })).stdout).toBe("");
  });

  test("and without an agent lists the keys that the built-in agent can use", async () => {
    const cwd = tempDir();
    const { code, stderr } = await hooksh(["run"], { cwd, env: NOWHERE, input: "hi" });
    expect(code).toBe(1);
    expect(stderr).toStartWith(
      "using the built-in agent: this directory has no agent file; `hooksh init` writes one\n" +
        "no provider has a key, and Docker Model Runner does not answer at http://127.0.0.1:1/engines/v1/; set one of\n" +
        "  ANTHROPIC_API_KEY, from https://platform.claude.com/settings/keys (Anthropic)\n",
    );
  });

  test("prints a command that uses the local model that answers", async () => {
    await using server = localServer("Hello.");
    const cwd = tempDir({ "agent.yaml": AGENT });
    const { stderr } = await hooksh(["run", "agent.yaml", "hi"], { cwd, env: server.env });
    const [, command = ""] = /to use it, run: hooksh (.*)\n/.exec(stderr) ?? [];
    expect(command).toBe("run agent.yaml --model ollama/small");
    const ran = await hooksh([...command.split(" "), "hi"], { cwd, env: server.env });
    expect(ran).toMatchObject({ code: 0, stdout: "Hello.\n", stderr: "" });
  });

  test("asks at a terminal whether to use the local model, and uses it only after y", async () => {
    await using server = localServer("Hello.");
    const cwd = tempDir({ "agent.yaml": AGENT });
    for (const [key, expected, code] of [
      ["n\n", "to use it, run: hooksh run agent.yaml --model ollama/small", 1],
      ["y\n", "Hello.", 0],
    ] as const) {
      const run = startAtTerminal(cwd, ["run", "agent.yaml", "hi"], { env: server.env });
      await run.sees("get a key of OpenAI at");
      await run.sees("Use ollama/small, which answers on this machine? [y/N]");
      run.press(key);
      await run.sees(expected);
      expect(await run.child.exited).toBe(code);
    }
    expect(server.requests).toHaveLength(1);
  });

  test("asks nothing with --json, and prints no event", async () => {
    await using server = localServer();
    const cwd = tempDir({ "agent.yaml": AGENT });
    const run = startAtTerminal(cwd, ["run", "agent.yaml", "--json", "hi"], { env: server.env });
    await run.sees("to use it, run: hooksh run agent.yaml --model ollama/small");
    run.press("n\n"); // ends a run that asks
    expect(await run.child.exited).toBe(1);
    expect(run.shown()).not.toContain("[y/N]");
  });

  test("a local server that does not run is named before anything starts, unless there is a fallback or a recording", async () => {
    const file = (fallback: object) =>
      JSON.stringify({ agents: { root: { model: "ollama/small", instruction: "x", ...fallback } } });
    const cwd = tempDir({
      "agent.yaml": file({}),
      "other.yaml": file({ fallback: { models: ["ollama/large"] } }),
      "tape.yaml": "version: 2\ninteractions: []\n",
    });
    const run = (...args: string[]) =>
      hooksh(["run", ...args, "--hook-session-start", "echo started >&2", "hi"], { cwd, env: NOWHERE });
    const stopped = await run("agent.yaml");
    expect(stopped).toMatchObject({ code: 1, stdout: "" });
    expect(stopped.stderr).toStartWith(
      "ollama/small: Ollama does not answer at http://127.0.0.1:1/v1/; start it with `ollama serve`\n",
    );
    for (const args of [["other.yaml"], ["agent.yaml", "--fake", "tape.yaml"]])
      expect((await run(...args)).stderr).not.toContain("does not answer");
  });
});

test("a message in place of the agent is an error that says where the agent goes, unless the folder has one", async () => {
  const { code, stderr } = await hooksh(["run", "What is in this directory?"], { cwd: tempDir() });
  expect(code).toBe(1);
  expect(stderr).toEndWith("; a message follows the agent: hooksh run default MESSAGE\n");
  const project = await hooksh(["run", "What is in this directory?"], { cwd: tempDir({ "agent.yaml": AGENT }) });
  expect(project.stderr).toStartWith("using agent.yaml\n");
});
