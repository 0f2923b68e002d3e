import { describe, expect, test } from "bun:test";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { hooksh } from "../helpers/binary.ts";
import { tempDir } from "../helpers/temp-dir.ts";

/** A PATH without docker and without model servers. */
const PATH = tempDir();
for (const name of ["git", "sh"]) symlinkSync(Bun.which(name) ?? name, join(PATH, name));
const NOWHERE = {
  PATH,
  OLLAMA_HOST: "127.0.0.1:1",
  LM_STUDIO_HOST: "127.0.0.1:1",
  MODEL_RUNNER_HOST: "http://127.0.0.1:1",
};
const KEY = { OPENAI_API_KEY: "k" };

const agent = (keys: object = {}, file: object = {}) =>
  JSON.stringify({ agents: { root: { model: "openai/gpt-4o", instruction: "x", ...keys } }, ...file });

interface Situation {
  agent?: string;
  files?: Record<string, string>;
  args?: string[];
  env?: Record<string, string>;
  /** The reference; `agent.yaml` if absent. */
  reference?: string;
}

/** Lines that only a run prints: what else could be run. */
const PROPOSAL = /^(to see an agent meet its guard|to run without|Run `hooksh run --help`)/;

/** Runs both commands and returns what each says is wrong, line by line. */
async function both({ agent: text = agent(), files = {}, args = [], env = KEY, reference = "agent.yaml" }: Situation) {
  const cwd = tempDir({ "agent.yaml": text, "config/.keep": "", ...files });
  const options = { cwd, env: { ...NOWHERE, ...env } };
  const common = args.includes("--config-dir") ? args : ["--config-dir", "config", ...args];
  const [run, doctor] = await Promise.all([
    hooksh(["run", reference, "--dry-run", ...common], options),
    hooksh(["doctor", reference, "--json", ...common], options),
  ]);
  const report = JSON.parse(doctor.stdout) as { issues: string[]; warnings: string[] };
  const lines = (texts: readonly string[]) => texts.flatMap((entry) => entry.split("\n")).filter(Boolean);
  const said = lines([run.stderr]).filter((line) => !PROPOSAL.test(line));
  return {
    run: {
      code: run.code,
      warnings: said.filter((line) => line.startsWith("warning: ")).map((line) => line.replace("warning: ", "")),
      errors: said.filter((line) => !line.startsWith("warning: ")),
    },
    doctor: { code: doctor.code, issues: lines(report.issues), warnings: lines(report.warnings) },
  };
}

