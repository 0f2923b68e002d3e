import { type ASTNode, Environment } from "@marcbachmann/cel-js";
import type { EventFacts, Step } from "../facts/facts.ts";
import { once } from "../lib/once.ts";
import { compileSearch } from "../pattern/search.ts";
import { type At, shownValue, valuesOf } from "./evaluate/fact-values.ts";
import type { RuleTests } from "./evaluate/rule-tests.ts";
import { FACT_TABLE } from "./fact-table.ts";
import { meantName, quoted, type RuleProblem } from "./read/reading.ts";
import { FACTS, type FactName, NO, type Rule } from "./rule.ts";

/** The most operations of one evaluation. */
const MAX_OPERATIONS = 10_000;

/** The name under which our `matches` is known: the library's own one is not linear. */
const MATCHES = "matches_re2";

/** The facts that expressions have as variables. */
const VARIABLES = FACTS.filter((fact) => fact !== "input" && fact !== "time");

function typeOf(fact: FactName): string {
  const { kind } = FACT_TABLE[fact];
  if (kind === "marks" || kind === "things") return "list<string>";
  if (kind === "truth") return "bool";
  if (kind === "number") return fact === "cost" ? "double" : "int";
  return "string";
}

/** An environment in which facts that may be absent have their type, or, to compare them with null, any. */
function makeEnvironment(isTyped: boolean): Environment {
  const environment = new Environment({ homogeneousAggregateLiterals: false, limits: { maxAstNodes: 2000 } });
  environment.registerFunction(`string.${MATCHES}(string): bool`, matchesText);
  for (const fact of VARIABLES) {
    const type = typeOf(fact);
    environment.registerVariable(fact, isTyped || type.startsWith("list") ? type : "dyn");
  }
  environment.registerVariable("steps", "list<map<string, dyn>>");
  environment.registerVariable("tool_input", "map<string, dyn>");
  return environment.registerVariable("event", isTyped ? "string" : "dyn");
}

const TYPED = once(() => makeEnvironment(true));
const UNTYPED = once(() => makeEnvironment(false));

const SEARCHES = once(() => new Map<string, ReturnType<typeof compileSearch>>());

function matchesText(text: string, expression: string): boolean {
  let search = SEARCHES().get(expression);
  if (!search) {
    search = compileSearch(expression, "");
    if (SEARCHES().size < 100) SEARCHES().set(expression, search);
  }
  return search(text) === "all";
}

/** An expression ready to run. It throws if the expression fails, takes too long or gives no boolean. */
export type Expression = (variables: Record<string, unknown>) => boolean;

/** Compiles an expression. Throws an error with the reason if it has a mistake or can give no boolean. */
export function compileExpression(text: string): Expression {
  const typed = checked(TYPED(), text);
  // A comparison with null has no type if a fact is always a text.
  const type = typeof typed === "string" || !/\bnull\b/.test(typed.message) ? typed : checked(UNTYPED(), text);
  if (typeof type !== "string") throw typed;
  if (type !== "bool" && type !== "dyn") throw new Error(`gives ${type}, but must give true or false`);
  const evaluate = UNTYPED().parse(text);
  const budget = { left: 0 };
  prepare(evaluate.ast, budget);
  return (variables) => {
    budget.left = MAX_OPERATIONS;
    const result: unknown = evaluate(variables);
    if (typeof result !== "boolean") throw new Error("gives no boolean");
    return result;
  };
}

/** The type of an expression, or the error in it. */
function checked(environment: Environment, text: string): string | Error {
  try {
    const parsed = environment.parse(text);
    prepare(parsed.ast, { left: 0 });
    const { valid, type = "dyn", error } = parsed.check();
    return valid ? type : reasonOf(error);
  } catch (error) {
    return reasonOf(error);
  }
}

