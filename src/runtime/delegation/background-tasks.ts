/** How far a task is. */
export type TaskStatus = "running" | "completed" | "failed" | "stopped";

/** A task that an agent does in the background. */
export interface BackgroundTask {
  readonly id: string;
  readonly agent: string;
  readonly task: string;
  status: TaskStatus;
  /** What the agent has said so far; in the end its answer, or what went wrong. */
  output: string;
  readonly stop: AbortController;
  /** Resolves when the task and its last hooks are done; never rejects. */
  ended: Promise<void>;
}

/** All tasks that are remembered, by id, the oldest first. */
export type BackgroundTasks = Map<string, BackgroundTask>;

const MAX_RUNNING = 20;
const MAX_KEPT = 100;
const MAX_OUTPUT = 10 * 1024 * 1024;

/** True while another task may begin. Source: runtime 12.5. */
export function canStartTask(tasks: BackgroundTasks): boolean {
  return running(tasks).length < MAX_RUNNING;
}

/** Keeps a new task, and forgets the oldest that has ended when there are too many. */
export function addTask(tasks: BackgroundTasks, task: BackgroundTask): void {
  tasks.set(task.id, task);
  if (tasks.size <= MAX_KEPT) return;
  const oldest = tasks.values().find(({ status }) => status !== "running");
  if (oldest) tasks.delete(oldest.id);
}

/** Adds to what a task has said, up to ten million characters and a bit. */
export function appendOutput(task: BackgroundTask, text: string): void {
  task.output += text.slice(0, Math.max(0, MAX_OUTPUT - task.output.length));
}

/** Stops a task and waits until it and its last hooks are done. */
export async function stopTask(task: BackgroundTask): Promise<void> {
  task.stop.abort();
  await task.ended;
}

/** Stops every task, also those that begin meanwhile. For the end of the process. */
export async function stopAllTasks(tasks: BackgroundTasks): Promise<void> {
  for (let left = running(tasks); left.length > 0; left = running(tasks)) await Promise.all(left.map(stopTask));
}

function running(tasks: BackgroundTasks): BackgroundTask[] {
  return [...tasks.values()].filter(({ status }) => status === "running");
}
