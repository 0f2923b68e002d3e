export type Value = string | number | boolean | null | undefined | readonly string[];

export type Expression =
  | { kind: "literal"; value: Value }
  | { kind: "template"; parts: readonly Expression[] }
  | { kind: "variable"; name: string }
  | { kind: "args" }
  | { kind: "arg"; index: Expression }
  | { kind: "count" }
  | { kind: "join"; separator: Expression }
  | { kind: "not"; operand: Expression }
  | { kind: "binary"; operator: string; left: Expression; right: Expression }
  | { kind: "choice"; test: Expression; yes: Expression; no: Expression }
  | { kind: "object"; entries: readonly (readonly [string, Expression])[] }
  | { kind: "call"; tool: string; input: Expression };

/** The meaning of names in an expression. */
export interface Scope {
  /** The value of `env.NAME`. */
  lookup: (name: string) => string | undefined;
  /** The words after a slash command. Undefined outside slash commands, where `args` is an unknown name. */
  args?: readonly string[] | undefined;
}

/** A call of one of the agent's tools in the text of a slash command. */
export interface ToolRequest {
  tool: string;
  input: Readonly<Record<string, unknown>>;
}

/** Thrown by {@link evaluate} for a name without a meaning in the scope. */
export class UnknownNameError extends Error {}

/**
 * Evaluates an expression. Yields each tool call and expects its output in return. Has no access to anything but the
 * scope. Throws {@link UnknownNameError}.
 */
export function* evaluate(node: Expression, scope: Scope): Generator<ToolRequest, Value, string> {
  switch (node.kind) {
    case "literal":
      return node.value;
    case "template": {
      let text = "";
      for (const part of node.parts) text += toText(yield* evaluate(part, scope));
      return text;
    }
    case "variable":
      return scope.lookup(node.name);
    case "args":
      return argsOf(scope);
    case "count":
      return argsOf(scope).length;
    case "arg":
      return argsOf(scope)[Number(yield* evaluate(node.index, scope))];
    case "join":
      return argsOf(scope).join(toText(yield* evaluate(node.separator, scope)));
    case "not":
      return !(yield* evaluate(node.operand, scope));
    case "binary":
      return yield* evaluateBinary(node, scope);
    case "choice":
      return yield* evaluate((yield* evaluate(node.test, scope)) ? node.yes : node.no, scope);
    case "call":
      return yield { tool: node.tool, input: (yield* evaluateInput(node.input, scope)) as Record<string, unknown> };
    case "object":
      throw new UnknownNameError("an object is only valid as the argument of a tool");
  }
}

/** Converts a value to text: `null` and `undefined` to an empty one, lists to their items joined by commas. */
export function toText(value: Value): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? value.join(",") : String(value);
}

function argsOf({ args }: Scope): readonly string[] {
  if (!args) throw new UnknownNameError("args");
  return args;
}

function* evaluateInput(node: Expression, scope: Scope): Generator<ToolRequest, unknown, string> {
  if (node.kind !== "object") return yield* evaluate(node, scope);
  const entries: [string, unknown][] = [];
  for (const [key, value] of node.entries) entries.push([key, yield* evaluateInput(value, scope)]);
  return Object.fromEntries(entries);
}

function* evaluateBinary(
  node: Extract<Expression, { kind: "binary" }>,
  scope: Scope,
): Generator<ToolRequest, Value, string> {
  const left = yield* evaluate(node.left, scope);
  if (node.operator === "||" && left) return left;
  if (node.operator === "&&" && !left) return left;
  if (node.operator === "??" && left !== null && left !== undefined) return left;
  const right = yield* evaluate(node.right, scope);
  switch (node.operator) {
    case "===":
      return left === right;
    case "!==":
      return left !== right;
    case "==":
      return looselyEqual(left, right);
    case "!=":
      return !looselyEqual(left, right);
    case "+":
      return typeof left === "number" && typeof right === "number" ? left + right : toText(left) + toText(right);
    default:
      return right;
  }
}

/** JavaScript's `==`, for the values that an expression can have. */
function looselyEqual(left: Value, right: Value): boolean {
  const isNothing = (value: Value) => value === null || value === undefined;
  if (isNothing(left) || isNothing(right)) return isNothing(left) && isNothing(right);
  if (typeof left === typeof right) return toText(left) === toText(right);
  const isText = (value: Value) => typeof value === "string" || typeof value === "object";
  return isText(left) && isText(right)
    ? toText(left) === toText(right)
    : Number(toText(left)) === Number(toText(right));
}
