import { textOf } from "../../model/messages/message.ts";
import { hasSelector } from "../agent/agent.ts";
import type { Session, SessionItem } from "../session/session.ts";
import type { Invocation, SpokenText, Submission } from "../stream/invocation.ts";
import { agentNamed, type Runtime } from "../stream/runtime.ts";

/** How many texts before a request hooks see. */
const CONVERSATION_LENGTH = 10;

/**
 * Starts the work on a request of the user whose messages begin at an item, if the conversation is routed: its entry agent
 * has hooks that route, or it was routed before. The request starts at the entry agent, which the user chose.
 */
export function openInvocation(runtime: Runtime, session: Session, firstItem: number, submission: Submission): void {
  const entry = agentNamed(runtime, runtime.currentAgent);
  if (!hasSelector(entry) && !session.items.some(({ kind }) => kind === "routing_decision")) return;
  const invocation: Invocation = {
    id: crypto.randomUUID(),
    firstItem,
    input: textOfRequest(submission),
    submission,
    conversation: spokenIn(session.items.slice(0, firstItem)).slice(-CONVERSATION_LENGTH),
    seenBy: new Set([entry.name]),
    agent: entry.name,
    isActive: false,
    activations: 0,
    transitions: 0,
    previousOutput: "",
  };
  runtime.invocations.set(session, invocation);
}

function textOfRequest({ event, payload }: Submission): string {
  if (event === "user_steering_messages_submit") return payload.steering_messages.join("\n");
  return payload.prompt;
}

/** Returns what the user typed and what agents answered; not what the runtime wrote, and no replies that call tools. */
function spokenIn(items: readonly SessionItem[]): SpokenText[] {
  return items.flatMap((item) => {
    if (item.kind !== "message" || item.implicit || item.withheld) return [];
    const { role, blocks } = item.message;
    const content = textOf(item.message);
    if (content.trim() === "" || (role !== "user" && role !== "assistant")) return [];
    return blocks.some(({ type }) => type === "tool_call") ? [] : [{ role, content }];
  });
}
