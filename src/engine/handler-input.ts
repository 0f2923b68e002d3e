import { errorText } from "../lib/errors.ts";
import type { Payload } from "../protocol/rewrite.ts";
import type { HandlerInput } from "./handler.ts";

/** The payload as handlers read it. `problem` is set if it had to be written as JSON and could not be. */
export function handlerInput(value: Payload): HandlerInput & { problem?: string } {
  let json: string | undefined;
  const input: HandlerInput & { problem?: string } = {
    value,
    json: () => {
      try {
        return (json ??= `${JSON.stringify(value)}\n`);
      } catch (error) {
        input.problem = `failed to serialize hook input: ${errorText(error)}`;
        throw new Error(input.problem, { cause: error });
      }
    },
  };
  return input;
}
