import { basename, extname } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import { readRegularFile, UnreadableFileError } from "../../lib/read-file.ts";
import { type ToolResult, toolError } from "../tool.ts";
import type { Access } from "./access.ts";
import type { Place } from "./paths.ts";

/** Larger files are refused; whoever needs them has a shell. */
const READ_LIMIT = 64 * 1024 * 1024;

const IMAGE_TYPES: Readonly<Record<string, string>> = {
  ".png": "image/png",
  ".jpg": "image/jpeg",
  ".jpeg": "image/jpeg",
  ".gif": "image/gif",
  ".webp": "image/webp",
};

/** Which lines to read; both count from 1. */
export interface LineRange {
  line?: number;
  limit?: number;
}

/** A file as text, or as an image beside the text. Throws when it cannot be read. Source: config-and-cli 5.5. */
export async function readOne(path: string, range: LineRange, access: Access): Promise<ToolResult> {
  const place = access.locate(path);
  const bytes = await readBytes(place);
  const mimeType = IMAGE_TYPES[extname(place.real).toLowerCase()];
  if (mimeType === undefined) return { text: linesOf(new TextDecoder().decode(bytes), range, place) };
  if (range.line !== undefined || range.limit !== undefined) {
    throw new UserError(`${path} is an image: line and limit do not apply`);
  }
  return {
    text: `Image: ${path} (${mimeType}, ${bytes.length} bytes)`,
    attachments: [{ mimeType, data: bytes.toString("base64"), name: basename(place.path) }],
  };
}

/** Several files, each in its own block; one that cannot be read has its error there. Source: config-and-cli 5.5. */
export async function readMany(paths: readonly string[], asJson: boolean, access: Access): Promise<ToolResult> {
  const results = await Promise.all(paths.map((path) => readOne(path, {}, access).catch(toErrorResult)));
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
