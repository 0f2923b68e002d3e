import { stripVTControlCharacters } from "node:util";
import { UserError } from "../../../lib/errors.ts";
import { counted } from "../../../lib/text/counted.ts";
import { roundedDuration } from "../../../lib/text/duration.ts";
import { escapeControls, escapeControlsInLines } from "../../../lib/text/escape-controls.ts";
import { outlineOf } from "../../../runtime/session/attached-file.ts";
import { lastAssistantText, lastQuestion, type Session, titleOf } from "../../../runtime/session/session.ts";
import type { StoredSession } from "../../../runtime/store/queries.ts";
import { shortPath } from "../banner.ts";
import { foldedText } from "../folded-text.ts";
import { type Conversation, replaceSession } from "../prompt-session.ts";
import type { Choice, ListUpdate, Screen } from "../terminal.ts";

const LISTED = 50;

/** `/resume [ID]`: ends this session, and continues a stored one. */
export async function resumeSession(conversation: Conversation, typed: string): Promise<void> {
  const { stored, terminal, current } = conversation;
  const id = typed || (await chooseSession(conversation));
  if (id === undefined) return;
  const loaded = stored.load(id);
  if (!loaded) throw new UserError(`no stored session ${JSON.stringify(id)}; /sessions lists them`);
  const session = stored.adopt(loaded);
  askAgain(session, current.session.safetyMode);
  if (session.workingDir !== current.session.workingDir)
    terminal.note(`(tools work in ${escapeControls(session.workingDir)}, where this session ran)`);
  const { agentFile } = current.session;
  if (agentFile !== undefined && session.agentFile !== undefined && session.agentFile !== agentFile)
    terminal.note(
      `(this session ran with the agent file ${escapeControls(session.agentFile)}; it goes on with ${escapeControls(agentFile)})`,
    );
  if (agentFile !== undefined) session.agentFile = agentFile;
  await replaceSession(conversation, session);
  showLastExchange(terminal, session);
}

/** Lets the user choose a stored session, and rename, remove or look at some. Lists those of this folder first. */
async function chooseSession(conversation: Conversation): Promise<string | undefined> {
  const { stored, terminal, control } = conversation;
  let isEverywhere = false;
  const choices = (): Choice<string>[] => {
    const here = isEverywhere ? [] : storedHere(conversation);
    return (here.length > 0 ? here : storedAnywhere(conversation)).map((each) => choiceOf(each, conversation));
  };
  const first = choices();
  if (first.length === 0) throw new UserError("no other session is stored");
  const action = (key: string, name: string, work: (id: string) => Promise<ListUpdate<string>>) => ({
    key,
    name,
    run: async (id = "") => {
      try {
        return await work(id);
      } catch (error) {
        if (!(error instanceof UserError)) throw error;
        return { detail: `error: ${escapeControlsInLines(error.message)}` };
      }
    },
  });
  const isSure = (title: string) => {
    const answers = [
      { value: false, label: "Keep it" },
      { value: true, label: "Delete it", description: "with everything that was said" },
    ];
    return terminal.choose(`Delete the session: ${title}`, answers, control.runSignal);
  };
  const labelOf = (id: string) => choices().find(({ value }) => value === id)?.label ?? escapeControls(id);
  return terminal.choose("Resume a session", first, control.runSignal, [
    action("tab", "folders", async () => {
      isEverywhere = !isEverywhere;
      return { choices: choices() };
    }),
    action("ctrl+p", "preview", async (id) => {
      const session = stored.load(id);
      return session ? { detail: lastExchange(terminal, session, "") } : { choices: choices() };
    }),
    action("ctrl+r", "rename", async (id) => {
      const title =
        id && titleOf((await terminal.askLine(`New title (now ${labelOf(id)}): `, control.runSignal)) ?? "");
      if (title !== "") stored.retitle(id, title);
      return { choices: choices() };
    }),
    action("ctrl+x", "delete", async (id) => {
      if (id !== "" && (await isSure(labelOf(id)))) stored.remove(id);
      return { choices: choices() };
    }),
  ]);
}

/** Returns the stored sessions that `/resume` completes: those of this folder first, newest first. */
export function sessionChoices(conversation: Conversation): Choice<string>[] {
  const here = storedHere(conversation);
  const others = storedAnywhere(conversation).filter(({ id }) => !here.some((each) => each.id === id));
  return [...here, ...others].map((each) => choiceOf(each, conversation));
}

function storedHere({ stored, current }: Conversation): StoredSession[] {
  return stored.list(LISTED, stored.folder).filter(({ id }) => id !== current.session.id);
}

function storedAnywhere({ stored, current }: Conversation): StoredSession[] {
  return stored.list(LISTED).filter(({ id }) => id !== current.session.id);
}

/** `title   3 h ago · 4 messages · ~/other` */
function choiceOf(stored: StoredSession, { stored: { folder } }: Conversation): Choice<string> {
  const { id, title, updated_at, messages, working_dir } = stored;
  const age = `${roundedDuration(Date.now() - Date.parse(updated_at))} ago`;
  const place = working_dir === folder || working_dir === "" ? [] : [escapeControls(shortPath(working_dir))];
  return {
    value: id,
    label: escapeControls(title || id),
    description: [age, counted(messages, "message"), ...place].join(" · "),
  };
}

/** `2026-05-01 12:30 · 4 messages` */
export function ageAndLength({ created_at, messages }: { created_at: string; messages: number }): string {
  return `${created_at.slice(0, 16).replace("T", " ")} · ${counted(messages, "message")}`;
}

/**
 * Makes a session that ran in autonomous mode, or accepted edits, ask again, unless this run has that mode too: an
 * earlier --yolo holds for the run it was given to. Returns true if the mode has changed.
 */
export function askAgain(session: Session, safetyMode: string | undefined): boolean {
  const { safetyMode: before } = session;
  if ((before !== "autonomous" && before !== "accept-edits") || safetyMode === before) return false;
  delete session.safetyMode;
  if (safetyMode !== undefined) session.safetyMode = safetyMode;
  return true;
}

/** Rows of the last answer that are shown again. */
const SHOWN_ROWS = 12;

/** Shows a resumed session's title, the user's last message and the start of the last answer. */
export function showLastExchange(screen: Screen, session: Session): void {
  screen.note(lastExchange(screen, session, "Resumed: "));
}

function lastExchange({ theme }: Screen, session: Session, before: string): string {
  const clean = (text: string) => escapeControlsInLines(stripVTControlCharacters(text)).trim();
  const title = `${before}${escapeControls(session.title || session.id)}`;
  const asked = lastQuestion(session);
  const question = asked ? foldedText(clean(outlineOf(asked))) : "";
  const rows = clean(lastAssistantText(session)).split("\n");
  const more = rows.length > SHOWN_ROWS ? [`… ${counted(rows.length - SHOWN_ROWS, "more line")}`] : [];
  return [
    theme.style("bold", title),
    ...(question ? [theme.style("userMessage", `> ${question.replaceAll("\n", "\n  ")}`)] : []),
    ...rows.slice(0, SHOWN_ROWS),
    ...more.map((row) => theme.style("dim", row)),
  ].join("\n");
}
