import { typedText } from "../../../runtime/session/attached-file.ts";
import { createSession, type MessageItem, type Session, type SessionItem } from "../../../runtime/session/session.ts";
import { recordItem } from "../../../runtime/stream/runtime.ts";
import { type Conversation, replaceSession } from "../prompt-session.ts";

/**
 * Lets the user choose one of the earlier messages, and continues before it: in a new session with everything that came
 * before, the message in the input line. The old session stays stored, and files stay as they are.
 */
export async function goBack(conversation: Conversation): Promise<void> {
  const { current, terminal, input, control, earlierModes } = conversation;
  const { session } = current;
  const choices = session.items.flatMap((item, at) =>
    isTyped(item) ? [{ value: at, label: typedText(item.message).split("\n", 1)[0] ?? "" }] : [],
  );
  if (choices.length === 0) return terminal.hint("there is no earlier message");
  const at = await terminal.choose("Go back to the message", choices.toReversed(), control.runSignal);
  const item = at === undefined ? undefined : session.items[at];
  if (at === undefined || !item || !isTyped(item)) return;
  const fork = forkBefore(conversation, session, at);
  earlierModes.set(fork, earlierModes.get(session)); // for the next /yolo
  await replaceSession(conversation, fork);
  terminal.note("(back before this message, in a new session; files are as they were: /undo restores them)");
  input.restore(typedText(item.message));
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
