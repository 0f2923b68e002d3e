import { isSystem, type Message } from "../../model/messages/message.ts";
import { compactionThreshold } from "../agent/agent.ts";
import { cleanConversation } from "../prompt/clean-up.ts";
import { conversationOf, sentPartsOf } from "../prompt/conversation.ts";
import { estimateAll, estimateTools, promptTokens } from "../prompt/estimate-tokens.ts";
import { definitionsOf, hookMessages, instructionMessages } from "../prompt/prompt.ts";
import type { Session } from "../session/session.ts";
import { agentOf, type Runtime } from "../stream/runtime.ts";
import type { OfferedTool } from "../stream/stream-state.ts";
import { offeredTools } from "../turns/offered-tools.ts";
import { createStream, runStream } from "../turns/run-stream.ts";

/** The kinds of text in a request, in the order in which they are sent. */
export const CONTEXT_KINDS = ["instructions", "tools", "hooks", "summary", "user", "model", "results"] as const;

export type ContextKind = (typeof CONTEXT_KINDS)[number];

/** What the next request of a session holds. Token counts are estimates unless they say otherwise. */
export interface ContextUse {
  model: string;
  /** The size of the model's context window; 0 if unknown. */
  limit: number;
  tokens: Readonly<Record<ContextKind, number>>;
  /** The tokens of the tools by toolset; the name of an MCP server after `mcp`. */
  toolsets: ReadonlyMap<string, number>;
  /** The part of the window at which the conversation is compacted; undefined if that never happens by itself. */
  compactsAt: number | undefined;
  /** The provider's own count of the last request and its answer since the last compaction; absent if there is none. */
  counted?: { model: string; input: number; output: number };
}

/** Returns what the next request of a session holds, without calling a model. */
export function contextUse(runtime: Runtime, session: Session): ContextUse {
  const agent = agentOf(runtime, session);
  const model = agent.chooseModel();
  const tools = Map.groupBy(nextTools(runtime, session), toolsetOf);
  const toolsets = new Map([...tools].map(([name, group]) => [name, estimateTools(definitionsOf(group))]));
  const { summary } = sentPartsOf(session);
  const sent = Map.groupBy(cleanConversation(conversationOf(session), agent.limits), (message) =>
    message === summary ? "summary" : kindOf(message),
  );
  const tokensOf = (kind: ContextKind) => estimateAll(sent.get(kind) ?? []);
  const started = estimateAll(hookMessages(session, { prompt: "", turn: "", carryOver: [] }));
  const counted = countedBy(session);
  return {
    model: model.id,
    limit: model.contextLimit,
    tokens: {
      instructions: estimateAll(instructionMessages(runtime.team, agent)) + tokensOf("instructions"),
      tools: [...toolsets.values()].reduce((sum, each) => sum + each, 0),
      hooks: runtime.hookTokens.get(session) ?? started,
      summary: tokensOf("summary"),
      user: tokensOf("user"),
      model: tokensOf("model"),
      results: tokensOf("results"),
    },
    toolsets,
    compactsAt: agent.compaction.enabled && model.contextLimit > 0 ? compactionThreshold(agent.compaction) : undefined,
    ...(counted ? { counted } : {}),
  };
}

/** Returns the tools that the next request of a session offers. */
export function nextTools(runtime: Runtime, session: Session): OfferedTool[] {
  const stream = createStream(runtime, session, new AbortController().signal);
  return offeredTools(stream, agentOf(runtime, session), runStream);
}

function kindOf(message: Message): ContextKind {
  if (isSystem(message)) return "instructions";
  if (message.role === "tool") return "results";
  return message.role === "assistant" ? "model" : "user";
}

function toolsetOf({ tool: { category, qualifiedName } }: OfferedTool): string {
  const server = category === "mcp" ? qualifiedName?.split(":")[1] : undefined;
  return server === undefined ? category : `${category} ${server}`;
}

function countedBy({ items }: Session): ContextUse["counted"] {
  const since = items.findLastIndex(({ kind }) => kind === "summary");
  const answer = items
    .slice(since + 1)
    .findLast((item) => item.kind === "message" && promptTokens(item.message.usage ?? {}) > 0);
  if (answer?.kind !== "message") return undefined;
  const { model = "", usage = {} } = answer.message;
  return { model, input: promptTokens(usage), output: usage.output_tokens ?? 0 };
}
