import { canonicalJson, isDeeperThan } from "../../lib/json.ts";
import type { Message as HookMessage } from "../../protocol/fields.ts";
import { toHookMessage } from "./hook-messages.ts";
import type { Message } from "./message.ts";

/** A key that matches a message from a hook with one of the conversation. */
interface MatchKey {
  /** Returns undefined for a message without such a key. */
  of: (message: HookMessage) => unknown;
  /**
   * True if messages with the same key look identical to hooks, so they are interchangeable unless one has hidden data.
   */
  exact: boolean;
}

/** Deeper messages are not serialized, so that hostile input cannot overflow the stack. */
const DEEPEST = 1_000;

/** The most reliable key comes first. */
const MATCH_KEYS: readonly MatchKey[] = [
  { of: (message) => message, exact: true },
  { of: (message) => (hasTime(message) ? keyOf(message, "created_at", "ids") : undefined), exact: false },
  { of: (message) => (isDeeperThan(message, DEEPEST) ? undefined : canonicalJson(message)), exact: true },
  { of: (message) => (hasIds(message) ? keyOf(message, "ids") : undefined), exact: false },
  { of: (message) => (hasTime(message) ? keyOf(message, "created_at") : undefined), exact: false },
  { of: (message) => (message.content ? keyOf(message, "content", "reasoning_content") : undefined), exact: false },
];

/**
 * Finds the original of every message of a rewrite in the conversation, each original at most once. Undefined for a
 * message that hooks added, and for one with two possible originals: the provider's opaque data must not end up in
 * another message.
 */
export function pairMessages(messages: readonly Message[], updated: readonly HookMessage[]): (Message | undefined)[] {
  const pairs = new Map<number, number>();
  const paired = new Set<number>();
  for (const { of: key, exact } of MATCH_KEYS) {
    if (pairs.size === updated.length || paired.size === messages.length) break;
    // An inexact key must be unique among all messages, including those already paired.
    const originals = groupPlaces(messages, (message, at) =>
      exact && paired.has(at) ? undefined : key(toHookMessage(message)),
    );
    const rewrites = groupPlaces(updated, (message, at) => (exact && pairs.has(at) ? undefined : key(message)));
    for (const [value, places] of rewrites) {
      const sources = originals.get(value) ?? [];
      if (!(exact ? areAlike(messages, sources, places) : sources.length === 1 && places.length === 1)) continue;
      sources.slice(0, places.length).forEach((source, at) => {
        const place = places[at] ?? 0;
        if (paired.has(source) || pairs.has(place)) return;
        pairs.set(place, source);
        paired.add(source);
      });
    }
  }
  return updated.map((_, place) => messages[pairs.get(place) ?? -1]);
}

function groupPlaces<T>(items: readonly T[], keyAt: (item: T, at: number) => unknown): Map<unknown, number[]> {
  const groups = new Map<unknown, number[]>();
  items.forEach((item, at) => {
    const key = keyAt(item, at);
    if (key === undefined) return;
    const known = groups.get(key);
    if (known) known.push(at);
    else groups.set(key, [at]);
  });
  return groups;
}

/** True if messages that look the same may be paired in any order. */
function areAlike(messages: readonly Message[], sources: readonly number[], places: readonly number[]): boolean {
  return sources.length === 1 || sources.length === places.length || !sources.some((at) => hasData(messages[at]));
}

function hasData(message: Message | undefined): boolean {
  return message?.blocks.some((block) => "origin" in block && block.origin?.data !== undefined) ?? false;
}

function hasTime(message: HookMessage): boolean {
  return typeof message["created_at"] === "string";
}

function hasIds({ tool_call_id, tool_calls = [] }: HookMessage): boolean {
  return tool_call_id !== undefined || tool_calls.length > 0;
}

function keyOf(message: HookMessage, ...fields: ("created_at" | "ids" | "content" | "reasoning_content")[]): string {
  const values = fields.map((field) =>
    field === "ids" ? [message.tool_call_id, (message.tool_calls ?? []).map(({ id }) => id)] : message[field],
  );
  return JSON.stringify([message.role, ...values]);
}