/** An error in one line, without the picture of the place. */
function reasonOf(error: unknown): Error {
  const summary = error instanceof Error && "summary" in error ? error.summary : undefined;
  const text = String(summary ?? (error instanceof Error ? error.message : error)).split("\n")[0] ?? "";
  const [, name] = /^Unknown variable: (\w+)/.exec(text) ?? [];
  const meant = name === undefined ? undefined : meantName(name, [...VARIABLES, "steps", "tool_input", "event"]);
  return new Error(
    text.replaceAll(MATCHES, "matches") + (meant === undefined ? "" : `, did you mean ${quoted(meant)}?`),
  );
}

/** Gives calls of `matches` our function, checks their patterns, and counts every evaluation of a part. */
function prepare(ast: ASTNode, budget: { left: number }): void {
  const open: unknown[] = [ast];
  for (let node = open.pop(); node !== undefined; node = open.pop()) {
    if (Array.isArray(node)) open.push(...(node as unknown[]).filter((part) => part !== undefined));
    if (!isNode(node)) continue;
    if (node.op === "rcall" && node.args[0] === "matches") renameMatches(node.args);
    countEvaluations(node, budget);
    open.push(node.args);
  }
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === "object" && value !== null && "op" in value && "args" in value;
}

function renameMatches(args: unknown): void {
  const call = args as [string, ASTNode, ASTNode[]];
  call[0] = MATCHES;
  const [pattern] = call[2];
  if (pattern?.op === "value" && typeof pattern.args === "string") compileSearch(pattern.args, "");
}

/** The library replaces the function of a node when it first runs. */
function countEvaluations(node: object, budget: { left: number }): void {
  let run = (node as { evaluate: (...of: unknown[]) => unknown }).evaluate;
  const counted = (...of: unknown[]): unknown => {
    if (--budget.left < 0) throw new Error(`takes more than ${MAX_OPERATIONS} operations`);
    return run.apply(node, of);
  };
  Object.defineProperty(node, "evaluate", { get: () => counted, set: (next: typeof run) => void (run = next) });
}

/** Reports what is wrong with the expressions of rules. */
export function checkExpressions(rules: readonly Rule[]): RuleProblem[] {
  return rules.flatMap(({ if: expression, path }): RuleProblem[] => {
    if (expression === undefined) return [];
    try {
      compileExpression(expression);
      return [];
    } catch (error) {
      return [{ path: [...path, "if"], message: error instanceof Error ? error.message : String(error) }];
    }
  });
}

/** The variables of an expression: the facts of an event, those of steps together, and the steps. */
export function variablesOf(facts: EventFacts, dirty: boolean | null, tests: RuleTests): Record<string, unknown> {
  const { call } = facts;
  const steps: readonly (Step | undefined)[] = call && call.steps.length > 0 ? call.steps : [undefined];
  const at = (step: Step | undefined): At => ({ facts, step, tests, dirty: NO });
  const texts = (fact: FactName, step: Step | undefined) => valuesOf(fact, undefined, at(step)).values.map(shownValue);
  const one = (fact: FactName, step: Step | undefined): unknown => {
    switch (fact) {
      case "opaque":
        return step?.opaque ?? false;
      case "dirty":
        return dirty;
      case "ok":
        return facts.ok ?? null;
      case "depth":
      case "calls":
        return facts[fact] === undefined ? null : BigInt(Math.trunc(facts[fact]));
      case "cost":
        return facts.cost ?? null;
      default:
        return texts(fact, step)[0] ?? null;
    }
  };
  const isSet = (fact: FactName) => typeOf(fact).startsWith("list");
  const together = (fact: FactName): unknown =>
    isSet(fact)
      ? [...new Set(steps.flatMap((step) => texts(fact, step)))]
      : fact === "opaque"
        ? steps.some((step) => step?.opaque)
        : (steps.map((step) => one(fact, step)).find((value) => value !== null) ?? null);
  const ofStep = VARIABLES.filter((fact) => FACT_TABLE[fact].of === "step");
  return {
    ...Object.fromEntries(VARIABLES.map((fact) => [fact, together(fact)])),
    steps: (call?.steps ?? []).map((step) =>
      Object.fromEntries(ofStep.map((fact) => [fact, isSet(fact) ? texts(fact, step) : one(fact, step)])),
    ),
    tool_input: call?.input ?? {},
    event: facts.event,
  };
}
