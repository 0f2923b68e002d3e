import { describe, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { describeEffects } from "../../../src/config/agent/effects.ts";
import { openTrustStore } from "../../../src/config/user/trust-store.ts";
import { parseDocument } from "../../../src/config/yaml/document.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

const part = (more: object = {}) => ({
  reference: "acme/x:1",
  digest: `sha256:${"1".repeat(64)}`,
  effects: ["a", "b"],
  ...more,
});

describe("trust", () => {
  test("applies to one content under any reference, and to no other content", () => {
    const store = openTrustStore({ data: tempDir() });
    expect(store.trusts(part())).toBe(false);
    store.add(part());
    expect(store.trusts(part())).toBe(true);
    expect(store.trusts(part({ reference: "other/name" }))).toBe(true);
    expect(store.trusts(part({ digest: `sha256:${"2".repeat(64)}` }))).toBe(false);
  });

  test("does not cover an effect that hooksh did not know of when the user agreed", () => {
    const store = openTrustStore({ data: tempDir() });
    store.add(part());
    expect(store.trusts(part({ effects: ["a"] }))).toBe(true);
    expect(store.trusts(part({ effects: ["a", "b", "c"] }))).toBe(false);
  });

  test("is stored in a private file with each content once, and previous() returns the last one of a reference", () => {
    const data = tempDir();
    const store = openTrustStore({ data });
    store.add(part());
    store.add(part());
    store.add(part({ digest: `sha256:${"2".repeat(64)}`, effects: [] }));
    expect(statSync(join(data, "trust.json")).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(join(data, "trust.json"), "utf8"))).toMatchObject({
      version: 1,
      agents: [part(), { effects: [] }],
    });
    expect(store.previous("acme/x:1")?.effects).toEqual([]);
    expect(store.remove(part().digest)).toBe(1);
    expect(store.remove("acme/x:1")).toBe(1);
    expect(store.list()).toEqual([]);
  });
});

async function effects(text: string): Promise<string[]> {
  const { file, problems } = await checkAgentFile(await parseDocument(text, "a.yaml"), undefined);
  if (!file) throw new Error(JSON.stringify(problems));
  return describeEffects(file);
}

