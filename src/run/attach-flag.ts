import { warn } from "../cli/print.ts";
import { UsageError, UserError } from "../lib/errors.ts";
import type { AttachedFile } from "../runtime/session/attached-file.ts";
import type { RunMessages } from "./run-flags.ts";

/** Warns about `/attach` in a message that may come from elsewhere, such as an issue: it names no file there. */
export function warnAboutAttachCommand(source: RunMessages): void {
  if (source.kind !== "given" || !source.texts.some((text) => /(^|\s)\/attach[ \t]+\S/.test(text))) return;
  warn("/attach in a message is text, except at the prompt: name the file with --attach FILE");
}

/** Reads the files of `--attach`. Throws a {@link UsageError} for one that cannot be attached. */
export async function attachedFiles(names: readonly string[], signal: AbortSignal): Promise<AttachedFile[]> {
  if (names.length === 0) return [];
  const { attachFile } = await import("../runtime/session/attached-file.ts");
  const files: AttachedFile[] = [];
  for (const name of names) {
    try {
      files.push(await attachFile(name, process.cwd(), signal));
    } catch (error) {
      throw error instanceof UserError ? new UsageError(`--attach ${error.message}`) : error;
    }
  }
  return files;
}
