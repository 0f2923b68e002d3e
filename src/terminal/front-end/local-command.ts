import { stripVTControlCharacters } from "node:util";
import { processEnv } from "../../lib/env.ts";
import { type ProcessEnd, runProcess } from "../../lib/process/process.ts";
import { shellCommand } from "../../lib/process/system-shell.ts";
import { escapeControls, escapeControlsInLines } from "../../lib/text/escape-controls.ts";
import { textMessage } from "../../model/messages/message.ts";
import { agentOf, recordItem } from "../../runtime/stream/runtime.ts";
import type { Conversation } from "./prompt-session.ts";

/** The maximum output that is kept, in bytes. */
const LIMIT = 30_000;

/**
 * `!cmd`: runs a command for the user in the session's directory, shows its output, and adds both to the conversation
 * for the next message. Tool hooks do not run: the model did not call it.
 */
export async function runLocally(conversation: Conversation, command: string): Promise<void> {
  const {
    runtime,
    current: { session },
    terminal,
    control,
  } = conversation;
  if (command === "") return terminal.note("!COMMAND runs a command and shows its output to the agent");
  const env = processEnv();
  const { stdout, stderr, end } = await runProcess({
    command: shellCommand(command, env),
    cwd: session.workingDir,
    env,
    signal: control.beginStream(),
    stdoutLimit: LIMIT,
    stderrLimit: LIMIT,
    overflow: "drop",
  });
  const output = [stdout, stderr]
    .map((text) => text.trimEnd())
    .filter(Boolean)
    .join("\n");
  if (output) terminal.note(escapeControlsInLines(stripVTControlCharacters(output)));
  const ending = endText(end);
  if (ending) terminal.note(`(${escapeControls(ending)})`);
  const heading = `Its output${ending ? ` (${ending})` : ""}:`;
  const text = `I ran this command:\n${command}\n\n${heading}\n${output || "(none)"}`;
  const message = { ...textMessage("user", text), createdAt: new Date().toISOString() };
  recordItem(runtime, session, { kind: "message", agent: agentOf(runtime, session).name, message, implicit: true });
}

/** Says how the command ended; empty if it succeeded. */
function endText(end: ProcessEnd): string {
  switch (end.kind) {
    case "exited":
      return end.code === 0 ? "" : `exit code ${end.code}`;
    case "signaled":
      return `ended by ${end.signal}`;
    case "timed_out":
      return "timed out";
    case "aborted":
      return "canceled";
    case "flooded":
      return "its output was too long";
    case "not_started":
      return end.error;
  }
}
