import { errorText } from "../lib/errors.ts";
import { FIELDS } from "./fields.ts";
import { TemplateError } from "./template/error.ts";
import { parseBody } from "./template/parse.ts";
import type { MissingKey } from "./template/render.ts";
import { renderBody } from "./template/render.ts";
import { Struct } from "./template/values.ts";

export { TemplateError } from "./template/error.ts";

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
export function parseTemplate(text: string, options: { missingKey?: MissingKey } = {}): Template {
  const body = parseBody(text);
  const { missingKey = "print" } = options;
  return {
    render(input) {
      try {
        return renderBody(body, new Struct(input, FIELDS), missingKey);
      } catch (error) {
        if (error instanceof TemplateError) throw error;
        // An input nested more deeply than the stack allows ends here.
        throw new TemplateError(errorText(error), 1);
      }
    },
  };
}
