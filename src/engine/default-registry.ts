import type { HookTypeName } from "../config/hooks/hook-types.ts";
import type { ShapeRegistry } from "../protocol/shapes.ts";
import { builtinHandler } from "./handlers/builtin.ts";
import { commandHandler } from "./handlers/command.ts";
import type { ModelClient } from "./handlers/model.ts";
import type { HandlerFactory } from "./hook.ts";
import { Registry } from "./registry.ts";

let shared: Registry | undefined;

/**
 * A registry of its own with the hook types `command`, `builtin` and `model`. Without a client every model hook fails;
 * without shapes the stock ones count.
 */
export function newRegistry(client?: ModelClient, shapes?: ShapeRegistry): Registry {
  const registry = new Registry();
  const handlers: Readonly<Record<HookTypeName, HandlerFactory>> = {
    command: commandHandler,
    builtin: builtinHandler(registry),
    model: lazyModelHandler(client, shapes),
  };
  for (const [type, create] of Object.entries(handlers)) registry.register(type, create);
  return registry;
}

/** Model hooks bring templates and shapes with them: loaded when the first one runs. */
function lazyModelHandler(client?: ModelClient, shapes?: ShapeRegistry): HandlerFactory {
  return (hook, environment) => ({
    async run(input, signal) {
      const { modelHandler } = await import("./handlers/model.ts");
      return modelHandler(client, shapes)(hook, environment).run(input, signal);
    },
  });
}

/** The registry of executors that bring none. An embedder with builtins of its own makes a private one. */
export function defaultRegistry(): Registry {
  shared ??= newRegistry();
  return shared;
}
