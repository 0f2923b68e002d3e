import * as v from "valibot";
import { errorText } from "../../lib/errors.ts";
import { settleWithin, untilAborted } from "../../lib/settle-within.ts";
import { cutBytes } from "../../lib/text/cut-text.ts";
import { checkedTool } from "../../tools/checked-tool.ts";
import { filterTools } from "../../tools/options.ts";
import { choice, integer, optional, text } from "../../tools/parameters.ts";
import { type Tool, type ToolResult, toolError } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import type { RunEventType } from "../events/run-events.ts";
import { addTask, appendOutput, type BackgroundTask, canStartTask, stopTask } from "../stream/background-tasks.ts";
import { agentNamed, type Runtime } from "../stream/runtime.ts";
import type { OfferedTool, Stream } from "../stream/stream-state.ts";
import { createChildSession, type RunStream, recordChildTask, runChildSession } from "./child-session.ts";
import { delegationProblem, START_MESSAGE, taskMessage } from "./delegation-tools.ts";

/** The instructions to the model about the tools of the toolset `background_agents`. */
export const BACKGROUND_INSTRUCTIONS = [
  "Give work that can be done in parallel to another agent with `run_background_agent`, continue with your own, and",
  "check the task by its id, or wait for several with `wait_background_agents`. The user is not asked while it works: calls that need the user's approval are denied. All",
  "tasks end with this process.",
].join("\n");

/** Returns the tools for work in the background; none if the agent file does not ask for them. */
export function backgroundTools(stream: Stream, agent: Agent, runStream: RunStream): OfferedTool[] {
  const [first, ...others] = agent.subAgents;
  if (!agent.background || first === undefined) return [];
  const run = runTool(stream, agent, [first, ...others], runStream);
  const tools = [run, listTool(stream), viewTool(stream), waitTool(stream), stopTool(stream)];
  return filterTools(tools, agent.background, () => {}).map((tool) => ({ tool, isOfRuntime: true }));
}

const CATEGORY = "background_agents";

function runTool(stream: Stream, caller: Agent, targets: [string, ...string[]], runStream: RunStream): Tool {
  return checkedTool({
    name: "run_background_agent",
    title: "Run Background Agent",
    description:
      "Gives a task to another agent and returns at once with the task's id. The agent sees nothing of this " +
      "conversation.",
    category: CATEGORY,
    readOnly: false,
    parameters: {
      agent: choice(targets, "Name of the agent."),
      task: text("What the agent has to do, with everything it needs to know."),
      expected_output: optional(text("What the result has to look like.")),
    },
    run: ({ agent, task, expected_output }) => {
      const objection = delegationProblem(stream, caller, agent, "run_background_agent");
      if (objection) return toolError(objection);
      if (!canStartTask(stream.runtime.backgroundTasks)) {
        return toolError("Too many agents work in the background: wait for one, or stop one.");
      }
      const started = startTask(
        stream,
        caller,
        agentNamed(stream.runtime, agent),
        { task, expected_output },
        runStream,
      );
      return { text: `Background agent started.\nTask: ${started.id}\nAgent: ${agent}` };
    },
  });
}

/** Starts a task in its own session, which runs until it is finished or stopped, or until the process ends. */
function startTask(
  stream: Stream,
  caller: Agent,
  target: Agent,
  { task: work, expected_output }: { task: string; expected_output?: string | undefined },
  runStream: RunStream,
): BackgroundTask {
  const session = createChildSession(stream.session, "Background task", target);
  const task: BackgroundTask = {
    id: `agent_task_${crypto.randomUUID()}`,
    agent: target.name,
    task: work,
    startedAt: Date.now(),
    status: "running",
    output: "",
    stop: new AbortController(),
    ended: Promise.resolve(),
  };
  const runtime = backgroundRuntime(stream.runtime, task, session.id);
  const options = { delegationChain: [...stream.delegationChain, target.name], excludedTools: stream.excludedTools };
  recordChildTask(runtime, session, target, { system: taskMessage(work, expected_output), user: START_MESSAGE });
  const child = { runtime, parent: stream, caller, agent: target, session, signal: task.stop.signal, options };
  task.ended = runChildSession(child, runStream)
    .catch((error: unknown) => toolError(errorText(error)))
    .then((result) => settle(task, result));
  addTask(stream.runtime.backgroundTasks, task);
  return task;
}

function settle(task: BackgroundTask, result: ToolResult): void {
  if (task.stop.signal.aborted) {
    task.status = "stopped";
    return;
  }
  task.status = result.isError ? "failed" : "completed";
  task.output = "";
  appendOutput(task, result.text);
}

/** The events of a task that are reported to a front end which shows them. */
const SHOWN: ReadonlySet<RunEventType> = new Set([
  "tool_call",
  "tool_call_response",
  "hook_blocked",
  "error",
  "warning",
]);

/**
 * Returns a runtime that does not ask the user. It reports the costs of the task, and its calls as background events
 * with the id of the task.
 */
