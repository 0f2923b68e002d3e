import { stat } from "node:fs/promises";
import { type Help, UserError } from "../../lib/errors.ts";
import { countRedactionMarks, firstRedactionMark, REDACTION_MARK } from "../../lib/secrets/redaction-mark.ts";
import type { ToolContext } from "../tool.ts";
import type { Place } from "./paths.ts";
import { readBytes } from "./read-files.ts";

const SECRET_WOULD_BE_LOST: Help = {
  cause:
    "Secrets are replaced by marks in what the model reads. Writing a mark back would destroy the secret in the file.",
  cure: "The model can use `edit_file` with texts that do not contain the mark.",
};

/** One replacement in a file. */
export interface Edit {
  oldText: string;
  newText: string;
}

type Redact = ToolContext["redact"];

/** Parts of a message: the first mark in a text, what it means, and what to do instead. */
function explain(text: string): { mark: string; meaning: string; advice: string } {
  const mark = firstRedactionMark(text) ?? REDACTION_MARK;
  return {
    mark,
    meaning: `${mark}, which replaces secrets in what you read and write`,
    advice: `change the file with edit_file, and leave ${mark} out of oldText and newText`,
  };
}

/**
 * Throws a {@link UserError} if a file with secrets would be overwritten by a text with new redaction marks: the model
 * was shown the marks in place of the secrets, so the write would destroy the secrets. Marked lines that are already in
 * the file are allowed.
 */
export async function requireSecretsKeptOnWrite(content: string, place: Place, redact: Redact): Promise<void> {
  if (!redact || countRedactionMarks(content) === 0) return;
  const found = await stat(place.real).catch(() => undefined);
  if (!found?.isFile()) return;
  const before = new TextDecoder().decode(await readBytes(place));
  if (!addsMarkedLine(before, content) || !(await holdsSecret(before, redact))) return;
  const { meaning, advice } = explain(content);
  throw new UserError(
    `${place.path} was not written: the text holds ${meaning}; the file holds a secret, and the mark would destroy the secret; ${advice}`,
    { help: SECRET_WOULD_BE_LOST },
  );
}

/** True if a line with a mark occurs more often than before. */
function addsMarkedLine(before: string, after: string): boolean {
  const known = markedLines(before);
  return [...markedLines(after)].some(([line, count]) => count > (known.get(line) ?? 0));
}

/** Counts the occurrences of each line with a mark. */
function markedLines(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of text.split("\n")) {
    if (countRedactionMarks(line) > 0) counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return counts;
}

/** {@link requireSecretsKeptOnWrite} for one replacement in a file. The message begins with `label`. */
export async function requireSecretsKeptOnEdit(
  before: string,
  edit: Edit,
  label: string,
  redact: Redact,
): Promise<void> {
  const [replaced, added] = [countRedactionMarks(edit.oldText), countRedactionMarks(edit.newText)];
  if (!redact || replaced + added === 0) return;
  const isFound = before.includes(edit.oldText);
  if (isFound && added <= replaced) return;
  if (!(await holdsSecret(before, redact))) return;
  const { mark, meaning, advice } = explain(isFound ? edit.newText : edit.oldText);
  const problem = isFound
    ? `newText holds ${meaning}; the file holds a secret, and the mark would destroy it`
    : `oldText holds ${mark}, which you were shown instead of a secret of the file`;
  throw new UserError(`${label}${problem}; nothing was changed; ${advice}`, { help: SECRET_WOULD_BE_LOST });
}

/** True if redaction finds a secret in the whole text or in a single line: the model may have been shown either. */
async function holdsSecret(text: string, redact: NonNullable<Redact>): Promise<boolean> {
  if ((await redact(text)) !== text) return true;
  for (const line of text.split("\n")) if ((await redact(line)) !== line) return true;
  return false;
}

/** Returns a note for the model if a write or edits added marks to a file; else an empty string. */
export function noteOnMarks(edits: readonly Edit[], redact: Redact): string {
  const added = edits.filter(({ oldText, newText }) => countRedactionMarks(newText) > countRedactionMarks(oldText));
  const text = added.map(({ newText }) => newText).join("");
  const marks = redact ? countRedactionMarks(text) : 0;
  if (marks === 0) return "";
  return (
    `\nNote: the text holds ${explain(text).mark} ${marks === 1 ? "once" : `${marks} times`}, and it was written like that. ` +
    "If a secret was meant there, it is not in the file: secrets are taken out of what you read and write."
  );
}
