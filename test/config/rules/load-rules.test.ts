import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { hooksOf } from "../../../src/config/agent/agent-hooks.ts";
import { loadUserHooks, rulesOfAgent } from "../../../src/config/hooks/hook-sources.ts";
import { agentNotices, rulesOfTeam } from "../../../src/config/rules/agent-rules.ts";
import { eventsOfRules, loadRules } from "../../../src/config/rules/load-rules.ts";
import { parseDocument, problemsError } from "../../../src/config/yaml/document.ts";
import { ConfigError } from "../../../src/lib/errors.ts";
import { tempDir } from "../../helpers/temp-dir.ts";

/** Loads the rules of a configuration directory and of hooks files in it. */
async function load(files: Record<string, string>, options: { hooksFiles?: string[]; noUserHooks?: boolean } = {}) {
  const config = tempDir(files);
  const warnings: string[] = [];
  const { hooksFiles = [], ...more } = options;
  const loaded = await loadUserHooks({
    directories: { config, data: "/nowhere", cache: "/nowhere" },
    warn: (message) => void warnings.push(message),
    hooksFiles: hooksFiles.map((file) => join(config, file)),
    ...more,
  });
  return { ...loaded, config, warnings, messages: loaded.rules.map(({ message }) => message) };
}

async function problemsOf(loading: Promise<unknown>): Promise<readonly string[]> {
  const error = await loading.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  if (error instanceof ConfigError) return error.problems;
  throw new Error("expected a ConfigError");
}

const rule = (message: string) => `rules: [{ deny: ${message}, when: { program: rm } }]\n`;

describe("the sources of rules", () => {
  const files = {
    "config.yaml": `settings: { ${rule("settings").trim()} }\n`,
    "hooks.d/team.yaml": rule("drop-in"),
    "hooks.yaml": rule("file"),
    "more.yaml": rule("more"),
  };

  test("are read in order: settings, drop-ins, hooks files", async () => {
    const { messages, warnings } = await load(files, { hooksFiles: ["hooks.yaml", "more.yaml"] });
    expect(messages).toEqual(["settings", "drop-in", "file", "more"]);
    expect(warnings).toEqual([]);
  });

  test("without the user's own, only hooks files count", async () => {
    const { messages } = await load(files, { hooksFiles: ["hooks.yaml"], noUserHooks: true });
    expect(messages).toEqual(["file"]);
  });

  test("say where a rule stands", async () => {
    const { rules, config } = await load(
      { "hooks.yaml": `sets: {}\n`.replace("sets: {}\n", "# first\n") + rule("x") },
      {
        hooksFiles: ["hooks.yaml"],
      },
    );
    expect(await rules[0]?.source()).toBe(`${join(config, "hooks.yaml")}:2`);
  });

  test("may stand beside hooks", async () => {
    const hooks = `${rule("x")}stop: [{ type: command, command: "true" }]\n`;
    const { entries, messages } = await load({ "hooks.yaml": hooks }, { hooksFiles: ["hooks.yaml"] });
    expect([entries.length, messages]).toEqual([1, ["x"]]);
  });
});

describe("notices", () => {
  test("an empty list of rules", async () => {
    const { warnings, config } = await load(
      { "hooks.yaml": "rules: []\n", "config.yaml": "settings: { rules: [] }\n" },
      { hooksFiles: ["hooks.yaml"] },
    );
    expect(warnings).toEqual([
      `no rules in ${join(config, "config.yaml")}: settings.rules`,
      `no rules in ${join(config, "hooks.yaml")}`,
    ]);
  });

  test("an agent that the team does not have", async () => {
    const text = 'rules: [{ deny: no, when: { program: rm }, agents: ["help*", helpr] }]\n';
    const { rules } = await load({ "hooks.yaml": text }, { hooksFiles: ["hooks.yaml"] });
    const [notice, ...others] = await agentNotices(rules, [{ name: "root" }, { name: "helper" }]);
    expect(notice).toEndWith('rules[0]: agents: no agent is called "helpr", did you mean "helper"?');
    expect(others).toEqual([]);
  });
});

