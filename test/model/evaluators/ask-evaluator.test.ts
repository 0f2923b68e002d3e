import { afterEach, describe, expect, test } from "bun:test";
import { askEvaluator } from "../../../src/model/evaluators/ask-evaluator.ts";
import { type Evaluation, type EvaluatorDefinition, EvaluatorError } from "../../../src/model/evaluators/evaluator.ts";
import { choice, type EvaluatorStep, evaluatorServers, noul, rawServer } from "../../helpers/evaluator-server.ts";

const serve = evaluatorServers();

const BOOLEAN: Omit<EvaluatorDefinition, "endpoint"> = {
  name: "leak",
  provider: "typesafe",
  model: "jev-latest",
  type: "boolean",
  instructions: "Does it leak?",
  tokenKey: "TYPESAFE_API_KEY",
  timeoutMs: 30_000,
};
const CHOICE = { ...BOOLEAN, type: "choice", choices: { read: "reads", risky: "changes" } } as const;
const SCORE = { ...BOOLEAN, type: "score", levels: ["low", "high"] } as const;
const STATE = { tool_name: "shell", tool_input: { cmd: "STATE" } };
const NEVER = new AbortController().signal;

interface Asked {
  definition?: Partial<EvaluatorDefinition>;
  env?: Readonly<Record<string, string>>;
  signal?: AbortSignal;
}

/** Asks once. Returns the answer, or the message of the error with `!` before it if it is terminal. */
async function ask(url: string, { definition = {}, env = { TYPESAFE_API_KEY: "key-1" }, signal = NEVER }: Asked = {}) {
  const sent: Evaluation[] = [];
  const asked = { ...BOOLEAN, endpoint: `${url}/v1/systemone`, ...definition };
  const deps = { env: (name: string) => env[name] };
  try {
    const reply = await askEvaluator(asked, STATE, deps, { signal, account: (each) => void sent.push(each) });
    return { ...reply, sent };
  } catch (error) {
    if (!(error instanceof EvaluatorError)) throw error;
    return { error: `${error.isTerminal ? "!" : ""}${error.message}`, sent };
  }
}

const openServers: { stop: () => void }[] = [];
afterEach(() => {
  for (const server of openServers.splice(0)) server.stop();
});

async function raw(bytes: string) {
  const server = await rawServer(bytes);
  openServers.push(server);
  return server.url;
}

describe("a request", () => {
  test("holds the model, the question and the state, and nothing else", async () => {
    const server = serve(noul(0.9));
    expect(await ask(server.url)).toMatchObject({ model: "jev-1", answer: { type: "boolean", probability: 0.9 } });
    const [request] = server.requests;
    expect(request?.path).toBe("/v1/systemone");
    expect(request?.body).toEqual({
      model: "jev-latest",
      state: STATE,
      questions: { evaluation: { type: "noul", instructions: "Does it leak?" } },
    });
    const header = (name: string) => request?.headers.get(name);
    expect(["authorization", "content-type", "accept"].map(header)).toEqual([
      "Bearer key-1",
      "application/json",
      "application/json",
    ]);
  });

  test("has the choices or the levels as criteria", async () => {
    const server = serve(choice("read", { read: 1, risky: 0 }), {
      json: { model: "m", answers: { evaluation: { type: "score", score: 0.3, probabilities: { 0: 0.7, 1: 0.3 } } } },
    });
    expect(await ask(server.url, { definition: CHOICE })).toMatchObject({
      answer: { type: "choice", choice: "read", probabilities: { read: 1, risky: 0 } },
    });
    expect(await ask(server.url, { definition: SCORE })).toMatchObject({ answer: { type: "score", score: 0.3 } });
    expect(server.requests.map(({ body }) => body["questions"])).toEqual([
      { evaluation: { type: "choice", instructions: "Does it leak?", criteria: { read: "reads", risky: "changes" } } },
      { evaluation: { type: "score", instructions: "Does it leak?", criteria: ["low", "high"] } },
    ]);
  });

  test("goes to the endpoint and the model that variables complete", async () => {
    const server = serve(noul(0.9));
    const env = { TYPESAFE_API_KEY: "k", BASE: server.url, MODEL: "jev-2" };
    await ask("", { definition: { endpoint: "${BASE}/x", model: "${MODEL}" }, env });
    expect(server.requests[0]).toMatchObject({ path: "/x", body: { model: "jev-2" } });
    const { BASE: _unset, ...without } = env;
    expect(await ask("", { definition: { endpoint: "${BASE}/x" }, env: without })).toEqual({
      error: "not set: BASE",
      sent: [],
    });
    const secret = { ...env, BASE: "http://user:pass@127.0.0.1:9" };
    expect((await ask("", { definition: { endpoint: "${BASE}/x" }, env: secret })).error).toBe(
      "endpoint must be an HTTP(S) URL without credentials, query, or fragment",
    );
  });

  test.each([[{}], [{ TYPESAFE_API_KEY: "" }], [{ TYPESAFE_API_KEY: " \n" }]])(
    "is not sent without a key: %j",
    async (env) => {
      const server = serve(noul(0.9));
      expect(await ask(server.url, { env })).toEqual({ error: "evaluator API key is missing", sent: [] });
      expect(server.requests).toEqual([]);
    },
  );
});

