import { BUILTINS } from "../../builtins/index.ts";
import type { Builtin, BuiltinRow } from "../protocol/builtin.ts";
import type { HandlerFactory } from "./hook.ts";

/**
 * Hook types and builtins by name. Every executor may have its own: what is registered in one is invisible to all
 * others.
 */
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

  /** Adds a builtin, or replaces it. A function runs on the main thread: only its deadline bounds the waiting. */
  registerBuiltin(name: string, builtin: Builtin | BuiltinRow): this {
    if (name === "") throw new Error("builtin hook name must not be empty");
    if (!builtin) throw new Error("builtin hook function must not be nil");
    this.#builtins.set(name, typeof builtin === "function" ? embedded(builtin) : builtin);
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

/** The row of a builtin that hooksh ships, also where a registry has replaced it: what its name promises holds. */
export function shippedRow(name: string): BuiltinRow | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name as keyof typeof BUILTINS] : undefined;
}

function embedded(run: Builtin): BuiltinRow {
  return {
    summary: "Registered by the embedding program.",
    events: "any",
    thread: "inline",
    load: async () => ({ run }),
  };
}
