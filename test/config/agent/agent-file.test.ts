import { afterAll, describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AgentFile, type AgentFileOptions, checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { loadAgentFile } from "../../../src/config/agent/load-agent.ts";
import { parseDocument, renderProblems } from "../../../src/config/yaml/document.ts";
import { ConfigError } from "../../../src/lib/errors.ts";
import { settled } from "../../helpers/settled.ts";

const folder = mkdtempSync(join(tmpdir(), "hooksh-agent-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

async function complaints(text: string, options: AgentFileOptions = {}): Promise<string[]> {
  const document = await parseDocument(text, "a.yaml");
  return renderProblems(document, (await checkAgentFile(document, folder, options)).problems);
}

async function load(text: string, options: AgentFileOptions = {}): Promise<AgentFile> {
  const document = await parseDocument(text, "a.yaml");
  const { file, problems } = await checkAgentFile(document, folder, options);
  if (!file) throw new Error((await renderProblems(document, problems)).join("\n"));
  return file;
}

/** An agent file with one agent of these lines, indented by four. */
function withAgent(...lines: string[]): string {
  return `agents:\n  root:\n    model: openai/gpt-4o\n${lines.map((line) => `    ${line}\n`).join("")}`;
}

const MINIMAL = withAgent();

test("add_prompt_files_depth without names is a warning", async () => {
  const message = "looks for the names in add_prompt_files, but there are none";
  expect((await load(withAgent("add_prompt_files_depth: 1"))).warnings).toEqual([expect.stringContaining(message)]);
  expect((await load(withAgent("add_prompt_files: [A.md]", "add_prompt_files_depth: 1"))).warnings).toEqual([]);
  expect((await load(withAgent("add_prompt_files_depth: 0"))).warnings).toEqual([]);
});

describe("versions", () => {
  test.each(["", "version: 16\n", 'version: "16"\n', "version: 8\n"])("%j loads", async (line) => {
    expect((await load(line + MINIMAL)).agents).toHaveLength(1);
  });

  test("17 is refused with the name of what it is", async () => {
    expect(await complaints(`version: "17"\n${MINIMAL}`)).toEqual([
      "a.yaml:1:10: version: unsupported config version: 17 (docker-agent's decision workflows, not released)",
    ]);
  });

  test.each(["18", "-1", "abc", "1.5", "[]"])("%s is refused", async (version) => {
    const [only, ...rest] = await complaints(`version: ${version}\n${MINIMAL}`);
    expect(only).toStartWith("a.yaml:1:10: version: unsupported config version: ");
    expect(only).toEndWith(" (valid: 0 … 16)");
    expect(rest).toEqual([]);
  });

  test.each([
    [
      `${MINIMAL}workflows: {w: {entry: a, nodes: {a: {type: agent}}}}\n`,
      "workflows: not released by docker-agent; use sub_agents, handoffs or routing hooks",
    ],
    [
      withAgent("toolsets: [{type: shell, safer: true}]"),
      "agents.root.toolsets[0].safer: removed in docker-agent 1.133; delete it: safety modes replaced it",
    ],
    [
      withAgent("toolsets: [{type: session_plan}]"),
      'agents.root.toolsets[0].type: "session_plan": removed in docker-agent 1.137; use type todo',
    ],
  ])("a key that docker-agent removed or has not released is an error that says so", async (text, message) => {
    expect((await complaints(text)).map((line) => line.replace(/^a\.yaml:\d+:\d+: /, ""))).toEqual([message]);
  });

  test("a key newer than the declared version is a warning that names its version, an error when strict", async () => {
    const text = `version: 9\n${withAgent("readonly: true")}`;
    const message =
      "a.yaml:5:5: agents.root.readonly: needs schema version 10, but the file declares 9; raise version at the top of the file";
    expect((await load(text)).warnings).toEqual([message]);
    expect(await complaints(text, { strictVersion: true })).toEqual([message]);
  });

  test("version 0 has type instead of provider, and enables toolsets by keys of the agent", async () => {
    const file = await load(
      "version: 0\nagents:\n  root:\n    model: m\n    todo: true\n    think: true\n    memory: {path: m.db}\n    toolsets: [{type: shell}]\nmodels:\n  m: {type: openai, model: gpt-4o}\n",
    );
    expect(file.models["m"]).toMatchObject({ provider: "openai", model: "gpt-4o" });
    expect(file.agents[0]?.toolsets).toEqual([
      { type: "todo" },
      { type: "think" },
      { type: "memory", path: "m.db" },
      { type: "shell" },
    ]);
  });

  test("env and env_file of old versions are rejected unless they are empty", async () => {
    expect(await complaints(`version: 2\nenv: {A: b}\n${MINIMAL}`)).toEqual([
      "a.yaml:2:1: env: no longer supported; set the variables in the environment or pass --env-from-file",
    ]);
    expect(await complaints(`version: 2\nenv: {}\n${MINIMAL}`)).toEqual([]);
  });

  test("a sandbox of version 5 is a restriction that is not enforced", async () => {
    const file = await load(`version: 5\n${withAgent("toolsets: [{type: shell, sandbox: {image: x}}]")}`);
    expect(file.agents[0]?.toolsets).toEqual([{ type: "shell" }]);
    expect(file.unenforced).toEqual([
      "a.yaml:5:30: agents.root.toolsets[0].sandbox: no longer supported: the toolset runs without a sandbox",
    ]);
  });

  test("rag on an agent of version 6 is a toolset", async () => {
    const file = await load(`version: 6\n${withAgent("rag: [docs]")}rag:\n  docs: {docs: [a]}\n`);
    expect(file.agents[0]?.toolsets).toEqual([{ type: "rag", ref: "docs" }]);
  });
});

describe("keys", () => {
  test.each([
    [withAgent("instrucion: x"), 'a.yaml:4:5: agents.root.instrucion: unknown key; did you mean "instruction"?'],
    [
      `handoffs: []\n${MINIMAL}`,
      "a.yaml:1:1: handoffs: unknown key; it belongs to an entry of agents: agents.NAME.handoffs",
    ],
    [`agnets: {}\n${MINIMAL}`, 'a.yaml:1:1: agnets: unknown key; did you mean "agents"?'],
    [
      withAgent("toolsets:", "  - type: mcp", "    command: x", "    lifecycle: {backoff: {inital: 1s}}"),
      'a.yaml:7:31: agents.root.toolsets[0].lifecycle.backoff.inital: unknown key; did you mean "initial"?',
    ],
    [withAgent("tools: [shell]"), 'a.yaml:4:5: agents.root.tools: unknown key; did you mean "toolsets"?'],
    [withAgent("system_prompt: x"), 'a.yaml:4:5: agents.root.system_prompt: unknown key; did you mean "instruction"?'],
    [
      withAgent("permissions: {deny: [shell]}"),
      "a.yaml:4:5: agents.root.permissions: unknown key; write permissions: at the top of the file",
    ],
    [
      `${MINIMAL}providers: {p: {base_url: "http://x", api_key: k}}\n`,
      "a.yaml:4:39: providers.p.api_key: unknown key; token_key names the variable that holds the key",
    ],
    [
      withAgent("toolsets: [{type: filesystem, allow: [x]}]"),
      'a.yaml:4:35: agents.root.toolsets[0].allow: unknown key; did you mean "allow_list"?',
    ],
    [withAgent("toolsets: [shell]"), "a.yaml:4:16: agents.root.toolsets[0]: expected a mapping: write {type: shell}"],
    ["stop: []\n", "a.yaml:1:1: this is a hooks file, not an agent file: name it with --hooks-file"],
    [
      withAgent("toolsets: [{type: shell, path: x}]"),
      "a.yaml:4:30: agents.root.toolsets[0].path: unknown key for this type; it belongs to memory, tasks",
    ],
    [withAgent("add_date: 1"), "a.yaml:4:15: agents.root.add_date: expected true or false but got 1"],
    [withAgent("description: [a]"), "a.yaml:4:18: agents.root.description: expected a text but got a list"],
    [withAgent("toolsets: {type: shell}"), "a.yaml:4:15: agents.root.toolsets: expected a list but got a mapping"],
    [withAgent("fallback: []"), "a.yaml:4:15: agents.root.fallback: expected a mapping but got a list"],
    [
      withAgent("max_iterations: -1"),
      "a.yaml:4:21: agents.root.max_iterations: expected a whole number of at least 0 but got -1",
    ],
    [
      withAgent("max_iterations: 1.5"),
      "a.yaml:4:21: agents.root.max_iterations: expected a whole number of at least 0 but got 1.5",
    ],
    [
      withAgent("compaction_threshold: 0"),
      "a.yaml:4:27: agents.root.compaction_threshold: expected a number greater than 0 and at most 1 but got 0",
    ],
    [
      withAgent("fallback: {retries: -2}"),
      "a.yaml:4:25: agents.root.fallback.retries: expected a whole number of at least -1 but got -2",
    ],
    [
      withAgent("safety: yolo"),
      'a.yaml:4:13: agents.root.safety: expected one of "strict", "plan", "accept-edits", "balanced", "restricted", "autonomous" but got "yolo"; did you mean "autonomous"?',
    ],
    [
      withAgent("fallback: {cooldown: 90 seconds}"),
      'a.yaml:4:26: agents.root.fallback.cooldown: expected a duration such as 90s, 1m30s or a whole number of seconds but got "90 seconds"',
    ],
    [withAgent("toolsets: [{}]"), "a.yaml:4:16: agents.root.toolsets[0].type: is required"],
    [withAgent("toolsets: [{type: openapi}]"), "a.yaml:4:16: agents.root.toolsets[0].url: is required"],
    [withAgent("skills: [{name: a, description: b}]"), "a.yaml:4:14: agents.root.skills[0].instructions: is required"],
    [
      withAgent("commands: {fix: {instructon: x}}"),
      'a.yaml:4:22: agents.root.commands.fix.instructon: unknown key; did you mean "instruction"?',
    ],
    [
      withAgent("commands: [{fix: x}, {tidy: 5}]"),
      "a.yaml:4:33: agents.root.commands.tidy: expected a text or a mapping but got 5",
    ],
    ["agents:\n  root:\n", "a.yaml:2:3: agents.root: expected a mapping but got nothing"],
    ["agents: {}\n", "a.yaml:1:9: agents: at least one agent is required"],
    ["models: {}\n", "a.yaml:1:1: agents: at least one agent is required"],
    [
      "hooks: {stop: []}\n",
      "a.yaml:1:1: agents: at least one agent is required; a hooks file goes beside an agent (--hooks-file FILE), and " +
        "`hooksh import claude` translates settings of Claude Code",
    ],
    ["agents:\n  root: {description: x}\n", "a.yaml:2:9: agents.root.model: is required"],
    ["[]", "a.yaml:1:1: expected an agent file, which is a mapping with agents"],
  ])("%j: %s", async (text, expected) => {
    expect(await complaints(text)).toEqual([expected]);
  });

  test("an unknown toolset type is an error that names the closest one, else lists the known ones", async () => {
    for (const type of ["shel", "bash"])
      expect(await complaints(withAgent(`toolsets: [{type: ${type}}]`))).toEqual([
        `a.yaml:4:23: agents.root.toolsets[0].type: "${type}" is no value of type; did you mean "shell"?`,
      ]);
    const [only] = await complaints(withAgent("toolsets: [{type: nothing}]"));
    expect(only).toStartWith('a.yaml:4:23: agents.root.toolsets[0].type: expected one of "shell", "background_jobs", ');
    expect(only).toEndWith(' but got "nothing"');
  });

  test("every problem is reported, not only the first", async () => {
    expect(await complaints(withAgent("x: 1", "y: 2", "add_date: 3", "hooks: {stop: [{type: command}]}"))).toHaveLength(
      4,
    );
    expect(
      await complaints(withAgent("sub_agents: [a, b]", "hooks: {stop: [{type: command}], nothing: []}")),
    ).toHaveLength(4);
  });

  test("a key set to null is absent", async () => {
    expect((await load(withAgent("description:", "toolsets:"))).agents[0]).toMatchObject({ toolsets: [] });
  });

  test("durations become milliseconds", async () => {
    const cooldowns = await Promise.all(
      ["90s", "1m30s", "250ms", "60", '""'].map(
        async (text) => (await load(withAgent(`fallback: {cooldown: ${text}}`))).agents[0]?.fallback?.cooldown,
      ),
    );
    expect(cooldowns).toEqual([90_000, 90_000, 250, 60_000, 0]);
  });

  test("an unsupported key causes a warning and does not affect others", async () => {
    const file = await load(
      `${withAgent("cache: {enabled: true}", "toolsets: [{type: lsp, command: x}]")}runtime: {sandbox: true}\nflavors: {a: {b: 1}}\n`,
    );
    expect(file.warnings).toEqual([
      "a.yaml:4:5: agents.root.cache: not supported yet, ignored; every question goes to the model",
      'a.yaml:5:23: agents.root.toolsets[0].type: "lsp" is not supported yet; use an MCP server for the language',
      "a.yaml:7:1: flavors: not supported yet, ignored; write an agent file for each flavor",
    ]);
    expect(file.unenforced).toEqual([
      "a.yaml:6:11: runtime.sandbox: not supported yet: this restriction is not enforced; run hooksh inside a container",
    ]);
  });

  test("a list of instructions is joined by blank lines", async () => {
    const file = await load(withAgent("instruction: [one, two]"));
    expect(file.agents[0]?.instruction).toBe("one\n\ntwo");
    expect(await complaints(withAgent("instruction: [one]", "instruction_file: a.md"))).toEqual([
      "a.yaml:5:5: agents.root.instruction_file: cannot be combined with instruction",
    ]);
  });

  test("keys of the newest version are known, and their notices say what happens", async () => {
    const file = await load(
      `${withAgent(
        "structured_output: {name: a, mode: tool, schema: {type: object}}",
        "toolsets: [{type: git}, {type: fetch, escape_html: true}]",
      )}models: {m: {provider: fireworks-ai, model: x, capabilities: {audio: true}, bypass_models_gateway: true}}\n`,
    );
    expect(file.warnings.map((line) => line.replace(/^\S+ /, ""))).toEqual([
      'agents.root.toolsets[0].type: "git" is not supported yet; use type shell',
      "agents.root.toolsets[1].escape_html: not supported yet, ignored; results are not escaped",
      "models.m.capabilities.audio: not supported yet, ignored; hooksh sends texts, images and PDF",
      "agents.root.structured_output.mode: not supported yet: hooksh uses the provider's own support, as native does",
    ]);
  });

  test("an agent with a harness needs no model: the file loads, and the agent never runs", async () => {
    const harness = "harness: {type: claude-code}";
    const file = await load(`${MINIMAL}  coder:\n    ${harness}\n`);
    expect(file.agents.map(({ model }) => model)).toEqual(["openai/gpt-4o", "openai/gpt-4o"]);
    expect((await load(`agents:\n  root:\n    ${harness}\n`)).agents[0]?.model).toBe("auto");
  });

  test("a restriction that is switched off causes no notice", async () => {
    const file = await load(`${MINIMAL}runtime: {sandbox: false, network_allowlist: []}\n`);
    expect(file.unenforced).toEqual([]);
  });

  test("a restriction that is not enforced is an error when strict", async () => {
    expect(await complaints(`${MINIMAL}runtime: {sandbox: true}\nflavors: {}\n`, { strictVersion: true })).toEqual([
      "a.yaml:4:11: runtime.sandbox: not supported yet: this restriction is not enforced; run hooksh inside a container",
    ]);
  });
});

describe("names that refer to something", () => {
  const cases: [string, string][] = [
    [
      "agents: {root: {model: nobody}}\nmodels: {a: {provider: openai, model: x}}\n",
      'agents.root.model: no model "nobody"; defined are a',
    ],
    ["agents: {root: {model: gpt-4o}}\n", 'agents.root.model: no model "gpt-4o"; did you mean "openai/gpt-4o"?'],
    ["agents: {root: {model: opnai/gpt-4o}}\n", 'agents.root.model: no provider "opnai"; did you mean "openai"?'],
    ["agents: {root: {model: claude/opus}}\n", 'agents.root.model: no provider "claude"; did you mean "anthropic"?'],
    [
      "agents: {root: {model: cloudflare/x}}\n",
      'agents.root.model: no provider "cloudflare"; did you mean "cloudflare-workers-ai"?',
    ],
    ["agents: {root: {model: nobody}}\n", 'agents.root.model: no model "nobody"; none is defined'],
    ["agents: {root: {model: openai/}}\n", 'agents.root.model: expected provider/model but got "openai/"'],
    [withAgent("sub_agents: [nobody]"), 'agents.root.sub_agents[0]: no agent "nobody"; defined are root'],
    [withAgent("handoffs: [root, nobody]"), 'agents.root.handoffs[1]: no agent "nobody"; defined are root'],
    [
      withAgent("sub_agents: [acme/root]"),
      'agents.root.sub_agents[0]: an agent of this file is already called "root"; write another-name:acme/root',
    ],
    [withAgent("force_handoff: root"), "agents.root.force_handoff: leads back to this agent: root -> root"],
    [
      `${withAgent("use_toolsets: [x]")}toolsets: {y: {type: shell}}\n`,
      'agents.root.use_toolsets[0]: no toolset group "x"; defined are y',
    ],
    [withAgent("use_commands: [x]"), 'agents.root.use_commands[0]: no command group "x"; none is defined'],
    [withAgent("use_skills: [x]"), 'agents.root.use_skills[0]: no skill group "x"; none is defined'],
    [withAgent("budgets: [x]"), 'agents.root.budgets[0]: no budget "x"; none is defined'],
    [withAgent("toolsets: [{type: mcp, ref: x}]"), 'agents.root.toolsets[0].ref: no mcps entry "x"; none is defined'],
    [withAgent("toolsets: [{type: rag, ref: x}]"), 'agents.root.toolsets[0].ref: no rag source "x"; none is defined'],
    [
      withAgent("skills: [{name: a, description: b, instructions: c, context: fork, toolsets: [x]}]"),
      'agents.root.skills[0].toolsets[0]: no toolset group "x"; none is defined',
    ],
    [withAgent("compaction_model: x"), 'agents.root.compaction_model: no model "x"; none is defined'],
    [withAgent("fallback: {models: [x]}"), 'agents.root.fallback.models[0]: no model "x"; none is defined'],
    [
      withAgent("toolsets: [{type: mcp}]"),
      "agents.root.toolsets[0]: expected exactly one of command, remote and ref but got none",
    ],
    [
      withAgent("toolsets: [{type: mcp, command: a, remote: {url: b}}]"),
      "agents.root.toolsets[0]: expected exactly one of command, remote and ref but got command and remote",
    ],
    [
      withAgent("toolsets: [{type: fetch, allowed_domains: [a], blocked_domains: [b]}]"),
      "agents.root.toolsets[0].blocked_domains: cannot be combined with allowed_domains",
    ],
    [
      withAgent("toolsets: [{type: fetch, allowed_domains: [a*.com]}]"),
      "agents.root.toolsets[0].allowed_domains[0]: expected a domain: * is allowed only at the start, as in *.example.com",
    ],
    [
      withAgent("toolsets: [{type: mcp, remote: {url: https://a.com, oauth: {clientSecret: y}}}]"),
      "agents.root.toolsets[0].remote.oauth.clientSecret: needs a clientId",
    ],
    [
      withAgent("toolsets: [{type: mcp, remote: {url: https://a.com, oauth: {callbackRedirectURL: 'http://a.com'}}}]"),
      "agents.root.toolsets[0].remote.oauth.callbackRedirectURL: expected an absolute https URL (http only on this machine)",
    ],
    [
      withAgent("instruction: a", "instruction_file: b.md"),
      "agents.root.instruction_file: cannot be combined with instruction",
    ],
    [withAgent("harness: {type: codex, effort: low}"), "agents.root.harness.effort: is only valid for claude-code"],
    [
      `${MINIMAL}permissions: {deny: ['shell:cmd=[a']}\n`,
      'permissions.deny[0]: "shell:cmd=[a" has a [ that is never closed; write \\[ for the character itself',
    ],
    [
      `${MINIMAL}permissions: {allow: ['']}\n`,
      "permissions.allow[0]: expected a tool name, then :argument=value conditions",
    ],
    [
      `${MINIMAL}permissions: {deny: ['write:file-path=/etc/*']}\n`,
      'permissions.deny[0]: "write:file-path=/etc/*": expected a tool name, then :argument=value, with arguments of letters, digits and _',
    ],
    [
      `${MINIMAL}permissions: {deny: ['shell:command=rm*']}\n`,
      'permissions.deny[0]: "shell:command=rm*": write cmd instead of command; rules always see the command line as cmd',
    ],
    ...(
      [
        ["deny", "Bash(rm:*)", "a rule is tool:argument=pattern, so write shell:cmd=rm *"],
        ["deny", "Bash(git push:*)", "a rule is tool:argument=pattern, so write shell:cmd=git push *"],
        ["deny", "shell(rm *)", "a rule is tool:argument=pattern, so write shell:cmd=rm *"],
        ["deny", "Read(./secrets/**)", "a rule is tool:argument=pattern, so write read_file:path=./secrets/**"],
        ["allow", "Bash(*)", "a rule is tool:argument=pattern, so write shell"],
        ["ask", "a,b", "a rule names one tool, so write a rule for each: a and b"],
        [
          "ask",
          "write_file|edit_file:path=*.pem",
          "a rule names one tool, so write a rule for each: write_file:path=*.pem and edit_file:path=*.pem",
        ],
        ["ask", "Bash(rm:*), Write", "a rule names one tool, so write a rule for each: shell:cmd=rm * and Write"],
        ["ask", "my tool", "no tool has such a name; a rule is tool:argument=pattern, such as shell:cmd=my tool"],
        ["deny", "shell:rm *", "no tool has such a name; a rule is tool:argument=pattern, such as shell:cmd=rm *"],
        ["deny", "shell:cmd~=(", "missing closing ) at 0"],
        ["deny", "shell:command~=rm", "write cmd instead of command; rules always see the command line as cmd"],
        [
          "allow",
          "shell:cmd=cat * | grep *",
          "an allow rule covers single commands; write one rule for each command, or cmd~= with a regular expression for the whole line",
        ],
      ] as const
    ).map(([list, rule, problem]): [string, string] => [
      `${MINIMAL}permissions: {${list}: [${JSON.stringify(rule)}]}\n`,
      `permissions.${list}[0]: ${JSON.stringify(rule)}: ${problem}`,
    ]),
    [`${MINIMAL}models: {m: {provider: openai}}\n`, "models.m.model: is required"],
    [`${MINIMAL}models: {m: {model: x}}\n`, "models.m.provider: is required"],
    [`${MINIMAL}models: {m: {first_available: []}}\n`, "models.m.first_available: expected at least one model"],
    [
      `${MINIMAL}models: {m: {first_available: ['']}}\n`,
      "models.m.first_available[0]: expected a model: a name from models, provider/model or auto",
    ],
    [
      `${MINIMAL}models: {m: {first_available: [openai/x], max_tokens: 5}}\n`,
      "models.m.first_available: cannot be combined with max_tokens",
    ],
    [
      `${MINIMAL}models: {m: {first_available: [n]}, n: {first_available: [openai/x]}}\n`,
      'models.m.first_available[0]: "n" has first_available, too; first_available cannot be nested',
    ],
    [
      `${MINIMAL}models: {m: {provider: openai, model: x, cost: {input: -1}}}\n`,
      "models.m.cost.input: expected a number of at least 0 but got -1",
    ],
    [
      `${MINIMAL}models: {m: {provider: openai, model: x, thinking_budget: lots}}\n`,
      "models.m.thinking_budget: expected",
    ],
    [`${MINIMAL}providers: {p: {}}\n`, "providers.p.base_url: is required"],
    [
      `${MINIMAL}providers: {p: {provider: anthropic, api_type: openai_responses}}\n`,
      "providers.p.base_url: is required",
    ],
    [
      `${MINIMAL}providers: {a/b: {base_url: http://x}}\n`,
      "providers.a/b: expected a name without slashes and without surrounding spaces",
    ],
    [
      `${MINIMAL}providers: {p: {base_url: x, api_type: soap}}\n`,
      'providers.p.api_type: expected "openai_chatcompletions" or "openai_responses" but got "soap"',
    ],
    ["agents: {a/b: {model: openai/x}}\n", "agents.a/b: expected a name without spaces, slashes and colons"],
    [
      withAgent("hooks: {tool_guard: [{hooks: [{type: evaluator}]}]}"),
      "agents.root.hooks.tool_guard[0].hooks[0]: evaluator hook requires a non-empty evaluator reference",
    ],
    [
      withAgent("hooks: {stop: [{type: script}]}"),
      "agents.root.hooks.stop[0]: unsupported hook type 'script' (supported: 'command', 'builtin', 'model')",
    ],
    [
      withAgent("hooks: {pre_tool_use: [{matcher: '(', hooks: [{type: command, command: x}]}]}"),
      "agents.root.hooks.pre_tool_use[0]: invalid matcher: ",
    ],
  ];
  test.each(cases)("%j: %s", async (text, expected) => {
    const [only, ...rest] = await complaints(text);
    expect(only?.replace(/^a\.yaml:\d+:\d+: /, "")).toStartWith(expected);
    expect(rest).toEqual([]);
  });

  test("an unknown provider is an error that lists those of the user and of the file, and how to define one", async () => {
    const [only] = await complaints("agents: {root: {model: nobody/x}}\nproviders: {mine: {base_url: http://x}}\n", {
      userProviders: { theirs: { base_url: "y" } },
    });
    expect(only).toStartWith(
      'a.yaml:1:24: agents.root.model: no provider "nobody"; defined are theirs, mine; hooksh has openai, ',
    );
  });

  test("a provider that cannot be used yet is a warning", async () => {
    expect((await load("agents: {root: {model: amazon-bedrock/x}}\n")).warnings).toHaveLength(1);
  });

  test("an agent of another file causes a warning, unless a digest pins its content", async () => {
    const pinned = `acme/pinned@sha256:${"0".repeat(64)}`;
    const { warnings } = await load(
      withAgent(`sub_agents: [acme/helper, 'other:acme/root:1', 'https://example.com/x.yaml', '${pinned}']`),
    );
    expect(warnings).toHaveLength(3);
    expect(warnings[0]).toContain("without a digest, the content of this agent can change");
  });

  test("an agent of another file needs a name", async () => {
    expect(await complaints(withAgent("sub_agents: ['https://example.com/']"))).toEqual([
      expect.stringContaining(
        "agents.root.sub_agents[0]: cannot derive a name for this agent; write name:https://example.com/",
      ),
    ]);
  });
});

describe("agents", () => {
  test("are in the order of the file, even if their names look like numbers; the first one starts unless one is called root", async () => {
    const agents = (...names: string[]) => `agents:\n${names.map((name) => `  ${name}: {model: openai/x}\n`).join("")}`;
    const file = await load(agents("b", "10", "2"));
    expect(file.agents.map(({ name }) => name)).toEqual(["b", "10", "2"]);
    expect(file.defaultAgent).toBe("b");
    expect((await load(agents("b", "root"))).defaultAgent).toBe("root");
  });

  test("an agent with a merge key has the keys of the anchor, but its own win", async () => {
    const file = await load(
      "agents:\n  a: &a {model: openai/x, description: one, add_date: true}\n  b:\n    <<: *a\n    description: two\n",
    );
    expect(file.agents[1]).toMatchObject({ model: "openai/x", description: "two", add_date: true });
  });

  test("commands have one form, however they were written", async () => {
    const expected = {
      fix: { instruction: "Fix it", description: "" },
      help: { instruction: "Say how", description: "Say how" },
      go: { instruction: "", description: "Switch", agent: "root" },
    };
    const map = withAgent(
      "commands:",
      "  fix: Fix it",
      "  help: {description: Say how}",
      "  go: {agent: root, description: Switch}",
    );
    const list = withAgent(
      "commands:",
      "  - fix: Fix it",
      "  - help: {description: Say how}",
      "  - go: {agent: root, description: Switch}",
    );
    expect((await load(map)).agents[0]?.commands).toEqual(expected);
    expect((await load(list)).agents[0]?.commands).toEqual(expected);
    expect((await load(withAgent("commands: 5"))).agents[0]?.commands).toEqual({});
  });

  test("a repeated command in a list is rejected", async () => {
    expect(await complaints(withAgent("commands: [{a: x}, {a: y}]"))).toHaveLength(1);
  });

  test("groups are merged: their toolsets come after the agent's own, and its own commands and skills win", async () => {
    const file = await load(
      withAgent(
        "toolsets: [{type: shell}, {type: mcp, ref: gh, tools: [b], env: {B: own}}]",
        "use_toolsets: [t]",
        "commands: {a: own}",
        "use_commands: [c]",
        "skills: [x, {name: s, description: own, instructions: i}]",
        "use_skills: [s]",
      ) +
        "toolsets: {t: {type: think}}\ncommands: {c: {a: shared, b: shared}}\n" +
        'mcps: {gh: {command: gh, tools: [a], name: gh, env: {A: "1", B: "2"}}}\n' +
        "skills: {s: [y, {name: s, description: shared, instructions: i}]}\n",
    );
    const [agent] = file.agents;
    expect(agent?.toolsets).toEqual([
      { type: "shell" },
      { type: "mcp", server: "gh", command: "gh", tools: ["b"], name: "gh", env: { A: "1", B: "own" } },
      { type: "think" },
    ]);
    expect(agent?.commands).toMatchObject({ a: { instruction: "own" }, b: { instruction: "shared" } });
    expect(agent?.skills).toEqual(["x", { name: "s", description: "own", instructions: "i" }, "y"]);
  });

  test("a model override reaches all agents or the one it names", async () => {
    const text = "agents:\n  a: {model: openai/x}\n  b: {model: openai/y}\n";
    const models = async (...modelOverrides: string[]) =>
      (await load(text, { modelOverrides })).agents.map(({ model }) => model);
    expect(await models("groq/z")).toEqual(["groq/z", "groq/z"]);
    expect(await models("b=groq/z")).toEqual(["openai/x", "groq/z"]);
    expect(await models("groq/z,a=openai/q")).toEqual(["openai/q", "groq/z"]);
    expect(await settled(load(text, { modelOverrides: ["c=groq/z"] }))).toThrow('no agent "c"; defined are a, b');
  });

  test("instruction files are joined by a blank line and stay inside the folder", async () => {
    const inside = join(folder, "agent");
    mkdirSync(inside);
    writeFileSync(join(inside, "a.md"), "one\n");
    writeFileSync(join(inside, "b.md"), "two\n");
    writeFileSync(join(folder, "out.md"), "secret\n");
    symlinkSync(join(folder, "out.md"), join(inside, "link.md"));
    const path = join(inside, "agent.yaml");
    const run = (files: string) => {
      writeFileSync(path, withAgent(`instruction_file: ${files}`));
      return loadAgentFile("agent.yaml", { cwd: inside }).catch((error: unknown) =>
        error instanceof ConfigError ? error.message : "?",
      );
    };
    expect(await run("[a.md, '', b.md]")).toMatchObject({ agents: [{ instruction: "one\n\ntwo" }] });
    expect(await run("../out.md")).toBe(
      "agent.yaml:4:23: agents.root.instruction_file: expected a relative path inside the folder of the agent file",
    );
    expect(await run("[link.md]")).toBe(
      `agent.yaml:4:24: agents.root.instruction_file[0]: link.md: leads out of ${inside} through a symbolic link`,
    );
    expect(await run("none.md")).toBe("agent.yaml:4:23: agents.root.instruction_file: none.md: no such file");
  });

  test("the user's providers fill names that the file does not define", async () => {
    const file = await load(`${MINIMAL}providers: {a: {base_url: http://file}}\n`, {
      userProviders: { a: { base_url: "user" }, b: { base_url: "user" } },
    });
    expect(file.providers).toEqual({ a: { base_url: "http://file" }, b: { base_url: "user" } });
  });
});
