import { stripVTControlCharacters } from "node:util";
import { fromLineStart } from "../../lib/text/cut-text.ts";
import type { RedactingStream } from "../../redaction/redacting-stream.ts";
import type { BackgroundWork } from "../../tools/tool.ts";
import type { Agent } from "../agent/agent.ts";
import { earlyOutput } from "../agent/agent-redaction.ts";
import { type BackgroundTask, stopTask } from "../stream/background-tasks.ts";
import { agentNamed, type Runtime } from "../stream/runtime.ts";

/** Something in the background of a run, and the agent whose hooks apply to its output. */
export interface OwnedWork extends BackgroundWork {
  readonly owner: Agent;
}

/** UTF-16 units of the end of a task's text. */
const TAIL_LENGTH = 16 * 1024;

/** Returns everything that goes on in the background of a run, and what has ended there: commands and agents, oldest first. */
export function backgroundWork(runtime: Runtime): OwnedWork[] {
  const commands = [...runtime.team.agents.values()].flatMap((owner) => {
    const ofSkills = (owner.skills ?? []).flatMap(({ scope }) => scope?.toolsets ?? []);
    const toolsets = new Set([...owner.toolsets, ...ofSkills]);
    return [...toolsets].flatMap((toolset) => toolset.work?.() ?? []).map((work) => ({ ...work, owner }));
  });
  const agents = [...runtime.backgroundTasks.values()].map((task) => workOf(task, agentNamed(runtime, task.agent)));
  return [...commands, ...agents].sort((a, b) => a.startedAt - b.startedAt);
}

function workOf(task: BackgroundTask, owner: Agent): OwnedWork {
  return {
    id: task.id,
    owner,
    what: `${task.agent}: ${task.task}`,
    startedAt: task.startedAt,
    status: () => task.status,
    tail: () => {
      const end = task.output.slice(-TAIL_LENGTH);
      return end.length < task.output.length ? fromLineStart(end) : end;
    },
    stop: () => stopTask(task, "the user stopped the background task"),
  };
}

/**
 * Returns the last line of the output so far. If hooks redact output, it is a complete line without its secrets; it is
 * empty if they may change output in another way, because no hook has seen it yet.
 */
export async function lastLineOf(work: OwnedWork): Promise<string> {
  const early = earlyOutput(work.owner);
  if (early.kind === "withheld") return "";
  const text = early.kind === "as_it_is" ? work.tail() : redacted(work, await early.open());
  const lines = stripVTControlCharacters(text)
    .trimEnd()
    .split(/[\r\n]+/);
  return lines.at(-1) ?? "";
}

function redacted(work: OwnedWork, stream: RedactingStream): string {
  const isOver = work.status() !== "running";
  const lines = stream.push(work.tail()) ?? "";
  return lines + ((isOver ? stream.end() : stream.pause()) ?? "");
}
