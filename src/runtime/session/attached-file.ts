import { realpathSync } from "node:fs";
import { processEnv } from "../../lib/env.ts";
import { UserError } from "../../lib/errors.ts";
import { decodeText, formatBytes, mediaTypeOf } from "../../lib/files/media-type.ts";
import { isInside } from "../../lib/files/paths.ts";
import { readUserFile, UnreadableFileError } from "../../lib/files/read-file.ts";
import { fileBlock } from "../../model/messages/media.ts";
import type { ContentBlock, Message } from "../../model/messages/message.ts";
import { attach } from "../../tools/attach.ts";
import { openAccess } from "../../tools/filesystem/access.ts";
import { loadPatternParser } from "../../tools/filesystem/load-pattern-parser.ts";

/** Images are scaled down, so a large one can be sent. */
const MAX_BYTES = 64 * 1024 * 1024;

/** A longer text would fill the context of many models; an agent reads parts of it with its tools. */
const MAX_TEXT_BYTES = 256 * 1024;

/** A file that goes with a message of the user. */
export interface AttachedFile {
  /** The path as the user wrote it. */
  readonly name: string;
  /** For the user: `image/png, 1200 x 800 pixels, 12.3 kB`. */
  readonly description: string;
  /** A text with the file's name and, for a text file, its content; then the image or document. */
  readonly blocks: readonly ContentBlock[];
}

/** What the user sends: a text, and the files that go with it. */
export interface SentMessage {
  readonly text: string;
  readonly files: readonly AttachedFile[];
}

/**
 * Reads a file that the user named, to send it with a message. A relative path counts from `directory`, and `~/` is the
 * user's home. Throws a {@link UserError} `NAME: reason` for a file that `.agentsignore` names, that is missing, that only a
 * symbolic link reaches from the directory (a repository could show another file under a harmless name), is no
 * regular file (a pipe passed to hooksh as `<(command)` is read too), is too large, is damaged, or is of a kind that
 * models cannot be shown.
 */
export async function attachFile(name: string, directory: string, signal: AbortSignal): Promise<AttachedFile> {
  const access = openAccess({
    workingDir: directory,
    env: processEnv(),
    rules: {},
    parsePatterns: await loadPatternParser(),
  });
  const { path } = access.locate(name);
  try {
    const bytes = await readUserFile(withoutLinksOut(path, directory), { limit: MAX_BYTES });
    return await attachBytes(bytes, { name, maxText: MAX_TEXT_BYTES, signal });
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    const reason = error instanceof UnreadableFileError ? error.reason : error.message;
    throw new UserError(`${name}: ${reason}`, { cause: error });
  }
}

interface AttachedBytes {
  /** Where they are from. */
  name: string;
  /** The largest text, in bytes. */
  maxText: number;
  signal: AbortSignal;
}

/** Returns bytes as a file that goes with a message. Throws a {@link UserError} for what models cannot be shown. */
export async function attachBytes(bytes: Buffer, { name, maxText, signal }: AttachedBytes): Promise<AttachedFile> {
  const type = mediaTypeOf(bytes);
  if (type.kind === "text") return textFile(name, bytes, maxText);
  const { attachment, description } = await attach(bytes, type, { name, signal });
  return { name, description, blocks: [{ type: "text", text: labelOf(name, description) }, fileBlock(attachment)] };
}

/** Returns where a path leads. Throws a {@link UserError} if it starts in the directory and leads out of it. */
function withoutLinksOut(path: string, directory: string): string {
  if (!isInside(path, directory)) return path;
  const real = realPathOf(path);
  if (real === undefined || isInside(real, realPathOf(directory) ?? directory)) return real ?? path;
  throw new UserError(`leads out of the directory through a symbolic link; to attach it, name ${real}`);
}

function realPathOf(path: string): string | undefined {
  try {
    return realpathSync(path);
  } catch {
    return undefined; // reading it says why
  }
}

function textFile(name: string, bytes: Buffer, maxBytes: number): AttachedFile {
  if (bytes.length > maxBytes) {
    throw new UserError(
      `a text of ${formatBytes(bytes.length)} is too long to attach; the agent can read parts of it with its tools`,
    );
  }
  // The content must not end its own envelope and go on as if the user had written it.
  const content = decodeText(bytes).replace(/<(?=\/\s*attached_file)/gi, "&lt;");
  const description = `text, ${formatBytes(bytes.length)}`;
  const text = `${labelOf(name, description)}\n<attached_file>\n${content}\n</attached_file>`;
  return { name, description, blocks: [{ type: "text", text }] };
}

function labelOf(name: string, description: string): string {
  return `Attached file ${JSON.stringify(name)} (${description}):`;
}

/** Returns a message of the user: the text, then the files. */
export function userMessage(text: string, files: readonly AttachedFile[] = []): Message {
  return { role: "user", blocks: [{ type: "text", text }, ...files.flatMap(({ blocks }) => blocks)] };
}

/** Returns the text of a user's message without its files. */
export function typedText(message: Pick<Message, "blocks">): string {
  return textsOf(message)[0] ?? "";
}

/** Returns the text of a user's message, and a line for each of its files instead of the content. */
export function outlineOf(message: Pick<Message, "blocks">): string {
  const [typed = "", ...labels] = textsOf(message);
  return [typed, ...labels.map((label) => `(${label.split("\n", 1)[0]?.replace(/:$/, "")})`)].join("\n");
}

function textsOf({ blocks }: Pick<Message, "blocks">): string[] {
  return blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
}
