import { present } from "../lib/present.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Message } from "../protocol/fields.ts";
import { type Tool, toolError, type ToolResult } from "../tools/tool.ts";
import { type OfferedTool, scopeOf, type Stream, type StreamError, uncancelledScopeOf } from "./activation.ts";
import type { Agent } from "./agent.ts";
import { dispatch, type DispatchScope } from "./dispatch.ts";
import { agentNamed, record, report, type Runtime } from "./runtime.ts";
import { createSession, lastAssistantText, type Session } from "./session.ts";

/** Runs the loop on a child session; given by the loop itself. */
export type RunStream = (
  runtime: Runtime,
  session: Session,
  signal: AbortSignal,
  chain: readonly string[],
) => Promise<{ error?: StreamError }>;

const MAX_CHAIN = 10;
const KICK_OFF = "Please proceed.";

/**
 * The tools by which an agent hands on work: `transfer_task` and `handoff`, each only where it has somebody to name.
 */
export function delegationTools(stream: Stream, agent: Agent, runStream: RunStream): OfferedTool[] {
  const tools: Tool[] = [];
  if (agent.subAgents.length > 0) tools.push(transferTask(stream, agent, runStream));
  if (agent.handoffs.length > 0) tools.push(handoff(stream, agent));
  return tools.map((tool) => ({ tool, managed: true }));
}

function transferTask(stream: Stream, caller: Agent, runStream: RunStream): Tool {
  return {
    name: "transfer_task",
    title: "Transfer Task",
    description: "Hands a task to another agent and waits for its result. The agent sees nothing of this conversation.",
    parameters: parametersOf({
      agent: { type: "string", description: "Name of the agent", enum: [...caller.subAgents] },
      task: { type: "string", description: "What the agent has to do, with everything it needs to know" },
      expected_output: { type: "string", description: "What the result has to look like" },
    }),
    category: "transfer",
    readOnly: true,
    async run({ agent, task, expected_output }) {
      if (typeof agent !== "string" || typeof task !== "string" || typeof expected_output !== "string") {
        return toolError("Invalid arguments: agent, task and expected_output must be texts.");
      }
      const objection = objectionTo(stream, caller, agent);
      if (objection) return toolError(objection);
      return transfer(stream, caller, agentNamed(stream.runtime, agent), taskMessage(task, expected_output), runStream);
    },
  };
}

function objectionTo({ chain }: Stream, caller: Agent, target: string): string | undefined {
  if (!caller.subAgents.includes(target)) {
    return `Agent '${target}' is not available for transfer_task. Valid names: ${caller.subAgents.join(", ")}.`;
  }
  if (chain.includes(target)) return `Agent '${target}' already waits for this task: ${chain.join(" -> ")}.`;
  return chain.length > MAX_CHAIN ? `Tasks may be transferred at most ${MAX_CHAIN} times in a row.` : undefined;
}

function taskMessage(task: string, expectedOutput: string): string {
  return [
    "Another agent has given you a task. Work on it alone and answer with the result.",
    `<task>\n${task}\n</task>`,
    `<expected_output>\n${expectedOutput}\n</expected_output>`,
  ].join("\n\n");
}

/** The whole of a delegation, from the switch to the child and back. Source: runtime 12.3. */
async function transfer(
  stream: Stream,
  caller: Agent,
  target: Agent,
  task: string,
  runStream: RunStream,
): Promise<ToolResult> {
  const { runtime, session, signal } = stream;
  const isPinned = session.pinnedAgent !== undefined;
  const child = childSession(session, target, isPinned);
  for (const message of openingMessages(task)) {
    record(runtime, child, { kind: "message", agent: target.name, message, implicit: true });
  }
  if (!isPinned) {
    await switchAgent(stream, scopeOf(stream), caller, { from: caller, to: target, kind: "transfer_task" });
  }
  let end: { error?: StreamError } = {};
  try {
    const started = await dispatch({ runtime, session: child, signal }, target, "session_start", { source: "startup" });
    child.startContext = started?.additional_context ?? "";
    end = await runStream(runtime, child, signal, [...stream.chain, target.name]);
  } finally {
    await dispatch({ runtime, session: child }, target, "session_end", { reason: "other" });
    await endTransfer(stream, caller, target, child, isPinned);
  }
  return end.error ? toolError(end.error.message) : { text: lastAssistantText(child) };
}

