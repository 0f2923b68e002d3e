import { toHookMessage } from "../../../src/model/messages/hook-messages.ts";
import type {
  Block,
  MediaBlock,
  Message,
  TextBlock,
  ThinkingBlock,
  ToolCallBlock,
} from "../../../src/model/messages/message.ts";
import type { Message as HookMessage } from "../../../src/protocol/fields.ts";

export const signed = (text: string, signature = `sig-${text}`): ThinkingBlock => ({
  type: "thinking",
  text,
  origin: { provider: "claude", api: "anthropic", data: { signature } },
});
export const hidden = (redacted: string): ThinkingBlock => ({
  type: "thinking",
  text: "",
  origin: { provider: "claude", api: "anthropic", data: { redacted } },
});
export const call = (id: string, input = "{}"): ToolCallBlock => ({
  type: "tool_call",
  id,
  name: "f",
  arguments: input,
  origin: { provider: "claude", api: "google", data: { thoughtSignature: id } },
});
export const bare = ({ origin: _origin, ...block }: ToolCallBlock): ToolCallBlock => block;
export const text = (text: string): TextBlock => ({ type: "text", text });
export const image = (name: string): MediaBlock => ({
  type: "image",
  source: { kind: "url", url: `https://x.example/${name}` },
});

let clock = 0;
export const at = (message: Message): Message => ({
  ...message,
  createdAt: new Date(Date.UTC(2026, 0, 1) + clock++).toISOString(),
});
export const assistant = (...blocks: Block[]): Message => at({ role: "assistant", blocks, model: "claude/opus" });
export const user = (...blocks: Block[]): Message => at({ role: "user", blocks });

/** Returns what hooks see after a round trip through JSON. */
export const seen = (messages: readonly Message[]): HookMessage[] =>
  JSON.parse(JSON.stringify(messages.map(toHookMessage)));
