import { directoriesOf } from "../cli/global-flags.ts";
import { sessionFile } from "../cli/session-flags.ts";
import { escapeControls, escapeControlsInLines } from "../lib/text/escape-controls.ts";
import type { EndReason } from "../runtime/conversation/session-lifecycle.ts";
import { cycleMode } from "../terminal/front-end/commands/change-mode.ts";
import { goBack } from "../terminal/front-end/commands/go-back.ts";
import { showLastExchange } from "../terminal/front-end/commands/resume-session.ts";
import { commandChoices, isCommand, keysText } from "../terminal/front-end/commands/typed-commands.ts";
import { converse, interruptConversation, reportUserErrors, takeBack } from "../terminal/front-end/converse.ts";
import { openHistory } from "../terminal/front-end/prompt-history.ts";
import type { Conversation } from "../terminal/front-end/prompt-session.ts";
import type { SessionRun } from "./run-plan.ts";
import { resumeAtPrompt } from "./stored-run.ts";

/** Reads and answers lines until the user leaves. */
export async function answerPrompt(
  { flags, setup, cwd, stored, outcomes, files, onInterrupt }: SessionRun,
  parts: Pick<Conversation, "runtime" | "current" | "control" | "terminal">,
): Promise<EndReason> {
  const directories = directoriesOf(flags);
  const conversation: Conversation = {
    ...parts,
    input: parts.terminal.openLine({
      history: openHistory(directories.data, (message) => parts.terminal.note(escapeControlsInLines(message))),
      commands: (typed) => commandChoices(conversation, typed),
      isCommand: (line) => isCommand(conversation, line),
      directory: () => parts.current.session.workingDir,
      onGoBack: () => void reportUserErrors(conversation, () => goBack(conversation)),
      onNextMode: () => cycleMode(conversation),
      onShowKeys: () => parts.terminal.note(keysText()),
      onCancel: () => void parts.control.interrupt(),
      takeBack: () => takeBack(conversation),
      onTyping: () => {
        conversation.interruptedAt = 0; // Ctrl+C then clears the line, and does not leave
      },
    }),
    directories,
    sessionFile: sessionFile(flags["session-db"], directories),
    hasSnapshots: setup.hasSnapshots,
    stored: { ...stored, folder: cwd, adopt: (session) => resumeAtPrompt(session, flags, parts.current.session) },
    modelNames: [...Object.keys(setup.file.models), ...setup.file.agents.map(({ model }) => model)],
    outcomes,
    pending: [],
    afterAnswer: [],
    earlierModes: new WeakMap(),
    firstFiles: [...files],
    reading: Promise.resolve(),
    interruptedAt: 0,
    isLeaving: false,
  };
  onInterrupt(() => interruptConversation(conversation));
  if (stored.resumed) showLastExchange(parts.terminal, stored.resumed);
  for (const { name, description } of files)
    parts.terminal.note(escapeControls(`(goes with your first message) ${name}: ${description}`));
  try {
    return await converse(conversation);
  } finally {
    conversation.input.close();
  }
}
