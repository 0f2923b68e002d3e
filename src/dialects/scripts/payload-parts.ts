import type { Payload } from "../../protocol/rewrite.ts";
import type { Composing } from "./script.ts";

/** The time of an event as text. */
export const iso = ({ now }: Composing): string => now.toISOString();
/** A text, empty for anything else. */
export const text = (value: unknown): string => (typeof value === "string" ? value : "");
/** A text, or anything else as JSON. */
export const asText = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));

export function withoutKeys(payload: Payload, ...keys: readonly string[]): Payload {
  return Object.fromEntries(Object.entries(payload).filter(([key]) => !keys.includes(key)));
}

/** Moves the id of a call to the key that the host has for it. */
export function renamed(payload: Payload, from: string, to: string): Payload {
  const { [from]: value, ...rest } = payload;
  return { ...rest, [to]: value };
}
