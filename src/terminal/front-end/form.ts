import { wrap } from "../../cli/wrap.ts";
import type { Json, JsonObject } from "../../lib/json.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import type { ToolQuestion } from "../../runtime/events/front-end.ts";
import type { UserAnswer } from "../../tools/tool.ts";
import { choicesOf, hintOf, isJsonObject, readField } from "./form-field.ts";
import type { Terminal } from "./terminal.ts";

/** Ctrl+C, or the end of input. */
const CANCELED = Symbol("canceled");

/** The answer; undefined if an optional one was omitted. */
type FieldValue = Json | undefined | typeof CANCELED;

/** Asks the user the question of a tool: a line for each property of its schema, or a single line. Ctrl+C declines. */
export async function askForm(terminal: Terminal, question: ToolQuestion, signal: AbortSignal): Promise<UserAnswer> {
  const { title, message, schema = {}, agentName } = question;
  const columns = terminal.size.columns - 3;
  const heading = `${escapeControls(agentName)} asks${title ? `: ${escapeControls(title)}` : ""}`;
  const rows = wrap(escapeControlsInLines(message), columns).map((row) => `| ${row}`);
  terminal.note(`\n${terminal.theme.style("bold", heading)}\n${rows.join("\n")}\n(Ctrl+C declines)`);
  const content = await askSchema(terminal, schema, signal);
  if (content !== CANCELED) return { action: "accept", ...(content === undefined ? {} : { content }) };
  return { action: signal.aborted ? "cancel" : "decline" };
}

async function askSchema(terminal: Terminal, schema: JsonObject, signal: AbortSignal): Promise<FieldValue> {
  const { properties } = schema;
  if (!isJsonObject(properties)) return askField(terminal, { name: "Answer", schema, isRequired: true }, signal);
  const required = Array.isArray(schema["required"]) ? schema["required"] : [];
  const content: [string, Json][] = [];
  for (const [name, property] of Object.entries(properties)) {
    const field = { name, schema: isJsonObject(property) ? property : {}, isRequired: required.includes(name) };
    const value = await askField(terminal, field, signal);
    if (value === CANCELED) return CANCELED;
    if (value !== undefined) content.push([name, value]);
  }
  return Object.fromEntries(content);
}

interface Field {
  name: string;
  schema: JsonObject;
  isRequired: boolean;
}

/** Asks until the line is a valid value. Returns undefined if an optional field is omitted. */
async function askField(terminal: Terminal, field: Field, signal: AbortSignal): Promise<FieldValue> {
  const { description } = field.schema;
  const choices = choicesOf(field.schema);
  if (typeof description === "string") terminal.note(escapeControls(description));
  for (const [index, choice] of (choices ?? []).entries()) {
    terminal.note(`  ${index + 1}. ${escapeControls(textOf(choice))}`);
  }
  for (;;) {
    const line = await terminal.askLine(questionOf(field), signal);
    if (line === undefined) return CANCELED;
    const reading = readField(line, field.schema);
    if (reading.kind === "value") return reading.value;
    if (reading.kind === "omitted" && !field.isRequired) return undefined;
    terminal.note(reading.kind === "invalid" ? reading.problem : "An answer is required");
  }
}

function questionOf({ name, schema, isRequired }: Field): string {
  const { default: preset, title } = schema;
  const hints = [
    hintOf(schema),
    preset === undefined ? "" : `default ${escapeControls(textOf(preset))}`,
    isRequired || preset !== undefined ? "" : "optional",
  ].filter(Boolean);
  return `${escapeControls(typeof title === "string" ? title : name)}${hints.length > 0 ? ` (${hints.join("; ")})` : ""}: `;
}

function textOf(value: Json): string {
  return typeof value === "string" ? value : JSON.stringify(value);
}
