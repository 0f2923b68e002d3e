import { stopReasonOf, UserError } from "../../lib/errors.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { findPrompt, listPrompts } from "../../runtime/conversation/server-prompts.ts";
import type { EndReason } from "../../runtime/conversation/session-lifecycle.ts";
import { submitInput } from "../../runtime/conversation/slash-commands.ts";
import type { SentMessage } from "../../runtime/session/attached-file.ts";
import { queueFollowUp, queueSteering, takeFollowUp, takeSteering } from "../../runtime/session/queues.ts";
import { titleOf } from "../../runtime/session/session.ts";
import { RejectedSkillError } from "../../runtime/skills/guarded-skill.ts";
import { agentOf } from "../../runtime/stream/runtime.ts";
import { commandResultText } from "../run-text.ts";
import { withMentionedFiles } from "./attach-mentions.ts";
import { bannerLines } from "./banner.ts";
import { type FoundCommand, findCommand, isAgentCommand } from "./commands/typed-commands.ts";
import { foldedText } from "./folded-text.ts";
import { runLocally } from "./local-command.ts";
import type { Conversation } from "./prompt-session.ts";
import type { SentLine } from "./terminal.ts";

/** Runs the prompt: reads a line, answers it, reads the next, until the user leaves. */
export async function converse(conversation: Conversation): Promise<EndReason> {
  const { control, input, pending, current, runtime, terminal } = conversation;
  const [title = "", ...facts] = await bannerLines(runtime, current.session);
  terminal.note([terminal.theme.style("bold", title), ...facts].join("\n"));
  for (const agent of runtime.team.agents.values()) void listPrompts(agent, control.runSignal);
  const { welcomeMessage } = agentOf(runtime, current.session);
  if (welcomeMessage) terminal.note(escapeControlsInLines(welcomeMessage));
  while (!control.runSignal.aborted && !conversation.isLeaving) {
    const line = pending.shift() ?? (await input.next(control.runSignal));
    if (line === undefined) break;
    await reportUserErrors(conversation, () => read(conversation, line));
    control.endStream();
  }
  return control.runSignal.aborted && !conversation.isLeaving ? "other" : "prompt_input_exit";
}

/** A second Ctrl+C within this time leaves. */
const LEAVE_MS = 2_000;

/**
 * Handles Ctrl+C: declines a question for a line; cancels the current stream; at the idle prompt says that a second one leaves, and the second leaves.
 * Returns false if the whole run should end.
 */
export function interruptConversation(conversation: Conversation): boolean {
  const { control, input, terminal } = conversation;
  if (terminal.declineLine?.()) return true;
  const isSecond = Date.now() - conversation.interruptedAt < LEAVE_MS;
  conversation.interruptedAt = Date.now();
  if (control.interrupt() || (!control.isBusy && !isSecond)) {
    terminal.hint("Ctrl+C again leaves");
    return true;
  }
  conversation.isLeaving = true;
  if (control.isBusy) return false;
  input.leave();
  return true;
}

/** Does some work. If it fails with a `UserError`, shows the error, and the prompt continues. */
export async function reportUserErrors({ terminal }: Conversation, work: () => Promise<void> | void): Promise<void> {
  try {
    await work();
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    terminal.note(`error: ${escapeControlsInLines(error.message)}`);
  }
}

async function read(conversation: Conversation, line: SentLine): Promise<void> {
  const text = line.text.trim();
  if (text === "") return;
  if (text.startsWith("!")) return runLocally(conversation, text.slice(1).trim());
  const [, prompt] = /^\/(mcp__\S+)/.exec(text) ?? [];
  if (prompt !== undefined) await learnPrompt(conversation, prompt);
  const command = findCommand(conversation, text);
  if (command) return command.run(conversation, command.rest);
  await answer(conversation, line);
}

/** Lists the prompts of the servers unless the one that is named is known: its server may have started since. */
async function learnPrompt({ runtime, current, control }: Conversation, name: string): Promise<void> {
  await findPrompt(agentOf(runtime, current.session), name, control.beginStream());
}

