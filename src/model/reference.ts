import { UserError } from "../lib/errors.ts";

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

const RESPONSES_PREFIXES = ["gpt-4.1", "gpt-5", "codex", "o1", "o3", "o4"];

/** True for a model of OpenAI that is at home in the Responses API. Source: config-and-cli 6.4. */
export function prefersResponses(model: string): boolean {
  const name = plainName(model);
  return RESPONSES_PREFIXES.some((prefix) => name.startsWith(prefix)) || name.includes("-codex");
}

/** True for a model of OpenAI that thinks before it answers. Source: config-and-cli 6.7. */
export function isReasoningModel(model: string): boolean {
  const name = plainName(model);
  return /^o[134]/.test(name) || (name.startsWith("gpt-5") && !name.startsWith("gpt-5-chat"));
}

/** True for a model that can be told not to think at all: `gpt-5.6` and later. Source: config-and-cli 6.7. */
export function canStopReasoning(model: string): boolean {
  const [, minor] = /^gpt-5\.(\d{1,3})/.exec(plainName(model)) ?? [];
  return minor !== undefined && Number(minor) >= 6;
}

function plainName(model: string): string {
  const name = model.toLowerCase();
  return name.startsWith("openai/") ? name.slice("openai/".length) : name;
}
