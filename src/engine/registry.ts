import { BUILTINS } from "../../builtins/index.ts";
import type { Builtin, BuiltinRow } from "../protocol/builtin.ts";
import type { HandlerFactory } from "./handler.ts";

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

/** The row of a builtin that hooksh ships, even if a registry has replaced it: the promises of its name still hold. */
export function shippedRow(name: string): BuiltinRow | undefined {
  return Object.hasOwn(BUILTINS, name) ? BUILTINS[name as keyof typeof BUILTINS] : undefined;
}

function inlineRow(run: Builtin): BuiltinRow {
  return {
    summary: "Registered by the embedding program.",
    events: "any",
    thread: "inline",
    load: async () => ({ run }),
  };
}
