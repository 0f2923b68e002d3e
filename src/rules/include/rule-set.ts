import type { FactName } from "../rule.ts";

/** A parameter of a ready-made set: a list of values of a fact, or an expression. */
export interface SetParameter {
  fact: FactName;
  default: readonly string[] | string;
}

/** Rules that a file includes by the name of their set. A value that begins with `$` stands for a parameter. */
export interface RuleSet {
  summary: string;
  parameters: Readonly<Record<string, SetParameter>>;
  rules: readonly ({ name: string } & Readonly<Record<string, unknown>>)[];
}