async function endTransfer(
  stream: Stream,
  caller: Agent,
  target: Agent,
  child: Session,
  isPinned: boolean,
): Promise<void> {
  const { runtime, session } = stream;
  record(runtime, session, { kind: "subsession", agent: target.name, session: child });
  report(runtime, caller, {
    type: "sub_session_completed",
    parent_session_id: session.id,
    sub_session: { id: child.id, title: child.title, agent_name: target.name },
  });
  await dispatch(uncancelledScopeOf(stream), caller, "subagent_stop", {
    session_id: child.id,
    agent_name: target.name,
    parent_session_id: session.id,
    ...present({ stop_response: lastAssistantText(child) }),
  });
  if (isPinned) return;
  const back = { from: target, to: caller, kind: "transfer_task_return" } as const;
  await switchAgent(stream, uncancelledScopeOf(stream), caller, back);
}

function openingMessages(task: string): Message[] {
  return [{ role: "system", content: task }, { role: "user", content: KICK_OFF }];
}

function childSession(parent: Session, target: Agent, isPinned: boolean): Session {
  const { safetyMode, permissions, id, workingDir } = parent;
  const child = createSession(workingDir, {
    parentId: id,
    title: "Transferred task",
    permissions,
    ...(safetyMode === undefined ? {} : { safetyMode }),
  });
  if (isPinned) child.pinnedAgent = target.name;
  return child;
}

interface Switch {
  from: Agent;
  to: Agent;
  kind: "transfer_task" | "transfer_task_return";
}

/** Makes another agent the current one and tells everybody; always on the hooks of the agent that delegated. */
async function switchAgent(
  stream: Stream,
  scope: DispatchScope,
  caller: Agent,
  { from, to, kind }: Switch,
): Promise<void> {
  const { runtime } = stream;
  const switching = kind === "transfer_task";
  const announce = () => {
    report(runtime, caller, { type: "agent_switching", switching, from_agent: from.name, to_agent: to.name });
  };
  const tell = () => dispatch(scope, caller, "on_agent_switch", {
    from_agent: from.name,
    to_agent: to.name,
    agent_switch_kind: kind,
    ...present({ from_agent_models: [...from.modelEndpoints] }),
  });
  if (!switching) runtime.currentAgent = to.name;
  announce();
  await tell();
  if (switching) runtime.currentAgent = to.name;
}

/** Gives the conversation to another agent for good. Source: runtime 12.4. */
function handoff(stream: Stream, agent: Agent): Tool {
  return {
    name: "handoff",
    title: "Handoff",
    description: "Hands this conversation to another agent, which goes on in your place.",
    parameters: parametersOf({
      agent: { type: "string", description: "Name of the agent", enum: [...agent.handoffs] },
    }),
    category: "handoff",
    readOnly: true,
    async run({ agent: target }) {
      if (typeof target !== "string" || !agent.handoffs.includes(target)) {
        return toolError(
          `Agent '${String(target)}' is not available for handoff. Valid names: ${agent.handoffs.join(", ")}.`,
        );
      }
      if (stream.session.pinnedAgent !== undefined) {
        return toolError("This conversation cannot be handed off: it belongs to a task that another agent waits for.");
      }
      await dispatch(scopeOf(stream), agent, "on_agent_switch", {
        from_agent: agent.name,
        to_agent: target,
        agent_switch_kind: "handoff",
        ...present({ from_agent_models: [...agent.modelEndpoints] }),
      });
      stream.runtime.currentAgent = target;
      const text = `The agent ${agent.name} has handed the conversation to ${target}, who reads this and goes on from `
        + "here: look at what the user asked for and what was already done, and answer the user.";
      return { text };
    },
  };
}

function parametersOf(properties: Record<string, JsonObject>): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
