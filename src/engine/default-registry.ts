import type { HookTypeName } from "../config/hooks/hook-types.ts";
import { isForeignScript } from "../dialects/script-events.ts";
import type { ShapeRegistry } from "../protocol/reply-schemas.ts";
import type { HandlerFactory } from "./handler.ts";
import { builtinHandler } from "./handlers/builtin-handler.ts";
import { commandHandler } from "./handlers/command-handler.ts";
import type { ModelClient } from "./handlers/model-handler.ts";
import { Registry } from "./registry.ts";

let shared: Registry | undefined;

/**
 * Creates a registry with the hook types `command`, `builtin`, `model` and `evaluator`. Without a client every model and evaluator hook fails.
 * Without `shapes` it has the response shapes of hooksh.
 */
export function newRegistry(client?: ModelClient, shapes?: ShapeRegistry): Registry {
  const registry = new Registry();
  const handlers: Readonly<Record<HookTypeName, HandlerFactory>> = {
    command: commandOrScript,
    builtin: builtinHandler(registry),
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

/** The registry of executors that are given none. To register builtins, create one with {@link newRegistry}. */
export function defaultRegistry(): Registry {
  shared ??= newRegistry();
  return shared;
}