function backgroundRuntime(runtime: Runtime, task: BackgroundTask, sessionId: string): Runtime {
  const { reportBackground } = runtime.frontEnd;
  return {
    ...runtime,
    frontEnd: {
      ...(reportBackground ? { reportBackground } : {}),
      report: (event) => {
        if (event.type === "token_usage") runtime.frontEnd.report(event);
        if (SHOWN.has(event.type)) reportBackground?.({ ...event, background_task: task.id });
        if (event.type === "agent_choice" && event.session_id === sessionId) appendOutput(task, event.content);
      },
    },
  };
}

function listTool({ runtime: { backgroundTasks } }: Stream): Tool {
  return checkedTool({
    name: "list_background_agents",
    title: "List Background Agents",
    description: "Lists the tasks on which agents work in the background, with their status.",
    category: CATEGORY,
    readOnly: true,
    parameters: {},
    run: () => ({ text: [...backgroundTasks.values()].map(describe).join("\n") || "No background agents" }),
  });
}

const TASK_ID = { task_id: text("The id that run_background_agent returned.") };

function viewTool({ runtime }: Stream): Tool {
  return checkedTool({
    name: "view_background_agent",
    title: "View Background Agent",
    description: "Shows the status of a task, and the text of its agent so far, or its answer.",
    category: CATEGORY,
    readOnly: true,
    parameters: TASK_ID,
    run: ({ task_id }) => {
      const task = runtime.backgroundTasks.get(task_id);
      if (!task) return toolError(unknown(runtime, task_id));
      return { text: `${describe(task)}\n\n${task.output.trim() || "<no output>"}` };
    },
  });
}

const DEFAULT_WAIT_SECONDS = 300;
const MAX_WAIT_SECONDS = 3600;
const MAX_TASK_IDS = 100;
/** The most bytes of one task's text in the result of a wait. */
const MAX_WAIT_OUTPUT = 4096;

function waitTool({ runtime: { backgroundTasks } }: Stream): Tool {
  return checkedTool({
    name: "wait_background_agents",
    title: "Wait for Background Agents",
    description: "Waits until all of these tasks have ended, and returns their status and output as JSON.",
    category: CATEGORY,
    readOnly: true,
    parameters: {
      task_ids: v.pipe(
        v.array(v.string()),
        v.minLength(1),
        v.maxLength(MAX_TASK_IDS),
        v.description("The ids that run_background_agent returned, each once."),
      ),
      timeout: optional(integer("Maximum seconds to wait. Default 300, at most 3600.")),
    },
    run: async ({ task_ids: ids, timeout = 0 }, { signal }) => {
      if (new Set(ids).size < ids.length) return toolError("task_ids has an id twice");
      const tasks = ids.map((id) => backgroundTasks.get(id));
      const isKnown = !tasks.includes(undefined);
      const seconds = timeout > 0 ? Math.min(timeout, MAX_WAIT_SECONDS) : DEFAULT_WAIT_SECONDS;
      const ended = Promise.all(tasks.map((task) => task?.ended));
      if (isKnown) await settleWithin(ended, { ms: seconds * 1000, signal });
      if (signal.aborted) return toolError("Command cancelled");
      const reports = ids.map((id, index) => waitReport(id, tasks[index]));
      const allDone = reports.every(({ done }) => done);
      const text = JSON.stringify({
        all_done: allDone,
        ...(isKnown && !allDone ? { timed_out: true } : {}),
        tasks: reports,
      });
      return isKnown ? { text } : toolError(text);
    },
  });
}

function waitReport(task_id: string, task: BackgroundTask | undefined) {
  if (!task) return { task_id, status: "not_found", done: false };
  const { status } = task;
  const said = task.output.trim();
  const text = cutBytes(said, MAX_WAIT_OUTPUT);
  const shown = status === "failed" ? { error: text } : { output: text };
  return {
    task_id,
    status,
    done: status !== "running",
    ...shown,
    ...(text.length < said.length ? { truncated: true } : {}),
  };
}

function stopTool({ runtime }: Stream): Tool {
  return checkedTool({
    name: "stop_background_agent",
    title: "Stop Background Agent",
    description: "Stops a task on which an agent works in the background.",
    category: CATEGORY,
    readOnly: false,
    parameters: TASK_ID,
    run: async ({ task_id }, { signal }) => {
      const task = runtime.backgroundTasks.get(task_id);
      if (!task) return toolError(unknown(runtime, task_id));
      if (task.status !== "running") return toolError(`Task ${task_id} is not running (${task.status})`);
      await untilAborted(stopTask(task, "the background task was stopped"), signal);
      return { text: `Background agent stopped: ${task_id}` };
    },
  });
}

function describe({ id, agent, status, task }: BackgroundTask): string {
  return `${id} (${agent}, ${status}): ${task}`;
}

function unknown({ backgroundTasks }: Runtime, id: string): string {
  return `No task ${JSON.stringify(id)}; the tasks are: ${[...backgroundTasks.keys()].join(", ") || "none"}`;
}
