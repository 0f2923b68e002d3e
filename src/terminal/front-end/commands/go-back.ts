import { renderUndo } from "../../../cli/snapshots-text.ts";
import { counted } from "../../../lib/text/counted.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { typedText } from "../../../runtime/session/attached-file.ts";
import { createSession, type MessageItem, type Session, type SessionItem } from "../../../runtime/session/session.ts";
import { recordItem } from "../../../runtime/stream/runtime.ts";
import { inheritCheckpoints, listCheckpoints, resetTo } from "../../../snapshot/controller.ts";
import { type Conversation, replaceSession } from "../prompt-session.ts";
import { snapshotsOf, whyNoUndo } from "./undo-command.ts";

/**
 * Lets the user choose one of the earlier messages, and continues before it: in a new session with everything that came
 * before, the message in the input line. The old session stays stored, and files stay as they are.
 */
export async function goBack(conversation: Conversation): Promise<void> {
  const at = await chooseEarlier(conversation, "Go back to the message");
  if (at === undefined) return;
  const undo = whyNoUndo(conversation) === undefined ? ": /undo restores them" : "";
  await continueBefore(conversation, at, `files are as they were${undo}`);
}

/**
 * `/rewind`: like {@link goBack}, and restores the files that tools have changed since the message, after it has shown
 * them and asked.
 */
export async function rewind(conversation: Conversation): Promise<void> {
  const { current, terminal, control } = conversation;
  const at = await chooseEarlier(conversation, "Rewind conversation and files to before the message");
  if (at === undefined) return;
  const obstacle = whyNoUndo(conversation);
  if (obstacle !== undefined) return continueBefore(conversation, at, `files are as they were: ${obstacle}`);
  const options = snapshotsOf(conversation);
  const { checkpoints, problems } = await listCheckpoints(options);
  const sentAt = messageAt(current.session, at)?.message.createdAt ?? "";
  const first = checkpoints.findIndex(({ since }) => since >= sentAt);
  const planned = first < 0 ? undefined : await resetTo({ ...options, dryRun: true }, first);
  const failures = [...problems, ...(planned?.problems ?? [])];
  if (!planned || failures.length > 0 || planned.files === 0) {
    const why = failures[0] ?? "no change by a tool is recorded since then";
    return continueBefore(conversation, at, `files are as they were: ${why}`);
  }
  terminal.note(renderUndo(planned, true));
  const answers = [
    { value: true, label: `Restore ${counted(planned.files, "file")}, and go back` },
    { value: false, label: "Go back, and leave the files as they are" },
  ];
  const restores = await terminal.choose("Rewind", answers, control.runSignal);
  if (restores === undefined) return;
  if (!restores) return continueBefore(conversation, at, "files are as they were: /undo restores them");
  const restored = await resetTo(options, first);
  terminal.note(renderUndo(restored));
  if (!restored.ok)
    return terminal.note("(not every file is restored, so the conversation stays; /back changes only that)");
  await continueBefore(conversation, at, "the files are restored");
}

/** Lets the user choose an earlier message. Returns the index of its item. */
async function chooseEarlier({ current, terminal, control }: Conversation, title: string): Promise<number | undefined> {
  const choices = current.session.items.flatMap((item, at) =>
    isTyped(item) ? [{ value: at, label: typedText(item.message).split("\n", 1)[0] ?? "" }] : [],
  );
  if (choices.length > 0) return terminal.choose(title, choices.toReversed(), control.runSignal);
  terminal.hint("there is no earlier message");
  return undefined;
}

/** Continues before the message at an index, in a new session that can undo what the old one can. */
async function continueBefore(conversation: Conversation, at: number, files: string): Promise<void> {
  const { current, terminal, input, earlierModes } = conversation;
  const { session } = current;
  const item = messageAt(session, at);
  if (!item) return;
  const fork = forkBefore(conversation, session, at);
  const problems =
    whyNoUndo(conversation) === undefined ? await inheritCheckpoints(snapshotsOf(conversation), fork.id) : [];
  for (const problem of problems) terminal.note(escapeControls(`(/undo does not reach back: ${problem})`));
  earlierModes.set(fork, earlierModes.get(session)); // for the next /yolo
  await replaceSession(conversation, fork);
  terminal.note(escapeControls(`(back before this message, in a new session; ${files})`));
  input.restore(typedText(item.message));
}

function messageAt({ items }: Session, at: number): MessageItem | undefined {
  const item = items[at];
  return item && isTyped(item) ? item : undefined;
}

/** True for a message that the user sent. */
function isTyped(item: Session["items"][number]): item is MessageItem {
  return item.kind === "message" && item.message.role === "user" && !item.implicit && !item.withheld;
}

/** Returns a new session with the items before an index, and with what the user has granted. */
function forkBefore({ runtime }: Conversation, session: Session, at: number): Session {
  const { startedIn, agentFile, safetyMode, permissions, title } = session;
  const fork = createSession(session.workingDir, {
    title,
    permissions,
    ...(startedIn === undefined ? {} : { startedIn }),
    ...(agentFile === undefined ? {} : { agentFile }),
    ...(safetyMode === undefined ? {} : { safetyMode }),
  });
  fork.cost = session.cost;
  for (const item of session.items.slice(0, at)) recordItem(runtime, fork, copyOf(item, fork.id));
  return fork;
}

/** A sub-session belongs to one session, so a fork gets a copy of it. */
function copyOf(item: SessionItem, parentId: string): SessionItem {
  if (item.kind !== "subsession") return item;
  const id = crypto.randomUUID();
  const items = item.session.items.map((each) => copyOf(each, id));
  return { ...item, session: { ...item.session, id, parentId, items } };
}
