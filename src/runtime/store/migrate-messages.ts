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
 * Rewrites the messages of a session file of version 1, which are in the shape that hooks see, as blocks; one at a time,
 * so that memory does not grow with the file. An item that cannot be read stays as it is, so that reading its session
 * reports it.
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

/** The JSON of an item that holds a message of version 1, as blocks; undefined if it holds none. */
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
 * Turns the keys in which version 1 kept opaque data into origins: `thinking_signature` and `thinking_blocks` of Anthropic,
 * `thought_signature` of Gemini.
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
 * The signed thoughts of a message. Version 1 did not keep where several of them were in the text; out of their order
 * the API refuses them, so that they are left unsigned then.
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
