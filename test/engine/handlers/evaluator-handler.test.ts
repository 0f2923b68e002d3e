import { describe, expect, test } from "bun:test";
import type { EvaluatorPolicy } from "../../../src/config/hooks/evaluator-policy.ts";
import { defineHook, type HookEntry } from "../../../src/config/hooks/read-hooks.ts";
import { Executor } from "../../../src/engine/executor.ts";
import type { Log } from "../../../src/engine/handler.ts";
import { newRegistry } from "../../../src/engine/registry.ts";
import {
  type Evaluation,
  type EvaluatorAnswer,
  type EvaluatorDefinition,
  EvaluatorError,
} from "../../../src/model/evaluators/evaluator.ts";
import type { EventName, EventPayload } from "../../../src/protocol/events.ts";

const DEFINITION: EvaluatorDefinition = {
  name: "task",
  provider: "typesafe",
  model: "m",
  type: "choice",
  instructions: "i",
  choices: { easy: "e", hard: "h" },
  endpoint: "http://127.0.0.1:9/",
  tokenKey: "K",
  timeoutMs: 1000,
};
const DECIDES: EvaluatorPolicy = {
  kind: "decide",
  decisions: { true: "deny", false: "allow" },
  minProbability: 0.93,
  fallback: "ask",
};
const ROUTES: EvaluatorPolicy = { kind: "route", routes: { easy: "quick", hard: "deep" }, minProbability: 0.8 };

interface Setup {
  policy: EvaluatorPolicy;
  /** The answer or the error of the service; without one it never answers. */
  answer?: EvaluatorAnswer | Error;
  evaluation?: Evaluation;
  isBound?: boolean;
  defaultAgent?: string | undefined;
  hook?: Parameters<typeof defineHook>[0];
}

function executorOf(event: EventName, setup: Setup) {
  const logged: string[] = [];
  const { policy, answer, evaluation, isBound = true, hook } = setup;
  const defaultAgent = "defaultAgent" in setup ? setup.defaultAgent : "quick";
  const states: unknown[] = [];
  const entry: HookEntry = {
    event,
    matcher: "",
    lane: "default",
    path: [],
    source: async () => "test",
    hook: defineHook(hook ?? { type: "evaluator", evaluator: "task", on_error: "ignore" }),
    ...(isBound
      ? { evaluator: { definition: DEFINITION, policy, ...(defaultAgent === undefined ? {} : { defaultAgent }) } }
      : {}),
  };
  const registry = newRegistry({
    ask: async () => "",
    async evaluate(_definition, state, { signal, account }) {
      states.push(state);
      if (answer instanceof Error) throw answer;
      if (answer) return { model: "jev-1", answer };
      await new Promise((resolve) => signal.addEventListener("abort", resolve));
      if (evaluation) account(evaluation);
      throw new EvaluatorError("evaluator request failed");
    },
  });
  const log: Log = (level, message) => void logged.push(`${level}: ${message}`);
  return { executor: new Executor([entry], { registry, log }), states, entry, logged };
}

const CALL: EventPayload<"tool_guard"> = {
  tool_name: "shell",
  tool_input: { cmd: "env" },
  tool_category: "shell",
  tool_use_id: "c1",
  session_id: "s1",
};

