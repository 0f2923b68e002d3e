import { builtinHandler } from "./handlers/builtin.ts";
import { commandHandler } from "./handlers/command.ts";
import { Registry } from "./registry.ts";

let shared: Registry | undefined;

/** A registry of its own with the hook types `command` and `builtin`; `model` needs a client (`modelHandler`). */
export function newRegistry(): Registry {
  const registry = new Registry();
  return registry.register("command", commandHandler).register("builtin", builtinHandler(registry));
}

/** The registry of executors that bring none. An embedder with builtins of its own makes a private one. */
export function defaultRegistry(): Registry {
  shared ??= newRegistry();
  return shared;
}
