import { mkdir, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { Access } from "./access.ts";
import type { Place } from "./paths.ts";
import { type Edit, noteOnMarks, requireSecretsKeptOnEdit, requireSecretsKeptOnWrite } from "./protect-secrets.ts";
import { readBytes } from "./read-files.ts";

/** Creates or overwrites a file, with its parent directories. Returns a message with the number of bytes. */
export async function writeWhole(
  path: string,
  content: string,
  place: Place,
  { redact }: Pick<ToolContext, "redact">,
): Promise<string> {
  const found = await stat(place.real).catch(() => undefined);
  // Opening a pipe would wait for a reader forever, and writing to a device is hardly intended.
  if (found && !found.isFile() && !found.isDirectory()) throw new UserError(`${place.path} is not a regular file`);
  await requireSecretsKeptOnWrite(content, place, redact);
  await mkdir(dirname(place.real), { recursive: true });
  await writeFile(place.real, content);
  return `File written successfully: ${path} (${Buffer.byteLength(content)} bytes)${noteOnMarks([{ oldText: "", newText: content }], redact)}`;
}

/** Applies all edits to a file. Throws and leaves the file unchanged if one of them fails. */
export async function editFile(
  edits: readonly Edit[],
  place: Place,
  { redact }: Pick<ToolContext, "redact">,
): Promise<string> {
  if (edits.length === 0) throw new UserError("edits is empty");
  const before = decodeStrictly(await readBytes(place), place);
  const label = (index: number) => (edits.length > 1 ? `edit ${index + 1}: ` : "");
  let after = before;
  for (const [index, edit] of edits.entries()) {
    await requireSecretsKeptOnEdit(after, edit, label(index), redact);
    after = applyEdit(after, edit, label(index));
  }
  await writeFile(place.real, after);
  const [only, ...others] = edits;
  const remark = noteOnMarks(edits, redact);
  if (only && others.length === 0)
    return `File edited successfully. Replaced ${lengthOf(only.oldText)} characters${remark}`;
  const lines = edits.map(({ oldText }, index) => `${index + 1}. Replaced ${lengthOf(oldText)} characters`);
  return ["File edited successfully:", ...lines].join("\n") + remark;
}

/** Creates directories and their parents. Continues with the others if one fails. */
export function createDirectories(paths: readonly string[], access: Access): Promise<ToolResult> {
  return forEach(paths, async (path) => {
    await mkdir(access.locate(path).real, { recursive: true });
    return `Directory created successfully: ${path}`;
  });
}

/** Removes empty directories, but not links to directories. Continues with the others if one fails. */
export function removeDirectories(paths: readonly string[], access: Access): Promise<ToolResult> {
  return forEach(paths, async (path) => {
    await rmdir(access.locateEntry(path).real);
    return `Directory removed successfully: ${path}`;
  });
}

async function forEach(paths: readonly string[], act: (path: string) => Promise<string>): Promise<ToolResult> {
  if (paths.length === 0) throw new UserError("paths is empty");
  const lines: string[] = [];
  let failed = false;
  for (const path of paths) {
    try {
      lines.push(await act(path));
    } catch (error) {
      failed = true;
      lines.push(`Error: ${errorText(error)}`);
    }
  }
  return { text: lines.join("\n"), ...(failed ? { isError: true } : {}) };
}

function applyEdit(content: string, { oldText, newText }: Edit, label: string): string {
  if (oldText === "") throw new UserError(`${label}oldText is empty; nothing was changed`);
  const at = content.indexOf(oldText);
  if (at < 0) throw new UserError(`${label}oldText was not found; nothing was changed`);
  return content.slice(0, at) + newText + content.slice(at + oldText.length);
}

/** Throws if the bytes are not UTF-8, because they could not be written back unchanged. */
function decodeStrictly(bytes: Uint8Array, place: Place): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (error) {
    throw new UserError(`${place.path} is not UTF-8 text`, { cause: error });
  }
}

function lengthOf(text: string): number {
  return [...text].length;
}