describe("no reply", () => {
  test("of a server that refuses the connection is an error, and nothing is accounted", async () => {
    const server = serve(noul(1));
    server.stop();
    expect(await ask(server.url)).toEqual({ error: "evaluator request failed", sent: [] });
  });

  test("within the evaluator's timeout, or before the caller stops it, is an error and is accounted", async () => {
    const server = serve("hangs");
    const failed = { error: "evaluator request failed", sent: [{ evaluator: "leak", model: "jev-latest" }] };
    expect(await ask(server.url, { definition: { timeoutMs: 50 } })).toMatchObject(failed);
    const stop = new AbortController();
    const asked = ask(server.url, { signal: stop.signal });
    while (server.requests.length < 2) await Bun.sleep(1);
    stop.abort();
    expect(await asked).toMatchObject(failed);
    expect(await ask(server.url, { signal: stop.signal })).toEqual({ error: "evaluator request failed", sent: [] });
    expect(server.requests).toHaveLength(2);
  });

  test.each([
    ["a closed connection", ""],
    ["a body that is cut off", 'HTTP/1.1 200 OK\r\ncontent-length: 500\r\n\r\n{"model":"m"'],
    ["no HTTP", "SSH-2.0-OpenSSH\r\n\r\n"],
  ])("but %s is an error", async (_name, bytes) => {
    expect((await ask(await raw(bytes))).error).toBe("evaluator request failed");
  });
});

const MIB = 1024 * 1024;
const FITTING = '{"model":"m","answers":{"evaluation":{"type":"noul","noul":1}}}';

