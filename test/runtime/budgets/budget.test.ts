import { describe, expect, test } from "bun:test";
import { sleep } from "../../../src/lib/platform.ts";
import { Budget, type BudgetLimits } from "../../../src/runtime/budgets/budget.ts";
import { teamBudgets } from "../../../src/runtime/budgets/team-budgets.ts";

const usage = { input_tokens: 60, output_tokens: 20, cached_input_tokens: 15, cached_write_tokens: 5 };

describe("a budget", () => {
  const table: [string, BudgetLimits, (budget: Budget) => void, string | undefined][] = [
    ["before any call", { max_cost: 0.1, max_tokens: 1, max_time: 1 }, () => {}, undefined],
    ["cost: below", { max_cost: 0.2 }, (budget) => budget.addCall("m", usage, 0.1), undefined],
    [
      "cost: reached",
      { max_cost: 0.1 },
      (budget) => budget.addCall("m", usage, 0.1),
      "budget.max_cost 0.1: $0.1 is spent",
    ],
    [
      "cost: unknown",
      { max_cost: 5 },
      (budget) => budget.addCall("m", usage, undefined),
      "budget.max_cost 5: the cost so far is unknown: m has no price or reported no tokens",
    ],
    ["tokens: below", { max_tokens: 101 }, (budget) => budget.addCall("m", usage, undefined), undefined],
    [
      "tokens: all kinds count",
      { max_tokens: 100 },
      (budget) => budget.addCall("m", usage, undefined),
      "budget.max_tokens 100: 100 tokens are used",
    ],
    [
      "tokens: a negative count gives nothing back",
      { max_tokens: 100 },
      (budget) => budget.addCall("m", { ...usage, cached_write_tokens: -50, output_tokens: 25 }, undefined),
      "budget.max_tokens 100: 100 tokens are used",
    ],
    [
      "tokens: unknown",
      { max_tokens: 100 },
      (budget) => budget.addCall("m", undefined, 0),
      "budget.max_tokens 100: the tokens so far are unknown: m reported none",
    ],
    [
      "zero is no limit",
      { max_cost: 0, max_tokens: 0, max_time: 0 },
      (budget) => budget.addCall("m", undefined, undefined),
      undefined,
    ],
  ];
  test.each(table)("%s", (_name, limits, use, expected) => {
    const budget = new Budget("budget", limits);
    use(budget);
    const limit = budget.reached();
    expect(limit && `${limit.flag}: ${limit.message}`).toBe(expected);
  });

  test("counts the time of turns, not the time between them", async () => {
    const budget = new Budget("budget", { max_time: 5 });
    budget.addCall("m", usage, 0);
    await sleep(10);
    expect(budget.reached()).toBeUndefined();
    await budget.during(() => budget.during(() => sleep(10)));
    expect(budget.reached()?.flag).toBe("budget.max_time 5ms");
  });

  test("turns at the same time count once", async () => {
    const budget = new Budget("budget", { max_time: 2000 });
    budget.addCall("m", usage, 0);
    await Promise.all(Array.from({ length: 200 }, () => budget.during(() => sleep(20))));
    expect(budget.reached()).toBeUndefined();
  });

  test("is granted once more, from what is used", () => {
    const budget = new Budget("budget", { max_cost: 0.1, max_tokens: 1000 });
    budget.addCall("m", usage, 0.25);
    budget.extend();
    expect(budget.reached()).toBeUndefined();
    budget.addCall("m", usage, 0.09);
    expect(budget.reached()).toBeUndefined();
    budget.addCall("m", usage, 0.02);
    expect(budget.reached()?.message).toBe("$0.36 is spent");
    budget.addCall("other", usage, undefined);
    budget.extend();
    expect(budget.reached()).toBeUndefined();
  });
});

describe("the budgets of a team", () => {
  const none = { models: {}, providers: {} };
  const team = { ...none, budget: { max_cost: 1 }, budgets: { research: { max_tokens: 5 }, unused: { max_cost: 2 } } };

  test("agents share that of the run, and those that they name", () => {
    const budgetsOf = teamBudgets(team);
    const [first, second] = [budgetsOf({ budgets: ["research"] }), budgetsOf({ budgets: ["research"] })];
    expect(first.map(({ name }) => name)).toEqual(["budget", "budgets.research"]);
    expect(first.every((budget, at) => budget === second[at])).toBe(true);
    expect(budgetsOf({}).map(({ name }) => name)).toEqual(["budget"]);
  });

  test("an agent of another file draws from the budgets of both", () => {
    const origin = { ...none, budget: { max_cost: 3 }, budgets: { research: { max_tokens: 9 } } };
    const budgets = teamBudgets(team)({ budgets: ["research"], origin });
    expect(budgets.map(({ name, limitsCost }) => [name, limitsCost])).toEqual([
      ["budget", true],
      ["budget", true],
      ["budgets.research", false],
    ]);
  });

  test("the calls of a model draw from its own task budget, else from that of its provider", () => {
    const models = { m: { provider: "p", model: "x", task_budget: 100 }, other: { provider: "p", model: "y" } };
    const providers = { p: { task_budget: { type: "tokens", total: 150 } }, q: {} };
    const budgets = teamBudgets({ models, providers })({});
    const reached = () => budgets.flatMap((budget) => budget.reached()?.flag ?? []);
    for (const budget of budgets) budget.addCall("q/x", usage, 0);
    expect(reached()).toEqual([]);
    for (const budget of budgets) budget.addCall("p/x", usage, 0);
    expect(reached()).toEqual(["models.m.task_budget 100"]);
    for (const budget of budgets) budget.addCall("p/y", usage, 0);
    expect(reached()).toEqual(["models.m.task_budget 100"]);
    for (const budget of budgets) budget.addCall("p/z", usage, 0);
    expect(reached()).toEqual(["models.m.task_budget 100", "providers.p.task_budget 150"]);
  });
});
