/**
 * The template language of prompts. It reads values, writes text, and does no I/O.
 *
 * @packageDocumentation
 */
import { errorText } from "../lib/errors.ts";
import type { Shape } from "../lib/schema/shape.ts";
import { parseBody } from "./parse-template.ts";
import { type MissingKey, renderBody } from "./render.ts";
import { TemplateError } from "./template-error.ts";
import { Struct } from "./template-values.ts";

export { TemplateError } from "./template-error.ts";

/** Options of parsing a template. */
export interface TemplateOptions {
  /** The fields of the input, by wire name. Templates use Go's spelling: `tool_name` is `.ToolName`. */
  fields: Readonly<Record<string, Shape>>;
  /** A missing map key prints `<no value>` (the default) or fails the rendering. */
  missingKey?: MissingKey;
}

/** A parsed template. */
export interface Template {
  /**
   * Renders the template with an input. Throws a {@link TemplateError} if a field is unknown, a function cannot take a
   * value, the text exceeds 1 MiB, or rendering takes too long. The input is never read as template text.
   */
  render(input: Readonly<Record<string, unknown>>): string;
}

/**
 * Parses a template in the subset of Go's text/template that prompts need. Throws a {@link TemplateError} if it does
 * not parse or calls an unknown function.
 */
export function parseTemplate(text: string, options: TemplateOptions): Template {
  const body = parseBody(text);
  const { fields, missingKey = "print" } = options;
  return {
    render(input) {
      try {
        return renderBody(body, new Struct(input, fields), missingKey);
      } catch (error) {
        if (error instanceof TemplateError) throw error;
        // The stack overflowed on a deeply nested input.
        throw new TemplateError(errorText(error), 1);
      }
    },
  };
}
