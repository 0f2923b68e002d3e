import { errorText } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { callFunction } from "./functions.ts";
import { NO_VALUE, printValue } from "./print-value.ts";
import { TemplateError } from "./template-error.ts";
import type { Body, Command, Operand, Pipe, Step } from "./template-syntax.ts";
import { goName, isTrue, kindOf, Struct, sortedKeys } from "./template-values.ts";

/** Maximum size of the rendered text, in UTF-8 bytes. */
export const MAX_OUTPUT = 1024 * 1024;
/** Maximum steps and operands that one rendering evaluates. */
const MAX_STEPS = 1_000_000;
/** Maximum characters that functions read and return in one rendering, printed or not. */
const MAX_WORK = 256 * 1024 * 1024;

/** How a missing map key is handled: print `<no value>`, or fail. */
export type MissingKey = "print" | "error";

type Block = Step & { kind: "if" | "with" | "range" };

/** How a body ended: at its end, or with `break` or `continue` of the surrounding loop. */
type Flow = "next" | "break" | "continue";

interface Variable {
  name: string;
  value: unknown;
}

interface Run {
  readonly missingKey: MissingKey;
  variables: Variable[];
  output: string[];
  bytes: number;
  steps: number;
  work: number;
  /** The line of the current pipeline. */
  line: number;
}

/** Renders a body with its data. Data is never read as template text. Throws a {@link TemplateError}. */
export function renderBody(body: Body, data: unknown, missingKey: MissingKey): string {
  const variables = [{ name: "$", value: data }];
  const run: Run = { missingKey, variables, output: [], bytes: 0, steps: 0, work: 0, line: 1 };
  walk(run, body, data);
  return run.output.join("");
}

function walk(run: Run, body: Body, dot: unknown): Flow {
  for (const step of body) {
    const flow = walkStep(run, step, dot);
    if (flow !== "next") return flow;
  }
  return "next";
}

function walkStep(run: Run, step: Step, dot: unknown): Flow {
  countStep(run);
  switch (step.kind) {
    case "text":
      write(run, step.text);
      return "next";
    case "print": {
      const value = evaluate(run, step.pipe, dot);
      if (step.pipe.variables.length === 0)
        write(run, value === undefined || value === null ? NO_VALUE : printValue(value));
      return "next";
    }
    case "break":
    case "continue":
      return step.kind;
    case "if":
    case "with":
    case "range":
      return scoped(run, () => walkBlock(run, step, dot));
  }
}

function walkBlock(run: Run, step: Block, dot: unknown): Flow {
  if (step.kind === "range") return walkRange(run, step, dot);
  const value = evaluate(run, step.pipe, dot);
  const inner = step.kind === "with" ? value : dot;
  return isTrue(value) ? walk(run, step.body, inner) : walk(run, step.otherwise, dot);
}

function walkRange(run: Run, { pipe, body, otherwise }: Block, dot: unknown): Flow {
  const items = itemsOf(run, evaluateCommands(run, pipe, dot));
  let count = 0;
  for (const [key, value] of items) {
    count++;
    countStep(run);
    const flow = scoped(run, () => {
      const values = pipe.variables.length === 2 ? [key, value] : [value];
      pipe.variables.forEach((name, index) => bind(run, pipe, name, values[index]));
      return walk(run, body, value);
    });
    if (flow === "break") break;
  }
  return count > 0 ? "next" : walk(run, otherwise, dot);
}

function* itemsOf(run: Run, value: unknown): Generator<readonly [unknown, unknown]> {
  if (value === undefined || value === null) return;
  if (Array.isArray(value)) yield* value.entries();
  else if (typeof value === "number" && Number.isInteger(value)) for (let at = 0; at < value; at++) yield [at, at];
  else if (isObject(value) && !(value instanceof Struct)) for (const key of sortedKeys(value)) yield [key, value[key]];
  else throw failure(run, `range cannot iterate over ${kindOf(value)}`);
}

/** Runs `inside` in a new scope: variables declared in it do not exist afterwards. */
function scoped(run: Run, inside: () => Flow): Flow {
  const { length } = run.variables;
  const flow = inside();
  run.variables.length = length;
  return flow;
}

