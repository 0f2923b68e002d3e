import { basename } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { decodeText, type MediaKind, mediaTypeOf } from "../../lib/files/media-type.ts";
import { readRegularFile, UnreadableFileError } from "../../lib/files/read-file.ts";
import { attach } from "../attach.ts";
import { type ToolResult, toolError } from "../tool.ts";
import type { Access } from "./access.ts";
import type { Place } from "./paths.ts";

/** Larger files are refused; whoever needs them has a shell. */
const READ_LIMIT = 64 * 1024 * 1024;

/** Which lines to read; both count from 1. */
export interface LineRange {
  line?: number;
  limit?: number;
}

/**
 * A file as text, or as an attachment: an image, a PDF or audio, by its bytes. Throws a {@link UserError} if it cannot
 * be read or shown.
 */
export async function readOne(
  path: string,
  range: LineRange,
  access: Access,
  signal: AbortSignal,
): Promise<ToolResult> {
  const place = access.locate(path);
  const bytes = await readBytes(place);
  const type = mediaTypeOf(bytes);
  if (type.kind === "text") return { text: linesOf(decodeText(bytes), range, place) };
  if (range.line !== undefined || range.limit !== undefined) {
    throw new UserError(`${path} is ${NAMES[type.kind]}: line and limit do not apply`);
  }
  try {
    const { attachment, description } = await attach(bytes, type, { name: basename(place.path), signal });
    return { text: `${path}: ${description}`, attachments: [attachment] };
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    throw new UserError(`${path} is ${NAMES[type.kind]} that cannot be shown: ${error.message}`, { cause: error });
  }
}

const NAMES: Readonly<Record<Exclude<MediaKind, "text">, string>> = {
  image: "an image",
  document: "a document",
  audio: "an audio file",
  video: "a video",
  binary: "a binary file",
};

/** Several files, each in its own block; one that cannot be read has its error there. */
export async function readMany(
  paths: readonly string[],
  asJson: boolean,
  access: Access,
  signal: AbortSignal,
): Promise<ToolResult> {
  const results = await Promise.all(paths.map((path) => readOne(path, {}, access, signal).catch(toErrorResult)));
  const blocks = results.map(({ text }, index) => ({ path: paths[index] ?? "", content: text }));
  const attachments = results.flatMap((result) => result.attachments ?? []);
  const plain = () => blocks.map(({ path, content }) => `=== ${path} ===\n${content}`).join("\n\n");
  const text = asJson ? JSON.stringify(blocks) : plain();
  return { text, ...(attachments.length > 0 ? { attachments } : {}) };
}

/** The bytes of a regular file. Throws a {@link UserError} that names the file and why it is not read. */
export async function readBytes(place: Place): Promise<Buffer> {
  try {
    return await readRegularFile(place.real, { limit: READ_LIMIT });
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    if (error.kind === "missing") throw new UserError(`not found: ${place.path}`, { cause: error });
    throw new UserError(`${place.path}: ${error.reason}`, { cause: error });
  }
}

function linesOf(content: string, { line, limit }: LineRange, place: Place): string {
  if (line !== undefined && line < 1) throw new UserError("line must be at least 1");
  if (limit !== undefined && limit < 1) throw new UserError("limit must be at least 1");
  if (line === undefined && limit === undefined) return content;
  const lines = (content.endsWith("\n") ? content.slice(0, -1) : content).split("\n");
  const start = (line ?? 1) - 1;
  if (start >= lines.length) {
    throw new UserError(`line ${line} is past the end of ${place.path}, which has ${lines.length}`);
  }
  return lines.slice(start, limit === undefined ? undefined : start + limit).join("\n");
}

function toErrorResult(error: unknown): ToolResult {
  return toolError(`Error: ${errorText(error)}`);
}