describe("a reply", () => {
  test("of exactly 1 MiB is read, and one that is a byte longer is not, whatever its status", async () => {
    const server = serve(
      { text: FITTING.padEnd(MIB) },
      { text: FITTING.padEnd(MIB + 1) },
      { text: "x".repeat(2 * MIB), status: 500 },
    );
    expect(await ask(server.url)).toMatchObject({ answer: { probability: 1 } });
    expect((await ask(server.url)).error).toBe("evaluator response exceeds size limit");
    expect((await ask(server.url)).error).toBe("evaluator response exceeds size limit");
  });

  test.each([201, 204, 301, 302, 307, 401, 404, 429, 500, 503])(
    "with status %d is an error, asked once",
    async (status) => {
      const elsewhere = serve(noul(1));
      const headers = { location: `${elsewhere.url}/` };
      const server = serve({ text: status === 204 ? "" : FITTING, status, headers });
      expect((await ask(server.url)).error).toBe(`evaluator returned HTTP status ${status}`);
      expect(server.requests).toHaveLength(1);
      expect(elsewhere.requests).toEqual([]);
    },
  );

  const answer = (value: object) => ({ json: { model: "m", answers: { evaluation: value } } });
  const probabilities = (value: unknown, chosen: unknown = "read") => choice(chosen, value);
  const INVALID_JSON = "invalid evaluator response JSON";
  const KEYS = "evaluator answer probability keys do not match the criteria";
  const VALUES = "evaluator answer has missing or invalid probabilities";
  const SUM = "evaluator answer probabilities do not sum to one";
  const NOUL = "evaluator answer has missing or invalid probability";
  const faults: [string, EvaluatorStep, Partial<EvaluatorDefinition>, string][] = [
    ["text", { text: "yes" }, {}, INVALID_JSON],
    ["nothing", { text: "" }, {}, INVALID_JSON],
    ["a page", { text: "<html></html>", headers: { "content-type": "text/html" } }, {}, INVALID_JSON],
    ["a list", { json: [] }, {}, INVALID_JSON],
    ["null", { json: null }, {}, INVALID_JSON],
    ["text behind the object", { text: `${FITTING} ok` }, {}, INVALID_JSON],
    ["bytes that are not UTF-8", { text: Uint8Array.of(0x22, 0xff, 0x22) }, {}, INVALID_JSON],
    ["a key twice", { text: FITTING.replace('"noul":1', '"noul":0,"noul":1') }, {}, INVALID_JSON],
    ["a model twice", { text: FITTING.replace("{", '{"model":"n",') }, {}, INVALID_JSON],
    ["a model that is no text", { json: { model: 5, answers: {} } }, {}, INVALID_JSON],
    ["no model", { json: { answers: {} } }, {}, "evaluator response is missing the model"],
    ["a null model", { json: { model: null } }, {}, "evaluator response is missing the model"],
    ["a blank model", { json: { model: "  " } }, {}, "evaluator response is missing the model"],
    ["no answers", { json: { model: "m" } }, {}, "evaluator response is missing the evaluation answer"],
    [
      "a null answer",
      { json: { model: "m", answers: { evaluation: null } } },
      {},
      "evaluator response is missing the evaluation answer",
    ],
    [
      "another answer",
      { json: { model: "m", answers: { other: {} } } },
      {},
      "evaluator response is missing the evaluation answer",
    ],
    [
      "an answer that is no object",
      { json: { model: "m", answers: { evaluation: "yes" } } },
      {},
      "evaluator answer type does not match the question",
    ],
    ["another type", probabilities({ read: 1, risky: 0 }), {}, "evaluator answer type does not match the question"],
    ["a noul for a choice", noul(1), CHOICE, "evaluator answer type does not match the question"],
    [
      "confidence above one",
      answer({ type: "noul", noul: 1, confidence: 1.1 }),
      {},
      "evaluator answer has invalid confidence",
    ],
    [
      "confidence as text",
      answer({ type: "noul", noul: 1, confidence: "1" }),
      {},
      "evaluator answer has invalid confidence",
    ],
    ["no probability", answer({ type: "noul" }), {}, NOUL],
    ["a probability as text", noul("0.9"), {}, NOUL],
    ["a probability below zero", noul(-0.1), {}, NOUL],
    ["a probability above one", noul(1.01), {}, NOUL],
    ["an infinite probability", { text: FITTING.replace('"noul":1', '"noul":1e999') }, {}, NOUL],
    ["no probabilities", answer({ type: "choice", choice: "read" }), CHOICE, KEYS],
    ["a score without probabilities", answer({ type: "score", score: 1 }), SCORE, KEYS],
    ["one choice less", probabilities({ read: 1 }), CHOICE, KEYS],
    ["one choice more", probabilities({ read: 1, risky: 0, other: 0 }), CHOICE, KEYS],
    ["another choice", probabilities({ read: 1, other: 0 }), CHOICE, KEYS],
    ["a list of probabilities", probabilities([1, 0]), CHOICE, KEYS],
    ["a null probability", probabilities({ read: 1, risky: null }), CHOICE, VALUES],
    ["a choice above one", probabilities({ read: 1.2, risky: -0.2 }), CHOICE, VALUES],
    ["a sum below one", probabilities({ read: 0.8, risky: 0.198 }), CHOICE, SUM],
    ["a sum above one", probabilities({ read: 0.8, risky: 0.202 }), CHOICE, SUM],
    ["no choice", probabilities({ read: 1, risky: 0 }, null), CHOICE, "evaluator answer is missing the choice"],
    ["an empty choice", probabilities({ read: 1, risky: 0 }, ""), CHOICE, "evaluator answer is missing the choice"],
    [
      "an unknown choice",
      probabilities({ read: 1, risky: 0 }, "toString"),
      CHOICE,
      "evaluator answer contains an unknown choice",
    ],
    [
      "the less probable choice",
      probabilities({ read: 0.4, risky: 0.6 }),
      CHOICE,
      "evaluator choice is not a highest-probability option",
    ],
    [
      "no score",
      answer({ type: "score", probabilities: { 0: 1, 1: 0 } }),
      SCORE,
      "evaluator answer has missing or invalid score",
    ],
    [
      "a score above the last level",
      answer({ type: "score", score: 1.002, probabilities: { 0: 1, 1: 0 } }),
      SCORE,
      "evaluator answer has missing or invalid score",
    ],
    [
      "a score below the first level",
      answer({ type: "score", score: -0.002, probabilities: { 0: 1, 1: 0 } }),
      SCORE,
      "evaluator answer has missing or invalid score",
    ],
  ];

  test.each(faults)("with %s is an error that quotes nothing", async (_name, step, definition, message) => {
    const { error, sent } = await ask(serve(step).url, { definition });
    expect(error).toBe(message);
    expect(sent).toHaveLength(1);
  });

  test.each([
    ["a probability of 0", noul(0), {}],
    ["null confidence", answer({ type: "noul", noul: 1, confidence: null }), {}],
    ["null usage", noul(1, { usage: null }), {}],
    ["empty usage", noul(1, { usage: {} }), {}],
    ["usage of null and zero", noul(1, { usage: { input_tokens: 0, output_tokens: null } }), {}],
    ["the lowest score", answer({ type: "score", score: -0.001, probabilities: { 0: 1, 1: 0 } }), SCORE],
    ["the highest score", answer({ type: "score", score: 1.001, probabilities: { 0: 1, 1: 0 } }), SCORE],
    ["a tie", probabilities({ read: 0.5, risky: 0.5 }), CHOICE],
    ["the largest rounding error", probabilities({ read: 0.8, risky: 0.199 }), CHOICE],
    [
      "a score just above the last level",
      answer({ type: "score", score: 1.0005, probabilities: { 0: 1, 1: 0 } }),
      SCORE,
    ],
    ["unknown keys", noul(1, { id: "x", answers: { evaluation: { type: "noul", noul: 1, why: "y" }, more: 1 } }), {}],
  ] as [string, EvaluatorStep, Partial<EvaluatorDefinition>][])("with %s is valid", async (_name, step, definition) => {
    expect((await ask(serve(step).url, { definition })).error).toBeUndefined();
  });

  test.each([
    [{ input_tokens: -1, output_tokens: 0 }],
    [{ input_tokens: 1.5 }],
    [{ output_tokens: "3" }],
    [{ input_tokens: 2 ** 60 }],
    ["many"],
    [[]],
  ])("with the usage %j is a terminal error, before the answer is read", async (usage) => {
    const server = serve({ json: { model: "m", usage } });
    expect((await ask(server.url)).error).toBe("!evaluator response has invalid token usage");
  });
});