function evaluate(run: Run, pipe: Pipe, dot: unknown): unknown {
  const value = evaluateCommands(run, pipe, dot);
  for (const name of pipe.variables) bind(run, pipe, name, value);
  return value;
}

function bind(run: Run, pipe: Pipe, name: string, value: unknown): void {
  const known = pipe.assigns ? run.variables.findLast((variable) => variable.name === name) : undefined;
  if (known) known.value = value;
  else run.variables.push({ name, value });
}

function evaluateCommands(run: Run, pipe: Pipe, dot: unknown): unknown {
  return pipe.commands.reduce<unknown>((piped, command, index) => {
    run.line = pipe.line;
    return evaluateCommand(run, command, dot, index > 0 ? [piped] : []);
  }, undefined);
}

/** `piped` is the value of the command before, if there is one: then `first` is a call. */
function evaluateCommand(run: Run, [first, ...rest]: Command, dot: unknown, piped: readonly unknown[]): unknown {
  if (first.kind !== "call") return evaluateOperand(run, first, dot);
  if (first.name === "and" || first.name === "or") return evaluateLogic(run, first.name, { rest, dot, piped });
  const args = rest.map((operand) => evaluateOperand(run, operand, dot));
  return call(run, first.name, [...args, ...piped]);
}

interface LogicArguments {
  rest: readonly Operand[];
  dot: unknown;
  piped: readonly unknown[];
}

/** The first argument that decides, or the last one; those after it are not evaluated. */
function evaluateLogic(run: Run, name: string, { rest, dot, piped }: LogicArguments): unknown {
  if (rest.length + piped.length === 0) throw failure(run, `wrong number of arguments for ${name}: 0`);
  let value: unknown;
  for (const operand of rest) {
    value = evaluateOperand(run, operand, dot);
    if (isTrue(value) === (name === "or")) return value;
  }
  return piped.length > 0 ? piped[0] : value;
}

function call(run: Run, name: string, args: readonly unknown[]): unknown {
  let value: unknown;
  try {
    value = callFunction(name, args);
  } catch (error) {
    throw failure(run, errorText(error));
  }
  for (const text of [...args, value]) if (typeof text === "string") run.work += text.length;
  if (run.work > MAX_WORK) throw failure(run, "the functions of the template work on too much text");
  return value;
}

function evaluateOperand(run: Run, operand: Operand, dot: unknown): unknown {
  countStep(run);
  switch (operand.kind) {
    case "constant":
      return operand.value;
    case "call":
      return evaluateCommand(run, [operand], dot, []);
    case "dot":
      return takeFields(run, dot, operand.names);
    case "variable":
      return takeFields(run, run.variables.findLast(({ name }) => name === operand.name)?.value, operand.names);
    case "pipe": {
      const { length } = run.variables;
      const value = evaluate(run, operand.pipe, dot);
      run.variables.length = length;
      return takeFields(run, value, operand.names);
    }
  }
}

function takeFields(run: Run, value: unknown, names: readonly string[]): unknown {
  return names.reduce((from, name) => takeField(run, from, name), value);
}

function takeField(run: Run, value: unknown, name: string): unknown {
  if (value instanceof Struct) {
    if (value.has(name)) return value.get(name);
    const hint = value.has(goName(name)) ? `: write .${goName(name)}` : "";
    throw failure(run, `unknown field .${name}${hint}`);
  }
  const missing = value === undefined || value === null;
  if (!missing && !isObject(value)) throw failure(run, `no field .${name} in a ${kindOf(value)}`);
  if (isObject(value) && Object.hasOwn(value, name)) return value[name];
  if (run.missingKey === "error") throw failure(run, `map has no entry for key ${JSON.stringify(name)}`);
  return undefined;
}

function write(run: Run, text: string): void {
  run.bytes += Buffer.byteLength(text);
  if (run.bytes > MAX_OUTPUT) throw failure(run, `the rendered text exceeds the limit of ${MAX_OUTPUT} bytes (1 MiB)`);
  run.output.push(text);
}

function countStep(run: Run): void {
  if (++run.steps > MAX_STEPS) throw failure(run, `rendering takes more than ${MAX_STEPS} steps`);
}

function failure(run: Run, reason: string): TemplateError {
  return new TemplateError(reason, run.line);
}
