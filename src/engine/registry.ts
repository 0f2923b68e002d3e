import { BUILTINS } from "../../builtins/index.ts";
import type { HookTypeName } from "../config/hooks/hook-types.ts";
import { isForeignScript } from "../dialects/script-events.ts";
import type { Builtin, BuiltinRow } from "../protocol/builtin.ts";
import type { ShapeRegistry } from "../protocol/reply-schemas.ts";
import type { HandlerFactory } from "./handler.ts";
import { builtinHandler } from "./handlers/builtin-handler.ts";
import { commandHandler } from "./handlers/command-handler.ts";
import type { ModelClient } from "./handlers/model-handler.ts";

/** Hook types and builtins by name. Registries are independent: each sees only its own registrations. */
export class Registry {
  readonly #types = new Map<string, HandlerFactory>();
  readonly #builtins = new Map<string, BuiltinRow>(Object.entries(BUILTINS));

  /** Adds a hook type, or replaces it. */
  register(type: string, factory: HandlerFactory): this {
    if (type === "") throw new Error("hook type must not be empty");
    this.#types.set(type, factory);
    return this;
  }

  /** The factory of a hook type. */
  lookup(type: string): HandlerFactory | undefined {
    return this.#types.get(type);
  }

  /**
   * Adds a builtin, or replaces it. A function runs on the main thread; the deadline ends the wait for it, not the
   * function.
   */
  registerBuiltin(name: string, builtin: Builtin | BuiltinRow): this {
    if (name === "") throw new Error("builtin hook name must not be empty");
    if (!builtin) throw new Error("builtin hook function is required");
    this.#builtins.set(name, typeof builtin === "function" ? inlineRow(builtin) : builtin);
    return this;
  }

  /** The row of a builtin. */
  lookupBuiltin(name: string): BuiltinRow | undefined {
    return this.#builtins.get(name);
  }

  /** The names of all builtins, sorted. */
  builtinNames(): string[] {
    return [...this.#builtins.keys()].sort();
  }
}

/**
 * Creates a registry with the hook types `command`, `builtin`, `model` and `evaluator`. Without a client every model and evaluator hook fails.
 * Without `shapes` it has the response shapes of hooksh.
 */
export function newRegistry(client?: ModelClient, shapes?: ShapeRegistry): Registry {
  const registry = new Registry();
  const handlers: Readonly<Record<HookTypeName, HandlerFactory>> = {
    command: commandOrScript,
    builtin: builtinHandler((name) => registry.lookupBuiltin(name)),
    model: lazyModelHandler(client, shapes),
    evaluator: lazyEvaluatorHandler(client),
  };
  for (const [type, create] of Object.entries(handlers)) registry.register(type, create);
  return registry;
}

/** Runs commands; those written for another agent through the code that knows its payloads and answers. */
const commandOrScript: HandlerFactory = (hook, environment) => {
  const command = commandHandler(hook, environment);
  if (!isForeignScript(hook)) return command;
  return {
    ...command,
    async run(input, signal) {
      const { runForeignScript } = await import("./handlers/foreign-script.ts");
      return runForeignScript(hook, environment, input, signal);
    },
  };
};

/** Loads model hooks when the first one runs: they need the template engine and the response shapes. */
function lazyModelHandler(client?: ModelClient, shapes?: ShapeRegistry): HandlerFactory {
  return (hook, environment) => ({
    async run(input, signal) {
      const { modelHandler } = await import("./handlers/model-handler.ts");
      return modelHandler(client, shapes)(hook, environment).run(input, signal);
    },
  });
}

/** Loads evaluator hooks when the first one runs. */
function lazyEvaluatorHandler(client?: ModelClient): HandlerFactory {
  return (hook, environment) => ({
    lingerMs: 100, // in which a stopped request is accounted for
    async run(input, signal) {
      const { evaluatorHandler } = await import("./handlers/evaluator-handler.ts");
      return evaluatorHandler(client)(hook, environment).run(input, signal);
    },
  });
}

function inlineRow(run: Builtin): BuiltinRow {
  return {
    summary: "Registered by the embedding program.",
    events: "any",
    thread: "inline",
    load: async () => ({ run }),
  };
}
