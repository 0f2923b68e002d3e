import { UserError } from "../lib/errors.ts";

/** A template does not parse, or cannot be rendered with its input. The message starts with the line. */
export class TemplateError extends UserError {
  /** Counts from 1. */
  readonly line: number;

  constructor(reason: string, line: number) {
    super(`line ${line}: ${reason}`);
    this.name = "TemplateError";
    this.line = line;
  }
}
