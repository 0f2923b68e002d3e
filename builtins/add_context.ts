import { errorText } from "../src/lib/errors.ts";
import { defineBuiltin } from "../src/protocol/builtin.ts";
import { FIELDS } from "../src/protocol/fields.ts";
import { contextOutput } from "../src/protocol/output.ts";
import { parseTemplate } from "../src/template/template.ts";

/**
 * Renders its arguments, which are templates over the input, and adds the results as context. Blank results are left
 * out. Throws if a template does not parse or reads a field or key that does not exist.
 */
export const run = defineBuiltin((input, texts) => {
  const templates = texts.map((text, at) =>
    attempt(`parse arg ${at + 1}`, () => parseTemplate(text, { fields: FIELDS, missingKey: "error" })),
  );
  const rendered = templates.map((template, at) => attempt(`render arg ${at + 1}`, () => template.render(input)));
  return contextOutput(input.hook_event_name, rendered.filter((text) => text.trim() !== "").join("\n"));
});

function attempt<T>(what: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new Error(`add_context: ${what}: ${errorText(error)}`, { cause: error });
  }
}