describe("an evaluator that guards a call", () => {
  test("sees the call and nothing else; what is absent is empty", async () => {
    const answer = { type: "boolean", probability: 1 } as const;
    const { executor, states } = executorOf("tool_guard", { policy: DECIDES, answer });
    await executor.dispatch("tool_guard", CALL);
    await executor.dispatch("tool_guard", { tool_name: "think" });
    expect(states).toEqual([
      { tool_name: "shell", tool_input: { cmd: "env" }, tool_category: "shell" },
      { tool_name: "think", tool_input: null, tool_category: "" },
    ]);
  });

  const MATCHED = "Evaluator policy matched the selected outcome.";
  const FALLBACK = "Evaluator policy fallback applied.";
  test.each([
    [1, "deny", "true", "1", MATCHED],
    [0.93, "deny", "true", "0.93", MATCHED],
    [0.92, "ask", "true", "0.92", FALLBACK],
    [0.5, "ask", "true", "0.5", FALLBACK],
    [0.49, "ask", "false", "0.51", FALLBACK],
    [0.07, "allow", "false", "0.93", MATCHED],
    [0, "allow", "false", "1", MATCHED],
  ] as const)("with a probability of %d: %s", async (probability, decision, outcome, shown, reason) => {
    const answer = { type: "boolean", probability } as const;
    const { executor } = executorOf("tool_guard", { policy: DECIDES, answer });
    expect(await executor.dispatch("tool_guard", CALL)).toMatchObject({
      decision,
      decision_reason: reason,
      metadata: {
        evaluator: "task",
        evaluator_type: "choice",
        evaluator_choice: outcome,
        evaluator_probability: shown,
        evaluator_model: "jev-1",
      },
    });
  });

  test("takes the fallback for an outcome without a decision", async () => {
    const answer: EvaluatorAnswer = { type: "choice", choice: "hard", probabilities: { easy: 0, hard: 1 } };
    const policy: EvaluatorPolicy = { ...DECIDES, decisions: { easy: "allow" }, fallback: "deny" } as EvaluatorPolicy;
    const { executor } = executorOf("tool_guard", { policy, answer });
    expect(await executor.dispatch("tool_guard", CALL)).toMatchObject({ allowed: false, message: FALLBACK });
  });

  test.each([
    [
      "an error",
      { answer: new EvaluatorError("evaluator returned HTTP status 503") },
      'evaluator "task": evaluator returned HTTP status 503',
    ],
    ["an unexpected error", { answer: new TypeError("oops") }, 'evaluator "task": oops'],
    ["a score", { answer: { type: "score", score: 1 } as const }, 'evaluator "task": a score decides nothing'],
    ["no definition", { isBound: false }, 'unknown evaluator "task"'],
  ] as const)("blocks on %s, although on_error is ignore and the fallback asks", async (_name, setup, message) => {
    const { executor } = executorOf("tool_guard", { policy: DECIDES, ...setup });
    expect(await executor.dispatch("tool_guard", CALL)).toEqual({
      allowed: false,
      message: `tool_guard hook failed to execute: hook "task": ${message}`,
      exit_code: -1,
    });
  });

  test("blocks without a client", async () => {
    const { entry } = executorOf("tool_guard", { policy: DECIDES });
    for (const registry of [newRegistry(), newRegistry({ ask: async () => "" })]) {
      expect((await new Executor([entry], { registry }).dispatch("tool_guard", CALL)).message).toBe(
        'tool_guard hook failed to execute: hook "task": evaluator "task": no client for evaluators (runtime did not register one)',
      );
    }
  });

  test("accounts for a request that the hook's timeout stopped", async () => {
    const evaluation = { id: "e1", evaluator: "task", model: "m", created_at: "2026-01-01T00:00:00Z" };
    const hook = { type: "evaluator", evaluator: "task", timeout: 1 };
    const { executor } = executorOf("tool_guard", { policy: DECIDES, evaluation, hook });
    const sent: Evaluation[] = [];
    const result = await executor.dispatch("tool_guard", CALL, { evaluated: (each) => void sent.push(each) });
    expect(result).toMatchObject({ allowed: false, message: expect.stringContaining("timed out after 1s") });
    expect(sent).toEqual([evaluation]);
  });
});