describe("the effects of an agent", () => {
  test("include those of the hooks at the top of its file", async () => {
    const hooks = "hooks: {stop: [{type: command, command: ./x}]}";
    expect(await effects(`agents: {root: {model: openai/x}}\n${hooks}\n`)).toEqual(['hooks.stop[0]: runs "./x"']);
  });

  test.each([
    [
      "hooks: {pre_tool_use: [{matcher: shell, hooks: [{type: command, command: ./x, args: [a], env: {LD_PRELOAD: ./y}}]}]}",
      'agents.root.hooks.pre_tool_use[0].hooks[0]: runs "./x" {"args":["a"],"env":{"LD_PRELOAD":"./y"}} (on "shell")',
    ],
    [
      "hooks: {stop: [{type: builtin, command: http_post, args: ['https://x.example']}]}",
      'agents.root.hooks.stop[0]: uses "http_post" {"args":["https://x.example"]}',
    ],
    [
      "hooks: {turn_start: [{type: model, model: openai/x, prompt: Hi}]}",
      'agents.root.hooks.turn_start[0]: asks "openai/x": "Hi"',
    ],
    [
      "toolsets: [{type: mcp, command: npx, args: [-y, s], env: {A: $B}}]",
      'agents.root.toolsets[0]: starts "npx" ["-y","s"] {"env":{"A":"$B"}}',
    ],
    [
      "toolsets: [{type: mcp, remote: {url: 'https://x.example'}}]",
      'agents.root.toolsets[0]: connects to {"url":"https://x.example"}',
    ],
    ["toolsets: [{type: mcp, ref: 'docker:github'}]", 'agents.root.toolsets[0]: starts the MCP server "docker:github"'],
    [
      "toolsets: [{type: script, shell: {t: {cmd: ./t.sh}}}]",
      'agents.root.toolsets[0]: tool "t" runs "./t.sh" {"cmd":"./t.sh"}',
    ],
    [
      "toolsets: [{type: filesystem, post_edit: [{path: '*.go', cmd: make}]}]",
      'agents.root.toolsets[0]: tools filesystem {"post_edit":[{"path":"*.go","cmd":"make"}]}',
    ],
    [
      "toolsets: [{type: openapi, url: 'https://x.example/o.json'}]",
      'agents.root.toolsets[0]: calls "https://x.example/o.json"',
    ],
    ["toolsets: [{type: lsp, command: gopls}]", 'agents.root.toolsets[0]: tools lsp {"command":"gopls"}'],
    ["skills: ['https://x.example']", 'agents.root.skills: takes instructions from "https://x.example"'],
    ["skills: true", "agents.root.skills: uses the skills of this machine"],
    ["add_prompt_files: [../x]", 'agents.root.add_prompt_files: reads "../x"'],
    ["max_guard_retries: 0", "agents.root.max_guard_retries: lets the agent stop although stop_guard hooks refuse"],
    ["redact_secrets: false", "agents.root.redact_secrets: leaves secrets in what the model sees"],
    [
      "redact_secrets: {generic: off}",
      "agents.root.redact_secrets.generic: leaves credentials without a vendor's mark in what the model sees",
    ],
    [
      "hooks: {before_llm_call: {type: builtin, command: redact_secrets, args: [generic=off]}}",
      'agents.root.hooks.before_llm_call: uses "redact_secrets" {"args":["generic=off"]}',
    ],
    ["safety: autonomous", "agents.root.safety: runs every tool without asking"],
    ["safety: balanced", "agents.root.safety: runs what looks safe without asking"],
    ["safety: restricted", "agents.root.safety: runs what looks safe without asking"],
    ["instruction: 'use ${env.AWS_KEY}'", "reads the variable AWS_KEY"],
    ["instruction: 'use ${env . AWS_KEY}'", "reads the variable AWS_KEY"],
    ['instruction: "use ${\\x65nv.AWS_KEY}"', "reads the variable AWS_KEY"],
    ["instruction: 'use ${true ? `${env.AWS_KEY}` : 0}'", "reads the variable AWS_KEY"],
    ["welcome_message: 'Hi ${env .AWS_KEY}'", "reads the variable AWS_KEY"],
    ["commands: {c: 'x ${env .AWS_KEY}'}", "reads the variable AWS_KEY"],
    ["fallback: {models: [openai/$AWS_KEY]}", "reads the variable AWS_KEY"],
  ])("%s", async (key, line) => {
    expect(await effects(`agents:\n  root:\n    model: openai/x\n    ${key}\n`)).toEqual([line]);
  });

  test.each([
    ["runtime: {safety: autonomous}", "runtime.safety: runs every tool without asking"],
    ["permissions: {allow: ['shell:cmd=*']}", 'permissions: runs without asking: "shell:cmd=*"'],
    [
      "providers: {p: {base_url: 'https://x.example/v1', token_key: AWS_KEY}}",
      'providers.p: sends the conversation to "https://x.example/v1", with the key in "AWS_KEY"',
    ],
    [
      "models: {m: {provider: openai, model: x, base_url: 'https://x.example'}}",
      'models.m: sends the conversation to "https://x.example"',
    ],
    ["models: {m: {provider: openai, model: x, token_key: AWS_KEY}}", 'models.m: sends the key in "AWS_KEY"'],
    ["toolsets: {g: {type: shell}}", "toolsets.g: tools shell"],
    ["models: {m: {provider: openai, model: 'x-${AWS_KEY}'}}", "reads the variable AWS_KEY"],
  ])("%s", async (key, line) => {
    expect(await effects(`agents: {root: {model: openai/x}}\n${key}\n`)).toEqual([line]);
  });

  test("are empty if it can only talk, plan and ask", async () => {
    expect(
      await effects(
        "agents: {root: {model: openai/x, instruction: Hi, toolsets: [{type: think}, {type: todo}, {type: user_prompt}]}}",
      ),
    ).toEqual([]);
  });
});
