import * as v from "valibot";
import { isObject } from "../../lib/json.ts";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { countUnreadableParts, fromHookMessage } from "../../model/messages/hook-messages.ts";
import type { Message } from "../../model/messages/message.ts";
import { type Message as HookMessage, MESSAGE } from "../../protocol/fields.ts";

const MessageSchema = schemaFromShape(MESSAGE);

/**
 * Keys of a message that only docker-agent uses. It writes the definition of each called tool beside the call, and
 * computes the marks for the provider's cache anew for each request.
 */
const FOREIGN_KEYS: ReadonlySet<string> = new Set(["tool_definitions", "cache_control"]);

/** A message of docker-agent, and the number of attached files whose content is not in it. */
export interface SourceMessage {
  message: Message;
  missingFiles: number;
}

/**
 * Reads a message in the JSON of docker-agent (https://github.com/docker/docker-agent/blob/main/pkg/chat/chat.go). A file
 * without content becomes a text that names it. Throws an `Error` if the JSON is not such a message.
 */
export function readSourceMessage(json: unknown): SourceMessage {
  const given: unknown = JSON.parse(typeof json === "string" ? json : "");
  if (!isObject(given)) throw new Error("expected an object");
  const own = Object.fromEntries(Object.entries(given).filter(([key]) => !FOREIGN_KEYS.has(key)));
  const message = v.parse(MessageSchema, own) as HookMessage;
  return { message: fromHookMessage(message), missingFiles: countUnreadableParts(message) };
}