describe("an evaluator that routes", () => {
  const REQUEST: EventPayload<"before_agent_run"> = {
    session_id: "s1",
    agent_name: "root",
    invocation_id: "i1",
    step_id: "step-1",
    input: "fix it",
  };
  const chosen = (choice: string, probabilities: Record<string, number>): EvaluatorAnswer => ({
    type: "choice",
    choice,
    probabilities,
  });

  test("sees the request and what came before it, without ids and names of agents", async () => {
    const { executor, states } = executorOf("after_agent_complete", {
      policy: ROUTES,
      answer: chosen("hard", { easy: 0.1, hard: 0.9 }),
    });
    const before = { ...REQUEST, previous_output: "", conversation: [] };
    await executor.dispatch("after_agent_complete", { ...before, output: "done" });
    const conversation = [{ role: "user", content: "hello" }];
    await executor.dispatch("after_agent_complete", { ...before, previous_output: "p", output: "o", conversation });
    await executor.dispatch("after_agent_complete", { input: "fix it" });
    expect(states).toStrictEqual([
      { input: "fix it", output: "done" },
      { input: "fix it", previous_output: "p", output: "o", conversation },
      { input: "fix it" },
    ]);
  });

  test("chooses the agent of the choice", async () => {
    const { executor } = executorOf("before_agent_run", {
      policy: ROUTES,
      answer: chosen("hard", { easy: 0.2, hard: 0.8 }),
    });
    expect(await executor.dispatch("before_agent_run", REQUEST)).toEqual({
      allowed: true,
      transition: { action: "route", agent: "deep" },
      metadata: {
        evaluator: "task",
        evaluator_type: "choice",
        evaluator_choice: "hard",
        evaluator_probability: "0.8",
        evaluator_model: "jev-1",
      },
    });
  });

  test.each([
    ["evaluator_failed", new EvaluatorError("evaluator returned HTTP status 500")],
    ["below_threshold", chosen("hard", { easy: 0.3, hard: 0.7 })],
    ["tie", chosen("hard", { easy: 0.5, hard: 0.5 })],
    ["tie", chosen("hard", { easy: 0.6, hard: 0.4 })],
    ["unknown_choice", chosen("other", { easy: 0.5, hard: 0.5 })],
    ["invalid_result", chosen("hard", { hard: 1 })],
    ["invalid_result", chosen("hard", { easy: 0, hard: 1, other: 0 })],
    ["invalid_result", chosen("hard", { easy: -0.1, hard: 1.1 })],
    ["invalid_result", chosen("hard", { easy: 0.2, hard: 0.9 })],
    ["invalid_result", chosen("hard", { easy: -0.0005, hard: 1 })],
    ["invalid_result", chosen("hard", { other: 0, hard: 1 })],
    ["unknown_choice", chosen("toString", { easy: 0, hard: 1 })],
    ["invalid_result", { type: "boolean", probability: 1 }],
  ] as [string, EvaluatorAnswer | Error][])("falls back to the default agent: %s, %j", async (reason, answer) => {
    const { executor } = executorOf("before_agent_run", { policy: ROUTES, answer });
    expect(await executor.dispatch("before_agent_run", REQUEST)).toMatchObject({
      allowed: true,
      transition: { action: "route", agent: "quick" },
      metadata: { evaluator: "task", fallback_reason: reason },
      system_message: `Routing fell back to "quick" (${reason}).`,
    });
  });

  test("logs why no answer was valid, for --debug", async () => {
    const answer = new EvaluatorError("evaluator API key is missing");
    const { executor, logged } = executorOf("before_agent_run", { policy: ROUTES, answer });
    await executor.dispatch("before_agent_run", REQUEST);
    expect(logged).toContain('debug: evaluator "task": evaluator API key is missing');
  });

  test.each([
    ["a terminal error", { answer: new EvaluatorError("evaluator response has invalid token usage", true) }],
    ["an error of another kind", { answer: new TypeError("oops") }],
    ["the hook's timeout", { hook: { type: "evaluator", evaluator: "task", timeout: 1 } }],
    ["no definition", { isBound: false }],
    ["no default agent", { defaultAgent: undefined, answer: chosen("hard", { easy: 0, hard: 1 }) }],
  ] as const)("stops the run on %s", async (_name, setup) => {
    const { executor } = executorOf("before_agent_run", { policy: ROUTES, ...setup });
    const result = await executor.dispatch("before_agent_run", REQUEST);
    expect(result).toMatchObject({ allowed: false, exit_code: -1 });
    expect(result).not.toContainKey("transition");
  });

  test("does not choose an agent for a caller that cancelled", async () => {
    const { executor, states } = executorOf("before_agent_run", { policy: ROUTES });
    const stop = new AbortController();
    const dispatched = executor.dispatch("before_agent_run", REQUEST, { signal: stop.signal });
    while (states.length === 0) await Bun.sleep(1);
    stop.abort();
    expect(await dispatched).toMatchObject({ allowed: false, message: expect.stringContaining("cancelled") });
  });
});