/** Sends a message, then the messages that were typed too late for its stream. */
async function answer(conversation: Conversation, line: SentLine): Promise<void> {
  const { runtime, terminal, control, input } = conversation;
  let next: SentMessage | undefined = await firstMessage(conversation, line);
  while (next !== undefined) {
    const { session } = conversation.current;
    const message: SentMessage = next;
    session.title ||= titleOf(message.text);
    const work = submitInput(runtime, session, message, control.beginStream(), (shown) => {
      terminal.note(escapeControlsInLines(commandResultText(shown)));
      if (message.files.length > 0 && shown.kind !== "prompt") terminal.note("(nothing was sent, the files neither)");
    });
    const watched = input.during(work, {
      onLine: (typed, later) => readWhileBusy(conversation, typed, later),
      onEscape: () => void control.interrupt(),
    });
    const { error, reason } = await watched.catch((failure: unknown) => {
      if (failure instanceof RejectedSkillError) input.restore(message.text);
      throw failure;
    });
    if (reason === "canceled") terminal.note(canceledText(control.runSignal));
    if (error || reason === "canceled") return showLeftOver(conversation);
    await conversation.reading;
    next = joined(takeSteering(runtime.queues)) ?? takeFollowUp(runtime.queues);
  }
  conversation.pending.push(...conversation.afterAnswer.splice(0));
}

/** Says that an answer ended early, and why unless the user cancelled it. */
function canceledText(signal: AbortSignal): string {
  const reason = stopReasonOf(signal);
  return reason === undefined ? "(canceled)" : `(canceled: ${reason})`;
}

/** Returns a line with its files. If one cannot be attached, the line goes back to the user. */
async function firstMessage(conversation: Conversation, line: SentLine): Promise<SentMessage> {
  try {
    return await withMentionedFiles(conversation, line);
  } catch (error) {
    conversation.input.restore(line.text);
    throw error;
  }
}

/** Joins messages into one; undefined if there is none. */
function joined(messages: readonly SentMessage[]): SentMessage | undefined {
  if (messages.length === 0) return undefined;
  return { text: messages.map(({ text }) => text).join("\n"), files: messages.flatMap(({ files }) => files) };
}

/** After an error or a cancellation, shows what is left: messages stay queued, commands are dropped. */
function showLeftOver({ runtime, terminal, afterAnswer }: Conversation): void {
  for (const { text } of [...runtime.queues.steering, ...runtime.queues.followUps]) {
    terminal.note(`(still queued, sent with your next message) ${noted(text)}`);
  }
  for (const { text } of afterAnswer.splice(0)) terminal.note(`(not run) ${noted(text)}`);
}

/** Handles a line that was typed while the agent works: runs a command, or queues a message. */
function readWhileBusy(conversation: Conversation, line: SentLine, later: boolean): void {
  const text = line.text.trim();
  if (text === "") return;
  if (text.startsWith("!") || isAgentCommand(conversation, text)) return runAfterAnswer(conversation, line);
  let command: FoundCommand | undefined;
  try {
    command = findCommand(conversation, text);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return conversation.terminal.note(`error: ${escapeControlsInLines(error.message)}`);
  }
  if (command) return commandWhileBusy(conversation, command, line);
  conversation.reading = conversation.reading.then(() => queue(conversation, line, later));
}

/** Queues a message with its files. If that fails, the line goes back to the user. */
async function queue(conversation: Conversation, line: SentLine, later: boolean): Promise<void> {
  const { runtime, terminal, input } = conversation;
  try {
    const { text, files } = await withMentionedFiles(conversation, line);
    (later ? queueFollowUp : queueSteering)(runtime.queues, text, files);
    terminal.note(`(queued${later ? " for after the answer" : ""}) ${noted(text)}`);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    terminal.note(`(${escapeControls(error.message)})`);
    input.restore(line.text);
  }
}

/** Takes the newest queued message out of its queue. Returns its text; undefined if none is queued. */
export function takeBack({ runtime, terminal }: Conversation): string | undefined {
  const { steering, followUps } = runtime.queues;
  const message = followUps.pop() ?? steering.pop();
  if (message) terminal.note(`(no longer queued) ${noted(message.text)}`);
  return message?.text;
}

function commandWhileBusy(conversation: Conversation, command: FoundCommand, line: SentLine): void {
  switch (command.whenBusy) {
    case "cancels":
      conversation.pending.push(line);
      conversation.control.interrupt();
      break;
    case "runs":
      void reportUserErrors(conversation, () => command.run(conversation, command.rest));
      break;
    case "waits":
      runAfterAnswer(conversation, line);
      break;
  }
}

function runAfterAnswer({ afterAnswer, terminal }: Conversation, line: SentLine): void {
  afterAnswer.push(line);
  terminal.note(`(runs after the answer) ${noted(line.text.trim())}`);
}

/** A message in a note: a long one only starts there. */
function noted(text: string): string {
  return escapeControlsInLines(foldedText(text));
}
