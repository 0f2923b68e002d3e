import type * as v from "valibot";
import type { Env } from "../lib/env.ts";
import type { KeyFacts } from "../lib/schema/keys.ts";
import type { Toolset, ToolsetContext } from "./tool.ts";

/** The path of a key below its entry. */
export type EntryPath = readonly (string | number)[];

/** Receives the problems that the check of an entry finds. */
export interface EntryReport {
  problem(path: EntryPath, message: string, at?: "key" | "value"): void;
  /** Reports a problem unless `names` contains `name`. */
  defined(path: EntryPath, kind: string, name: string, names: readonly string[]): void;
}

/** The names in the agent file that an entry may refer to. */
export interface EntryNames {
  mcps: readonly string[];
  /** The entries of `rag`. */
  sources: readonly string[];
}

/** The machine that a toolset would start on. */
export interface Machine {
  workingDir: string;
  env: Env;
  /** Looks up the variables that an entry's `env` refers to; absent: they are not checked. */
  lookup?: (name: string) => string | undefined;
}

/** A reason why a toolset cannot start on this machine, at a key of its entry. */
export interface Obstacle {
  path: EntryPath;
  message: string;
}

/** The module that implements a toolset type. */
export interface ToolsetModule<Options> {
  /** Starts the toolset. Throws a `ConfigError` or `UserError` that says why it cannot. */
  create: (options: Options, context: ToolsetContext) => Promise<Toolset> | Toolset;
}

/** A toolset type of the agent file. Its functions load code that only some commands need. */
export interface ToolsetRow<Options = never> {
  summary: string;
  /** Its keys in addition to those of every toolset. */
  keys: v.ObjectEntries;
  /** Set for a type that hooksh knows and does not support yet. */
  facts?: KeyFacts;
  /** The names of its tools, if the entry determines them; absent if only a server knows them. */
  tools?: readonly string[] | ((options: Options) => readonly string[]);
  /** True if the model can run command lines with it, which bypass rules for the file tools. */
  runsCommands?: true;
  /**
   * What an entry does on this machine, one line each. `none`: its tools affect nothing outside the conversation.
   * Absent, or an empty list: the entry itself is shown.
   */
  effects?: "none" | ((options: Options) => readonly string[]);
  /** Reports errors in an entry that its schema cannot find and that do not depend on the machine. */
  check?: (options: Options, report: EntryReport, names: EntryNames) => Promise<void> | void;
  /** Returns why an entry cannot start on this machine. Starts nothing and does not use the network. */
  obstacles?: (options: Options, machine: Machine) => Promise<readonly Obstacle[]>;
  /** Loads its module; absent for types that are not supported yet and for those that the runtime implements. */
  load?: () => Promise<ToolsetModule<Options>>;
  /** True if the runtime implements the tools, because they need more than a toolset gets. */
  isOfRuntime?: true;
}

/** The type of an entry, by the keys of its row. */
export type OptionsOf<Keys extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Keys, undefined>>;

/** Declares a toolset type, and infers the parameters of its functions from its keys. */
export function toolsetRow<const Keys extends v.ObjectEntries, const Row extends ToolsetRow<OptionsOf<Keys>>>(
  row: Row & { keys: Keys },
): Row & { keys: Keys } {
  return row;
}

/** Returns a space and the JSON of the keys, without `type`; an empty string if there are none. */
export function otherKeys(options: object): string {
  const others = Object.entries(options).filter(([key]) => key !== "type");
  return others.length > 0 ? ` ${JSON.stringify(Object.fromEntries(others))}` : "";
}
