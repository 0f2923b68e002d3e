import { UserError } from "../lib/errors.ts";

/** A template that does not parse, or cannot be rendered with an input. The message begins with the line. */
export class TemplateError extends UserError {
  /** Counts from 1. */
  readonly line: number;

  constructor(reason: string, line: number) {
    super(`line ${line}: ${reason}`);
    this.name = "TemplateError";
    this.line = line;
  }
}
