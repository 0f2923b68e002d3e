import { describe, expect, test } from "bun:test";
import { type AgentFile, checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { describeEffects } from "../../../src/config/agent/effects.ts";
import { parseDocument, renderProblems } from "../../../src/config/yaml/document.ts";

const EVALUATOR = { provider: "typesafe", model: "m", type: "boolean", instructions: "i" };
const CHOICE = { ...EVALUATOR, type: "choice", choices: { a: "x", b: "y" } };
const POLICY = { decisions: { true: "deny" }, min_probability: 0.9, fallback: "ask" };
const AGENT = { model: "openai/gpt-4o", instruction: "r" };

async function check(file: object): Promise<{ file: AgentFile | undefined; problems: string[] }> {
  const document = await parseDocument(JSON.stringify({ agents: { root: AGENT }, ...file }), "a.yaml");
  const { file: loaded, problems } = await checkAgentFile(document, undefined);
  const lines = await renderProblems(document, problems);
  return { file: loaded, problems: lines.map((line) => line.replace(/^a\.yaml:\d+:\d+: /, "")) };
}

/** The problem of one evaluator. */
async function problemsOf(evaluator: object, more: object = {}): Promise<string[]> {
  return (await check({ evaluators: { e: evaluator }, ...more })).problems;
}

describe("an evaluator", () => {
  const PROVIDERS = {
    judge: { provider: "typesafe", base_url: "https://judge.example/base/", token_key: "JUDGE_KEY" },
    compatible: { base_url: "https://compatible.example/v1", token_key: "C_KEY" },
  };
  const MODELS = { decider: { provider: "compatible", model: "d-1", cost: { input: 2 } } };

  test.each([
    [EVALUATOR, { endpoint: "https://api.typesafe.ai/v1/systemone", tokenKey: "TYPESAFE_API_KEY", timeoutMs: 10_000 }],
    [{ ...EVALUATOR, base_url: "http://h:1/p//" }, { endpoint: "http://h:1/p/v1/systemone" }],
    [{ ...EVALUATOR, base_url: "http://h/", endpoint: "http://g/x" }, { endpoint: "http://g/x" }],
    [{ ...EVALUATOR, base_url: "${BASE}" }, { endpoint: "${BASE}/v1/systemone" }],
    [
      { ...EVALUATOR, token_key: "K", timeout: "1500ms" },
      { tokenKey: "K", timeoutMs: 1500 },
    ],
    [{ ...EVALUATOR, timeout: 0 }, { timeoutMs: 10_000 }],
    [{ ...EVALUATOR, cost: {} }, { cost: {} }],
    [
      { ...EVALUATOR, provider: "judge" },
      { provider: "typesafe", endpoint: "https://judge.example/base/v1/systemone", tokenKey: "JUDGE_KEY" },
    ],
    [
      { ...EVALUATOR, provider: "judge", token_key: "MINE", base_url: "http://m" },
      { endpoint: "http://m/v1/systemone", tokenKey: "MINE" },
    ],
    [
      { ...EVALUATOR, provider: "judge", endpoint: "http://m/x" },
      { endpoint: "http://m/x", tokenKey: "JUDGE_KEY" },
    ],
    [
      { ...EVALUATOR, provider: "openai" },
      {
        endpoint: "https://api.openai.com/v1/decisions",
        tokenKey: "OPENAI_API_KEY",
        urlVariable: "OPENAI_BASE_URL",
      },
    ],
    [
      { ...EVALUATOR, provider: "compatible" },
      { provider: "openai", endpoint: "https://compatible.example/v1/decisions", tokenKey: "C_KEY" },
    ],
    [
      { ...EVALUATOR, provider: undefined, model: "openai/gpt-9" },
      { provider: "openai", model: "gpt-9" },
    ],
    [
      { ...EVALUATOR, provider: undefined, model: "decider" },
      {
        provider: "openai",
        model: "d-1",
        endpoint: "https://compatible.example/v1/decisions",
        tokenKey: "C_KEY",
        cost: { input: 2 },
      },
    ],
  ])("has the settings of its provider: %j", async (evaluator, expected) => {
    const { file, problems } = await check({ evaluators: { e: evaluator }, providers: PROVIDERS, models: MODELS });
    expect(problems).toEqual([]);
    expect(file?.evaluators["e"]).toMatchObject(expected);
  });

  test("needs no URL for an entry of providers that is OpenAI itself", async () => {
    const providers = { company: { provider: "openai", token_key: "COMPANY_KEY" } };
    const models = { ours: { provider: "company", model: "d-1" } };
    const openai = { endpoint: "https://api.openai.com/v1/decisions", tokenKey: "COMPANY_KEY", model: "d-1" };
    for (const named of [
      { provider: "company", model: "d-1" },
      { provider: undefined, model: "company/d-1" },
      { provider: undefined, model: "ours" },
    ]) {
      const { file, problems } = await check({ evaluators: { e: { ...EVALUATOR, ...named } }, providers, models });
      expect(problems).toEqual([]);
      expect(file?.evaluators["e"]).toMatchObject(openai);
    }
    const required = ["providers.company.base_url: is required"];
    expect((await check({ providers })).problems).toEqual(required);
    expect(await problemsOf({ ...EVALUATOR, provider: "company" }, { providers: { company: {} } })).toEqual(required);
  });

  const URL_PROBLEM = "endpoint must be an HTTP(S) URL without credentials, query, or fragment";
  const CHOICES = "choice evaluators require 2-255 choices and no levels";
  const LEVELS = "score evaluators require 2-10 levels and no choices";
  const many = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`c${at}`, "d"]));
  test.each([
    [{ ...EVALUATOR, type: "text" }, 'unsupported evaluator type "text" (expected boolean, choice, or score)'],
    [{ ...EVALUATOR, type: undefined }, 'unsupported evaluator type "" (expected boolean, choice, or score)'],
    [{ ...EVALUATOR, instructions: " \n" }, "instructions are required"],
    [{ ...EVALUATOR, instructions: undefined }, "instructions are required"],
    [{ ...EVALUATOR, model: "" }, "provider and model are required"],
    [{ ...EVALUATOR, provider: undefined }, "provider and model are required"],
    [{ ...EVALUATOR, provider: "nobody" }, 'unsupported evaluator provider "nobody"'],
    [{ ...EVALUATOR, provider: "anthropic" }, 'unsupported evaluator provider "anthropic"'],
    [{ ...EVALUATOR, provider: "toString" }, 'unsupported evaluator provider "toString"'],
    [{ ...EVALUATOR, provider: "claude" }, 'unsupported evaluator provider "anthropic"'],
    [{ ...EVALUATOR, provider: "pinned" }, "evaluator providers do not support auth or api_type"],
    [{ ...EVALUATOR, choices: { a: "x", b: "y" } }, "boolean evaluators cannot define choices or levels"],
    [{ ...EVALUATOR, levels: ["x", "y"] }, "boolean evaluators cannot define choices or levels"],
    [{ ...CHOICE, choices: { a: "x" } }, CHOICES],
    [{ ...CHOICE, choices: many(256) }, CHOICES],
    [{ ...CHOICE, choices: { a: "x", " ": "y" } }, CHOICES],
    [{ ...CHOICE, levels: ["x"] }, CHOICES],
    [{ ...EVALUATOR, type: "score", levels: ["x"] }, LEVELS],
    [{ ...EVALUATOR, type: "score", levels: Object.keys(many(11)) }, LEVELS],
    [{ ...EVALUATOR, type: "score", levels: ["x", "y"], choices: { a: "b" } }, LEVELS],
    [{ ...EVALUATOR, timeout: "-1s" }, "timeout must not be negative"],
    [{ ...EVALUATOR, timeout: -1 }, "timeout must not be negative"],
    [{ ...EVALUATOR, timeout: "soon" }, "timeout: expected a duration such as 90s, 1m30s or a whole number of seconds"],
    ...[
      "ftp://h/",
      "h.example",
      "https://u@h/",
      "https://u:p@h/",
      "https://h/?a=b",
      "https://h/?",
      "https://h/#x",
    ].flatMap((url): [object, string][] => [
      [{ ...EVALUATOR, endpoint: url }, URL_PROBLEM],
      [{ ...EVALUATOR, base_url: url }, URL_PROBLEM],
    ]),
  ])("is refused: %j", async (evaluator, message) => {
    const providers = {
      claude: { provider: "anthropic" },
      pinned: { base_url: "http://h", api_type: "openai_chatcompletions" },
    };
    expect(await problemsOf(evaluator, { providers })).toEqual([`evaluators.e: ${message}`]);
  });

  test.each([
    [{ ...EVALUATOR, tresholds: 1 }, "evaluators.e.tresholds: unknown key"],
    [{ ...EVALUATOR, cost: { input: -1 } }, "evaluators.e.cost.input: expected a number of at least 0 but got -1"],
    [{ ...CHOICE, choices: ["a", "b"] }, "evaluators.e.choices: expected a mapping but got a list"],
  ])("has only known keys with their kinds of values: %j", async (evaluator, message) => {
    expect((await problemsOf(evaluator))[0]).toStartWith(message);
  });

  test("is a service for models only if the service has models", async () => {
    const { problems } = await check({
      providers: PROVIDERS,
      agents: { root: { ...AGENT, model: "judge/jev" } },
    });
    expect(problems).toEqual(["agents.root.model: provider judge answers evaluators, not models"]);
  });

  test("that no hook asks is valid, a score too, at every version of the file", async () => {
    const score = { ...EVALUATOR, type: "score", levels: ["low", "high"], bypass_models_gateway: true };
    for (const version of ["1", "16"]) {
      const { file, problems } = await check({ version, evaluators: { e: score } });
      expect(problems).toEqual([]);
      expect(file?.warnings).toEqual([
        expect.stringContaining("evaluators.e.type: valid, but no hook can use a score"),
      ]);
    }
  });

  test("is listed with its endpoint, its key and its variables before an agent from elsewhere is trusted", async () => {
    const { file } = await check({
      evaluators: { leak: { ...EVALUATOR, base_url: "https://${HOST}/", token_key: "SOME_KEY" } },
      agents: {
        root: {
          ...AGENT,
          hooks: {
            tool_guard: [
              { matcher: "shell", hooks: [{ type: "evaluator", evaluator: "leak", evaluator_policy: POLICY }] },
            ],
          },
        },
      },
    });
    expect(file && describeEffects(file)).toEqual([
      'agents.root.hooks.tool_guard[0].hooks[0]: asks the evaluator "leak" (on "shell")',
      'evaluators.leak: sends tool calls, or requests and answers, to "https://${HOST}/v1/systemone", with the key in "SOME_KEY": "i"',
      "reads the variable HOST",
    ]);
  });
});

