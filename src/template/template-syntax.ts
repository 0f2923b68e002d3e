/** The steps of a template, in order. */
export type Body = readonly Step[];

export type Step =
  | { kind: "text"; text: string }
  | { kind: "print"; pipe: Pipe }
  | { kind: "if" | "with" | "range"; pipe: Pipe; body: Body; otherwise: Body }
  | { kind: "break" | "continue" };

/** A pipeline: the value of each command is the last argument of the next. */
export interface Pipe {
  line: number;
  /** The variables that receive its value. */
  variables: readonly string[];
  /** True if the variables already exist (`=`), false if they are declared (`:=`). */
  assigns: boolean;
  commands: readonly Command[];
}

/** A value, or a function (`call`) with its arguments. */
export type Command = readonly [Operand, ...Operand[]];

/** An operand of a command. `names` are fields, each of the value before it. */
export type Operand =
  | { kind: "constant"; value: string | number | boolean | null }
  | { kind: "call"; name: string }
  | { kind: "dot"; names: readonly string[] }
  | { kind: "variable"; name: string; names: readonly string[] }
  | { kind: "pipe"; pipe: Pipe; names: readonly string[] };
