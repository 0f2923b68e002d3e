import { mkdir, rmdir, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { errorText, UserError } from "../../lib/errors.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import type { Access } from "./access.ts";
import type { Place } from "./paths.ts";
import { type Edit, keepSecretsOnEdit, keepSecretsOnWrite, remarkOnMarks } from "./protect-secrets.ts";
import { readBytes } from "./read-files.ts";

/** Writes a whole file and makes the directories above it; says how much was written. */
export async function writeWhole(
  path: string,
  content: string,
  place: Place,
  { redact }: Pick<ToolContext, "redact">,
): Promise<string> {
  const found = await stat(place.real).catch(() => undefined);
  // A pipe would wait for a reader for ever, and a device is no file that anybody meant.
  if (found && !found.isFile() && !found.isDirectory()) throw new UserError(`${place.path} is not a regular file`);
  await keepSecretsOnWrite(content, place, redact);
  await mkdir(dirname(place.real), { recursive: true });
  await writeFile(place.real, content);
  return `File written successfully: ${path} (${Buffer.byteLength(content)} bytes)${remarkOnMarks([{ oldText: "", newText: content }], redact)}`;
}

/** Replaces texts in a file: all of them, or the file stays as it was and this throws. */
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
    await keepSecretsOnEdit(after, edit, label(index), redact);
    after = applyEdit(after, edit, label(index));
  }
  await writeFile(place.real, after);
  const [only, ...others] = edits;
  const remark = remarkOnMarks(edits, redact);
  if (only && others.length === 0)
    return `File edited successfully. Replaced ${lengthOf(only.oldText)} characters${remark}`;
  const lines = edits.map(({ oldText }, index) => `${index + 1}. Replaced ${lengthOf(oldText)} characters`);
  return ["File edited successfully:", ...lines].join("\n") + remark;
}

/** Makes directories with those above them; one that fails does not keep the others from being made. */
export function createDirectories(paths: readonly string[], access: Access): Promise<ToolResult> {
  return forEach(paths, async (path) => {
    await mkdir(access.locate(path).real, { recursive: true });
    return `Directory created successfully: ${path}`;
  });
}

/** Removes empty directories, never a link to one; one that fails does not keep the others from being removed. */
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

/** Bytes that are no UTF-8 would not survive being written back. */
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
