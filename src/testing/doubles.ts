import { hookNames } from "../config/hooks/hook-names.ts";
import { HOOK_TYPE_NAMES, type HookDefinition } from "../config/hooks/hook-types.ts";
import type { HookEntry } from "../config/hooks/read-hooks.ts";
import type { HandlerFactory } from "../engine/handler.ts";
import type { ModelClient } from "../engine/handlers/model-handler.ts";
import type { Registry } from "../engine/registry.ts";
import { newRegistry } from "../engine/registry.ts";
import type { HookOutput } from "../protocol/output.ts";
import { type FaultKind, failingFactory, HANG_TIMEOUT } from "./faults.ts";

/** A replacement for a hook in a test: an answer (undefined: no output), or a failure. */
export type Double = { answer: HookOutput | undefined } | { fault: FaultKind };

/** The doubles of a test by the names of their hooks. */
export type Doubles = ReadonlyMap<string, Double>;

/** Marks a hook that has a double. The engine copies hooks with their symbols, but compares and prints only their keys. */
const DOUBLE = Symbol("double");

type WithDouble = HookDefinition & { [DOUBLE]?: Double };

/** Returns the hooks with the doubles in the place of those they name; a later name wins. */
export function withDoubles(entries: readonly HookEntry[], doubles: Doubles): HookEntry[] {
  if (doubles.size === 0) return [...entries];
  return entries.map((entry) => {
    const names = hookNames(entry.hook);
    const double = [...doubles].findLast(([name]) => names.includes(name))?.[1];
    if (double === undefined) return entry;
    const timeout = "fault" in double && double.fault === "hang" ? HANG_TIMEOUT : entry.hook.timeout;
    const hook: WithDouble = { ...entry.hook, timeout, [DOUBLE]: double };
    return { ...entry, hook };
  });
}

/** Creates a registry of hook types that runs the doubles of {@link withDoubles} in place of their hooks. */
export function registryWithDoubles(client?: ModelClient): Registry {
  const registry = newRegistry(client);
  for (const type of HOOK_TYPE_NAMES) {
    const factory = registry.lookup(type);
    if (factory) registry.register(type, factoryWithDoubles(factory));
  }
  return registry;
}

function factoryWithDoubles(factory: HandlerFactory): HandlerFactory {
  return (hook: WithDouble, environment) => {
    const double = hook[DOUBLE];
    if (double === undefined) return factory(hook, environment);
    if ("fault" in double) return failingFactory(double.fault, factory)(hook, environment);
    return { run: async () => ({ kind: "returned", output: double.answer }) };
  };
}
