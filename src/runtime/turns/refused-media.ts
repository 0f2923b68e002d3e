import { escapeControls } from "../../lib/text/escape-controls.ts";
import { describeMedia, mediaSentTo, replaceMedia, unsupportedReason } from "../../model/messages/media.ts";
import { type MediaBlock, type Message, mediaIn } from "../../model/messages/message.ts";
import type { Model, ModelError } from "../../model/model.ts";
import { type Runtime, report } from "../runtime.ts";
import type { Turn } from "./stream-state.ts";

/** Characters of a provider's complaint that the conversation keeps. */
const MAX_COMPLAINT = 300;

/**
 * Takes files that a provider refused out of the session for good: a text that names the file and the complaint replaces
 * each, and the user is warned. The first refusal takes out one file, the second all since the last reply, the third all that
 * were sent, so that the session stays usable whatever the reason was. False if the session holds none of the files.
 */
export function removeRefusedFiles(turn: Turn, error: ModelError, messages: readonly Message[]): boolean {
  const { stream, model } = turn;
  const isRefusal = error.blamesMedia || error.code === "request_too_large";
  const sent = isRefusal ? mediaSentTo(model, messages) : [];
  return sent.length > 0 && removeFiles(turn, error, suspects(sent, messages, error, stream.mediaRefusals++));
}

/** True if files may be the reason why a model refused a request, although the error does not say so. */
export function mayBeMediaRefusal(model: Model, error: ModelError, messages: readonly Message[]): boolean {
  const statuses = model.media?.isAssumed === false ? REFUSING : REFUSING_UNKNOWN;
  if (error.code !== "model_error" || error.blamesMedia || !statuses.has(error.status)) return false;
  return mediaSentTo(model, messages).length > 0;
}

/** Statuses of a request that cannot be served as it is. */
const REFUSING: ReadonlySet<number> = new Set([400, 415, 422]);
/** Servers of local models answer an image with 500 if the model takes none. */
const REFUSING_UNKNOWN: ReadonlySet<number> = new Set([...REFUSING, 500]);

/** The messages without any file, for a call that finds out whether files are the reason of a refusal. */
export function withoutMedia(messages: readonly Message[], error: ModelError): Message[] {
  return messages.map((message) => replaceMedia(message, (block) => noteFor(block, error)));
}

/**
 * Takes the files that a call without any has shown to be the reason of a refusal out of the session for good. Files that
 * a hook added to the request are not in the session: the user is warned of them alone.
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
  const message = `the provider refused ${files}: taken out of the session, the model reads a note instead (${complaintOf(error)})`;
  report(runtime, agent, { type: "warning", message });
  return true;
}

/** Equal for equal files, also after a hook has written the message anew. */
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

/** The files since the last reply, because the provider took those before it; all files if there are no newer ones. */
function unanswered(sent: readonly MediaBlock[], messages: readonly Message[]): readonly MediaBlock[] {
  const replied = messages.findLastIndex(({ role }) => role === "assistant");
  const recent = new Set(mediaIn(messages.slice(replied + 1)).map(keyOf));
  const files = sent.filter((block) => recent.has(keyOf(block)));
  return files.length > 0 ? files : sent;
}

function noteFor(block: MediaBlock, error: ModelError): string {
  return `[${describeMedia(block)} was removed because the provider refused it: ${complaintOf(error)}]`;
}

function complaintOf({ providerMessage }: ModelError): string {
  return escapeControls(providerMessage.replace(/\s+/g, " ").slice(0, MAX_COMPLAINT));
}

/** The models and kinds of files that warnings have named. */
const warned = new WeakMap<Runtime, Set<string>>();

/** Warns the user, once for each model and kind, that a file is described to the model instead of shown. */
export function warnAboutUnsentFiles({ stream: { runtime }, agent, model }: Turn, messages: readonly Message[]): void {
  const { media: rules, id } = model;
  if (!rules) return;
  const named = warned.get(runtime) ?? new Set();
  warned.set(runtime, named);
  for (const block of mediaIn(messages)) {
    const reason = unsupportedReason(block, rules, id);
    const key = `${id} ${block.type}`;
    if (reason === undefined || named.has(key)) continue;
    named.add(key);
    const remedy = ADVICE[block.type];
    const message = `${describeMedia(block)} is only described to the model: ${reason}${remedy}`;
    report(runtime, agent, { type: "warning", message });
  }
}

const ADVICE: Readonly<Record<MediaBlock["type"], string>> = {
  image: "; if it does, set capabilities.image: true in its entry of models",
  document: "; if it reads PDF, set capabilities.pdf: true in its entry of models",
  audio: "",
};
