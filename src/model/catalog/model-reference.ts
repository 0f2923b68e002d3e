import { UserError } from "../../lib/errors.ts";

/** A provider and a model, as in `provider/model`. */
export interface ModelReference {
  provider: string;
  model: string;
}

/**
 * Splits `provider/model` at the first slash, because names of models can hold slashes. Undefined for a text without
 * one, which is the name of an entry of `models`, or `auto`. Throws a {@link UserError} if either half is empty.
 */
export function parseModelReference(text: string): ModelReference | undefined {
  const slash = text.indexOf("/");
  if (slash < 0) return undefined;
  const reference = { provider: text.slice(0, slash).trim(), model: text.slice(slash + 1).trim() };
  if (!reference.provider || !reference.model) {
    throw new UserError(`Model reference ${JSON.stringify(text)}: expected provider/model`);
  }
  return reference;
}

/** Splits an alloy such as `a,b` into its members; any other text is a single member. */
export function splitAlloy(text: string): string[] {
  return text
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
}