describe("the account of a request", () => {
  const usage = { input_tokens: 2_000_000, output_tokens: 1_000_000 };
  const accounted = async (step: EvaluatorStep, definition: Partial<EvaluatorDefinition> = {}) => {
    const [first, ...rest] = (await ask(serve(step).url, { definition })).sent;
    expect(rest).toEqual([]);
    return first;
  };

  test("has the tokens and the cost, also for a reply whose answer is invalid", async () => {
    const cost = { input: 3, output: 5 };
    expect(await accounted(noul(0.9, { usage }), { cost })).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      evaluator: "leak",
      model: "jev-1",
      usage,
      cost: 11,
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT/),
    });
    expect(await accounted(noul(7, { usage }), { cost })).toMatchObject({ model: "jev-1", usage, cost: 11 });
    expect(await accounted(noul(7, { usage }), { cost: {} })).toMatchObject({ cost: 0 });
  });

  test("does not know the tokens without both counts, nor the cost without a price", async () => {
    const half = await accounted(noul(0.9, { usage: { input_tokens: 5 } }), { cost: { input: 1 } });
    expect([half?.usage, half?.cost]).toEqual([undefined, undefined]);
    const unpriced = await accounted(noul(0.9, { usage, model: "jev-1.13.0" }));
    expect([unpriced?.usage, unpriced?.cost]).toEqual([usage, undefined]);
    expect(await accounted({ text: "no", status: 500 })).toMatchObject({ model: "jev-latest" });
  });

  test("knows the price of one model, at the service's own endpoint", async () => {
    const priced = async (model: string, endpoint: string) => {
      const sent: Evaluation[] = [];
      await askEvaluator(
        { ...BOOLEAN, endpoint },
        STATE,
        {
          env: () => "k",
          fetch: async () => Response.json({ model, usage, answers: { evaluation: { type: "noul", noul: 1 } } }),
        },
        { signal: NEVER, account: (each) => void sent.push(each) },
      );
      return sent[0]?.cost;
    };
    const own = "https://api.typesafe.ai/v1/systemone";
    expect(await priced("jev-1.13.0", own)).toBe(0.084);
    expect(await priced("jev-1.13.1", own)).toBeUndefined();
    expect(await priced("jev-1.13.0", "https://example.org/v1/systemone")).toBeUndefined();
  });

  test("cuts a long name of a model", async () => {
    expect((await accounted(noul(1, { model: "m".repeat(5000) })))?.model).toHaveLength(200);
  });
});

