import { StopReason } from "../../lib/errors.ts";

export type TaskStatus = "running" | "completed" | "failed" | "stopped";

/** A task on which an agent works in the background. */
export interface BackgroundTask {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  /** In milliseconds since 1970. */
  readonly startedAt: number;
  status: TaskStatus;
  /** The text of the agent so far; after the end, its answer or the error. */
  output: string;
  readonly stop: AbortController;
  /** Resolves when the task and its last hooks have ended; never rejects. */
  ended: Promise<void>;
}

/** The tasks that are kept, by id, oldest first. */
export type BackgroundTasks = Map<string, BackgroundTask>;

const MAX_RUNNING = 20;
const MAX_KEPT = 100;
const MAX_OUTPUT = 10 * 1024 * 1024;

export function canStartTask(tasks: BackgroundTasks): boolean {
  return running(tasks).length < MAX_RUNNING;
}

/** Adds a task, and removes the oldest ended one if there are too many. */
export function addTask(tasks: BackgroundTasks, task: BackgroundTask): void {
  tasks.set(task.id, task);
  if (tasks.size <= MAX_KEPT) return;
  const oldest = tasks.values().find(({ status }) => status !== "running");
  if (oldest) tasks.delete(oldest.id);
}

/** Appends to the output of a task, up to `MAX_OUTPUT` characters. */
export function appendOutput(task: BackgroundTask, text: string): void {
  const room = MAX_OUTPUT - task.output.length;
  // Compiled code adds even an empty text as a string that keeps the one before.
  if (room > 0) task.output += text.slice(0, room);
}

/** Stops a task for a reason, and waits until it and its last hooks have ended. */
export async function stopTask(task: BackgroundTask, why: string): Promise<void> {
  task.stop.abort(new StopReason(why));
  await task.ended;
}

/** Stops all tasks for a reason, including those that start meanwhile. */
export async function stopAllTasks(tasks: BackgroundTasks, why: string): Promise<void> {
  for (let left = running(tasks); left.length > 0; left = running(tasks))
    await Promise.all(left.map((task) => stopTask(task, why)));
}

function running(tasks: BackgroundTasks): BackgroundTask[] {
  return [...tasks.values()].filter(({ status }) => status === "running");
}
