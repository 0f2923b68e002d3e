/** What a template does, in order. */
export type Body = readonly Step[];

/** One step of a template. */
export type Step =
  | { kind: "text"; text: string }
  | { kind: "print"; pipe: Pipe }
  | { kind: "if" | "with" | "range"; pipe: Pipe; body: Body; otherwise: Body }
  | { kind: "break" | "continue" };

/** A pipeline: each command's value is the last argument of the next. */
export interface Pipe {
  line: number;
  /** The variables that take its value. */
  variables: readonly string[];
  /** The variables exist already. */
  assigns: boolean;
  commands: readonly Command[];
}

/** A value, or a function (`call`) with its arguments. */
export type Command = readonly [Operand, ...Operand[]];

/** What stands in a command. `names` are fields taken one after the other. */
export type Operand =
  | { kind: "constant"; value: string | number | boolean | null }
  | { kind: "call"; name: string }
  | { kind: "dot"; names: readonly string[] }
  | { kind: "variable"; name: string; names: readonly string[] }
  | { kind: "pipe"; pipe: Pipe; names: readonly string[] };
