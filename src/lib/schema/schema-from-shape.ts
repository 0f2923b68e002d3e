import * as v from "valibot";
import { isObject } from "../json.ts";
import type { Shape } from "./shape.ts";

/** Accepts any object but no array, which Valibot's record alone would take for one. */
export const PLAIN_OBJECT = v.custom<Record<string, unknown>>(isObject);

/** Converts a shape to the Valibot schema that accepts the same values. */
export function schemaFromShape<T>(shape: Shape<T>): v.GenericSchema<T> {
  return schemaOfAny(shape) as v.GenericSchema<T>;
}

function schemaOfAny(shape: Shape): v.GenericSchema {
  switch (shape.kind) {
    case "text":
      return v.string();
    case "flag":
      return v.boolean();
    case "number":
      return v.number();
    case "whole":
      return v.pipe(v.number(), v.integer());
    case "anything":
      return v.unknown();
    case "choice":
      return v.picklist(shape.options);
    case "list":
      return v.array(schemaOfAny(shape.item));
    case "map":
      // Valibot's record alone would accept an array.
      return v.pipe(PLAIN_OBJECT, v.record(v.string(), schemaOfAny(shape.value)));
    case "object": {
      const entries = Object.entries(shape.fields).map(([key, field]) => {
        const schema = schemaOfAny(field);
        return [key, Object.hasOwn(shape.optional, key) ? v.optional(schema) : schema] as const;
      });
      return v.looseObject(Object.fromEntries(entries));
    }
  }
}
