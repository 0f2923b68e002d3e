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
      "models.m.provider_opts.seed: the Responses API has no such setting: not sent",
      "models.m.temperature: the model refuses it: not sent",
      "models.m.frequency_penalty: the Responses API has no such setting: not sent",
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

describe("provider_opts", () => {
  const vertex = (name: string) =>
    `provider_opts.${name} selects Vertex AI, which hooksh does not speak; remove it to use the Gemini API`;

  test.each<[keys: string, said: string[]]>([
    [
      gemini("2.5-pro", "provider_opts: {project: p, location: l}"),
      ["project", "location"].map((name) => `models.m.provider_opts.${name}: ${vertex(name)}`),
    ],
    [
      gemini("2.5-pro", "provider_opts: {publisher: anthropic}"),
      [`models.m.provider_opts.publisher: ${vertex("publisher")}`],
    ],
    [
      gemini(
        "2.5-pro",
        "provider_opts: {publisher: google, seed: 1, top_k: 2, url_context: true, google_search: false, service_tier: flex}",
      ),
      [],
    ],
    [gemini("2.5-pro", "provider_opts: {project: null}"), []],
    [
      openai("gpt-4o", "provider_opts: {project: p}"),
      [
        "models.m.provider_opts.project: not sent: unknown option; known options are http_headers, context_size, unload_api, api_type, seed, top_k, repetition_penalty, min_p, typical_p, extra_body, service_tier",
      ],
    ],
    [
      openai("gpt-4o", "provider_opts: {servise_tier: fast}"),
      ['models.m.provider_opts.servise_tier: not sent: unknown option; did you mean "service_tier"?'],
    ],
    [
      openai("gpt-4o", "provider_opts: {service_tier: 5}"),
      ["models.m.provider_opts.service_tier: not sent: expected a text"],
    ],
    [
      openai("gpt-4o", "provider_opts: {extra_body: [a]}"),
      ["models.m.provider_opts.extra_body: not sent: expected a mapping"],
    ],
    [
      gemini("2.5-pro", "provider_opts: {url_context: 'yes'}"),
      ["models.m.provider_opts.url_context: not sent: expected true or false"],
    ],
    [openai("gpt-5", "provider_opts: {preserve_reasoning: true, service_tier: fast}"), []],
    [
      openai("gpt-5", "provider_opts: {extra_body: {a: 1}}"),
      ["models.m.provider_opts.extra_body: the Responses API has no such setting: not sent"],
    ],
    [
      openai("gpt-4o", "provider_opts: {runtime_flags: [a]}"),
      ["models.m.provider_opts.runtime_flags: not sent: only dmr has this option"],
    ],
    [
      openai("gpt-5", "provider_opts: {native_tool_search: true, transport: websocket}"),
      [
        "models.m.provider_opts.native_tool_search: not supported yet, ignored; the model gets all tools at once",
        "models.m.provider_opts.transport: not supported yet, ignored; replies come as server-sent events",
      ],
    ],
    [openai("gpt-5", "provider_opts: {native_tool_search: false, transport: sse}"), []],
    [
      "{provider: dmr, model: ai/qwen3, provider_opts: {runtime_flags: [a], supports_images: true, context_size: 1000, keep_alive: 1h}}",
      [],
    ],
    ["{provider: azure, model: gpt-4o, base_url: http://localhost, provider_opts: {api_version: v1}}", []],
    [claude("sonnet-4-5", "provider_opts: {top_k: 1, thinking_display: omitted, interleaved_thinking: false}"), []],
    [
      claude("sonnet-4-5", "provider_opts: {seed: 1, native_compaction: true}"),
      [
        "models.m.provider_opts.seed: Anthropic's API has no such setting: not sent",
        "models.m.provider_opts.native_compaction: not supported yet, ignored; hooksh compacts the conversation itself",
      ],
    ],
  ])("%s", async (keys, expected) => {
    expect((await said(keys)).map((line) => line.replace(/^a\.yaml:\d+:\d+: /, ""))).toEqual(expected);
  });

  const provided = async (options: string, keys = "{provider: mine, model: gemini-2.5-pro}") =>
    (await said(keys, `providers: {mine: {provider: google, provider_opts: ${options}}}\n`)).map((line) =>
      line.replace(/^a\.yaml:\d+:\d+: /, ""),
    );

  test("of a provider are reported there, once", async () => {
    expect(await provided("{project: p}")).toEqual([`providers.mine.provider_opts.project: ${vertex("project")}`]);
    expect(await provided("{min_p: 1}")).toEqual([
      "providers.mine.provider_opts.min_p: the Gemini API has no such setting: not sent",
    ]);
    expect(await provided("{seed: 1}", "{provider: mine, model: m, provider_opts: {min_p: 1}}")).toEqual([
      "models.m.provider_opts.min_p: the Gemini API has no such setting: not sent",
    ]);
  });

  test("of a provider that only some of its models lack are reported at these", async () => {
    const text =
      "providers: {mine: {base_url: http://localhost, api_type: openai_responses, provider_opts: {seed: 1}}}\n";
    expect(await said("{provider: mine, model: any}", text)).toEqual([
      expect.stringContaining("models.m: provider_opts.seed: the Responses API has no such setting: not sent"),
    ]);
  });

  test("that select Vertex AI stop a model without an entry of models, and the first call", async () => {
    const text =
      "agents: {root: {model: mine/gemini-2.5-pro}}\nproviders: {mine: {provider: google, provider_opts: {location: l}}}\n";
    const { problems } = await checkAgentFile(await parseDocument(text, "a.yaml"), "/", {});
    expect(problems.map(({ message }) => message)).toContain(vertex("location"));
    const spec = { provider: "google", model: "gemini-2.5-pro", provider_opts: { project: "p" } };
    expect(() => createModel(spec, { env: () => undefined, log: () => {} })).toThrow(vertex("project"));
  });
});

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
