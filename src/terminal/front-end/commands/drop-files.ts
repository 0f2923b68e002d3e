import { resolve } from "node:path";
import { UserError } from "../../../lib/errors.ts";
import { escapeControls } from "../../../lib/text/escape-controls.ts";
import { nearest } from "../../../lib/text/nearest.ts";
import type { AttachedFile } from "../../../runtime/session/attached-file.ts";
import { firstPath } from "../mentions.ts";
import type { Conversation } from "../prompt-session.ts";
import type { Choice } from "../terminal.ts";
import { dropWaitingFiles, showWaitingFiles, waitingFiles } from "../waiting-files.ts";

const ALL = "all";

/** `/drop [NAME|all]`: removes files that wait to be sent; lists them without an argument. */
export function dropFiles(conversation: Conversation, typed: string): void {
  if (typed === "") return showWaitingFiles(conversation);
  const waiting = waitingFiles(conversation);
  const dropped = typed === ALL ? waiting : waiting.filter(({ name }) => isNamed(name, typed));
  if (dropped.length === 0) throw new UserError(unknownText(waiting, typed));
  dropWaitingFiles(conversation, (file) => dropped.includes(file));
  const names = [...new Set(dropped.map(({ name }) => name))].join(", ");
  conversation.terminal.note(escapeControls(`(dropped, not sent with a message) ${names}`));
}

export function droppableFiles(conversation: Conversation): Choice<string>[] {
  const files = new Map(waitingFiles(conversation).map(({ name, description }) => [name, description]));
  if (files.size === 0) return [];
  const choices = [...files].map(([value, description]) => ({
    value,
    label: escapeControls(value),
    description: escapeControls(description),
  }));
  return [...choices, { value: ALL, label: ALL, description: "every file that waits" }];
}

/** True if a user means a file by what they typed: its name, also with an `@`, in quotation marks, or spelled in another way. */
function isNamed(name: string, typed: string): boolean {
  const path = typed.replace(/^@/, "");
  const unquoted = firstPath(path);
  return [typed, path, ...(unquoted?.rest === "" ? [unquoted.path] : [])].some(
    (each) => resolve(each) === resolve(name),
  );
}

function unknownText(waiting: readonly AttachedFile[], typed: string): string {
  if (waiting.length === 0) return "no file waits to be sent";
  const names = waiting.map(({ name }) => name);
  const close = nearest(typed, [...names, ALL]);
  const hint = close === undefined ? "/drop lists the files" : `did you mean ${close}?`;
  return `no file ${JSON.stringify(typed)} waits to be sent; ${hint}`;
}
