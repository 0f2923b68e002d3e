import { type Help, UserError } from "../lib/errors.ts";

const INVALID_TEMPLATE: Help = {
  cause:
    "The text between `{{` and `}}` is not a valid template expression, or a value it uses is missing, has the wrong type, or makes the text too large.",
  cure: 'Every `{{` needs `}}`, every `{{if}}` and `{{range}}` an `{{end}}`; fields begin with a dot, as in `{{ .Prompt }}`, and have the names of the [event](events.md); texts stand in double quotes. [Model hooks](model-hooks.md) list the functions. Wrap a field that may be missing in `{{if .Name}} ... {{end}}`. For a literal `{{`, write `{{"{{"}}`.',
};

/** A template does not parse, or cannot be rendered with its input. The message starts with the line. */
export class TemplateError extends UserError {
  /** Counts from 1. */
  readonly line: number;

  constructor(reason: string, line: number) {
    super(`line ${line}: ${reason}`, { help: INVALID_TEMPLATE });
    this.name = "TemplateError";
    this.line = line;
  }
}
