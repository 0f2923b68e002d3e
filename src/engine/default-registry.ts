import type { HookTypeName } from "../config/hooks/hook-types.ts";
import type { ShapeRegistry } from "../protocol/shapes.ts";
import type { HandlerFactory } from "./handler.ts";
import { builtinHandler } from "./handlers/builtin-handler.ts";
import { commandHandler } from "./handlers/command-handler.ts";
import type { ModelClient } from "./handlers/model-handler.ts";
import { Registry } from "./registry.ts";

let shared: Registry | undefined;

/**
 * Creates a registry with the hook types `command`, `builtin` and `model`. Without a client every model hook fails.
 * Without `shapes` it has the response shapes of hooksh.
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

/** Loads model hooks when the first one runs: they need the template engine and the response shapes. */
function lazyModelHandler(client?: ModelClient, shapes?: ShapeRegistry): HandlerFactory {
  return (hook, environment) => ({
    async run(input, signal) {
      const { modelHandler } = await import("./handlers/model-handler.ts");
      return modelHandler(client, shapes)(hook, environment).run(input, signal);
    },
  });
}

/** The registry of executors that are given none. To register builtins, create one with {@link newRegistry}. */
export function defaultRegistry(): Registry {
  shared ??= newRegistry();
  return shared;
}