describe("what keeps a run from starting is an issue of doctor, in the same words", () => {
  test.each<[string, Situation, string]>([
    ["no key", { env: {} }, "not set: OPENAI_API_KEY"],
    [
      "no key for a provider with several variables",
      { agent: agent({ model: "google/gemini-2.5-pro" }) },
      "GOOGLE_API_KEY or GEMINI_API_KEY",
    ],
    [
      "no key of a provider of the file",
      {
        agent: agent(
          { model: "own/x" },
          { providers: { own: { base_url: "http://127.0.0.1:9/v1", token_key: "OWN_KEY" } } },
        ),
      },
      "OWN_KEY",
    ],
    [
      "no key of an agent below",
      {
        agent: agent(
          { sub_agents: ["two"] },
          {
            agents: {
              root: { model: "openai/gpt-4o", instruction: "x", sub_agents: ["two"] },
              two: { model: "mistral/x", instruction: "x", description: "d" },
            },
          },
        ),
      },
      "MISTRAL_API_KEY",
    ],
    [
      "auto without any key",
      { agent: agent({ model: "auto" }), env: {} },
      "no provider has a key, and Docker Model Runner does not answer",
    ],
    ["a model that is not defined", { agent: agent({ model: "nosuch" }) }, "nosuch"],
    ["a provider that does not exist", { agent: agent({ model: "opnai/gpt-4o" }) }, "opnai"],
    ["a provider that is not supported", { agent: agent({ model: "chatgpt/x" }) }, "chatgpt"],
    [
      "a setting that the model refuses",
      {
        agent: agent(
          { model: "m" },
          { models: { m: { provider: "openai", model: "gpt-5.6", thinking_budget: "lots" } } },
        ),
      },
      "thinking_budget",
    ],
    ["a file that does not exist", { reference: "nowhere.yaml" }, "nowhere.yaml: no such file"],
    ["a folder without an agent file", { reference: "config" }, "config: no agent file in this directory"],
    ["a file that is not YAML", { agent: "agents: [" }, "agent.yaml:1:"],
    ["an unknown key", { agent: agent({ instrucion: "x" }) }, "instrucion"],
    ["an unknown event", { agent: agent({ hooks: { pre_tool: [] } }) }, "hooks.pre_tool: unknown event"],
    ["a hook without a command", { agent: agent({ hooks: { stop: [{ type: "command" }] } }) }, "hooks.stop[0]"],
    ["a sub-agent that does not exist", { agent: agent({ sub_agents: ["nobody"] }) }, "nobody"],
    ["a restriction that is not enforced", { agent: agent({}, { runtime: { sandbox: true } }) }, "sandbox"],
    ["a broken config.yaml", { files: { "config/config.yaml": "settings: [\n" } }, "config.yaml:"],
    ["an unknown key in config.yaml", { files: { "config/config.yaml": "setings: {}\n" } }, "setings"],
    ["a config.yaml that cannot be read", { files: { "config/config.yaml/x": "" } }, "config.yaml"],
    ["a broken file in hooks.d", { files: { "config/hooks.d/a.yaml": "stop: [{type: command}]\n" } }, "a.yaml:1:"],
    [
      "a file that is not read for its name",
      { files: { "config/hooks.d/a.json": "{}" } },
      "hooks.d: not read: a.json;",
    ],
    [
      "a matcher that can name no tool",
      {
        agent: agent({ hooks: { pre_tool_use: [{ matcher: "Bash", hooks: [{ type: "command", command: "true" }] }] } }),
      },
      'matcher "Bash" matches no tool of agent root',
    ],
    [
      "a configuration directory that does not exist",
      { args: ["--config-dir", "typo"] },
      "--config-dir typo: no such directory",
    ],
    ["a safety mode that does not exist", { env: { ...KEY, HOOKSH_SAFETY: "brave" } }, "HOOKSH_SAFETY takes"],
    ["a key in 1Password", { env: { OPENAI_API_KEY: "op://vault/key" } }, "OPENAI_API_KEY: "],
  ])("%s", async (_name, situation, phrase) => {
    const { run, doctor } = await both(situation);
    expect(run.code).toBeGreaterThan(0);
    expect(doctor.code).toBe(1);
    expect(run.errors.join("\n")).toContain(phrase);
    expect(doctor.issues).toEqual(expect.arrayContaining(run.errors));
    expect([...doctor.issues, ...doctor.warnings]).toEqual(expect.arrayContaining(run.warnings));
  });

  test("an MCP server that the agent requires and that is not installed", async () => {
    const toolsets = [{ type: "mcp", command: "no-such-server", lifecycle: { required: true } }];
    const { run, doctor } = await both({ agent: agent({ toolsets }) });
    const reason = 'the command "no-such-server" was not found in PATH: install it, or give its whole path';
    expect([run.code, doctor.code]).toEqual([1, 1]);
    expect([run.errors, doctor.issues]).toEqual([[expect.stringContaining(reason)], [expect.stringContaining(reason)]]);
  });
});

describe("an issue that does not keep a run from starting is a warning of the run, in the same words", () => {
  test.each([
    ["Ollama", "ollama/llama3.2", "Ollama does not answer at http://127.0.0.1:1/v1/; start it with `ollama serve`"],
    ["LM Studio", "lmstudio/x", "LM Studio does not answer"],
    ["Docker Model Runner", "dmr/ai/qwen3", "dmr/ai/qwen3: Docker Model Runner does not answer"],
  ])(
    "%s that does not run: a warning of --dry-run, which checks what is written; a run stops",
    async (_name, model, phrase) => {
      const { run, doctor } = await both({ agent: agent({ model }) });
      expect([run.code, doctor.code]).toEqual([0, 1]);
      expect(run.warnings).toEqual([expect.stringContaining(phrase)]);
      expect(doctor.issues).toEqual(run.warnings);
      const cwd = tempDir({ "agent.yaml": agent({ model }) });
      const real = await hooksh(["run", "agent.yaml", "hi"], { cwd, env: { ...NOWHERE, ...KEY } });
      expect(real).toMatchObject({ code: 1, stdout: "" });
      expect(real.stderr).toStartWith(`${doctor.issues[0]}\n`);
    },
  );

  test("a hook whose script is missing", async () => {
    const hooks = { pre_tool_use: [{ hooks: [{ type: "command", command: "./nope.sh" }] }] };
    const { run, doctor } = await both({ agent: agent({ hooks }) });
    expect([run.code, doctor.code]).toEqual([0, 1]);
    expect(run.warnings).toEqual([expect.stringContaining("nope.sh")]);
    expect(doctor.issues).toEqual(run.warnings);
  });

  test("an MCP server that is not installed", async () => {
    const { run, doctor } = await both({ agent: agent({ toolsets: [{ type: "mcp", command: "no-such-server" }] }) });
    const reason = 'the command "no-such-server" was not found in PATH: install it, or give its whole path';
    expect([run.code, doctor.code]).toEqual([0, 1]);
    expect([run.warnings, doctor.issues]).toEqual([
      [expect.stringContaining(reason)],
      [expect.stringContaining(reason)],
    ]);
  });
});

test("without a problem, a run starts and doctor finds no issue", async () => {
  const { run, doctor } = await both({});
  expect({ run, doctor }).toEqual({
    run: { code: 0, warnings: [], errors: [] },
    doctor: { code: 0, issues: [], warnings: [] },
  });
});
