import { EFFECTS } from "../facts/facts.ts";
import { TOOL_CLASSES } from "../protocol/tool-class.ts";
import type { FactName } from "./rule.ts";

/**
 * How the values of a fact count. `one`: a single one. `marks`: a set whose members are tested for being there. `things`: a
 * set whose members count one by one. `map`: the arguments of the tool.
 */
export type FactKind = "one" | "marks" | "things" | "number" | "truth" | "time" | "map";

/** What is known about a fact before any call. */
export interface FactFacts {
  kind: FactKind;
  of: "call" | "step" | "event";
  /** How its values are compared: as texts, or as patterns and sets of paths or hosts. */
  values: "text" | "path" | "host";
  /** Patterns ignore case. */
  anyCase?: true;
  /** Its only values. */
  closed?: readonly string[];
  /** Code that the line does not show may add values. */
  hidden?: true;
}

/** The labels of a call. */
export const SAFETY = ["safe", "destructive", "unknown"] as const;

/** What drives a turn. */
export const SOURCES = ["user", "schedule", "agent", "api"] as const;

const text = (kind: FactKind, of: FactFacts["of"]): FactFacts => ({ kind, of, values: "text" });
const path: FactFacts = { kind: "things", of: "step", values: "path", hidden: true };
const host: FactFacts = { kind: "things", of: "step", values: "host", hidden: true };

/** Every fact. */
export const FACT_TABLE: Readonly<Record<FactName, FactFacts>> = {
  tool: { ...text("one", "call"), anyCase: true },
  class: { ...text("one", "call"), closed: TOOL_CLASSES },
  server: text("one", "call"),
  input: text("map", "call"),
  effect: { ...text("things", "step"), closed: EFFECTS, hidden: true },
  program: { ...text("one", "step"), anyCase: true },
  verb: text("one", "step"),
  flags: text("marks", "step"),
  args: text("marks", "step"),
  command: text("marks", "step"),
  env: text("things", "step"),
  ref: { ...text("things", "step"), hidden: true },
  reads: path,
  writes: path,
  paths: path,
  hosts: host,
  sends: host,
  target: { ...text("things", "step"), hidden: true },
  safety: { ...text("one", "call"), closed: SAFETY },
  opaque: text("truth", "step"),
  secrets: text("things", "call"),
  branch: text("one", "event"),
  dirty: text("truth", "event"),
  agent: text("one", "event"),
  depth: text("number", "event"),
  source: { ...text("one", "event"), closed: SOURCES },
  time: text("time", "event"),
  cost: text("number", "event"),
  calls: text("number", "event"),
  text: text("one", "event"),
  ok: text("truth", "event"),
};

/** What each fact is, in one line: for documentation and schemas. */
export const FACT_MEANINGS: Readonly<Record<FactName, string>> = {
  tool: "the tool, by hooksh's name, the host's (`Bash`) or the qualified one (`mcp:server:tool`)",
  class: "what kind of tool it is",
  server: "the MCP server of the tool",
  input: 'an argument of the tool, by a dotted path: `input: { issue.title: "*x*" }`',
  effect: "what the step leads to",
  program: "the program, behind launchers and without its directory",
  verb: "the subcommand, after the program's own options: `push`, `compose down`",
  flags: "options: clusters are split, short and long names are one",
  args: "operands and values of options",
  command: "program and words, with one blank between",
  env: "variables set for the program",
  ref: "branches and tags that git changes",
  reads: "files whose content is read",
  writes: "files and directories that are created, changed, removed",
  paths: "both, and directories that are entered or listed",
  hosts: "machines that the step connects to",
  sends: "those of them that data goes to",
  target: "context, cluster, profile, project, database that is named or selected",
  safety: "the label of the call",
  opaque: "the step runs code that the line does not show",
  secrets: "kinds of secrets in the arguments",
  branch: "the current git branch",
  dirty: "the work tree has changes that are not committed",
  agent: "the agent",
  depth: "0 for the main agent, 1 for its sub-agents",
  source: "what drove the turn",
  time: "the local time: `22:00-06:00`, `mon-fri 09:00-18:00`",
  cost: "US dollars of the session so far",
  calls: "tool calls of the session so far",
  text: "the prompt, answer or result",
  ok: "the tool did not fail",
};
