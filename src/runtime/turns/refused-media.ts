import type { Help } from "../../lib/errors.ts";
import { escapeControls } from "../../lib/text/escape-controls.ts";
import { describeMedia, mediaSentTo, replaceMedia, unsupportedReason } from "../../model/messages/media.ts";
import { type MediaBlock, type Message, mediaIn } from "../../model/messages/message.ts";
import type { Model, ModelError } from "../../model/model.ts";
import { report, warnOnce } from "../stream/runtime.ts";
import type { Turn } from "../stream/stream-state.ts";

const FILE_WITHHELD_FROM_THE_MODEL: Help = {
  cause: "The model does not read files of this kind or size, or the provider refused the file.",
  cure: "Use another format (PNG or JPEG for pictures, PDF or text for documents) or a smaller file, or give its path, so that the agent reads the parts it needs. [Providers](providers.md) lists what each model reads; `--model` chooses another. The model reads a note in place of the file.",
};

/** Maximum characters of a provider's complaint in the note that replaces a file. */
const MAX_COMPLAINT = 300;

/**
 * Removes files that a provider refused from the session: a note with the file and the complaint replaces each, and the
 * user is warned. The first refusal removes one file, the second all files since the last reply, the third all files
 * that were sent, so that the session stays usable. Returns false if the session holds none of the files.
 */
export function removeRefusedFiles(turn: Turn, error: ModelError, messages: readonly Message[]): boolean {
  const { stream, model } = turn;
  const isRefusal = error.blamesMedia || error.code === "request_too_large";
  const sent = isRefusal ? mediaSentTo(model, messages) : [];
  return sent.length > 0 && removeFiles(turn, error, suspects(sent, messages, error, stream.mediaRefusals++));
}

/** True if files may have caused a refusal, although the error does not say so. */
export function mayBeMediaRefusal(model: Model, error: ModelError, messages: readonly Message[]): boolean {
  const statuses = model.media?.isAssumed === false ? REFUSING : REFUSING_UNKNOWN;
  if (error.code !== "model_error" || error.blamesMedia || !statuses.has(error.status)) return false;
  return mediaSentTo(model, messages).length > 0;
}

/** Statuses for a request that the server cannot process. */
const REFUSING: ReadonlySet<number> = new Set([400, 415, 422]);
/** Servers of local models answer with 500 if the model does not accept images. */
const REFUSING_UNKNOWN: ReadonlySet<number> = new Set([...REFUSING, 500]);

/** Returns the messages without files, for a request that finds out whether files caused a refusal. */
export function withoutMedia(messages: readonly Message[], error: ModelError): Message[] {
  return messages.map((message) => replaceMedia(message, (block) => noteFor(block, error)));
}

/**
 * Removes the files from the session after a request without files has shown that they caused a refusal. If a hook
 * added them to the request, the session does not hold them, and the user is only warned.
 */
export function removeSuspectedFiles(turn: Turn, error: ModelError, messages: readonly Message[]): void {
  const {
    stream: { runtime },
    agent,
    model,
  } = turn;
  const sent = mediaSentTo(model, messages);
  if (removeFiles(turn, error, unanswered(sent, messages))) return;
  const message = `the provider refused files that a hook added, the model answered without them (${complaintOf(error)})`;
  report(runtime, agent, { type: "warning", message });
}

removeSuspectedFiles.help = FILE_WITHHELD_FROM_THE_MODEL;

/** See {@link removeRefusedFiles}. */
function removeFiles({ stream, agent }: Turn, error: ModelError, refused: readonly MediaBlock[]): boolean {
  const { runtime, session } = stream;
  const keys = new Set(refused.map(keyOf));
  const named = new Map<string, MediaBlock>();
  session.items.forEach((item, position) => {
    if (item.kind !== "message") return;
    const message = replaceMedia(item.message, (block) => {
      const key = keyOf(block);
      if (!keys.has(key)) return undefined;
      named.set(key, block);
      return noteFor(block, error);
    });
    if (message !== item.message) session.items[position] = { ...item, message };
  });
  if (named.size === 0) return false;
  runtime.journal?.update(session);
  const files = [...named.values()].map(describeMedia).join(", ");
  const message = `the provider refused ${files}: removed from the session, the model reads a note instead (${complaintOf(error)})`;
  report(runtime, agent, { type: "warning", message });
  return true;
}

/** Returns a key that is equal for equal files, even after a hook has rewritten the message. */
function keyOf({ source }: MediaBlock): string {
  return source.kind === "data" ? source.data : source.url;
}

function suspects(
  sent: readonly MediaBlock[],
  messages: readonly Message[],
  error: ModelError,
  refusals: number,
): readonly MediaBlock[] {
  if (refusals > 1) return sent;
  const doubted = unanswered(sent, messages);
  if (refusals === 1) return doubted;
  const isTooLarge = error.code === "media_too_large" || error.code === "request_too_large";
  const one = isTooLarge ? sent.toSorted((a, b) => keyOf(b).length - keyOf(a).length)[0] : doubted.at(-1);
  return one ? [one] : [];
}

/**
 * Returns the files since the last reply, because the provider accepted those before it; all files if none is newer.
 */
function unanswered(sent: readonly MediaBlock[], messages: readonly Message[]): readonly MediaBlock[] {
  const replied = messages.findLastIndex(({ role }) => role === "assistant");
  const recent = new Set(mediaIn(messages.slice(replied + 1)).map(keyOf));
  const files = sent.filter((block) => recent.has(keyOf(block)));
  return files.length > 0 ? files : sent;
}

function noteFor(block: MediaBlock, error: ModelError): string {
  return `[${describeMedia(block)} was removed because the provider refused it: ${complaintOf(error)}]`;
}

noteFor.help = FILE_WITHHELD_FROM_THE_MODEL;

function complaintOf({ providerMessage }: ModelError): string {
  return escapeControls(providerMessage.replace(/\s+/g, " ").slice(0, MAX_COMPLAINT));
}

/** Warns the user, once per model and kind of file, that the model gets a description instead of the file. */
export function warnAboutUnsentFiles({ stream: { runtime }, agent, model }: Turn, messages: readonly Message[]): void {
  const { media: rules, id } = model;
  if (!rules) return;
  for (const block of mediaIn(messages)) {
    const reason = unsupportedReason(block, rules, id);
    if (reason === undefined) continue;
    const message = `${describeMedia(block)} is only described to the model: ${reason}${ADVICE[block.type]}`;
    warnOnce(runtime, agent, message, `${id} ${block.type}`);
  }
}

warnAboutUnsentFiles.help = FILE_WITHHELD_FROM_THE_MODEL;

const ADVICE: Readonly<Record<MediaBlock["type"], string>> = {
  image: "; if it does, set capabilities.image: true in its entry of models",
  document: "; if it reads PDF, set capabilities.pdf: true in its entry of models",
  audio: "",
};
