import type { ToolClass } from "../../protocol/tool-class.ts";

/** A kind of call that a proof considers. */
export interface CallKind {
  class: ToolClass;
  /** The names of each known tool of this kind. */
  tools: readonly (readonly string[])[];
  /** True if tools that no table knows are of this kind. */
  anyTool: boolean;
  /** The facts of a step that such a call can have. */
  facts: ReadonlySet<string>;
  /** The effects that it can have; of a command those of its program are more. */
  effects: readonly string[];
  opaque: "never" | "sometimes" | "always";
}

/** A program with what its rows say. */
export interface ProgramRows {
  program: string;
  /** The effects that it can have with any verb, or without one. */
  effects: readonly string[];
  /** Further ones of single verbs. */
  verbs: Readonly<Record<string, readonly string[]>>;
}

/** What the tables of tools and programs say about which facts go together. */
export interface ProofTables {
  kinds: readonly CallKind[];
  programs: readonly ProgramRows[];
}