describe("problems name the file, the place and the path", () => {
  test.each([
    [
      "a hooks file",
      { "hooks.yaml": "rules: [{ deny: no, when: { efect: x } }]\n" },
      /hooks\.yaml:1:\d+: rules\[0\]\.when: .*"efect".*"effect"/,
    ],
    [
      "settings",
      { "config.yaml": "settings: { rules: [{ deny: no, when: { efect: x } }] }\n" },
      /config\.yaml:1:\d+: settings\.rules\[0\]\.when: /,
    ],
    ["a drop-in", { "hooks.d/a.yaml": "rules: { deny: no }\n" }, /a\.yaml:1:8: rules: .*list/],
    ["sets", { "hooks.yaml": "sets: { path: { a: [b] } }\n" }, /hooks\.yaml:1:\d+: sets.*"path"/],
  ])("%s", async (_name, files, text) => {
    const hooksFiles = Object.keys(files).filter((name) => name === "hooks.yaml");
    const [problem] = await problemsOf(load(files, { hooksFiles }));
    expect(problem).toMatch(text);
  });

  test("those of hooks and rules of a file come together", async () => {
    const text = "rules: [{ deny: no }]\nstopp: []\n";
    expect(await problemsOf(load({ "hooks.yaml": text }, { hooksFiles: ["hooks.yaml"] }))).toHaveLength(2);
  });

  test("rules in a hooks block say where they belong", async () => {
    const text = "settings: { hooks: { rules: [] } }\n";
    const [problem] = await problemsOf(load({ "config.yaml": text }));
    expect(problem).toEndWith("rules belong at the top level of the file, next to the hooks, or in settings");
  });
});

const AGENTS = `agents:
  root: { model: openai/gpt-4o-mini, instruction: Help., sub_agents: [helper] }
  helper: { model: openai/gpt-4o-mini, description: Helps, instruction: Help. }
`;

async function agentFile(text: string) {
  const document = await parseDocument(text, "agent.yaml");
  const { file, problems } = await checkAgentFile(document, undefined);
  if (!file) throw await problemsError(document, problems);
  return file;
}

describe("the rules of an agent file", () => {
  test("hold for every agent, before those of the user", async () => {
    const file = await agentFile(rule("team") + AGENTS);
    const user = await load({ "hooks.yaml": rule("user") }, { hooksFiles: ["hooks.yaml"] });
    for (const agent of file.agents) {
      const rules = await rulesOfAgent(hooksOf(file, agent), user);
      expect(rules.map(({ message }) => message)).toEqual(["team", "user"]);
    }
  });

  test("only observe where the user wants that", async () => {
    const file = await agentFile(rule("team") + AGENTS);
    const [agent] = file.agents;
    const [found] = await rulesOfAgent(hooksOf(file, agent!), { rules: [], observe: true });
    expect(found?.observe).toBe(true);
  });

  test("may name its agents only", async () => {
    const text = `rules: [{ deny: no, when: { program: rm }, agents: helpr }]\n${AGENTS}`;
    const [problem] = await problemsOf(agentFile(text));
    expect(problem).toMatch(/agent\.yaml:1:\d+: rules\[0\]\.agents: unknown agent "helpr", did you mean "helper"\?/);
  });

  test("an empty list is a notice", async () => {
    expect((await agentFile(`rules: []\n${AGENTS}`)).warnings).toEqual(["no rules in agent.yaml"]);
  });

  test("a file with rules and no agent is a hooks file", async () => {
    const [problem] = await problemsOf(agentFile(rule("x")));
    expect(problem).toContain("this is a hooks file, not an agent file");
  });
});

describe("the rules of a file that agents are taken from", () => {
  const taken = async (names: ReadonlyMap<string, string> | undefined) => {
    const text = `rules:
- { deny: one, when: { program: rm }, agents: "help*" }
- { deny: all, when: { program: rm } }
- { allow: none, when: { program: ls } }
`;
    const document = await parseDocument(text, "other.yaml");
    return rulesOfTeam([{ document, path: [], value: document.value, taken: { names } }]);
  };

  test("name its agents as the team does, and allow nothing", async () => {
    const rules = await taken(
      new Map([
        ["helper", "other.helper"],
        ["root", "other"],
      ]),
    );
    expect(rules.map(({ message, agents }) => [message, agents])).toEqual([
      ["one", ["other.helper"]],
      ["all", undefined],
    ]);
  });

  test("hold for all agents if their names are not known", async () => {
    expect((await taken(undefined)).map(({ agents }) => agents)).toEqual([undefined, undefined]);
  });
});

test("the events of rules include those that their conditions on the past look at", async () => {
  const text = `rules:
- { on: stop, context: x }
- { deny: no, when: { program: rm }, after: { event: user_prompt_submit, text: "*" } }
`;
  const document = await parseDocument(text, "hooks.yaml");
  const rules = await loadRules({ document, path: [], value: document.value });
  expect([...eventsOfRules(rules)].sort()).toEqual(["post_tool_use", "pre_tool_use", "stop", "user_prompt_submit"]);
});
