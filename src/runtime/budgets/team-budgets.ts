import { Budget, type BudgetLimits, TASK_BUDGET } from "./budget.ts";

/** The budgets of an agent file. */
export interface FileBudgets {
  budget?: BudgetLimits | undefined;
  budgets?: Readonly<Record<string, BudgetLimits>> | undefined;
  models: Readonly<Record<string, ModelBudget & { provider?: string; model?: string }>>;
  providers: Readonly<Record<string, ModelBudget>>;
}

interface ModelBudget {
  /** Tokens that the calls of a model, or of all models of a provider without their own, may use. */
  task_budget?: number | { total: number };
}

/**
 * Returns a function that gives each agent of a team the budgets it draws from: that of the run, those of models and
 * providers, and those that it names. An agent from another file draws from those of that file too. Agents share them.
 */
export function teamBudgets(
  team: FileBudgets,
): (agent: { budgets?: readonly string[] | undefined; origin?: FileBudgets }) => readonly Budget[] {
  const made = new Map<object, readonly Budget[]>();
  const once = (key: object | undefined, make: () => readonly Budget[]) => {
    if (!key) return [];
    const budgets = made.get(key) ?? make();
    made.set(key, budgets);
    return budgets;
  };
  const shared = (file: FileBudgets) =>
    once(file, () => [...(file.budget ? [new Budget("budget", file.budget)] : []), ...taskBudgets(file)]);
  return ({ budgets = [], origin = team }) => [
    ...new Set([
      ...shared(team),
      ...shared(origin),
      ...budgets.flatMap((name) => {
        const limits = origin.budgets?.[name];
        return once(limits, () => (limits ? [new Budget(`budgets.${name}`, limits)] : []));
      }),
    ]),
  ];
}

/** The calls of a model draw from its own budget, else from that of its provider. */
function taskBudgets({ models, providers }: FileBudgets): Budget[] {
  const own = new Set<string>();
  const ofModels = Object.entries(models).flatMap(([name, { provider, model, task_budget: budget }]) => {
    if (budget === undefined || provider === undefined || model === undefined) return [];
    const id = `${provider}/${model}`;
    own.add(id);
    return [new Budget(`models.${name}${TASK_BUDGET}`, limitsOf(budget), (called) => called === id)];
  });
  const ofProviders = Object.entries(providers).flatMap(([name, { task_budget: budget }]) => {
    if (budget === undefined) return [];
    const counts = (called: string) => called.startsWith(`${name}/`) && !own.has(called);
    return [new Budget(`providers.${name}${TASK_BUDGET}`, limitsOf(budget), counts)];
  });
  return [...ofModels, ...ofProviders];
}

function limitsOf(budget: NonNullable<ModelBudget["task_budget"]>): BudgetLimits {
  return { max_tokens: typeof budget === "number" ? budget : budget.total };
}
