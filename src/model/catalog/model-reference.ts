import { UserError } from "../../lib/errors.ts";

/** A model named in one text. */
export interface ModelReference {
  provider: string;
  model: string;
}

/**
 * Splits `provider/model` at the first slash, so that the model may hold more of them. Undefined for a text without a
 * slash: that is the name of an entry of `models`, or `auto`.
 *
 * Source: config-and-cli 6.1.
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

/** The members of an alloy `a,b`; one member for any other text. Source: config-and-cli 6.1. */
export function splitAlloy(text: string): string[] {
  return text
    .split(",")
    .map((member) => member.trim())
    .filter((member) => member !== "");
}
