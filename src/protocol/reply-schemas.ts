import { errorText } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { parseTemplate, type Template } from "../template/template.ts";
import { contractOf, type EventName } from "./events.ts";
import { FIELDS } from "./fields.ts";
import { parseGuardVerdict, parseVerdict } from "./judge-reply.ts";
import { BLOCK, contextOutput, type HookOutput } from "./output.ts";
import { DECISIONS } from "./result.ts";

/** The JSON Schema of a reply, for providers that can enforce one. */
export interface ResponseSchema {
  name: string;
  description?: string;
  strict?: boolean;
  /** A JSON Schema. */
  schema: JsonObject;
}

/** The input that a response shape sees. */
export type ShapeInput = Readonly<Record<string, unknown>> & { readonly hook_event_name: EventName };

/** Turns a model's reply into an output, or into nothing. Throws if the reply is invalid. */
export type ResponseShape = (reply: string, input: ShapeInput) => HookOutput | undefined;

/** The name of the shape that judges one tool call. */
export const SHAPE_PRE_TOOL_USE_DECISION = "pre_tool_use_decision";

/** The name of the shape that decides whether an event is blocked. */
export const SHAPE_BLOCK_DECISION = "block_decision";

/** The name of the shape that approves or refuses, for guards. */
export const SHAPE_GUARD_DECISION = "guard_decision";

const BLOCK_DECISIONS = ["allow", BLOCK] as const;
const GUARD_DECISIONS = ["allow", "deny"] as const;

/** The response shapes that `schema` of a model hook can name, with the JSON Schema that the model receives. */
export const SHAPES: Readonly<Record<string, { shape: ResponseShape; schema: ResponseSchema }>> = {
  [SHAPE_PRE_TOOL_USE_DECISION]: {
    shape: judgeShape,
    schema: {
      name: SHAPE_PRE_TOOL_USE_DECISION,
      description: "Verdict for a single pre_tool_use call",
      strict: true,
      schema: verdictSchema(DECISIONS),
    },
  },
  [SHAPE_BLOCK_DECISION]: {
    shape: blockShape,
    schema: {
      name: SHAPE_BLOCK_DECISION,
      description: "Whether the agent may continue as it intends, or is blocked",
      strict: true,
      schema: verdictSchema(BLOCK_DECISIONS),
    },
  },
  [SHAPE_GUARD_DECISION]: {
    shape: guardShape,
    schema: {
      name: SHAPE_GUARD_DECISION,
      description: "Allow or deny the operation",
      strict: true,
      schema: verdictSchema(GUARD_DECISIONS),
    },
  },
};

function verdictSchema(decisions: readonly string[]): JsonObject {
  return {
    type: "object",
    properties: { decision: { type: "string", enum: [...decisions] }, reason: { type: "string" } },
    required: ["decision", "reason"],
    additionalProperties: false,
  };
}

/** Response shapes and their schemas by name. Registries are independent: each sees only its own registrations. */
export class ShapeRegistry {
  readonly #shapes = new Map(Object.entries(SHAPES).map(([name, { shape }]) => [name, shape]));
  readonly #schemas = new Map(Object.entries(SHAPES).map(([name, { schema }]) => [name, schema]));

  /** Adds a shape, or replaces it. The schema with this name is kept. */
  register(name: string, shape: ResponseShape): this {
    if (name === "") throw new Error("response shape name must not be empty");
    if (!shape) throw new Error("response shape is required");
    this.#shapes.set(name, shape);
    return this;
  }

  /** Adds the schema that goes with a shape, or replaces it. */
  registerSchema(name: string, schema: ResponseSchema): this {
    if (name === "") throw new Error("response schema name must not be empty");
    if (!schema) throw new Error("response schema is required");
    this.#schemas.set(name, schema);
    return this;
  }

  /** The shape with this name. The empty name is free text. */
  shape(name: string): ResponseShape | undefined {
    return name === "" ? textShape : this.#shapes.get(name);
  }

  /** The schema with this name. */
  schema(name: string): ResponseSchema | undefined {
    return this.#schemas.get(name);
  }

  /** The names of all shapes, sorted. */
  names(): string[] {
    return [...this.#shapes.keys()].sort();
  }
}

/** Free text is context if the event takes context, and has no effect otherwise. */
function textShape(reply: string, { hook_event_name: event }: ShapeInput): HookOutput | undefined {
  return contractOf(event).context === undefined ? undefined : contextOutput(event, reply.trim());
}

function judgeShape(reply: string, { hook_event_name: event }: ShapeInput): HookOutput {
  const { decision, reason } = parseVerdict(reply, DECISIONS);
  return {
    system_message: `🤖 model judge: ${decision} — ${reason}`,
    hook_specific_output: {
      hook_event_name: event,
      permission_decision: decision,
      permission_decision_reason: reason,
    },
  };
}

function blockShape(reply: string): HookOutput | undefined {
  const { decision, reason } = parseVerdict(reply, BLOCK_DECISIONS);
  return decision === BLOCK ? { decision, reason } : undefined;
}

/** An approval counts on events that need one. Anywhere else it has no effect: it never approves a tool call. */
function guardShape(reply: string): HookOutput {
  const { decision, reason } = parseGuardVerdict(reply, GUARD_DECISIONS);
  return decision === "allow" ? { continue: true } : { decision: BLOCK, reason };
}

export interface ModelHook {
  /** `provider/model`. */
  model: string;
  /** The template of the prompt. */
  prompt: string;
  /** The name of a response shape; empty for free text. */
  schema: string;
}

/** A model hook that is ready to run. */
export interface PreparedModelHook {
  template: Template;
  shape: ResponseShape;
  schema: ResponseSchema | undefined;
}

/** Prepares a model hook. Throws if a key is missing, the shape is unknown, or the template does not parse. */
export function prepareModelHook(hook: ModelHook, shapes: ShapeRegistry): PreparedModelHook {
  for (const key of ["model", "prompt"] as const) {
    if (hook[key].trim() === "") throw new Error(`model hook requires a non-empty ${key}`);
  }
  const shape = shapes.shape(hook.schema);
  if (!shape) {
    const known = shapes.names().join(", ");
    throw new Error(`model hook: unknown schema ${JSON.stringify(hook.schema)} (supported: ${known})`);
  }
  return { template: parsePrompt(hook.prompt), shape, schema: shapes.schema(hook.schema) };
}

function parsePrompt(prompt: string): Template {
  try {
    return parseTemplate(prompt, { fields: FIELDS });
  } catch (error) {
    throw new Error(`model hook: parse prompt template: ${errorText(error)}`, { cause: error });
  }
}

/** Returns the problem of an invalid model hook; undefined if it is valid. */
export function checkModelHook(hook: ModelHook, shapes: ShapeRegistry = new ShapeRegistry()): string | undefined {
  try {
    prepareModelHook(hook, shapes);
    return undefined;
  } catch (error) {
    return errorText(error);
  }
}
