import { describe, expect, test } from "bun:test";
import { checkAgentFile } from "../../../src/config/agent/agent-file.ts";
import { parseDocument, renderProblems } from "../../../src/config/yaml/document.ts";
import type { ModelSpec } from "../../../src/model/catalog/spec.ts";
import { createModel } from "../../../src/model/create-model.ts";

/** The problems and then the warnings of a model with these keys. */
async function said(keys: string, more = ""): Promise<string[]> {
  const document = await parseDocument(`agents: {root: {model: m}}\n${more}models:\n  m:\n    ${keys}\n`, "a.yaml");
  const { problems, file } = await checkAgentFile(document, "/", {});
  return [...(await renderProblems(document, problems)), ...(file?.warnings ?? [])];
}

const claude = (version: string, keys: string) => `{provider: anthropic, model: claude-${version}, ${keys}}`;
const openai = (model: string, keys: string) => `{provider: openai, model: ${model}, ${keys}}`;
const gemini = (version: string, keys: string) => `{provider: google, model: gemini-${version}, ${keys}}`;

test.each<[string, string[]]>([
  [claude("sonnet-4-5", "max_tokens: 8193, thinking_budget: 8192"), []],
  [
    claude("sonnet-4-5", "max_tokens: 8192, thinking_budget: 8192"),
    [
      "models.m.thinking_budget: 8192 tokens of thinking do not fit into max_tokens (8192): raise max_tokens above 8192",
    ],
  ],
  [
    claude("sonnet-4-5", "max_tokens: 1500, thinking_budget: high"),
    [
      "models.m.thinking_budget: high (16384 tokens) of thinking do not fit into max_tokens (1500): raise max_tokens above 16384",
    ],
  ],
  [
    claude("sonnet-4-5", "max_tokens: 8192, thinking_budget: high"),
    ["models.m.thinking_budget: high (16384 tokens) of thinking leave no room in max_tokens (8192): 7168 are sent"],
  ],
  [
    claude("sonnet-4-0", "thinking_budget: 100000"),
    [
      "models.m.thinking_budget: 100000 tokens of thinking leave no room in the model's maximum output (64000): 62976 are sent",
    ],
  ],
  [
    claude("sonnet-4-0", "thinking_budget: 1000"),
    ["models.m.thinking_budget: expected at least 1024 tokens but received 1000"],
  ],
  [
    claude("opus-4-7", "thinking_budget: 1000"),
    ["models.m.thinking_budget: expected at least 1024 tokens but received 1000"],
  ],
  [
    claude("opus-4-7", "thinking_budget: 20000"),
    ["models.m.thinking_budget: the model takes no number of tokens: the effort high is sent"],
  ],
  [
    claude("opus-4-6", "thinking_budget: xhigh"),
    ["models.m.thinking_budget: the model takes no effort xhigh: high is sent"],
  ],
  [
    claude("opus-5-5", "thinking_budget: none"),
    ["models.m.thinking_budget: the model always thinks: the effort low is sent"],
  ],
  [
    claude("3-5-haiku-latest", "thinking_budget: low"),
    ["models.m.thinking_budget: the model does not think: not sent"],
  ],
  [
    claude("opus-4-1", "max_tokens: 64000"),
    ["models.m.max_tokens: the model writes at most 32000 tokens: 32000 is sent"],
  ],
  [
    claude("sonnet-4-0", "temperature: 0.5, thinking_budget: 2048"),
    ["models.m.temperature: the model refuses it while it thinks: not sent"],
  ],
  [claude("sonnet-4-0", "temperature: 1, thinking_budget: 2048"), []],
  [
    claude("sonnet-4-5", "temperature: 0.5, top_p: 0.5"),
    ["models.m.top_p: the model refuses it together with temperature: not sent"],
  ],
  [claude("sonnet-5", "temperature: 0.5"), ["models.m.temperature: the model refuses it: not sent"]],
  [claude("sonnet-5", "provider_opts: {top_k: 4}"), ["models.m.provider_opts.top_k: the model refuses it: not sent"]],
  [
    claude("sonnet-4-0", "presence_penalty: 1"),
    ["models.m.presence_penalty: Anthropic's API has no such setting: not sent"],
  ],
  [gemini("2.5-flash", "frequency_penalty: 1"), ["models.m.frequency_penalty: the model refuses it: not sent"]],
  [
    gemini("2.5-pro", "thinking_budget: 99999"),
    ["models.m.thinking_budget: the model takes 128 to 32768 tokens: 32768 are sent"],
  ],
  [gemini("2.5-pro", "thinking_budget: 0"), ["models.m.thinking_budget: the model always thinks: 128 tokens are sent"]],
  [
    gemini("3-pro", "thinking_budget: medium"),
    ["models.m.thinking_budget: the model has no level medium: low is sent"],
  ],
  [gemini("2.0-flash", "thinking_budget: low"), ["models.m.thinking_budget: the model does not think: not sent"]],
  [
    gemini("2.5-flash", "parallel_tool_calls: false"),
    ["models.m.parallel_tool_calls: Gemini has no such setting: not sent"],
  ],
  [
    gemini("2.5-flash", "max_tokens: 100000"),
    ["models.m.max_tokens: the model writes at most 65536 tokens: 65536 is sent"],
  ],
  [
    openai("o3", "temperature: 0.5, parallel_tool_calls: true, frequency_penalty: 1, provider_opts: {seed: 1}"),
    [
      "models.m.temperature: the model refuses it: not sent",
      "models.m.frequency_penalty: the Responses API has no such setting: not sent",
      "models.m.provider_opts.seed: the Responses API has no such setting: not sent",
      "models.m.parallel_tool_calls: the model refuses it: not sent",
    ],
  ],
  [openai("gpt-5.6", "temperature: 0.5, thinking_budget: none"), []],
  [openai("gpt-5", "thinking_budget: none"), ["models.m.thinking_budget: the model always thinks: not sent"]],
  [openai("gpt-5", "thinking_budget: max"), ["models.m.thinking_budget: the model has no level max: high is sent"]],
  [openai("gpt-4o", "temperature: 0.5, parallel_tool_calls: true, provider_opts: {seed: 1}"), []],
  [
    "{provider: groq, model: qwen3-32b, thinking_budget: high}",
    ["models.m.thinking_budget: this API has no such setting for the model: not sent"],
  ],
  ["{provider: groq, model: qwen3-32b, thinking_budget: none}", []],
  [
    "{provider: moonshot, model: kimi-k2.5, temperature: 0.5}",
    ["models.m.temperature: the model refuses it: not sent"],
  ],
  ["{provider: openrouter, model: anthropic/claude-sonnet-4.5, temperature: 0.5}", []],
  [
    "{provider: openrouter, model: anthropic/claude-opus-5.5, temperature: 0.5}",
    ["models.m.temperature: the model refuses it: not sent"],
  ],
  ["{provider: dmr, model: ai/qwen3, thinking_budget: high}", []],
])("%s", async (keys, expected) => {
  expect((await said(keys)).map((line) => line.replace(/^a\.yaml:\d+:\d+: /, ""))).toEqual(expected);
});

