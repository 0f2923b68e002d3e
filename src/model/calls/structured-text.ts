import { isObject } from "../../lib/json.ts";
import { isSystem, type Message, textMessage, toolCallsOf } from "../messages/message.ts";
import { type ModelDelta, type Reply, replyText, type StructuredOutput } from "../model.ts";
import type { ModelCall } from "./stream-reply.ts";

/** Returns an instruction to answer with JSON of a given schema, for APIs that cannot enforce one. */
export function structuredInstruction({ description, schema }: StructuredOutput): string {
  const purpose = description ? ` (${description})` : "";
  const demand = `Answer with one JSON object${purpose} and nothing else. It must satisfy this JSON Schema:`;
  return `${demand}\n${JSON.stringify(schema)}`;
}

/** Inserts the {@link structuredInstruction} after the leading system messages. */
export function withStructuredInstruction(messages: readonly Message[], output: StructuredOutput): Message[] {
  const first = messages.findIndex((message) => !isSystem(message));
  const at = first < 0 ? messages.length : first;
  return [...messages.slice(0, at), textMessage("system", structuredInstruction(output)), ...messages.slice(at)];
}

/**
 * Makes a call whose instructions ask for a JSON object. Reports the text only at the end, reduced to the first JSON
 * object, so that listeners print nothing else.
 */
export async function callForObject(call: ModelCall, make: (call: ModelCall) => Promise<Reply>): Promise<Reply> {
  const withoutText = (delta: ModelDelta) => {
    if (delta.kind !== "text") call.onDelta(delta);
  };
  const reply = keepFirstObject(await make({ ...call, onDelta: withoutText }));
  const text = replyText(reply);
  if (text !== "") call.onDelta({ kind: "text", text });
  return reply;
}

/**
 * Reduces the text of a reply to the first JSON object in it. Unchanged if there is none, or if the reply calls tools.
 */
function keepFirstObject(reply: Reply): Reply {
  if (toolCallsOf(reply).length > 0) return reply;
  const text = replyText(reply);
  for (let start = text.indexOf("{"); start >= 0; ) {
    const end = endOfObject(text, start);
    if (end === undefined) return reply;
    const candidate = text.slice(start, end);
    if (isJsonObject(candidate)) return withText(reply, candidate);
    // The braces hold no JSON: continue after them.
    start = text.indexOf("{", end);
  }
  return reply;
}

/** Replaces all texts of a reply by one. */
export function withText(reply: Reply, text: string): Reply {
  const others = reply.blocks.filter(({ type }) => type !== "text");
  return { ...reply, blocks: text === "" ? others : [...others, { type: "text", text }] };
}

/** Returns the index after the brace that closes the one at `start`; braces in strings do not count. */
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0;
  let inString = false;
  for (let at = start; at < text.length; at++) {
    const char = text[at];
    if (inString) {
      if (char === "\\") at++;
      else if (char === '"') inString = false;
    } else if (char === '"') inString = true;
    else if (char === "{") depth++;
    else if (char === "}" && --depth === 0) return at + 1;
  }
  return undefined;
}

function isJsonObject(text: string): boolean {
  try {
    return isObject(JSON.parse(text));
  } catch {
    return false; // braces in prose
  }
}
