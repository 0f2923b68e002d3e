import type * as v from "valibot";
import type { Env } from "../lib/env.ts";
import type { KeyFacts } from "../lib/schema/keys.ts";
import type { Toolset, ToolsetContext } from "./tool.ts";

/** The path of a key below its entry. */
export type EntryPath = readonly (string | number)[];

/** Receives the problems that the check of an entry finds. */
export interface EntryReport {
  problem(path: EntryPath, message: string, at?: "key" | "value"): void;
  /** A problem unless the name is defined. */
  defined(path: EntryPath, kind: string, wanted: string, names: readonly string[]): void;
}

/** The names of the agent file that an entry may refer to. */
export interface EntryNames {
  mcps: readonly string[];
  /** The entries of `rag`. */
  sources: readonly string[];
}

/** The machine on which a toolset would start. */
export interface Machine {
  workingDir: string;
  env: Env;
  /** Finds the variables that an entry's `env` refers to; absent: they are not checked. */
  lookup?: (name: string) => string | undefined;
}

/** Why a toolset cannot start on this machine, at a key of its entry. */
export interface Obstacle {
  path: EntryPath;
  message: string;
}

/** The file behind a toolset type. */
export interface ToolsetModule<Options> {
  /** Starts the toolset. Throws a `ConfigError` or `UserError` that says why it cannot. */
  create: (options: Options, context: ToolsetContext) => Promise<Toolset> | Toolset;
}

/** A toolset type of the agent file, declared once. Everything that only some commands need is loaded when called. */
export interface ToolsetRow<Options = never> {
  summary: string;
  /** Its keys beside those of every toolset. */
  keys: v.ObjectEntries;
  /** Set for a type that is known and not supported yet. */
  facts?: KeyFacts;
  /** The names of its tools, where the entry alone decides them; absent where only a server knows them. */
  tools?: readonly string[] | ((options: Options) => readonly string[]);
  /** True if its entry brings command lines that the model may run, so that rules for the file tools do not bind it. */
  runsCommands?: true;
  /**
   * What an entry sets off on this machine, one line each. `none`: its tools reach nothing beyond the conversation.
   * Absent, or an empty list: the entry is shown as it is.
   */
  effects?: "none" | ((options: Options) => readonly string[]);
  /** Reports what is wrong with an entry on any machine and is not a matter of its keys. */
  check?: (options: Options, report: EntryReport, names: EntryNames) => Promise<void> | void;
  /** Why an entry cannot start on this machine. Starts nothing and does not touch the network. */
  obstacles?: (options: Options, machine: Machine) => Promise<readonly Obstacle[]>;
  /** Loads its implementation; absent for types that are not supported yet, and for tools of the runtime itself. */
  load?: () => Promise<ToolsetModule<Options>>;
  /** True if the runtime offers the tools, because they need more than a toolset is given. */
  isOfRuntime?: true;
}

/** The options of an entry that the keys of its row let through. */
export type OptionsOf<Keys extends v.ObjectEntries> = v.InferOutput<v.ObjectSchema<Keys, undefined>>;

/** Declares a toolset type: its functions take what its keys let through. */
export function toolsetRow<const Keys extends v.ObjectEntries, const Row extends ToolsetRow<OptionsOf<Keys>>>(
  row: Row & { keys: Keys },
): Row & { keys: Keys } {
  return row;
}

/** The keys of an entry that are not among the names, as JSON behind a blank; empty for none. */
export function otherKeys(options: object, ...names: readonly string[]): string {
  const others = Object.entries(options).filter(([key]) => key !== "type" && !names.includes(key));
  return others.length > 0 ? ` ${JSON.stringify(Object.fromEntries(others))}` : "";
}
