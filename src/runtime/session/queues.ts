import { UserError } from "../../lib/errors.ts";
import type { AttachedFile, SentMessage } from "./attached-file.ts";

const STEERING_CAPACITY = 5;
const FOLLOW_UP_CAPACITY = 20;

/** Messages that wait for the running stream. */
export interface MessageQueues {
  readonly steering: SentMessage[];
  readonly followUps: SentMessage[];
}

export function createQueues(): MessageQueues {
  return { steering: [], followUps: [] };
}

/** Queues a message that redirects the working agent. Throws a `UserError` if the queue is full or the text blank. */
export function queueSteering(queues: MessageQueues, text: string, files: readonly AttachedFile[] = []): void {
  enqueue(queues.steering, STEERING_CAPACITY, { text, files }, "steering");
}

/** Queues a message for after the current work. Throws a `UserError` if the queue is full or the text blank. */
export function queueFollowUp(queues: MessageQueues, text: string, files: readonly AttachedFile[] = []): void {
  enqueue(queues.followUps, FOLLOW_UP_CAPACITY, { text, files }, "follow-up");
}

/** Removes and returns all steering messages, oldest first. */
export function takeSteering(queues: MessageQueues): SentMessage[] {
  return queues.steering.splice(0);
}

/** Removes and returns the oldest follow-up. */
export function takeFollowUp(queues: MessageQueues): SentMessage | undefined {
  return queues.followUps.shift();
}

function enqueue(queue: SentMessage[], capacity: number, message: SentMessage, name: string): void {
  if (queue.length >= capacity)
    throw new UserError(`The ${name} queue is full: ${capacity} messages are already waiting`);
  if (message.text.trim() === "") throw new UserError(`The ${name} message is empty`);
  queue.push(message);
}