describe("the provider openai", () => {
  const OPENAI = { provider: "openai", tokenKey: "OPENAI_API_KEY" } as const;
  const env = { OPENAI_API_KEY: "k" };
  const reply = (...answers: unknown[]): EvaluatorStep => ({ json: { model: "m", answers } });
  const options = (...pairs: [string, unknown][]) => pairs.map(([value, probability]) => ({ value, probability }));

  test("is asked at the address of its variable; a broken one is named before anything is sent", async () => {
    const asked: string[] = [];
    const ask = (url: string) =>
      askEvaluator(
        { ...BOOLEAN, ...OPENAI, endpoint: "https://api.openai.com/v1/decisions", urlVariable: "OPENAI_BASE_URL" },
        STATE,
        {
          env: (name) => ({ ...env, OPENAI_BASE_URL: url })[name],
          fetch: async (address) => {
            asked.push(String(address));
            return new Response("", { status: 500 });
          },
        },
        { signal: NEVER, account: () => {} },
      ).catch((error: Error) => error.message);
    expect(await ask("https://gateway.example/v1/")).toBe("evaluator returned HTTP status 500");
    expect(await ask("gateway.example/v1")).toBe("OPENAI_BASE_URL: needs http:// or https:// and no spaces");
    expect(asked).toEqual(["https://gateway.example/v1/decisions"]);
  });

  test("is asked with a list of questions, and the state as text", async () => {
    const server = serve(
      reply({ name: "evaluation", type: "predicate", probability: 0.2 }),
      reply({ name: "evaluation", type: "choice", probabilities: options(["read", 0.3], ["risky", 0.7]) }),
      reply({ name: "evaluation", type: "score", score: 1, probabilities: options(["0", 0], ["1", 1]) }),
    );
    const asked = (definition: Partial<EvaluatorDefinition>) =>
      ask(server.url, { definition: { ...definition, ...OPENAI }, env });
    expect(await asked(BOOLEAN)).toMatchObject({ answer: { type: "boolean", probability: 0.2 } });
    expect(await asked(CHOICE)).toMatchObject({
      answer: { choice: "risky", probabilities: { read: 0.3, risky: 0.7 } },
    });
    expect(await asked(SCORE)).toMatchObject({ answer: { type: "score", score: 1 } });
    const common = { name: "evaluation", instructions: "Does it leak?" };
    expect(server.requests[0]?.body).toEqual({
      model: "jev-latest",
      input: JSON.stringify(STATE),
      questions: [{ type: "predicate", ...common }],
    });
    expect(server.requests.slice(1).map(({ body }) => body["questions"])).toEqual([
      [
        {
          type: "choice",
          ...common,
          choices: [
            { value: "read", description: "reads" },
            { value: "risky", description: "changes" },
          ],
        },
      ],
      [
        {
          type: "score",
          ...common,
          levels: [
            { label: "0", description: "low" },
            { label: "1", description: "high" },
          ],
        },
      ],
    ]);
  });

  const MISSING = "evaluator response is missing the evaluation answer";
  const KEYS = "evaluator answer probability keys do not match the criteria";
  test.each([
    ["no answer", reply(), BOOLEAN, MISSING],
    [
      "two answers",
      reply({ name: "evaluation", type: "predicate", probability: 1 }, { name: "evaluation" }),
      BOOLEAN,
      MISSING,
    ],
    ["answers by name", { json: { model: "m", answers: { evaluation: {} } } }, BOOLEAN, MISSING],
    ["a refusal", reply({ name: "evaluation", type: "refusal" }), BOOLEAN, "evaluator refused to assess the state"],
    [
      "no probability",
      reply({ name: "evaluation", type: "predicate" }),
      BOOLEAN,
      "evaluator answer has missing or invalid probability",
    ],
    [
      "a value twice",
      reply({ name: "evaluation", type: "choice", probabilities: options(["read", 0], ["read", 1]) }),
      CHOICE,
      KEYS,
    ],
    ["a mapping", reply({ name: "evaluation", type: "choice", probabilities: { read: 1, risky: 0 } }), CHOICE, KEYS],
  ] as [string, EvaluatorStep, Partial<EvaluatorDefinition>, string][])(
    "that sends %s gave no answer",
    async (_name, step, definition, message) => {
      expect((await ask(serve(step).url, { definition: { ...definition, ...OPENAI }, env })).error).toBe(message);
    },
  );
});
