import { errorText } from "../lib/errors.ts";
import type { Shape } from "../lib/schema/shape.ts";
import { parseBody } from "./parse-template.ts";
import type { MissingKey } from "./render.ts";
import { renderBody } from "./render.ts";
import { TemplateError } from "./template-error.ts";
import { Struct } from "./template-values.ts";

export { TemplateError } from "./template-error.ts";

/** What a template is parsed against. */
export interface TemplateOptions {
  /** The fields of the input, by wire name; a template names them in Go's spelling (`tool_name` is `.ToolName`). */
  fields: Readonly<Record<string, Shape>>;
  /** A missing map key prints `<no value>` (the default) or fails the rendering. */
  missingKey?: MissingKey;
}

/** A parsed template. */
export interface Template {
  /**
   * The text for an input. Throws a {@link TemplateError} for an unknown field, for a value that a function cannot
   * take, and when the text exceeds 1 MiB or rendering takes too long. Nothing of the input is read as template text.
   */
  render(input: Readonly<Record<string, unknown>>): string;
}

/**
 * Parses a template: the subset of Go's text/template that prompts need, with the input's fields under their Go names.
 * Throws a {@link TemplateError} when it does not parse or names a function that does not exist. A missing map key
 * prints `<no value>`, or with `missingKey: "error"` fails the rendering.
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
        // An input nested more deeply than the stack allows ends here.
        throw new TemplateError(errorText(error), 1);
      }
    },
  };
}