describe("an evaluator hook", () => {
  const EVALUATORS = {
    yes: EVALUATOR,
    pick: CHOICE,
    rate: { ...EVALUATOR, type: "score", levels: ["low", "high"] },
  };
  const ROUTING = { allowed_agents: ["q"], default_agent: "q" };
  const ROUTES = { routes: { a: "q", b: "q" }, min_probability: 0.5 };

  async function problemsOn(event: string, hook: object, routing: object | undefined = undefined) {
    const hooks = { [event]: event === "tool_guard" || event === "pre_tool_use" ? [{ hooks: [hook] }] : [hook] };
    const root = { ...AGENT, hooks, ...(routing ? { routing } : {}) };
    const { problems } = await check({ evaluators: EVALUATORS, agents: { root, q: AGENT } });
    return problems.map((problem) => problem.replace("agents.root.hooks.", ""));
  }
  const guard = (more: object) => ({ type: "evaluator", evaluator: "yes", evaluator_policy: POLICY, ...more });
  const router = (more: object) => ({ type: "evaluator", evaluator: "pick", routing_policy: ROUTES, ...more });

  test("that fits its evaluator and its event is valid", async () => {
    expect(await problemsOn("tool_guard", guard({}))).toEqual([]);
    expect(
      await problemsOn(
        "tool_guard",
        guard({ evaluator: "pick", evaluator_policy: { ...POLICY, decisions: { a: "allow" } } }),
      ),
    ).toEqual([]);
    expect(await problemsOn("before_agent_run", router({}), ROUTING)).toEqual([]);
  });

  const policy = (more: object) => guard({ evaluator_policy: { ...POLICY, ...more } });
  const THRESHOLD = "min_probability must be greater than 0 and at most 1";
  test.each([
    [guard({ evaluator: " " }), "evaluator hook requires a non-empty evaluator reference"],
    [guard({ evaluator: "none" }), 'unknown evaluator "none"'],
    [guard({ evaluator: "toString" }), 'unknown evaluator "toString"'],
    [guard({ evaluator: "rate" }), "tool guards require a boolean or choice evaluator"],
    [guard({ evaluator_policy: undefined }), "evaluator_policy is required"],
    [guard({ evaluator_policy: "deny" }), "evaluator_policy: expected a mapping"],
    [policy({ decisions: {} }), "evaluator_policy.decisions must not be empty"],
    [policy({ decisions: undefined }), "evaluator_policy.decisions must not be empty"],
    [policy({ decisions: { true: "block" } }), "evaluator_policy decisions must be allow, ask, or deny"],
    [policy({ decisions: ["deny"] }), "evaluator_policy decisions must be allow, ask, or deny"],
    [policy({ decisions: { maybe: "ask" } }), 'unknown boolean outcome "maybe" (expected true or false)'],
    [{ ...policy({ decisions: { c: "ask" } }), evaluator: "pick" }, 'unknown evaluator choice "c"'],
    ...[0, -1, 1.01, "0.9", undefined].map((min_probability): [object, string] => [
      policy({ min_probability }),
      `evaluator_policy.${THRESHOLD}`,
    ]),
    [policy({ fallback: "allow" }), "evaluator_policy.fallback must be ask or deny"],
    [policy({ fallback: undefined }), "evaluator_policy.fallback must be ask or deny"],
    [policy({ fallbck: "ask" }), 'evaluator_policy: unknown key "fallbck", did you mean "fallback"?'],
  ] as [object, string][])("on tool_guard is refused: %j", async (hook, message) => {
    expect(await problemsOn("tool_guard", hook)).toEqual([`tool_guard[0].hooks[0]: ${message}`]);
  });

  const routes = (more: object) => router({ routing_policy: { ...ROUTES, ...more } });
  const START = "routing_policy.routes: ";
  test.each([
    [router({ routing_policy: undefined }), "routing_policy is required"],
    [routes({ routes: {} }), "routing_policy.routes must not be empty"],
    [routes({ routes: { a: 1, b: "q" } }), "routing_policy.routes must name an agent for each choice"],
    [routes({ routes: { a: " ", b: "q" } }), "routing_policy.routes must name an agent for each choice"],
    [routes({ min_probability: 2 }), `routing_policy.${THRESHOLD}`],
    [routes({ default: "q" }), 'routing_policy: unknown key "default"'],
    [routes({ routes: { a: "q", c: "q" } }), `${START}unknown evaluator choice "c"`],
    [routes({ routes: { a: "q" } }), `${START}missing route for evaluator choice "b"`],
    [routes({ routes: { a: "q", b: "root" } }), `${START}choice "b" routes to the agent itself`],
    [
      routes({ routes: { a: "q", b: "z" } }),
      `${START}choice "b" routes to "z", which is not in routing.allowed_agents`,
    ],
    [router({ evaluator: "yes" }), 'evaluator "yes": routing requires a choice evaluator, got "boolean"'],
  ])("on before_agent_run is refused: %j", async (hook, message) => {
    expect(await problemsOn("before_agent_run", hook, ROUTING)).toEqual([`before_agent_run[0]: ${message}`]);
  });

  test("that routes needs a default agent", async () => {
    expect(await problemsOn("after_agent_complete", router({}), { allowed_agents: ["q"] })).toEqual([
      "after_agent_complete[0]: routing.default_agent is required when an evaluator selects the route",
    ]);
  });

  test.each([
    [
      "pre_tool_use",
      guard({}),
      "evaluator hooks are only supported on tool_guard, before_agent_run, and after_agent_complete",
    ],
    ["stop", router({}), "routing_policy is only supported on before_agent_run and after_agent_complete"],
    ["tool_guard", router({}), "evaluator hooks on tool_guard use evaluator_policy, not routing_policy"],
    ["before_agent_run", guard({}), "evaluator hooks on this event use routing_policy, not evaluator_policy"],
  ])("on %s is refused: %j", async (event, hook, message) => {
    expect(await problemsOn(event, hook)).toEqual([`${event}: ${message}`]);
  });

  test("has keys that other hooks may not have", async () => {
    const command = { type: "command", command: "true" };
    expect(await problemsOn("stop", { ...command, routing_policy: ROUTES })).toEqual([
      "stop[0]: routing_policy requires type evaluator",
    ]);
    expect(await problemsOn("stop", { ...command, evaluator_policy: POLICY })).toEqual([
      "stop[0]: evaluator_policy has no effect on hooks of type command: it belongs to type evaluator",
    ]);
  });

  test("may write true and false without quotes", async () => {
    const text = `
evaluators: {e: {provider: typesafe, model: m, type: boolean, instructions: i}}
agents:
  root:
    model: openai/gpt-4o
    hooks:
      tool_guard:
        - hooks: [{type: evaluator, evaluator: e, evaluator_policy: {decisions: {true: deny, false: allow}, min_probability: 1, fallback: ask}}]
`;
    expect((await checkAgentFile(await parseDocument(text, "a.yaml"), undefined)).problems).toEqual([]);
  });

  test("is not reported beside the evaluator that is invalid", async () => {
    const hooks = { tool_guard: [{ hooks: [guard({ evaluator: "e" })] }] };
    const evaluators = { e: { ...EVALUATOR, timeout: -1 } };
    expect((await check({ evaluators, agents: { root: { ...AGENT, hooks } }, hooks })).problems).toEqual([
      "evaluators.e: timeout must not be negative",
    ]);
  });

  test("at the top of the file is checked against its evaluators", async () => {
    const hooks = { tool_guard: [{ hooks: [guard({ evaluator: "none" })] }] };
    expect((await check({ evaluators: EVALUATORS, hooks })).problems).toEqual([
      'hooks.tool_guard[0].hooks[0]: unknown evaluator "none"',
    ]);
  });
});