test("a note has its position; one about a default of the provider has the position of the model", async () => {
  expect(await said(claude("sonnet-4-0", "max_tokens: 2000, thinking_budget: 4000"))).toEqual([
    expect.stringMatching(/^a\.yaml:4:\d+: models\.m\.thinking_budget: 4000 tokens of thinking do not fit/),
  ]);
  const provider = "providers:\n  mine: {provider: anthropic, base_url: http://localhost, thinking_budget: 4000}\n";
  expect(await said("{provider: mine, model: claude-sonnet-4-0, max_tokens: 2000}", provider)).toEqual([
    expect.stringMatching(/^a\.yaml:6:\d+: models\.m: thinking_budget: 4000 tokens of thinking do not fit/),
  ]);
});

test("a structured output with an unsupported strict schema is sent without strict", async () => {
  const output = (required: string) =>
    `agents: {root: {model: openai/gpt-4o, structured_output: {name: a, strict: true, schema: {type: object, properties: {b: {type: string}}${required}}}}}\n`;
  const notices = async (text: string) => {
    const { problems, file } = await checkAgentFile(await parseDocument(text, "a.yaml"), "/", {});
    return [problems.length, file?.warnings];
  };
  expect(await notices(output(", required: [b]"))).toEqual([0, []]);
  expect(await notices(output(""))).toEqual([
    0,
    [
      expect.stringMatching(
        /^a\.yaml:1:\d+: agents\.root\.structured_output\.strict: sent without strict, because strict mode does not support this schema: the root does not require "b"$/,
      ),
    ],
  ]);
});

test.each(["array", "[string, 'null']"])(
  "a structured output of the type %s is refused: an answer is an object",
  async (type) => {
    const text = `agents: {root: {model: openai/gpt-4o, structured_output: {name: a, schema: {type: ${type}}}}}\n`;
    const { problems } = await checkAgentFile(await parseDocument(text, "a.yaml"), "/", {});
    expect(problems.map(({ message }) => message)).toEqual([expect.stringMatching(/^expected "object" but got/)]);
  },
);

describe("a model that run refuses, whatever the environment holds", () => {
  const level = 'expected a level such as "medium" but received 5000: OpenAI models do not accept a number of tokens';
  const api = 'expected "openai_chatcompletions" or "openai_responses" but received "chat"';

  test.each<[keys: string, problem: string, spec: Omit<ModelSpec, "provider" | "model">]>([
    ["{provider: openai, model: gpt-5, thinking_budget: 5000}", `thinking_budget: ${level}`, { thinking_budget: 5000 }],
    [
      "{provider: openai, model: gpt-5, provider_opts: {api_type: chat}}",
      `provider_opts.api_type: ${api}`,
      { provider_opts: { api_type: "chat" } },
    ],
    ["{provider: azure, model: gpt-5}", "base_url: is required for provider azure", {}],
  ])("%s", async (keys, problem, spec) => {
    const provider = keys.includes("azure") ? "azure" : "openai";
    const [first = "", ...more] = await said(keys);
    expect(first.replace("models.m: ", "models.m.")).toEndWith(`: models.m.${problem}`);
    expect(more).toEqual([]);
    const create = () => createModel({ provider, model: "gpt-5", ...spec }, { env: () => undefined, log: () => {} });
    expect(create).toThrow(`${provider}/gpt-5: ${problem}`);
  });

  test("also without an entry of models", async () => {
    const providers = "providers: {mine: {base_url: http://localhost, thinking_budget: 5000}}\n";
    const problems = async (model: string) => {
      const document = await parseDocument(`agents: {root: {model: ${model}}}\n${providers}`, "a.yaml");
      return (await checkAgentFile(document, "/", {})).problems.map(({ message }) => message);
    };
    expect(await problems("mine/gpt-5")).toEqual([`thinking_budget: ${level}`]);
    expect(await problems("azure/gpt-5")).toEqual(["base_url: is required for provider azure"]);
  });

  test("an alloy that contains itself", async () => {
    expect(await said('{model: "n,m"}', "")).toContainEqual(expect.stringContaining("models.m: refers to itself"));
  });
});
