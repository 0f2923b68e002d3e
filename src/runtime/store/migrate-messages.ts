import * as v from "valibot";
import { isObject } from "../../lib/json.ts";
import type { Database } from "../../lib/platform.ts";
import { schemaFromShape } from "../../lib/schema/schema-from-shape.ts";
import { fromHookMessage } from "../../model/messages/hook-messages.ts";
import type { Block, Message, ThinkingBlock } from "../../model/messages/message.ts";
import { type Message as HookMessage, MESSAGE } from "../../protocol/fields.ts";
import { StoredMessageSchema, storedMessage } from "./stored-message.ts";

const ItemSchema = v.looseObject({ message: schemaFromShape(MESSAGE) });

/**
 * Rewrites the messages of a version 1 session file, which have the format that hooks see, as blocks. Works on one
 * message at a time, so that memory does not grow with the file. Leaves an unreadable item as it is; reading its
 * session reports the error.
 */
export function migrateMessages(db: Database): void {
  const rows = db.query<{ rowid: number }, []>("SELECT rowid FROM items WHERE kind = 'message'").all();
  const read = db.query<{ body: string }, [number]>("SELECT body FROM items WHERE rowid = ?");
  const update = db.query("UPDATE items SET body = ? WHERE rowid = ?");
  for (const { rowid } of rows) {
    const migrated = migrateItem(read.get(rowid)?.body ?? "");
    if (migrated !== undefined) update.run(migrated, rowid);
  }
}

/** Converts the JSON of an item with a version 1 message to blocks; returns undefined if it holds no such message. */
export function migrateItem(body: string): string | undefined {
  try {
    const item = v.parse(ItemSchema, JSON.parse(body));
    const message = v.parse(StoredMessageSchema, storedMessage(withOrigins(item.message)));
    return JSON.stringify({ ...item, message });
  } catch {
    return undefined;
  }
}

/**
 * Converts the keys in which version 1 stored opaque provider data to origins: `thinking_signature` and
 * `thinking_blocks` of Anthropic, `thought_signature` of Gemini.
 */
function withOrigins(old: HookMessage): Message {
  const { thinking_blocks, ...rest } = old as HookMessage & Record<string, unknown>;
  const message = fromHookMessage(rest);
  const provider = message.model?.split("/", 1)[0];
  if (message.role !== "assistant" || provider === undefined) return message;
  const thoughts = anthropicThoughts(old, thinking_blocks, provider);
  const others = message.blocks.filter(({ type }) => type !== "thinking");
  return {
    ...message,
    blocks: signFirstCall(thoughts.length > 0 ? [...thoughts, ...others] : message.blocks, old, provider),
  };
}

/**
 * Returns the signed thinking of a message. Version 1 did not store where several blocks of it were in the text, and
 * the API refuses signed blocks in the wrong order, so several blocks are left unsigned.
 */
function anthropicThoughts(old: HookMessage, blocks: unknown, provider: string): ThinkingBlock[] {
  const service = { provider, api: "anthropic" };
  const { thinking_signature: signature, reasoning_content: text = "" } = old;
  if (!Array.isArray(blocks)) {
    return signature ? [{ type: "thinking", text, origin: { ...service, data: { signature } } }] : [];
  }
  if (blocks.length > 1 && old.content) return [{ type: "thinking", text, origin: service }];
  return blocks.filter(isObject).map(
    (block): ThinkingBlock => ({
      type: "thinking",
      text: typeof block["thinking"] === "string" ? block["thinking"] : "",
      origin: {
        ...service,
        data: block["type"] === "redacted_thinking" ? { redacted: block["data"] } : { signature: block["signature"] },
      },
    }),
  );
}

function signFirstCall(
  blocks: readonly Block[],
  { thought_signature: thoughtSignature }: HookMessage,
  provider: string,
): readonly Block[] {
  const first = blocks.find(({ type }) => type === "tool_call");
  if (!thoughtSignature || first?.type !== "tool_call") return blocks;
  const signed: Block = { ...first, origin: { provider, api: "google", data: { thoughtSignature } } };
  return blocks.map((block) => (block === first ? signed : block));
}
