import { basename } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { decodeText, type MediaKind, mediaTypeOf } from "../../lib/files/media-type.ts";
import { readRegularFile, UnreadableFileError } from "../../lib/files/read-file.ts";
import { attach } from "../attach.ts";
import { type ToolResult, toolError } from "../tool.ts";
import type { Access } from "./access.ts";
import type { Place } from "./paths.ts";

/** Larger files are refused. */
const READ_LIMIT = 64 * 1024 * 1024;

/** The part of a text to read. */
export interface LineRange {
  /** The first line, counted from 1. */
  line?: number;
  /** The number of lines. */
  limit?: number;
}

/**
 * Reads a file as text, or as an attachment if its bytes are an image, a PDF or audio. Throws a {@link UserError} if it
 * cannot be read or shown.
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

/** Reads several files, each into a block of its own. The block of a file that cannot be read contains the error. */
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

/** Reads a regular file. Throws a {@link UserError} that names the file and says why it cannot be read. */
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
