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
  return registry
    .register("command", commandHandler)
    .register("builtin", builtinHandler(registry))
    .register("model", lazyModelHandler(client, shapes));
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
