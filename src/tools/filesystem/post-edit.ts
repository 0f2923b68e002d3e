import { basename } from "node:path";
import { matchesGlob } from "../../lib/platform.ts";
import { failureText, runCommand } from "../run-command.ts";
import type { ToolContext, ToolResult } from "../tool.ts";
import { type Place, pathWithin } from "./paths.ts";

const DEADLINE_MS = 60_000;

/** A command that runs after a matching file was changed. */
export interface PostEdit {
  /** A glob for the file's name, or, if it contains a `/`, for its path relative to the working directory. */
  path: string;
  cmd: string;
}

/** Runs the commands for a changed file. Returns `success`, or an error result if a command fails. */
export async function runPostEdits(
  success: string,
  place: Place,
  entries: readonly PostEdit[],
  context: ToolContext,
): Promise<ToolResult> {
  for (const { cmd } of entries.filter(({ path }) => matches(path, place, context.workingDir))) {
    const { end, output } = await runCommand({
      text: cmd,
      cwd: context.workingDir,
      env: { ...context.env, file: place.path },
      deadlineMs: DEADLINE_MS,
      signal: context.signal,
    });
    const failure = failureText(end);
    if (failure !== undefined) {
      const lead = `${success}\nThe change is on disk, but the command after it failed: ${cmd}: ${failure}`;
      return { text: `${lead}\nOutput: ${output}`.trim(), isError: true };
    }
  }
  return { text: success };
}

function matches(glob: string, place: Place, workingDir: string): boolean {
  const subject = glob.includes("/") ? pathWithin(workingDir, place.path) : basename(place.path);
  return subject !== undefined && matchesGlob(glob.replace(/^\.\//, ""), subject);
}
