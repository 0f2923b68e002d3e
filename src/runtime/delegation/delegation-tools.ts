import { type JsonObject, omitEmpty } from "../../lib/json.ts";
import { type Tool, type ToolResult, toolError } from "../../tools/tool.ts";
import { type Agent, cannotRun, needsRouting } from "../agent/agent.ts";
import { continueWith } from "../routing/continue-with.ts";
import { type DispatchScope, dispatch } from "../stream/dispatch-event.ts";
import { agentNamed, report } from "../stream/runtime.ts";
import { dispatchScopeOf, type OfferedTool, type Stream, uncancellableScopeOf } from "../stream/stream-state.ts";
import { createChildSession, type RunStream, recordChildTask, runChildSession } from "./child-session.ts";

const MAX_CHAIN = 10;
/** The message of the user that starts a child session. */
export const START_MESSAGE = "Please proceed.";

/** Returns `transfer_task` and `handoff`, each only if the agent may name another agent in it. */
export function delegationTools(stream: Stream, agent: Agent, runStream: RunStream): OfferedTool[] {
  const tools: Tool[] = [];
  if (agent.subAgents.length > 0) tools.push(transferTask(stream, agent, runStream));
  if (agent.handoffs.length > 0) tools.push(handoff(stream, agent));
  return tools.map((tool) => ({ tool, isOfRuntime: true }));
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
      const objection = delegationProblem(stream, caller, agent, "transfer_task");
      if (objection) return toolError(objection);
      return transfer(stream, caller, agentNamed(stream.runtime, agent), taskMessage(task, expected_output), runStream);
    },
  };
}

/** Returns why an agent cannot be given a task, as a text for the model; undefined if it can. */
export function delegationProblem(
  { delegationChain, runtime }: Stream,
  caller: Agent,
  target: string,
  tool: string,
): string | undefined {
  if (!caller.subAgents.includes(target)) {
    return `Agent '${target}' is not available for ${tool}. Valid names: ${caller.subAgents.join(", ")}.`;
  }
  if (delegationChain.includes(target))
    return `Agent '${target}' is already waiting for this task: ${delegationChain.join(" -> ")}.`;
  if (delegationChain.length > MAX_CHAIN) return `Tasks may be transferred at most ${MAX_CHAIN} times in a row.`;
  return cannotRun(agentNamed(runtime, target));
}

/** Returns the message that gives an agent a task from another agent. */
export function taskMessage(task: string, expectedOutput: string | undefined): string {
  return [
    "Another agent has given you a task. Work on it alone and answer with the result.",
    `<task>\n${task}\n</task>`,
    ...(expectedOutput ? [`<expected_output>\n${expectedOutput}\n</expected_output>`] : []),
  ].join("\n\n");
}

/** Switches to the other agent, runs the child session, and switches back to the agent that was the current one. */
async function transfer(
  stream: Stream,
  caller: Agent,
  target: Agent,
  task: string,
  runStream: RunStream,
): Promise<ToolResult> {
  const { runtime, session, signal } = stream;
  const { currentAgent } = runtime;
  const isPinned = session.pinnedAgent !== undefined;
  const child = createChildSession(session, "Transferred task", isPinned ? target : undefined);
  recordChildTask(runtime, child, target, { system: task, user: START_MESSAGE });
  if (!isPinned) {
    const away = { from: caller, to: target, kind: "transfer_task", current: target.name } as const;
    await switchAgent(stream, dispatchScopeOf(stream), caller, away);
  }
  const options = { delegationChain: [...stream.delegationChain, target.name], excludedTools: stream.excludedTools };
  const work = { runtime, parent: stream, caller, agent: target, session: child, signal, options };
  try {
    return await runChildSession(work, runStream);
  } finally {
    const back = { from: target, to: caller, kind: "transfer_task_return", current: currentAgent } as const;
    if (!isPinned) await switchAgent(stream, uncancellableScopeOf(stream), caller, back);
  }
}

interface Switch {
  from: Agent;
  to: Agent;
  kind: "transfer_task" | "transfer_task_return";
  /** The name of the current agent after the switch: while a routed conversation works, that is another one. */
  current: string;
}

/** Makes another agent the current one and reports it; always to the hooks of the agent that delegates. */
async function switchAgent(
  stream: Stream,
  scope: DispatchScope,
  caller: Agent,
  { from, to, kind, current }: Switch,
): Promise<void> {
  const { runtime } = stream;
  const switching = kind === "transfer_task";
  const reportSwitch = () => {
    report(runtime, caller, { type: "agent_switching", switching, from_agent: from.name, to_agent: to.name });
  };
  const notifyHooks = () =>
    dispatch(scope, caller, "on_agent_switch", {
      from_agent: from.name,
      to_agent: to.name,
      agent_switch_kind: kind,
      ...omitEmpty({ from_agent_models: [...from.modelEndpoints] }),
    });
  if (!switching) runtime.currentAgent = current;
  reportSwitch();
  await notifyHooks();
  if (switching) runtime.currentAgent = current;
}

/** Returns the tool that hands the conversation to another agent permanently. */
function handoff(stream: Stream, agent: Agent): Tool {
  return {
    name: "handoff",
    title: "Handoff",
    description: "Hands this conversation to another agent, which continues in your place.",
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
      const other = agentNamed(stream.runtime, target);
      const isRouted = stream.runtime.invocations.has(stream.session);
      const objection = cannotRun(other) ?? (isRouted ? undefined : needsRouting(other));
      if (objection) return toolError(objection);
      await continueWith(stream, agent, target, "handoff");
      const text =
        `The agent ${agent.name} has handed the conversation to ${target}, who reads this and continues from ` +
        "here: look at what the user asked for and what was already done, and answer the user.";
      return { text };
    },
  };
}

/** Returns the JSON Schema of arguments that are all required. */
function parametersOf(properties: Record<string, JsonObject>): JsonObject {
  return { type: "object", properties, required: Object.keys(properties), additionalProperties: false };
}
