import { statSync } from "node:fs";
import { processEnv } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { type AttachedFile, attachFile, type SentMessage } from "../../runtime/session/attached-file.ts";
import { absolutePath } from "../../tools/filesystem/paths.ts";
import { firstPath, type Mention, mentionOf, mentionsIn } from "./mentions.ts";
import type { Conversation } from "./prompt-session.ts";
import type { SentLine } from "./terminal.ts";
import { showWaitingFiles } from "./waiting-files.ts";

/** The most files that one line attaches. */
const MAX_FILES = 20;

/**
 * Returns the message of a line, with the files that it names and says so. Files are only those that the user can see
 * in the line, so not those in a folded paste. An `@` without a file belongs to the text; if it looks like a path, a note
 * says so. Throws a {@link UserError} if
 * `/attach` names a file that cannot be attached.
 */
export async function withMentionedFiles(conversation: Conversation, line: SentLine): Promise<SentMessage> {
  const { terminal, control, current, firstFiles } = conversation;
  const { workingDir } = current.session;
  const files = new Map<string, AttachedFile>();
  const notes: string[] = [];
  for (const mention of mentionsIn(line.shown)) {
    const path = existing(mention, workingDir);
    if (files.has(path) || isText(mention, path, workingDir)) continue;
    if (files.size === MAX_FILES) throw new UserError(`a message takes at most ${MAX_FILES} files`);
    try {
      const file = await attachFile(path, workingDir, control.runSignal);
      files.set(path, file);
      notes.push(`(attached ${path}: ${file.description})`);
    } catch (error) {
      if (!(error instanceof UserError) || mention.isCommand) throw error;
      notes.push(`(not attached, sent as its name only) ${error.message}`);
    }
  }
  if (notes.length > 0) terminal.note(notes.map(escapeControls).join("\n"));
  return { text: line.text, files: [...firstFiles.splice(0), ...files.values()] };
}

/** Returns the path of a mention that exists; the likeliest if none does. */
function existing({ paths }: Mention, directory: string): string {
  return paths.find((path) => exists(path, directory)) ?? paths[0] ?? "";
}

/** True for an `@` that names no file and does not look like a path, such as `@alice`. */
function isText({ isCommand }: Mention, path: string, directory: string): boolean {
  return !isCommand && !/[/\\.]/.test(path) && !exists(path, directory);
}

function exists(name: string, directory: string): boolean {
  try {
    return statSync(absolutePath(name, directory, processEnv()), { throwIfNoEntry: false }) !== undefined;
  } catch {
    return false; // such as a name that is too long
  }
}

/**
 * `/attach [FILE] [MESSAGE]`: sends a message with a file. Without a message, puts the mention of the file into the input
 * line; without a file, lists those that wait. Throws a {@link UserError} if the file cannot be attached.
 */
export async function attachToMessage(conversation: Conversation, typed: string): Promise<void> {
  const { terminal, input, pending, control, current } = conversation;
  const found = firstPath(typed);
  if (!found) {
    showWaitingFiles(conversation);
    return terminal.note("/attach FILE attaches an image, a PDF or a text to your message, as @FILE does");
  }
  await attachFile(found.path, current.session.workingDir, control.runSignal);
  const mention = mentionOf(found.path);
  if (found.rest === "") return input.restore(`${mention} `);
  const text = `${mention} ${found.rest}`;
  pending.push({ text, shown: text });
}
