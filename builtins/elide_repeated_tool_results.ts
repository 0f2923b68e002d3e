import { canonicalJson } from "../src/lib/json.ts";
import { sha256 } from "../src/lib/platform.ts";
import { type BuiltinInput, defineBuiltin } from "../src/protocol/builtin.ts";
import type { HookOutput } from "../src/protocol/output.ts";
import { isLarge } from "./tool-results/large-text.ts";

const CATEGORIES: readonly (string | undefined)[] = ["filesystem", "lsp", "rag", "memory", "git"];
const MAX_SESSIONS = 256;
const MAX_RESULTS = 4096;

/** For each session, the digest of each tool call and of its last response; least recently used first. */
type Sessions = Map<string, Map<string, string>>;

/**
 * Replaces the response of a read-only tool by a short note if the same call has already returned the same text in this
 * session. The model must still be able to see the earlier text, so a compaction clears the memory.
 */
export const run = defineBuiltin((input, _args, { log, memory }) => {
  const sessions = memory((): Sessions => new Map());
  switch (input.hook_event_name) {
    case "session_start":
    case "after_compaction":
    case "session_end":
      sessions.delete(input.session_id);
      return undefined;
    case "tool_response_transform":
      return elide(sessions, input);
    default:
      log("warn", `elide_repeated_tool_results: has no meaning on ${input.hook_event_name}`);
      return undefined;
  }
});

function elide(sessions: Sessions, input: BuiltinInput): HookOutput | undefined {
  if (input.session_id === "" || !input.tool_read_only || !CATEGORIES.includes(input.tool_category)) return undefined;
  const { tool_response, tool_error } = input;
  const text = typeof tool_response === "string" && !tool_error && !isLarge(tool_response) ? tool_response : undefined;
  if (!remember(sessions, input, text) || text === undefined) return undefined;
  const updated_tool_response = noteFor(input, Buffer.byteLength(text));
  if (text.length <= updated_tool_response.length) return undefined;
  return { hook_specific_output: { hook_event_name: input.hook_event_name, updated_tool_response } };
}

function noteFor(input: BuiltinInput, bytes: number): string {
  return (
    `[hooksh] The ${input.tool_name ?? ""} tool ran and returned output byte-for-byte identical to its earlier ` +
    `result for these same arguments in this session, so the ${bytes}-byte payload is not repeated here. ` +
    "Nothing has changed since you last saw it."
  );
}

/** Remembers a response. True if it equals the one before it; `undefined` clears the entry. */
function remember(sessions: Sessions, input: BuiltinInput, text: string | undefined): boolean {
  const results = sessions.get(input.session_id) ?? new Map<string, string>();
  const key = digest(canonicalJson([input.tool_qualified_name, input.tool_name, input.tool_input ?? {}]));
  const before = results.get(key);
  results.delete(key);
  if (text === undefined) return false;
  const now = digest(text);
  renew(results, key, now, MAX_RESULTS);
  renew(sessions, input.session_id, results, MAX_SESSIONS);
  return before === now;
}

/** Makes an entry the most recent one, and drops the oldest beyond the limit. */
function renew<V>(map: Map<string, V>, key: string, value: V, limit: number): void {
  map.delete(key);
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= limit) return;
    map.delete(oldest);
  }
}

function digest(text: string): string {
  return sha256(text, "base64");
}
